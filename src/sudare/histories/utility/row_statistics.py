"""Plain statistics of purchase histories (Hamada et al.: Report on the contest PWSCUP 2018, section 6.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.histories.utility.drawn_rows import PlainRows

STATISTICS: dict[str, Callable[[NDArray[np.int64]], Any]] = {
    "sum": np.sum,
    "mean": np.mean,
    "variance": np.var,
    "deviation": np.std,
    "max": np.max,
    "min": np.min,
    "median": np.median,
}
COLUMNS = ("date", "price", "quantity")
# The names of the statistics of all columns, in the order of their values.
NAMES = tuple(f"{column}_{statistic}" for column in COLUMNS for statistic in STATISTICS)


def row_statistics(rows: PlainRows, *, first_day: int = 0) -> NDArray[np.float64]:
    """Return sum, mean, variance, standard deviation, max, min and median of dates, prices and quantities.

    Prices are in hundredths. Days are counted from `first_day`, in days since 1970: the sum depends on it. Without
    rows only the sums are defined, the others are NaN.
    """
    columns = (rows.days - first_day, rows.prices, rows.quantities)
    if not len(rows):
        return np.asarray([0.0 if name == "sum" else np.nan for _ in columns for name in STATISTICS])
    return np.asarray([float(statistic(column)) for column in columns for statistic in STATISTICS.values()])
