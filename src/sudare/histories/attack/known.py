"""What an attacker knows about the original history: all of it, or some rows, some columns, noisy dates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.errors import OptionNotUsable
from sudare.histories.generalized.model import CellHistory, Column, Kind, OrderedColumn
from sudare.messages import Joined
from sudare.showing import dataclass

MOST_NOISY_DAYS = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class KnownHistory:
    """The known rows and columns, and the numbers of customers and rows in total.

    A noisy date is a range that holds the true date. `share` is the share of rows chosen to be known.
    """

    history: CellHistory
    customers: NDArray[np.int64]
    rows: int
    share: float
    noisy_dates: int

    @property
    def complete(self) -> bool:
        """Whether all rows are known, so that each published row is one of them."""
        return len(self.history) == self.rows

    def to_dict(self) -> dict[str, Any]:
        """Return what is known as plain values."""
        return {
            "customers": len(self.customers),
            "rows": len(self.history),
            "share": self.share,
            "columns": [column.name for column in self.history.columns],
            "noisy_dates": self.noisy_dates,
        }


@checked
def know_history(
    original: CellHistory,
    *,
    share: float = 1.0,
    columns: Sequence[str] | None = None,
    noisy_dates: int = 0,
    seed: int = 0,
) -> KnownHistory:
    """Return an attacker's knowledge of an original history.

    Each row is known with the same probability: the share `share` of all rows is drawn. With `noisy_dates`, the
    attacker knows a day that is at most that many days off, and knows this error bound.
    """
    if not 0 < share <= 1:
        raise OptionNotUsable("errors.attack.share", share=share)
    if not 0 <= noisy_dates <= MOST_NOISY_DAYS:
        raise OptionNotUsable("errors.attack.noisy_dates", most=MOST_NOISY_DAYS, noisy_dates=noisy_dates)
    if seed < 0:
        raise OptionNotUsable("errors.history.seed", seed=seed)
    chosen = _chosen_columns(original, columns)
    random = np.random.default_rng(seed)
    persons = original.persons
    if share < 1:
        rows = np.sort(random.permutation(len(original))[: max(1, round(share * len(original)))])
        persons, chosen = persons[rows], [column.taken(rows) for column in chosen]
    taken = tuple(_with_noise(column, noisy_dates, random) for column in chosen)
    customers = np.unique(original.persons[~original.deleted])
    return KnownHistory(CellHistory(persons, taken), customers, len(original), share, noisy_dates)


def _chosen_columns(original: CellHistory, names: Sequence[str] | None) -> list[Column]:
    there = [column.name for column in original.columns]
    if names is not None and not names:
        raise OptionNotUsable("errors.attack.no_columns", columns=Joined(there, "comma"))
    wrong = next((name for name in names or [] if name not in there), None)
    if wrong is not None:
        raise OptionNotUsable("errors.cells.no_column", column=wrong, columns=Joined(there, "comma"))
    return [column for column in original.columns if names is None or column.name in names]


def _with_noise(column: Column, days: int, random: np.random.Generator) -> Column:
    if not days or not isinstance(column, OrderedColumn) or column.form != "date":
        return column
    told = column.low + random.integers(-days, days + 1, len(column.low))
    return replace(column, kinds=np.full(len(told), Kind.RANGE, np.uint8), low=told - days, high=told + days)
