"""What an equivalence class reveals about a sensitive attribute: l-diversity and t-closeness beside k.

Machanavajjhala et al.: l-Diversity (2006), distinct and entropy l; Li, Li, Venkatasubramanian: t-Closeness (2007), with
all values equally far from each other, so that the distance of two distributions is half the sum of their differences.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sudare.arguments import checked
from sudare.errors import OptionNotUsable
from sudare.results import Result
from sudare.showing import dataclass
from sudare.statistics.distinct import sum_by
from sudare.tables.classes.partitions import list_classes
from sudare.tables.classes.rows import table_rows
from sudare.tables.model import Table


@dataclass(frozen=True, slots=True)
class Diversity(Result):
    """How much the values of a sensitive attribute vary within the equivalence classes.

    `k` is the smallest class size, `l` the smallest number of distinct values in a class, `entropy_l` the smallest
    effective number of values of a class by entropy, `t` the largest distance of a class's distribution from that of
    the whole table (0: equal, near 1: nothing in common). `revealed` records are in classes with a single value:
    whoever finds the class knows it. A missing sensitive value is a value of its own; missing known values are treated
    as the table says.
    """

    sensitive: str
    known: tuple[str, ...]
    k: int
    l: int  # noqa: E741
    entropy_l: float
    t: float
    revealed: int


@checked
def sensitive_diversity(table: Table, sensitive: str, known: Sequence[str] | None = None) -> Diversity:
    """Measure k, l and t of a sensitive attribute for an attacker who knows some attributes (None: all others)."""
    names = [name for name in table.attributes if name != sensitive] if known is None else list(known)
    (place,) = table.positions([sensitive])
    if sensitive in names:
        raise OptionNotUsable("errors.diversity.known_and_sensitive", attribute=sensitive)
    classes = list_classes(table_rows(table, table.positions(names)))
    values = table.codes[place].astype(np.int64)
    cardinality = int(values.max()) + 1
    pairs, inverse = np.unique(classes.owner * cardinality + values[classes.rows], return_inverse=True)
    joint = sum_by(inverse, table.counts[classes.rows], len(pairs))
    owner, value = pairs // cardinality, pairs % cardinality
    share = joint / sum_by(owner, joint, len(classes.sizes))[owner]
    overall = sum_by(values, table.counts, cardinality) / table.records
    different = np.bincount(owner)
    entropy = np.bincount(owner, weights=-share * np.log(share))
    # Values that a class lacks differ by their whole share, which is what the present ones leave of 1.
    present = np.bincount(owner, weights=np.abs(share - overall[value]) - overall[value])
    return Diversity(
        sensitive,
        tuple(names),
        k=int(classes.sizes.min()),
        l=int(different.min()),
        entropy_l=float(np.exp(entropy.min())),
        t=float(np.max((present + 1) / 2)),
        revealed=int(table.counts[classes.rows[classes.own & (different == 1)[classes.owner]]].sum()),
    )
