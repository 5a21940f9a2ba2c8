"""The loss measures for generalization and suppression, by name: a new loss is a line of `LOSSES`.

The search through plain tables measures in `sudare.kernels.tables.grouping`, by the number of the loss there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.errors import OptionNotUsable
from sudare.kernels.tables import grouping
from sudare.messages import Joined
from sudare.showing import dataclass
from sudare.tables.classes.partitions import list_classes
from sudare.tables.classes.rows import Rows


@dataclass(frozen=True, slots=True, eq=False)
class ColumnLevel:
    """A column at a level: of each value its records, and how many records and values are equal to it there."""

    counts: NDArray[Any]
    crowds: NDArray[Any]
    widths: NDArray[Any]
    level: int
    highest: int

    @classmethod
    def of(cls, numbers: NDArray[np.int32], counts: NDArray[Any], level: int, highest: int) -> ColumnLevel:
        """Make a column at a level of the number there of each value, and of its records."""
        return cls(counts, np.bincount(numbers, counts)[numbers], np.bincount(numbers)[numbers], level, highest)


@dataclass(frozen=True, slots=True, eq=False)
class LeveledRows:
    """Rows at some levels, of which only those that are `kept` are not suppressed.

    `base` is what the attributes that are looked at lose without suppression, `share` their share of all attributes.
    `penalties` returns for each row what a record of it loses more if it is suppressed, where that adds up.
    """

    rows: Rows
    kept: NDArray[np.bool_]
    base: float
    share: float
    penalties: Callable[[], NDArray[np.float64]]

    @property
    def suppressed(self) -> int:
        """How many records are suppressed."""
        return int(self.rows.counts[~self.kept].sum())

    @property
    def records(self) -> int:
        """How many records there are."""
        return int(self.rows.counts.sum())


def _entropy_penalty(column: ColumnLevel) -> NDArray[np.float64]:
    return np.asarray(np.log2(column.counts.sum() / np.maximum(column.crowds, 1)))


@dataclass(frozen=True, slots=True)
class Loss:
    """A loss that a search makes as small as possible.

    `number` is that of the kernel. `of_level` is what all records lose in a column at a level, and `of_rows` what they
    lose at the levels of all columns, with suppression. A loss that is not a sum over columns is not `by_column`; one
    that is the mean of the columns is a `mean`. `penalty` is what a record with each value loses more in a column at a
    level if it is suppressed; the kernel asks for it where such records add up to the loss.
    """

    name: str
    number: int
    of_level: Callable[[ColumnLevel], float]
    of_rows: Callable[[LeveledRows], float]
    by_column: bool = True
    mean: bool = False
    penalty: Callable[[ColumnLevel], NDArray[np.float64]] = _entropy_penalty

    def share(self, columns: int) -> int:
        """Return the divisor of the losses of single columns in the total loss."""
        return columns if self.mean else 1


def _entropy_of_level(column: ColumnLevel) -> float:
    used = column.counts > 0
    counts = column.counts[used]
    return float((counts * np.log2(column.crowds[used] / counts)).sum())


def _with_penalties(found: LeveledRows) -> float:
    return found.base + float((found.penalties() * found.rows.counts)[~found.kept].sum())


def _certainty_of_level(column: ColumnLevel) -> float:
    return float((column.counts * _share_covered(column)).sum() / column.counts.sum())


def _certainty_penalty(column: ColumnLevel) -> NDArray[np.float64]:
    return np.asarray(((len(column.widths) > 1) - _share_covered(column)) / column.counts.sum())


def _share_covered(column: ColumnLevel) -> NDArray[np.float64]:
    """Return the certainty penalty of each value: the share of the other values that its cell covers."""
    return np.asarray((column.widths - 1) / max(len(column.widths) - 1, 1))


def _precision_of_level(column: ColumnLevel) -> float:
    return column.level / max(column.highest, 1)


def _precision(found: LeveledRows) -> float:
    return found.base + (found.share - found.base) * (found.suppressed / found.records)


def _discernibility(found: LeveledRows) -> float:
    """Return the sum over all records of how many each is like; of some columns it is not known, and 0 here."""
    if found.share < 1:
        return 0.0
    left = found.rows.only(found.kept)
    classes = list_classes(left)
    matched = np.bincount(classes.owner, left.counts[classes.rows])
    own = np.bincount(classes.owner[classes.own], left.counts[classes.rows[classes.own]])
    return float((matched * own).sum() + found.records * found.suppressed)


LOSSES = {
    loss.name: loss
    for loss in (
        Loss("entropy", grouping.ENTROPY, _entropy_of_level, _with_penalties),
        Loss("ncp", grouping.CERTAINTY, _certainty_of_level, _with_penalties, mean=True, penalty=_certainty_penalty),
        Loss("discernibility", grouping.DISCERNIBILITY, lambda _: 0.0, _discernibility, by_column=False),
        Loss("precision", grouping.PRECISION, _precision_of_level, _precision, mean=True),
    )
}


def find_loss(name: str) -> Loss:
    """Return the loss of that name, or raise OptionNotUsable."""
    if name not in LOSSES:
        raise OptionNotUsable("errors.losses.unknown", loss=name, losses=Joined([*LOSSES], "or"))
    return LOSSES[name]
