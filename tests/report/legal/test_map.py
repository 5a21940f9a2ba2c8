"""Measured values beside criteria: below, at or above a number, and never good where nothing was measured."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings, strategies as st

from sudare.gate.measures.model import Better, Unit
from sudare.report.legal.criteria import (
    Criterion,
    LegalFrame,
    LegalSource,
    UsualNumber,
    frames_named,
    legal_frames,
    legal_questions,
)
from sudare.report.legal.map import LegalValue, MappedCriterion, map_values, relation

SAID = {"en": "x", "ja": "あ"}
SOURCE = LegalSource(SAID, SAID, "2020", "2020-01-01", None)


def risk(value: float, measure: str = "highest-risk") -> LegalValue:
    return LegalValue(measure, value, "share", "low")


def count(value: int, measure: str = "smallest-class", better: Better = "high", unit: Unit = "count") -> LegalValue:
    return LegalValue(measure, value, unit, better)


def mapped(*values: LegalValue, usual: Sequence[UsualNumber] = (), measures: Sequence[str] = ()) -> MappedCriterion:
    """Map values to one criterion that asks for these measures, and for those of its numbers."""
    names = tuple(dict.fromkeys([*measures, *(one.measure for one in usual)]))
    asked = Criterion("c", SAID, SAID, names, tuple(usual), None, SOURCE, "1", True, ("recipients",))
    ((found,),) = (frame.criteria for frame in map_values([LegalFrame("f", SAID, SAID, (asked,))], values, {}))
    return found


def of(frame: str, name: str, *values: LegalValue) -> MappedCriterion:
    """Return a criterion of the file with values beside it."""
    (found,) = map_values(frames_named([frame]), values, {})
    return next(one for one in found.criteria if one.criterion.id == name)


@pytest.mark.parametrize(
    ("value", "verdict"), [(0.0, "below"), (0.0499, "below"), (0.05, "at"), (0.0501, "above"), (1 / 19, "above")]
)
def test_a_value_is_below_at_or_above_a_number(value: float, verdict: str) -> None:
    assert relation(value, UsualNumber("highest-risk", 0.05, None)) == verdict


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        (1 / 12, "below"),
        (0.0899, "below"),
        (0.09, "at"),
        (0.0905, "at"),
        (1 / 11, "at"),
        (0.091, "above"),
        (0.1, "above"),
    ],
)
def test_a_risk_that_its_source_equates_with_a_class_size_is_both(value: float, verdict: str) -> None:
    assert relation(value, UsualNumber("highest-risk", 0.09, None, size=11)) == verdict


def test_the_last_bits_do_not_decide() -> None:
    assert relation(sum([0.01] * 5), UsualNumber("highest-risk", 0.05, None)) == "at"
    assert relation(1 - 10 / 11, UsualNumber("highest-risk", 0.09, None, size=11)) == "at"


SIZES = {"cell-sizes/cihi": (20, 25), "ema/health-canada": (11,), "ema/ema-threshold": (11,)}


@settings(max_examples=40)
@given(st.sampled_from(sorted(SIZES)), st.integers(1, 60))
def test_risks_of_classes_stand_to_numbers_as_their_sizes_do(name: str, size: int) -> None:
    frame, criterion = name.split("/")
    found = of(frame, criterion, risk(1 / size))
    expected = ["above" if size < limit else "at" if size == limit else "below" for limit in SIZES[name]]
    assert [one.verdict for one in found.compared] == expected


@settings(max_examples=40)
@given(st.integers(0, 30))
def test_class_sizes_stand_to_the_precedents_as_whole_numbers_do(size: int) -> None:
    found = of("cell-sizes", "precedents", count(size))
    expected = ["below" if size < limit else "at" if size == limit else "above" for limit in (3, 5, 11, 20)]
    assert [one.verdict for one in found.compared] == expected
    assert found.verdicts == tuple(dict.fromkeys(expected))


@pytest.mark.parametrize(("smallest", "verdict"), [(10, "below"), (11, "at"), (12, "above")])
def test_the_smallest_published_count_is_compared_with_11(smallest: int, verdict: str) -> None:
    assert of("cms", "cell", count(smallest, "smallest-count")).verdicts == (verdict,)


@pytest.mark.parametrize(("oldest", "verdict"), [(88, "below"), (89, "at"), (90, "above")])
def test_the_highest_age_is_compared_with_89(oldest: int, verdict: str) -> None:
    assert of("hipaa-safe-harbor", "dates-ages", count(oldest, "oldest", "low", "number")).verdicts == (verdict,)


def test_the_least_favourable_of_several_values_is_compared() -> None:
    risks = mapped(risk(0.01), risk(0.2), risk(0.1), usual=[UsualNumber("highest-risk", 0.15, None)])
    sizes = mapped(count(30), count(4), count(9), usual=[UsualNumber("smallest-class", 5, None)])
    assert [(one.value.value, one.verdict) for one in (*risks.compared, *sizes.compared)] == [
        (0.2, "above"), (4, "below"),
    ]  # fmt: skip
    assert [value.value for value in risks.values] == [0.01, 0.2, 0.1]


def test_where_nothing_was_measured_people_have_to_answer() -> None:
    for frame in map_values(legal_frames(), [], {}):
        assert frame.measured == 0
        for one in frame.criteria:
            assert (one.verdicts, one.values, one.compared) == (("yours",), (), ())
            assert one.unmeasured == one.criterion.measures


def test_another_measure_than_the_one_with_a_number_is_not_compared() -> None:
    found = mapped(risk(0.001, "mean-risk"), measures=["mean-risk"], usual=[UsualNumber("highest-risk", 0.09, None)])
    assert (found.verdicts, found.unmeasured) == (("yours",), ("highest-risk",))
    assert [value.measure for value in found.values] == ["mean-risk"]


def test_a_measured_value_without_a_number_in_the_source_is_not_judged() -> None:
    assert mapped(risk(0.0), measures=["highest-risk"]).verdicts == ("no_number",)
    assert mapped(risk(1.0), measures=["highest-risk"]).verdicts == ("no_number",)
    assert mapped(measures=["highest-risk"]).verdicts == ("yours",)


def test_a_value_stands_beside_the_criteria_of_its_measure_and_nowhere_else() -> None:
    measures = {name for frame in legal_frames() for one in frame.criteria for name in one.measures}
    for name in sorted(measures):
        value = risk(0.5, name)
        for frame in map_values(legal_frames(), [value], {}):
            for one in frame.criteria:
                assert one.values == ((value,) if name in one.criterion.measures else ()), (name, one.criterion.id)


def test_values_stand_in_the_order_in_which_a_criterion_names_their_measures() -> None:
    first, second = risk(0.1, "uniques"), risk(0.2, "identifiers")
    assert of("appi", "34-1", first, second).values == (second, first)


def test_frames_count_the_criteria_that_have_values() -> None:
    (found,) = map_values(frames_named(["cms"]), [count(12, "smallest-count")], {})
    assert (found.measured, len(found.criteria)) == (1, 2)


def test_answers_stand_beside_the_criteria_that_ask_for_them() -> None:
    (found,) = map_values(frames_named(["appi"]), [], {"key-table": "破棄した", "reidentification-ban": False})
    asked = {one.criterion.id: {question.id: answer for question, answer in one.answers} for one in found.criteria}
    assert asked["34-1"] == {"key-table": "破棄した"}
    assert asked["43-5"] == {"reidentification-ban": False, "other-data": None}
    assert asked["34-2"] == {}


def test_every_question_is_asked_beside_a_criterion() -> None:
    found = map_values(legal_frames(), [], dict.fromkeys(legal_questions(), "said"))
    said = [answer for frame in found for one in frame.criteria for _, answer in one.answers]
    assert set(said) == {"said"}
