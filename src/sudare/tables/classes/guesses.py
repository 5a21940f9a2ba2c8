"""How often somebody who knows some attributes guesses a sensitive value right: inference."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.errors import OptionNotUsable
from sudare.results import Result
from sudare.showing import dataclass
from sudare.statistics.distinct import sum_by
from sudare.tables.classes.partitions import list_classes
from sudare.tables.classes.rows import table_rows
from sudare.tables.model import Table


@dataclass(frozen=True, slots=True)
class SensitiveGuesses(Result):
    """Guesses of a sensitive value: the most common one of a record's class, a random one of several.

    `right` records of all are expected to be guessed right; `most_common` have the most common value of the table, the
    guess of somebody who knows nothing. `certain` records are in classes with a single value.
    """

    sensitive: str
    known: tuple[str, ...]
    records: int
    right: float
    most_common: int
    certain: int


@checked
def guess_sensitive(table: Table, sensitive: str, known: Sequence[str] | None = None) -> SensitiveGuesses:
    """Guess a sensitive value for somebody who knows some attributes (None: all others).

    A missing sensitive value is a value of its own; missing known values are treated as the table says.
    """
    names = [name for name in table.attributes if name != sensitive] if known is None else list(known)
    (place,) = table.positions([sensitive])
    if sensitive in names:
        raise OptionNotUsable("errors.diversity.known_and_sensitive", attribute=sensitive)
    classes = list_classes(table_rows(table, table.positions(names)))
    values = table.codes[place].astype(np.int64)
    width = int(values.max()) + 1
    pairs, inverse = np.unique(classes.owner * width + values[classes.rows], return_inverse=True)
    joint, owner = sum_by(inverse, table.counts[classes.rows], len(pairs)), pairs // width
    best = np.zeros(len(classes.sizes), np.int64)
    np.maximum.at(best, owner, joint)
    ties, different = np.bincount(owner, joint == best[owner]), np.bincount(owner)
    chance: NDArray[np.float64] = (joint == best[owner]) / ties[owner]
    own = classes.own
    records = table.counts[classes.rows[own]]
    return SensitiveGuesses(
        sensitive, tuple(names), table.records, float((records * chance[inverse[own]]).sum()),
        int(sum_by(values, table.counts, width).max()), int(records[different[classes.owner[own]] == 1].sum()),
    )  # fmt: skip
