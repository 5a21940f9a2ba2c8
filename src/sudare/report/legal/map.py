"""Measured values put beside the criteria that they speak to. This does not judge by the law.

A value is below, at or above a number that the source names, or the source names no number, or the criterion is for
people to answer. Values are compared as they are. Only where a source itself equates a risk with a class size, as 0.09
with 11 people, are both, and what lies between them, at the number.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Literal

from sudare.gate.measures.model import Basis, Better, Unit
from sudare.report.legal.criteria import Criterion, LegalFrame, Question, UsualNumber, legal_questions
from sudare.showing import dataclass

# In relation to a number of the source, or why there is no such relation.
Relation = Literal["below", "at", "above"]
LegalVerdict = Literal["below", "at", "above", "no_number", "yours"]
# Values that are equal but for the last bits are equal.
_NOISE = 1e-12


@dataclass(frozen=True, slots=True)
class LegalValue:
    """A measured value: of which measure, what it is, what it is about, such as the attributes known, and its basis."""

    measure: str
    value: float
    unit: Unit
    better: Better
    about: str = ""
    basis: Basis = "counted"


@dataclass(frozen=True, slots=True)
class Compared:
    """A number of a source beside the least favourable value of its measure."""

    usual: UsualNumber
    value: LegalValue
    verdict: Relation


@dataclass(frozen=True, slots=True)
class MappedCriterion:
    """A criterion with the values that speak to it, and the answers of people.

    `unmeasured` are the measures that would speak to it and were not taken.
    """

    criterion: Criterion
    values: tuple[LegalValue, ...]
    unmeasured: tuple[str, ...]
    compared: tuple[Compared, ...]
    answers: tuple[tuple[Question, str | bool | None], ...]

    @property
    def verdicts(self) -> tuple[LegalVerdict, ...]:
        """What is to be said: of each number that was compared, else why there is none."""
        if self.compared:
            return tuple(dict.fromkeys(one.verdict for one in self.compared))
        return ("no_number",) if self.values and not self.criterion.usual else ("yours",)


@dataclass(frozen=True, slots=True)
class MappedFrame:
    """A frame with its criteria."""

    frame: LegalFrame
    criteria: tuple[MappedCriterion, ...]

    @property
    def measured(self) -> int:
        """To how many criteria a measured value speaks."""
        return sum(bool(one.values) for one in self.criteria)


def map_values(
    frames: Sequence[LegalFrame], values: Sequence[LegalValue], answers: Mapping[str, str | bool]
) -> tuple[MappedFrame, ...]:
    """Put values and answers beside the criteria of frames."""
    by_measure: defaultdict[str, list[LegalValue]] = defaultdict(list)
    for value in values:
        by_measure[value.measure].append(value)
    return tuple(
        MappedFrame(frame, tuple(_mapped(criterion, by_measure, answers) for criterion in frame.criteria))
        for frame in frames
    )


def _mapped(
    criterion: Criterion, values: Mapping[str, Sequence[LegalValue]], answers: Mapping[str, str | bool]
) -> MappedCriterion:
    questions = legal_questions()
    return MappedCriterion(
        criterion,
        tuple(value for name in criterion.measures for value in values.get(name, ())),
        tuple(name for name in criterion.measures if name not in values),
        tuple(
            Compared(usual, worst, relation(worst.value, usual))
            for usual in criterion.usual
            if usual.measure in values
            for worst in [_worst(values[usual.measure])]
        ),
        tuple((questions[name], answers.get(name)) for name in criterion.questions),
    )


def _worst(values: Sequence[LegalValue]) -> LegalValue:
    """Return the least favourable of the values of a measure."""
    pick = max if values[0].better == "low" else min
    return pick(values, key=lambda one: one.value)


def relation(value: float, usual: UsualNumber) -> Relation:
    """Return how a value stands to a number, and to the class size that the source equates it with."""
    named = sorted((usual.number, 1 / usual.size if usual.size else usual.number))
    if value < named[0] - _NOISE:
        return "below"
    return "above" if value > named[1] + _NOISE else "at"
