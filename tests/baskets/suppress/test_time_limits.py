"""A time limit reaches into kernels, and what was reached comes back with its verdict. No clock decides here."""

import numpy as np
import pytest

from sudare.baskets.check.uncertainty import Verdict, check_baskets
from sudare.baskets.model import Baskets, SensitiveItems
from sudare.baskets.sensitive import random_lists
from sudare.baskets.suppress import suppression
from sudare.baskets.suppress.suppression import suppress_baskets
from sudare.deadline import Deadline, TimeOver
from sudare.kernels.baskets import item_sets


def baskets(records: list[list[int]], items: int) -> Baskets:
    starts = np.append(0, np.cumsum([len(record) for record in records]))
    flat = np.asarray([item for record in records for item in record], np.int32)
    names = tuple(f"i{n}" for n in range(items))
    return Baskets(starts, flat, names, tuple(f"u{n}" for n in range(len(records))))


@pytest.fixture
def data() -> tuple[Baskets, SensitiveItems]:
    rng = np.random.default_rng(3)
    records = [sorted(rng.choice(8, rng.integers(2, 6), replace=False).tolist()) for _ in range(60)]
    lists = SensitiveItems(np.arange(60, dtype=np.int32), random_lists(60, 8, 0.4, 1), "random")
    return baskets(records, 8), lists


def over_after(looks: int) -> type[Deadline]:
    """Return a deadline that is over after so many looks at it, whatever the clock says."""

    class Counted(Deadline):
        left_looks = looks

        def check(self) -> None:
            Counted.left_looks -= 1
            if Counted.left_looks < 0:
                self.interrupt()
                raise TimeOver

    return Counted


@pytest.mark.parametrize("strategy", ["paper", "best"])
@pytest.mark.parametrize("looks", [0, 1, 2, 3, 5, 8, 12, 20, 40])
@pytest.mark.parametrize("sample", [{}, {"epsilon": 0.1, "delta": 0.1}])
def test_what_was_reached_comes_back_with_its_verdict_whenever_the_time_is_over(
    data: tuple[Baskets, SensitiveItems], strategy: str, looks: int, sample: dict, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, sensitive = data
    monkeypatch.setattr(suppression, "Deadline", over_after(looks))
    found = suppress_baskets(original, sensitive, rho=0.5, max_known=2, strategy=strategy, **sample)  # type: ignore[arg-type]
    assert found.verdict.complete
    assert found.suppressed == len(original.items) - len(found.published.items)
    again = check_baskets(original, sensitive, published=found.published, **found.verdict.question)
    assert found.verdict.unsafe_adversaries == again.unsafe_adversaries
    assert found.safe == (again.safe and not found.interrupted)


def test_best_has_a_finished_answer_when_the_time_is_over_after_the_papers_way(
    data: tuple[Baskets, SensitiveItems], monkeypatch: pytest.MonkeyPatch
) -> None:
    original, sensitive = data
    paper = suppress_baskets(original, sensitive, rho=0.5, max_known=2)

    def late(*_: object) -> None:
        raise TimeOver

    monkeypatch.setattr("sudare.baskets.suppress.best._Search", late)
    found = suppress_baskets(original, sensitive, rho=0.5, max_known=2, strategy="best")
    assert found.safe
    assert found.suppressed == paper.suppressed


def test_best_is_never_worse_than_the_paper_with_the_same_seed(data: tuple[Baskets, SensitiveItems]) -> None:
    for seed in range(5):
        paper, best = (
            suppress_baskets(*data, rho=0.5, max_known=2, strategy=strategy, seed=seed)  # type: ignore[arg-type]
            for strategy in ("paper", "best")
        )
        assert best.safe
        assert best.suppressed <= paper.suppressed


def test_a_check_without_time_is_not_safe_and_says_that_it_is_not_complete(
    data: tuple[Baskets, SensitiveItems],
) -> None:
    original, sensitive = data
    safe = suppress_baskets(original, sensitive, rho=0.5, max_known=2)

    def complete(sample: dict[str, float]) -> Verdict:
        return check_baskets(original, sensitive, rho=0.5, published=safe.published, max_known=2, **sample)  # type: ignore[arg-type]

    for sample in ({}, {"epsilon": 0.1, "delta": 0.1}):
        found = check_baskets(
            original, sensitive, rho=0.5, published=safe.published, max_known=2, seconds=1e-9, **sample
        )
        assert (found.complete, found.safe) == (False, False)
        assert found.unsafe_adversaries <= found.adversaries < complete(sample).adversaries


def test_halted_kernels_return_at_once() -> None:
    original = baskets([list(range(20))] * 50, 20)
    halted = np.ones(1, np.bool_)
    _, counts = item_sets.number_sets(original.starts, original.items, 5, halted)
    assert len(counts) == 1
    whole, _ = item_sets.number_sets(original.starts, original.items, 3, np.zeros(1, np.bool_))
    rules = item_sets.list_rules(whole, halted)
    assert rules.begins[-1] == 0
