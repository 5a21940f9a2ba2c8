"""How often somebody who knows some attributes guesses a sensitive value right: inference."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.results import Result
from sudare.showing import dataclass
from sudare.tables.classes.sensitive_values import sensitive_values
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
    found = sensitive_values(table, sensitive, known)
    classes, owner, joint = found.classes, found.owner, found.joint
    best = np.zeros(len(classes.sizes), np.int64)
    np.maximum.at(best, owner, joint)
    ties, different = np.bincount(owner, joint == best[owner]), np.bincount(owner)
    chance: NDArray[np.float64] = (joint == best[owner]) / ties[owner]
    own = classes.own
    records = table.counts[classes.rows[own]]
    return SensitiveGuesses(
        sensitive, found.known, table.records, float((records * chance[found.pair[own]]).sum()),
        int(found.records.max()), int(records[different[classes.owner[own]] == 1].sum()),
    )  # fmt: skip
