"""How far the use of an anonymized table moved from that of the original."""

from __future__ import annotations

from typing import Literal

from sudare.results import Result
from sudare.showing import dataclass

# Why a column is predicted: it was asked for, or it is the best choice among those of a role.
TargetChoice = Literal["given", "sensitive", "kept", "quasi"]
# Why a classifier was not measured: scikit-learn is not installed, no column can be predicted, or too few published
# records of the training part say the value to predict.
NotMeasured = Literal["not_installed", "no_target", "too_few_records"]


@dataclass(frozen=True, slots=True)
class MarginalMoved(Result):
    """How far the distribution of a column moved: total variation, from 0 (the same) to 1 (nothing in common).

    It is the share of the records that would have to change their value for the estimate to be right. `groups` is the
    number of groups that were compared, where a column with many different values was cut into groups; else None.
    """

    attribute: str
    distance: float
    groups: int | None = None


@dataclass(frozen=True, slots=True)
class MeanMoved(Result):
    """The mean and the standard deviation of a column whose cells are means, in the original and as published."""

    attribute: str
    mean_before: float
    mean_after: float
    deviation_before: float
    deviation_after: float


@dataclass(frozen=True, slots=True)
class PairMoved(Result):
    """How far the joint distribution of two columns moved: total variation, from 0 to 1."""

    first: str
    second: str
    distance: float


@dataclass(frozen=True, slots=True)
class QueriesError(Result):
    """Relative errors of the counts of random queries over a number of attributes.

    The error of a query is |estimate - count| / max(count, `floor`), where `floor` is a thousandth of the records. The
    median has a 95 % interval for the median of all such queries over the attributes asked about; `ninety` is the 90 %
    quantile.
    """

    attributes: int
    queries: int
    median: float
    median_low: float
    median_high: float
    mean: float
    ninety: float
    floor: float


@dataclass(frozen=True, slots=True)
class ClassifierAccuracy(Result):
    """The accuracy of a classifier that predicts a column of held-out original records from the other columns.

    `before` is that of training with the original, `after` that of training with the anonymized rows of the same
    records, `baseline` that of always guessing the most common value of the original training part. `trained_on` says
    how many original records were used, `trained_on_anonymized` how many of these could be used as published: not
    suppressed, and with a single value in the column to predict.
    """

    target: str
    chosen: TargetChoice
    before: float
    after: float
    baseline: float
    trained_on: int
    trained_on_anonymized: int
    tested_on: int


@dataclass(frozen=True, slots=True)
class TableUtility(Result):
    """What is left of the use of an anonymized table, compared with the original.

    A classifier that was not measured is None, and `classifier_not_measured` says why.
    """

    _rows = ("marginals",)
    _row = MarginalMoved
    _further = ("mean_marginal", "mean_pair", "worst_pair")
    _optional = ("classifier_not_measured",)

    records: int
    published: int
    marginals: tuple[MarginalMoved, ...]
    means: tuple[MeanMoved, ...]
    pairs: tuple[PairMoved, ...]
    queries: tuple[QueriesError, ...]
    classifier: ClassifierAccuracy | None
    classifier_not_measured: NotMeasured | None
    seed: int

    @property
    def mean_marginal(self) -> float | None:
        """The mean distance of the distributions of single columns."""
        return _mean([moved.distance for moved in self.marginals])

    @property
    def mean_pair(self) -> float | None:
        """The mean distance of the joint distributions of two columns; None if there are no two."""
        return _mean([moved.distance for moved in self.pairs])

    @property
    def worst_pair(self) -> PairMoved | None:
        """The pair of columns whose joint distribution moved farthest; None if there are no two."""
        return max(self.pairs, key=lambda moved: moved.distance, default=None)


def _mean(distances: list[float]) -> float | None:
    return sum(distances) / len(distances) if distances else None
