"""What other choices of k would cost a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import sudare
from sudare.messages import Message
from sudare.tables.anonymize import frontier
from sudare.tables.anonymize.frontier import KS, TableFrontierPoint, consistent, table_frontier

# Sixty people: five ages of each of two sexes and three towns, two of each.
PEOPLE = "sex,age,town,illness\n" + "".join(
    f"{sex},{age},{town},{('flu', 'cold', 'gout')[(age + n) % 3]}\n"
    for sex in "fm" for age in range(30, 35) for town in "xyz" for n in range(2)
)  # fmt: skip


@pytest.fixture
def table(tmp_path: Path) -> Iterator[sudare.Table]:
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    with sudare.read_table(tmp_path / "people.csv") as found:
        yield found


def point(k: int, loss: float, bound: float | None = None, l: float | None = None) -> TableFrontierPoint:  # noqa: E741
    return TableFrontierPoint(k, l, None, loss, bound, round(100 * loss), 0, 1.0, "converged")


def test_a_better_table_for_a_larger_k_counts_for_the_smaller_ones() -> None:
    found = consistent([point(2, 1.5), point(3, 1.2), point(5, 2.0)])
    assert [entry.loss for entry in found] == [1.2, 1.2, 2.0]
    assert [entry.classes for entry in found] == [120, 120, 200]


def test_a_better_diverse_table_counts_without_diversity_but_not_the_other_way() -> None:
    found = consistent([point(2, 1.5), point(2, 1.4, l=3.0)])
    assert [entry.loss for entry in found] == [1.4, 1.4]
    found = consistent([point(2, 1.0), point(2, 1.4, l=3.0)])
    assert [entry.loss for entry in found] == [1.0, 1.4]


def test_a_bound_of_a_weaker_demand_holds_for_the_stricter_ones() -> None:
    found = consistent([point(2, 2, 0.9), point(3, 3, 0.8), point(5, 5), point(2, 4, l=3.0)])
    assert [entry.bound for entry in found] == [0.9, 0.9, 0.9, 0.9]
    found = consistent([point(2, 2), point(3, 3, 0.8)])
    assert [entry.bound for entry in found] == [None, 0.8]


def test_every_k_is_searched_without_and_with_diversity(table: sudare.Table) -> None:
    found = table_frontier(table, ks=[5, 2, 2], l=2, sensitive="illness", seconds=None)
    assert [(entry.k, entry.l) for entry in found.points] == [(2, None), (5, None), (2, 2), (5, 2)]
    two, five, *diverse = found.points
    # Everybody has a twin, who has another illness.
    assert two.loss == 0
    assert 0 < five.loss <= found.highest
    assert all(entry.bound is None or entry.bound <= entry.loss + 1e-9 for entry in found.points)
    assert [with_l.loss >= without.loss for with_l, without in zip(diverse, (two, five), strict=True)] == [True, True]
    assert (found.records, found.sensitive, found.loss_name) == (60, ("illness",), "entropy")


def test_closeness_alone_is_a_demand_of_its_own(table: sudare.Table) -> None:
    found = table_frontier(table, ks=[2], t=0.4, sensitive="illness", seconds=None)
    assert [(entry.l, entry.t) for entry in found.points] == [(None, None), (None, 0.4)]


def test_by_default_k_is_at_most_the_number_of_persons(table: sudare.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    made = frontier.anonymize_table(table, k=2, seconds=1)

    def recorded(_: sudare.Table, *, k: int, **options: Any) -> Any:
        seen.append(k)
        assert (options["attacks"], options["utility"]) == (False, False)
        return replace(made, criteria=replace(made.criteria, k=k))

    monkeypatch.setattr(frontier, "anonymize_table", recorded)
    table_frontier(table)
    assert seen == [k for k in KS if k <= 60]


def test_the_time_is_for_all_searches_together(table: sudare.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float] = []
    made = frontier.anonymize_table(table, k=2, seconds=1)

    def recorded(_: sudare.Table, *, seconds: float, **__: Any) -> Any:
        given.append(seconds)
        return made

    monkeypatch.setattr(frontier, "anonymize_table", recorded)
    table_frontier(table, ks=[2, 3, 4, 5], seconds=1000)
    # Each gets its share of what the others left; these took next to nothing.
    assert [round(seconds / 10) for seconds in given] == [25, 33, 50, 100]


def test_an_interruption_interrupts_the_frontier(table: sudare.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    made = replace(frontier.anonymize_table(table, k=2, seconds=1), ended="interrupted")
    monkeypatch.setattr(frontier, "anonymize_table", lambda *_, **__: made)
    with pytest.raises(KeyboardInterrupt):
        table_frontier(table, ks=[2])


def test_progress_names_the_k(table: sudare.Table) -> None:
    steps: list[Message] = []
    table_frontier(table, ks=[5], seconds=None, progress=lambda step, *_: steps.append(step))
    assert steps
    assert all(str(step).startswith("k = 5: ") for step in steps)


@pytest.mark.parametrize(
    ("ks", "told"), [([], "at least one k"), ([1, 2], "2 or more"), ([61], r"only 60 persons, fewer than k = 61")]
)
def test_a_k_that_cannot_be_is_refused(table: sudare.Table, ks: list[int], told: str) -> None:
    with pytest.raises(sudare.OptionNotUsable, match=told):
        table_frontier(table, ks=ks)
