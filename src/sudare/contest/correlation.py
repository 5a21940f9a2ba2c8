"""Whether the utility U predicts usefulness: its correlation with every use case.

Hamada et al.: Report on the anonymization and re-identification contest PWSCUP 2018, sections 6.3.2 and 6.4.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.contest.measured_histories import MeasuredFile, MeasuredHistory
from sudare.errors import OptionNotUsable
from sudare.histories.generalized.model import CellHistory
from sudare.histories.utility.cost import cell_utility
from sudare.histories.utility.use_cases import DRAWS, LENGTH, MEASURES, SUPPORT, UseCaseMeasures, check_draws
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass

# The level of significance of section 6.4.
LEVEL = 0.05
FEWEST = 3


@dataclass(frozen=True, slots=True)
class MeasureCorrelation(Result):
    """The correlation of U with a measure; None if the measure is constant, or undefined for some histories."""

    measure: str
    correlation: float | None
    significant: bool


@dataclass(frozen=True, slots=True)
class UtilityCorrelation(Result):
    """U and the errors of all measures for several anonymized histories, by increasing U, and their correlations.

    A correlation is significant at the `level` if it is farther from 0 than the critical value.
    """

    _rows = ("measures",)
    _row = MeasureCorrelation

    level: float
    critical: float
    measures: tuple[MeasureCorrelation, ...]
    histories: tuple[MeasuredHistory, ...]


@checked
def critical_correlation(histories: int, level: float = LEVEL) -> float:
    """Return the smallest correlation that differs significantly from 0: two-sided, Student's t with n - 2 degrees."""
    from scipy.special import stdtrit  # scipy.stats has the same and takes a second to import

    _check_number(histories)
    quantile = float(stdtrit(histories - 2, 1 - level / 2))
    return quantile / sqrt(histories - 2 + quantile**2)


@checked
def correlate_measures(histories: Sequence[MeasuredHistory], level: float = LEVEL) -> UtilityCorrelation:
    """Return Pearson's correlation of U with every measure over histories that were already measured.

    Measures that no history has are left out; a measure that only some have, or that is constant, has no correlation.
    """
    critical = critical_correlation(len(histories), level)
    utilities = [history.utility for history in histories]
    there = {error.measure for history in histories for error in history.errors}
    found = []
    for measure in (measure for measure in MEASURES if measure in there):
        correlation = _pearson(utilities, [history.mean(measure) for history in histories])
        found.append(MeasureCorrelation(measure, correlation, correlation is not None and abs(correlation) > critical))
    rising = sorted(histories, key=lambda history: (history.utility, history.name))
    return UtilityCorrelation(level, critical, tuple(found), tuple(rising))


@checked
def correlate_utility(
    original: CellHistory,
    histories: Iterable[tuple[str, CellHistory]],
    *,
    draws: int = DRAWS,
    seed: int = 0,
    support: float = SUPPORT,
    length: int = LENGTH,
    most_dozens: int | None = None,
    first_day: int = 0,
    folder: str | Path | None = None,
    progress: Progress = silent,
) -> UtilityCorrelation:
    """Measure U and all use cases of anonymized histories, given with their names, and return how they correlate.

    With a `folder`, measurements are kept there, and histories that an earlier call with the same options measured are
    not measured again. The other options are those of `measure_use_cases`.
    """
    check_draws(draws, seed)
    depends: dict[str, Any] = {
        "support": support, "length": length, "most_dozens": most_dozens, "first_day": first_day,
    }  # fmt: skip
    measures = UseCaseMeasures(original, **depends)
    options = {"draws": draws, "seed": seed, **depends}
    kept = MeasuredFile(Path(folder), original, options) if folder is not None else None
    measured: list[MeasuredHistory] = []
    for name, history in histories:
        found = kept.find(name, history) if kept else None
        if found is None:
            uses = measures.measure(history, draws=draws, seed=seed, progress=_named(progress, name))
            found = MeasuredHistory(name, cell_utility(original, history, most=0).utility, uses.errors)
        if kept:
            kept.add(found, history)
        measured.append(found)
    return correlate_measures(measured)


def _named(progress: Progress, name: str) -> Progress:
    return lambda _, done, total: progress(message("progress.use_cases", history=name), done, total)


def _check_number(histories: int) -> None:
    if histories < FEWEST:
        raise OptionNotUsable("errors.measures.few_histories", fewest=FEWEST, count=histories)


def _pearson(first: Sequence[float], second: Sequence[float | None]) -> float | None:
    x, y = np.asarray(first), np.asarray(second, np.float64)
    if np.isnan(y).any() or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    x, y = _centred(x), _centred(y)
    return float(x @ y / sqrt(float(x @ x) * float(y @ y)))


def _centred(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distances from the mean in parts of the largest, so that squares of small ones do not vanish."""
    distances: NDArray[np.float64] = values - values.mean()
    distances /= np.abs(distances).max()
    return distances
