"""A time limit reaches into the kernels of every search of a history; what was reached is whole. No clock decides."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from sudare import deadline as deadlines
from sudare.deadline import Deadline
from sudare.histories.anonymize.class_search.model import aligned_class
from sudare.histories.anonymize.concealment import conceal_history
from sudare.histories.anonymize.models import anonymize_by_model
from sudare.histories.anonymize.pairs import pair_costs, pair_terms
from sudare.histories.anonymize.registry import MODELS
from sudare.histories.anonymize.rows import history_rows
from sudare.histories.safety.matching_safety import matching_safety
from sudare.histories.safety.matchings import Matchings
from sudare.histories.safety.published_classes import published_classes
from sudare.kernels.histories import classes as history_classes, concealment, matchings, search as history_search
from sudare.progress import silent
from tests.histories.attack.histories import history, made_rows

ORIGINAL = history(made_rows(5, customers=24, most_rows=4))
ROWS = history_rows(ORIGINAL)
SEARCH = {"fast": True, "seconds": 1e6, "seed": 4}


class _Timer:
    """A timer that never rings by itself."""

    def __init__(self, *_: Any) -> None:
        self.daemon = True

    def start(self) -> None:
        pass

    def cancel(self) -> None:
        pass


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return a function after which every deadline is over after so many looks at any of them."""
    monkeypatch.setattr(threading, "Timer", _Timer)

    def end_after(count: int) -> None:
        left = [count]
        original = Deadline.over.fget

        def over(self: Deadline) -> bool:
            left[0] -= 1
            if left[0] < 0:
                self.interrupt()
            return bool(original(self))  # type: ignore[misc]

        monkeypatch.setattr(deadlines.Deadline, "over", property(over))

    return end_after


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("count", [0, 1, 5, 20, 30, 60])
def test_every_model_is_whole_whenever_the_time_is_over(model: str, count: int, looks: Any) -> None:
    looks(count)
    found = anonymize_by_model(ORIGINAL, 3, model=model, **SEARCH)
    assert not found.converged
    assert found.deleted_rows == found.history.deleted.sum()
    assert 0 <= found.bound <= found.utility
    if model != "concealment":
        sizes = published_classes(found.history).sizes
        # Two customers are left as they were, and alone.
        assert sizes[sizes < 3].tolist() == ([1, 1] if model == "untouched" else [])


def test_a_deadline_that_rings_in_the_middle_of_a_kernel_leaves_only_right_costs(monkeypatch: Any) -> None:
    """The arrays of a halted kernel have the costs of the whole search, or none."""
    terms = pair_terms(ROWS)

    def costs(deadline: Deadline) -> Any:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(1) as pool:
            return pair_costs(
                ROWS, 6, terms=terms, last_step=0.01, pool=pool, deadline=deadline, progress=silent, step="pairs"
            )

    whole, halted = costs(Deadline(None)), Deadline(None)
    monkeypatch.setattr(Deadline, "over", False)
    halted.interrupt()
    none = costs(halted)
    assert whole.complete
    assert not none.complete
    assert not none.known.any()


def test_a_class_is_aligned_as_rows_come_when_the_kernel_was_halted(monkeypatch: pytest.MonkeyPatch) -> None:
    members = np.array([3, 1, 2])
    halted = Deadline(None)
    monkeypatch.setattr(Deadline, "over", False)
    halted.interrupt()
    found = aligned_class(ROWS, members, halted)
    lengths = ROWS.lengths[members]
    assert sorted(found.members.tolist()) == [1, 2, 3]
    assert found.rows.tolist() == [
        [int(ROWS.starts[member]) + place for member in found.members] for place in range(lengths.min())
    ]
    assert found.cost >= aligned_class(ROWS, members, Deadline(None)).cost


def test_halted_kernels_change_nothing() -> None:
    rng, halt = np.random.default_rng(0), np.ones(1, np.bool_)
    one, other = (aligned_class(ROWS, np.array(members), Deadline(None)).parts for members in ([0, 1, 2], [3, 4, 5]))
    pairs, rates = np.ones((24, 24), np.float32), np.ones(6)
    *classes, tried, costs = history_search.exchange_two(
        ROWS.until(halt), one, other, pairs, rates, (3, 5), 0.0, rng
    )  # fmt: skip
    for found, given in zip(classes, (one, other), strict=True):
        assert found[0].tolist() == given[0].tolist()
        assert found[1].tolist() == given[1].tolist()
        assert found[2] == given[2]
    assert (len(tried), len(costs)) == (0, 0)
    again = history_search.align_anew(ROWS.until(halt), one, np.array([True, False, False]), True)
    assert again[1].tolist() == one[1].tolist()

    divided, sizes = np.array([[0, 1, -1], [2, 3, -1]]), np.array([2, 2])
    near = np.array([[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]])
    history_classes.anneal(
        np.random.default_rng(1).random((4, 4)).astype(np.float32), near, divided, sizes, np.array([0, 0, 1, 1]),
        np.ones(4), (2, 3), 10_000, (1.0, 1.0), rng, halt,
    )  # fmt: skip
    assert divided.tolist() == [[0, 1, -1], [2, 3, -1]]

    sets = np.array([[0, 1], [0, 1], [2, 3], [2, 3]])
    holders = np.array([[0, 1], [0, 1], [2, 3], [2, 3]])
    together = np.array([[0, 2, 0, 0], [2, 0, 0, 0], [0, 0, 0, 2], [0, 0, 2, 0]], np.int32)
    concealment.anneal_sets(
        sets, holders, together, np.random.default_rng(1).random((4, 4)), np.full(4, 3), near, np.array([1.0, 4.0]),
        0.0, 10_000, (1.0, 1.0), rng, halt,
    )  # fmt: skip
    assert sets.tolist() == [[0, 1], [0, 1], [2, 3], [2, 3]]


def test_a_halted_drawing_says_how_many_lines_are_drawn() -> None:
    starts, edges = np.array([0, 2, 4]), np.array([0, 1, 0, 1])
    found = np.full((5, 2), -1, np.int32)
    given = starts, edges, np.arange(2), np.arange(2), np.arange(2)
    lines, _ = matchings.draw_matchings(*given, 3, np.random.default_rng(0), found, np.ones(1, np.bool_))
    assert lines == 1
    assert sorted(found[0].tolist()) == [0, 1]
    lines, _ = matchings.draw_matchings(*given, 3, np.random.default_rng(0), found, np.zeros(1, np.bool_))
    assert lines == 5


def test_safety_without_time_comes_from_few_drawings_and_says_so() -> None:
    ring = [[i, (i + 1) % 30, (i + 2) % 30] for i in range(30)]
    found = matching_safety(Matchings(ring), samples=4_000, seconds=1e-9)
    assert found.samples == 20
    assert found.low_found <= found.probability_found <= found.high_found
    assert found.high_found >= 3 / 20
    assert matching_safety(Matchings(ring), samples=4_000).samples == 4_000


def test_rows_of_concealed_customers_are_covered_when_there_was_no_time_to_align_them(looks: Any) -> None:
    looks(0)
    found = conceal_history(ORIGINAL, 3, **SEARCH)  # type: ignore[arg-type]
    # It verifies itself that the rows of each pseudonym cover those of its customers.
    assert {len(customers) for customers in found.candidates.values()} == {3}
    assert found.safety.least == found.safety.greatest == 3
