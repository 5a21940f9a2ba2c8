"""How dangerous each kind of background knowledge is for a purchase history.

Ito, Kikuchi, Nakagawa: Evaluation of some attacker models with distinct background knowledge of de-identified dataset;
ten attackers (Table 7), measured and theoretical (Table 10), ranked (Table 11), and any further knowledge.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cache, partial
from typing import Any

from sudare.arguments import checked
from sudare.engine.protocol import Row
from sudare.errors import OptionNotUsable
from sudare.histories.attackers.crowds import WEIGHTINGS, Crowds, Weighting, count_crowds, part_frequencies
from sudare.histories.attackers.facts import check_parts
from sudare.histories.attackers.knowledge import TEN_ATTACKERS, Knowledge, parse_knowledge
from sudare.histories.attackers.parts import PARTS, Part
from sudare.histories.attackers.sampling import combinations, estimate
from sudare.histories.attackers.sampling_there import estimate_there
from sudare.histories.attackers.theory import (
    has_marginals,
    marginal_probability,
    occurring_probability,
    possible_values,
    theoretical_probability,
)
from sudare.histories.attackers.visits import fetch_visits
from sudare.histories.model import History
from sudare.limits import MOST_COMBINATIONS, SAMPLES
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass
from sudare.statistics.intervals import Estimate

# How many values of a part occur how often: see `part_frequencies`.
Frequencies = Callable[..., Sequence[Row]]

# The parts of Table 4 and Figures 4 to 6, by the attacker who knows just that part.
STATISTICS_PARTS = {"day": 5, "count": 2, "item": 1}


@dataclass(frozen=True, slots=True)
class AttackerRisk(Result):
    """How well an attacker with one kind of knowledge recognizes customers.

    `measured` is the mean identification probability, `theory` the paper's approximation of it, which can exceed 1.
    Better approximations are `theory_occurring`, occurring values / occurrences, and, for knowledge of one row or
    visit, `theory_marginal`, which needs only how often the values of each part occur. `values` of the `possible`
    values of the knowledge occur. `rows_equal` of them are in as many rows as customers: there assumption 4.1 holds
    (example 4.2); `occurrences_equal` occur equally often. Where small counts must not leave the engine, these and
    `theory_marginal` are None.

    `unique_share` is the weight of values that a single customer has. If there were too many combinations to count,
    `interval` and `sample` are set: `measured` and `unique_share` are then estimates, and values that depend on all
    combinations are unknown. Ranks (1 = most dangerous, ties share a rank) are among the ten attackers.
    """

    knowledge: Knowledge
    measured: float
    theory: float
    unique_share: float
    possible: int
    values: int | None = None
    correlation: float | None = None
    attacker: int | None = None
    rank_measured: int | None = None
    rank_theory: int | None = None
    interval: tuple[float, float] | None = None
    sample: int | None = None
    theory_occurring: float | None = None
    theory_marginal: float | None = None
    rows_equal: int | None = None
    occurrences_equal: int | None = None

    @property
    def what(self) -> str | None:
        """What is known about the items: nothing, one item, several, or all items."""
        if "items" in self.knowledge.visit_parts:
            return "all items"
        if "item" in self.knowledge.row_parts:
            return "one item" if self.knowledge.rows == 1 else f"{self.knowledge.rows} items"
        return None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values, with the columns of Table 7 (`when`, `how_many`, `what`)."""
        return {
            "attacker": self.attacker,
            "knowledge": str(self.knowledge),
            "when": "day" in self.knowledge.visit_parts,
            "how_many": "count" in self.knowledge.visit_parts,
            "what": self.what,
            "measured": self.measured,
            "theory": self.theory,
            "rank_measured": self.rank_measured,
            "rank_theory": self.rank_theory,
            "values": self.values,
            "possible": self.possible,
            "unique_share": self.unique_share,
            "correlation": self.correlation,
            "interval": list(self.interval) if self.interval else None,
            "sample": self.sample,
            "theory_occurring": self.theory_occurring,
            "theory_marginal": self.theory_marginal,
            "rows_equal": self.rows_equal,
            "occurrences_equal": self.occurrences_equal,
        }


@dataclass(frozen=True, slots=True)
class PartStatistics(Result):
    """How often the values of one part occur (Table 4), and how occurrences relate to customers (Figures 4 to 6)."""

    part: str
    values: int
    mean: float
    largest: int
    mode: int
    correlation: float | None


@dataclass(frozen=True, slots=True)
class AttackersAssessment(Result):
    """The ten attackers, and attackers with further knowledge, on one history."""

    _hidden = ("history",)
    _rows = ("attackers", "knowledge")
    _row = AttackerRisk

    records: int
    customers: int
    weighting: Weighting
    seed: int
    attackers: tuple[AttackerRisk, ...]
    knowledge: tuple[AttackerRisk, ...]
    statistics: tuple[PartStatistics, ...]
    history: History = field(repr=False, compare=False)


@checked
def assess_attackers(
    history: History,
    *,
    weighting: Weighting = "occurrence",
    knowledge: Sequence[str | Knowledge] = (),
    seed: int = 0,
    most_combinations: int = MOST_COMBINATIONS,
    samples: int = SAMPLES,
    progress: Progress = silent,
) -> AttackersAssessment:
    """Measure the ten attackers, and attackers with further knowledge, on a history.

    `weighting` says how likely a value is to be known: by its occurrences (Table 10) or by the rows that carry it
    (Table 8). Knowledge with more than `most_combinations` combinations is estimated from `samples` draws.
    """
    check_weighting(weighting)
    further = [parse_knowledge(text) if isinstance(text, str) else text for text in knowledge]
    for known in further:
        check_parts(history, known)
    total = len(TEN_ATTACKERS) + len(further)
    visits = fetch_visits(history)
    crowds = visits.each(TEN_ATTACKERS) if visits else (count_crowds(history, known) for known in TEN_ATTACKERS)
    parts = sorted({part for known in TEN_ATTACKERS for part in known.parts})
    sizes = visits.sizes(parts) if visits else part_sizes(history, parts)
    # Several attackers know the same part.
    frequencies: Frequencies = cache(visits.frequencies if visits else partial(part_frequencies, history))
    ten = []
    for number, known in enumerate(TEN_ATTACKERS):
        progress(message("progress.attacker", number=number), number, total)
        ten.append(replace(_risk(history, known, weighting, next(crowds), sizes, frequencies), attacker=number))
    others = []
    for number, known in enumerate(further, start=len(TEN_ATTACKERS)):
        progress(message("progress.knowledge", knowledge=known), number, total)
        assess = assess_knowledge(
            history,
            known,
            weighting=weighting,
            seed=seed,
            most_combinations=most_combinations,
            samples=samples,
        )
        others.append(assess)
    progress(message("progress.attackers"), total, total)
    statistics = tuple(
        part_statistics(part, frequencies(part), ten[number]) for part, number in STATISTICS_PARTS.items()
    )
    return AttackersAssessment(
        history.records, history.customers, weighting, seed, _ranked(ten), tuple(others), statistics, history
    )  # fmt: skip


@checked
def assess_knowledge(
    history: History,
    knowledge: str | Knowledge,
    *,
    weighting: Weighting = "occurrence",
    seed: int = 0,
    most_combinations: int = MOST_COMBINATIONS,
    samples: int = SAMPLES,
    progress: Progress = silent,
) -> AttackerRisk:
    """Measure one kind of knowledge: exactly for up to `most_combinations` combinations, otherwise from a sample."""
    check_weighting(weighting)
    known = parse_knowledge(knowledge) if isinstance(knowledge, str) else knowledge
    if combinations(history, known) <= most_combinations:
        return _count(history, known, weighting)
    if weighting != "occurrence":
        raise OptionNotUsable("errors.attackers.sampled_weighting", knowledge=str(known))
    draw = estimate if history.engine.shows_people else estimate_there
    return _sampled(history, known, draw(history, known, samples=samples, seed=seed, progress=progress))


def check_weighting(weighting: str) -> None:
    """Raise OptionNotUsable unless the weighting is known."""
    if weighting not in WEIGHTINGS:
        raise OptionNotUsable("errors.attackers.weighting", weighting=weighting)


def _count(history: History, knowledge: Knowledge, weighting: Weighting) -> AttackerRisk:
    crowds, sizes = count_crowds(history, knowledge), part_sizes(history, knowledge.parts)
    return _risk(history, knowledge, weighting, crowds, sizes, partial(part_frequencies, history))


def _risk(
    history: History,
    knowledge: Knowledge,
    weighting: Weighting,
    crowds: Crowds,
    sizes: Mapping[str, int],
    frequencies: Frequencies,
) -> AttackerRisk:
    told = history.engine.min_cell == 1
    return AttackerRisk(
        knowledge,
        measured=crowds.measured(weighting),
        unique_share=crowds.unique_share(weighting),
        values=crowds.values,
        correlation=crowds.correlation,
        theory_occurring=occurring_probability(crowds.values, crowds.occurrences),
        theory_marginal=_marginal(history, knowledge, frequencies),
        rows_equal=crowds.rows_equal if told else None,
        occurrences_equal=crowds.occurrences_equal if told else None,
        **_theory(history, knowledge, sizes),
    )


def _marginal(history: History, knowledge: Knowledge, frequencies: Frequencies) -> float | None:
    if not knowledge.parts:
        return 1 / history.customers
    if not has_marginals(knowledge) or history.engine.min_cell > 1:
        return None
    # The frequencies of each part are counted in the occurrences of all of them together.
    by_rows = bool(knowledge.row_parts)
    parts = (*knowledge.key_visit_parts, *knowledge.row_parts)
    return marginal_probability([frequencies(part, by_rows=by_rows) for part in parts])


def _sampled(history: History, knowledge: Knowledge, found: Estimate) -> AttackerRisk:
    return AttackerRisk(
        knowledge,
        measured=found.value,
        unique_share=found.unique_share,
        interval=(found.low, found.high),
        sample=found.sample,
        theory_marginal=_marginal(history, knowledge, partial(part_frequencies, history)),
        **_theory(history, knowledge, part_sizes(history, knowledge.parts)),
    )


def _theory(history: History, knowledge: Knowledge, sizes: Mapping[str, int]) -> dict[str, Any]:
    return {
        "theory": theoretical_probability(knowledge, sizes, records=history.records, customers=history.customers),
        "possible": possible_values(knowledge, sizes),
    }


def part_sizes(history: History, parts: Sequence[str]) -> Mapping[str, int]:
    """Count the distinct values of each part; a missing value is one value."""
    return {part: history.engine.total(_size_query(history, PARTS[part]))[0] for part in parts}


def _size_query(history: History, part: Part) -> str:
    if part.values:
        return f"SELECT count(*) FROM {history.table(part.values)}"
    return f"SELECT count(*) FROM (SELECT DISTINCT {part.sql} FROM {history.table(part.table)})"


def _ranked(risks: Sequence[AttackerRisk]) -> tuple[AttackerRisk, ...]:
    measured = _ranks([risk.measured for risk in risks])
    theory = _ranks([risk.theory for risk in risks])
    return tuple(
        replace(risk, rank_measured=m, rank_theory=t) for risk, m, t in zip(risks, measured, theory, strict=True)
    )


def _ranks(values: Sequence[float]) -> list[int]:
    """Rank from the largest; values that differ only by rounding share the better rank."""
    rounded = [float(f"{value:.12g}") for value in values]
    return [1 + sum(other > value for other in rounded) for value in rounded]


def part_statistics(part: str, found: Sequence[Row], risk: AttackerRisk) -> PartStatistics:
    """Return the statistics of how often (the rarest first) how many values occur, and how often in all.

    `risk` is that of the attacker who knows just that part. Of equally common frequencies the mode is the smallest.
    Where frequencies were merged, the mean stays exact.
    """
    total = sum(int(times) for _, times, _ in found)
    mean = sum(int(whole) for _, _, whole in found) / total
    mode = min(found, key=lambda line: (-line[1], line[0]))[0]
    return PartStatistics(part, total, mean, int(found[-1][0]), int(mode), risk.correlation)
