"""The findings of the report on a purchase history beyond its assessment, from a few small queries."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from math import ceil

from sudare.errors import OptionNotUsable
from sudare.histories.attackers.assessment import STATISTICS_PARTS, AttackerRisk, AttackersAssessment, PartStatistics
from sudare.histories.attackers.crowds import count_crowds, part_frequencies
from sudare.histories.attackers.customers import CustomerRisks, customer_risks
from sudare.histories.attackers.knowledge import parse_knowledge
from sudare.histories.attackers.sampling import combinations
from sudare.histories.attackers.values import ITEM_DIVIDER, CrowdPoint, KnowledgeValue, crowd_points, most_identifying
from sudare.histories.model import History
from sudare.histories.profiles.assessment import ProfileAssessment, split_profiles
from sudare.histories.profiles.read import cells_of_history
from sudare.histories.visit_list import Visit, list_visits
from sudare.limits import MOST_COMBINATIONS
from sudare.messages import Message, message
from sudare.progress import Progress
from sudare.report.charts.frequency import Bars, gather_bars
from sudare.showing import dataclass

# Each point of a scatter plot takes about 170 bytes of the page.
MOST_POINTS = 800
MOST_VALUES = 10
VALUE_PARTS = ("day", "item", "items")


@dataclass(frozen=True, slots=True)
class Extent:
    """How much a history holds."""

    visits: int
    days: int
    first: dt.date
    last: dt.date
    items: int


@dataclass(frozen=True, slots=True)
class RiskByCustomer:
    """An attacker's risk and its distribution over the customers."""

    risk: AttackerRisk
    customers: CustomerRisks


@dataclass(frozen=True, slots=True)
class PartPoints:
    """The occurrences and customers of the values of a part; one of `step` points is kept."""

    statistics: PartStatistics
    points: tuple[CrowdPoint, ...]
    step: int


@dataclass(frozen=True, slots=True)
class PartValues:
    """The most identifying values of a part, and how many of all its values a single customer has."""

    part: str
    unique: int
    values: int
    most: tuple[KnowledgeValue, ...]


@dataclass(frozen=True, slots=True)
class Frequencies:
    """How often values occur (Figures 1 to 3): visits by day and by number of rows, items by rank.

    `ranks` are points (rank, occurrences): the first item of those that occur equally often, and the last of all.
    """

    days: Bars
    rows: Bars
    ranks: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """All that the report shows beyond the assessment; `divided`: no item's name holds the divider of sets.

    `profiles` says how well people are recognized from another time, or why that could not be measured.
    """

    extent: Extent
    customers: tuple[RiskByCustomer, ...]
    points: tuple[PartPoints, ...]
    values: tuple[PartValues, ...]
    divided: bool
    frequencies: Frequencies
    visits: tuple[Visit, ...]
    names: Mapping[str, str]
    profiles: ProfileAssessment | Message
    profiles_by_default: bool


def gather_findings(
    history: History, assessment: AttackersAssessment, progress: Progress, *, profiles: ProfileAssessment | None = None
) -> Findings:
    """Ask the history for what its assessment does not hold; `profiles` are measured here if they are not given."""
    if assessment.history is not history:
        raise OptionNotUsable(
            "errors.report.assessment_of_other",
            records=assessment.records,
            customers=assessment.customers,
            history_records=history.records,
            history_customers=history.customers,
        )
    risks = tuple(_countable(history, assessment))
    total = len(risks) + len(STATISTICS_PARTS) + len(VALUE_PARTS)
    customers = []
    for done, risk in enumerate(risks):
        progress(message("progress.customers_of", knowledge=risk.knowledge), done, total)
        found = customer_risks(history, risk.knowledge, weighting=assessment.weighting, most=MOST_VALUES)
        customers.append(RiskByCustomer(risk, found))
    points = []
    for done, part in enumerate(assessment.statistics, start=len(customers)):
        progress(message("progress.occurrences", part=message(f"part.{part.part}")), done, total)
        points.append(_points(history, part))
    values = []
    for done, name in enumerate(VALUE_PARTS, start=len(customers) + len(points)):
        progress(message("progress.values", part=message(f"part.{name}")), done, total)
        values.append(_values(history, name, assessment))
    progress(message("progress.drawing"), total, total)
    visits = tuple(list_visits(history, most=MOST_VALUES))
    gathered = tuple(customers), tuple(points), tuple(values), _divided(history), _frequencies(history), visits
    from_another_time = profiles or measure_profiles(history, assessment.seed, progress)
    return Findings(_extent(history), *gathered, history.names, from_another_time, profiles is None)


def measure_profiles(history: History, seed: int, progress: Progress) -> ProfileAssessment | Message:
    """Attack the later half of a history with its earlier half, untrained; or return why that says nothing."""
    try:
        cells = cells_of_history(history)
        return split_profiles(cells, trained=False, what_if=True, seed=seed, progress=progress)
    except OptionNotUsable as error:
        return Message(error.key, error.values)


def _countable(history: History, assessment: AttackersAssessment) -> Iterator[AttackerRisk]:
    """Yield the ten attackers and the further knowledge that was counted and can be broken down to customers."""
    yield from assessment.attackers
    for risk in assessment.knowledge:
        if risk.values and combinations(history, risk.knowledge) <= MOST_COMBINATIONS:
            yield risk


def _extent(history: History) -> Extent:
    query = f"SELECT count(*), count(DISTINCT day), min(day), max(day) FROM {history.table('visit')}"
    ((visits, days, first, last),) = history.engine.people(query, "the days of visits")
    (items,) = history.engine.total(f"SELECT count(*) FROM {history.table('item')}")
    return Extent(visits, days, first, last, items)


def _frequencies(history: History) -> Frequencies:
    visits = history.table("visit")
    days = history.engine.people(f"SELECT day, count(*) FROM {visits} GROUP BY day", "the days of visits")
    rows = history.engine.people(f"SELECT rows, count(*) FROM {visits} GROUP BY rows", "the sizes of visits")
    by_day = gather_bars([(day.toordinal(), count) for day, count in days])
    return Frequencies(by_day, gather_bars([(int(rows), count) for rows, count in rows]), tuple(_ranks(history)))


def _ranks(history: History) -> Iterator[tuple[int, int]]:
    rank = 0
    lines = part_frequencies(history, "item")
    step = ceil(len(lines) / MOST_POINTS)
    for place, (often, items, _) in enumerate(reversed(lines)):
        if place % step == 0 or place == len(lines) - 1:
            yield rank + 1, int(often)
        rank += int(items)
    if lines[0][1] > 1:
        yield rank, int(lines[0][0])


def _points(history: History, part: PartStatistics) -> PartPoints:
    points, step = crowd_points(history, part.part, most=MOST_POINTS)
    return PartPoints(part, tuple(points), step)


def _values(history: History, part: str, assessment: AttackersAssessment) -> PartValues:
    crowds = count_crowds(history, parse_knowledge(part))
    unique = sum(size.values for size in crowds.sizes if size.customers == 1)
    most = most_identifying(history, part, weighting=assessment.weighting, most=MOST_VALUES)
    return PartValues(part, unique, crowds.values, tuple(most))


def _divided(history: History) -> bool:
    query = f"SELECT count(*) FROM {history.table('item')} WHERE contains(name, '{ITEM_DIVIDER}')"
    return not history.engine.total(query)[0]
