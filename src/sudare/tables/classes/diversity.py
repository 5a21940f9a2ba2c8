"""What an equivalence class reveals about a sensitive attribute: l-diversity and t-closeness beside k.

Machanavajjhala et al.: l-Diversity (2006), distinct and entropy l; Li, Li, Venkatasubramanian: t-Closeness (2007), with
all values equally far from each other, so that the distance of two distributions is half the sum of their differences.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sudare.arguments import checked
from sudare.results import Result
from sudare.showing import dataclass
from sudare.statistics.distinct import sum_by
from sudare.tables.classes.sensitive_values import sensitive_values
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
    found = sensitive_values(table, sensitive, known)
    classes, owner, value, joint = found.classes, found.owner, found.value, found.joint
    share = joint / sum_by(owner, joint, len(classes.sizes))[owner]
    overall = found.records / table.records
    different = np.bincount(owner)
    entropy = np.bincount(owner, weights=-share * np.log(share))
    # Values that a class lacks differ by their whole share, which is what the present ones leave of 1.
    present = np.bincount(owner, weights=np.abs(share - overall[value]) - overall[value])
    return Diversity(
        sensitive,
        found.known,
        k=int(classes.sizes.min()),
        l=int(different.min()),
        entropy_l=float(np.exp(entropy.min())),
        t=float(np.max((present + 1) / 2)),
        revealed=int(table.counts[classes.rows[classes.own & (different == 1)[classes.owner]]].sum()),
    )
