"""The search for levels where there are too many combinations, against full enumerations."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

import sudare
from sudare.deadline import Deadline
from sudare.engine import DuckDBEngine
from sudare.messages import Message
from sudare.tables.anonymize import bounded_search as bounded_levels, levels
from sudare.tables.anonymize.levels import changed_levels, find_levels
from sudare.tables.anonymize.losses import LOSSES
from sudare.tables.hierarchies.model import Hierarchy, make_hierarchy
from tests.tables.anonymize.test_levels import brute_force, questions, tables
from tests.tables.anonymize.test_match_search import hierarchies as match_hierarchies
from tests.tables.small_tables import Case, cases

Question = tuple[list[Hierarchy], list[tuple[str | None, ...]]]


@pytest.fixture
def bounded(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Search with bounds from the first combination on, in blocks of one or two attributes."""
    monkeypatch.setattr(levels, "MOST_NODES", 0)
    monkeypatch.setattr(bounded_levels, "MOST_IN_BLOCK", 9)
    monkeypatch.setattr(bounded_levels, "MOST_DESCENTS", 3)
    return monkeypatch


def minimal_of(safe: set[tuple[int, ...]]) -> set[tuple[int, ...]]:
    return {
        at for at in safe if not any((*at[:a], at[a] - 1, *at[a + 1 :]) in safe for a in range(len(at)))
    }  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(
    question=questions(),
    k=st.integers(1, 6),
    suppress=st.sampled_from([0, 0, 0.1, 0.3, 0.6]),
    loss=st.sampled_from(sorted(LOSSES)),
    descents=st.sampled_from([0, 3]),
)
def test_the_best_levels_are_those_of_a_full_enumeration_and_proven(
    question: Question, k: int, suppress: float, loss: str, descents: int
) -> None:
    hierarchies, rows = question
    by_name = {hierarchy.attribute: hierarchy for hierarchy in hierarchies}
    safe = brute_force(rows, hierarchies, k, int(suppress * len(rows) + 1e-9), loss)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(levels, "MOST_NODES", 0)
        patch.setattr(bounded_levels, "MOST_IN_BLOCK", 9)
        patch.setattr(bounded_levels, "MOST_DESCENTS", descents)
        table = tables(hierarchies, rows)
        found = find_levels(table, by_name, limit=1 / k, suppress=suppress, loss=loss, seconds=None)
    if not safe:
        assert (found.best, found.minimal, found.safe_choices, found.complete) == (None, (), 0, True)
        return
    least = pytest.approx(min(lost for lost, _ in safe.values()), rel=1e-9, abs=1e-9)
    assert found.best is not None
    assert (found.loss, found.bound, found.gap) == (least, least, pytest.approx(0, abs=1e-9))
    assert safe[tuple(found.best.values())] == (least, found.suppressed)
    assert {tuple(at.values()) for at in found.minimal} <= minimal_of(set(safe))
    assert (found.complete, found.safe_choices) == (False, None)


@settings(max_examples=150, deadline=None)
@given(question=questions(), k=st.integers(1, 5), loss=st.sampled_from(sorted(LOSSES)), left=st.integers(0, 12))
def test_a_search_cut_short_has_safe_levels_and_a_bound_that_holds(
    question: Question, k: int, loss: str, left: int
) -> None:
    hierarchies, rows = question
    by_name = {hierarchy.attribute: hierarchy for hierarchy in hierarchies}
    safe = brute_force(rows, hierarchies, k, 0, loss)
    looks = iter(range(left))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(levels, "MOST_NODES", 0)
        patch.setattr(bounded_levels, "MOST_IN_BLOCK", 9)
        # The time is over when the search has looked at the clock so often.
        patch.setattr(Deadline, "over", property(lambda _: next(looks, None) is None))
        found = find_levels(tables(hierarchies, rows), by_name, limit=1 / k, loss=loss)
    if not safe:
        assert found.best is None
        return
    assert found.best is not None and found.loss is not None and found.bound is not None
    assert safe[tuple(found.best.values())][0] == pytest.approx(found.loss, rel=1e-9, abs=1e-9)
    assert found.bound <= min(lost for lost, _ in safe.values()) * (1 + 1e-9)


@pytest.mark.slow
@given(cases(most_attributes=3), st.integers(1, 4), st.sampled_from([0.0, 0.3]), st.sampled_from(sorted(LOSSES)))
@settings(max_examples=60)
def test_overlapping_classes_and_persons_give_what_going_through_all_gives(
    case: Case, k: int, suppress: float, loss: str
) -> None:
    asked = {"limit": 1 / k, "suppress": suppress, "loss": loss}
    whole = find_levels(case.table, match_hierarchies(case.width), **asked)  # type: ignore[arg-type]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(levels, "MOST_NODES", 0)
        patch.setattr(bounded_levels, "MOST_IN_BLOCK", 9)
        patch.setattr(bounded_levels, "MOST_DESCENTS", 3)
        found = find_levels(case.table, match_hierarchies(case.width), seconds=None, **asked)  # type: ignore[arg-type]
    assert (found.best is None) == (whole.best is None)
    if whole.loss is not None:
        assert found.loss == pytest.approx(whole.loss, rel=1e-9, abs=1e-9)
        # The bound is a sum of other terms: its last bits may differ, but never so that it is above the loss.
        assert found.bound == pytest.approx(found.loss, rel=1e-12, abs=1e-12)
        assert found.bound is not None and found.bound <= found.loss
        assert set(map(str, found.minimal)) <= set(map(str, whole.minimal))


def test_forty_attributes_of_three_levels_get_an_answer(engine: DuckDBEngine) -> None:
    """3^40 combinations: two people of each kind differ in no attribute, a third is like nobody."""
    names = [f"a{a}" for a in range(40)]
    rows = {name: ["0", "0", "1", "1", str(2 * (name == "a7"))] for name in names}
    steps = make_hierarchy("a", {1: ("0", "low", "*"), 2: ("1", "low", "*"), 3: ("2", "high", "*")})
    with sudare.read_table(pl.DataFrame(rows), engine=engine) as table:
        found = find_levels(table, dict.fromkeys(names, steps), limit=0.5)
    # Only where a7 is one value for all is the fifth person like the first two.
    assert found.nodes == 3**40
    assert found.best == {name: 2 if name == "a7" else 0 for name in names}
    assert found.gap == pytest.approx(0)
    assert found.to_dict()["complete"] is False


def test_the_same_seed_finds_the_same(bounded: pytest.MonkeyPatch, engine: DuckDBEngine) -> None:
    steps = make_hierarchy("a", {n: (str(n), str(n // 2 * 2), str(n // 4 * 4), "*") for n in range(8)})
    rows = {f"a{a}": [str((n * (a + 3) + n // 5) % 8) for n in range(60)] for a in range(5)}
    with sudare.read_table(pl.DataFrame(rows), engine=engine) as table:
        one, other = (find_levels(table, dict.fromkeys(rows, steps), limit=0.2, seed=4) for _ in range(2))
    assert one == other
    assert changed_levels(one, other).complete is False


def test_an_interruption_keeps_the_best_found(bounded: pytest.MonkeyPatch, engine: DuckDBEngine) -> None:
    def interrupt(step: Message, *_: int) -> None:
        if step.key == "progress.best_levels":
            raise KeyboardInterrupt

    bounded.setattr(bounded_levels, "MOST_IN_BLOCK", 1)
    bounded.setattr(bounded_levels, "MOST_DESCENTS", 0)
    steps = make_hierarchy("a", {n: (str(n), str(n // 2 * 2), "*") for n in range(4)})
    rows = {f"a{a}": [str((n * (a + 1) + n // 3) % 4) for n in range(9)] for a in range(3)}
    with sudare.read_table(pl.DataFrame(rows), engine=engine) as table:
        found = find_levels(table, dict.fromkeys(rows, steps), limit=0.5, progress=interrupt)
    assert found.interrupted
    assert found.best is not None and found.loss is not None and found.bound is not None
    assert found.bound <= found.loss
