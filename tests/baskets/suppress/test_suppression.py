from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import sudare
from sudare.baskets.check.uncertainty import check_baskets
from sudare.baskets.model import make_baskets, sensitive_rows
from sudare.baskets.suppress import sampled as sampled_suppression
from sudare.baskets.suppress.suppression import Suppression, suppress_baskets
from sudare.kernels.baskets.records import Rule
from sudare.kernels.baskets.suppression import Frequencies, choose, needed
from sudare.messages import Message
from tests.baskets.small_baskets import Case, cases, unsafe_by_hand

STRATEGIES = st.sampled_from(["paper", "swept", "best"])


def test_figure_2_one_of_y_or_two_of_x() -> None:
    """Three of four records with x have y, rho is a half: suppress y once, or x twice."""
    assert (needed(3, 4, Rule(1, 2), True), needed(3, 4, Rule(1, 2), False)) == (1, 2)


def test_figure_2_is_repaired_with_one_suppression() -> None:
    baskets = make_baskets([["x", "y"]] * 3 + [["x"]])
    secret = sensitive_rows(np.asarray([[False, True]]), np.zeros(4, np.int32), "y")
    for strategy in ("paper", "best"):
        found = suppress_baskets(baskets, secret, rho=0.5, strategy=strategy, max_known=1)  # type: ignore[arg-type]
        assert (found.suppressed, found.items, found.safe) == (1, 7, True)
        assert found.published.supports().tolist() == [4, 2]


def test_the_choice_follows_formula_5() -> None:
    """D(d) log(D(d) / D0(d)) / N_s: as long as nothing is gone all are 0, and the least N_s decides."""
    before, now = np.asarray([4, 3]), np.asarray([4, 3])
    rows, known = np.asarray([[1, 3]]), np.asarray([0])
    assert choose(rows, known, 4, Frequencies(now, before, np.asarray([7, 7])), Rule(1, 2)) == (1, 1, 1)
    now = np.asarray([4, 1])
    # 4/5 log((4/5) / (4/7)) / 2 is above 0 for x, 1/5 log((1/5) / (3/7)) / 1 below it for y, which is rare already.
    assert choose(rows, known, 4, Frequencies(now, before, np.asarray([7, 5])), Rule(1, 2)).item == 0


@given(cases(), STRATEGIES, st.integers(0, 3))
@settings(max_examples=150)
def test_what_is_published_is_safe_from_everybody(case: Case, strategy: str, seed: int) -> None:
    found = suppress_baskets(
        case.baskets, case.sensitive, rho=case.rho, max_known=case.max_known, knowledge=case.knowledge,
        strategy=strategy, seed=seed,  # type: ignore[arg-type]
    )  # fmt: skip
    shown = [{found.published.names[i] for i in found.published.record(u)} for u in range(len(case.records))]
    assert found.safe
    assert unsafe_by_hand(case, shown) == {}
    assert all(part <= record for part, record in zip(shown, case.records, strict=True))
    assert found.suppressed == sum(map(len, case.records)) - sum(map(len, shown))


@given(cases(), st.integers(0, 3))
@settings(max_examples=60)
def test_the_best_strategy_never_suppresses_more(case: Case, seed: int) -> None:
    options = {"rho": case.rho, "max_known": case.max_known, "knowledge": case.knowledge, "seed": seed}
    paper = suppress_baskets(case.baskets, case.sensitive, strategy="paper", **options)  # type: ignore[arg-type]
    best = suppress_baskets(case.baskets, case.sensitive, strategy="best", **options)  # type: ignore[arg-type]
    assert best.suppressed <= paper.suppressed


@given(cases(), st.integers(0, 3), st.sampled_from(["all", "items", "kl", "rules"]))
@settings(max_examples=80)
def test_what_is_kept_low_is_at_most_that_of_the_paper(case: Case, seed: int, keep_low: str) -> None:
    options = {"rho": case.rho, "max_known": case.max_known, "knowledge": case.knowledge, "seed": seed}
    paper = suppress_baskets(case.baskets, case.sensitive, **options)  # type: ignore[arg-type]
    best = suppress_baskets(case.baskets, case.sensitive, strategy="best", keep_low=keep_low, **options)  # type: ignore[arg-type]
    names = {"items": "suppressed_share", "kl": "kl_divergence", "rules": "rules_distance"}
    assert best.safe
    for name in names.values() if keep_low == "all" else [names[keep_low]]:
        assert getattr(best.loss, name) <= getattr(paper.loss, name)
    shown = [{best.published.names[i] for i in best.published.record(u)} for u in range(len(case.records))]
    assert unsafe_by_hand(case, shown) == {}


@pytest.mark.slow
@pytest.mark.parametrize("secrets", ["random:0.4", "random-fixed:0.4"])
def test_on_real_click_streams_all_three_measures_are_below_the_papers(
    real_data: Callable[[str], Path], secrets: str
) -> None:
    for number in (1, 2):
        baskets = sudare.read_baskets(real_data(f"bms-webview-{number}.txt"))
        short = baskets.select(baskets.lengths <= 5)
        secret = sudare.baskets.read_sensitive(secrets, short)
        paper, best = (suppress_baskets(short, secret, rho=0.5, strategy=name) for name in ("paper", "best"))  # type: ignore[arg-type]
        assert best.suppressed < paper.suppressed
        assert best.loss.kl_divergence <= paper.loss.kl_divergence
        assert best.loss.rules_distance is not None
        assert paper.loss.rules_distance is not None
        assert best.loss.rules_distance <= paper.loss.rules_distance
        assert best.least_suppressed == paper.least_suppressed
        assert best.suppressed / 2 < (best.least_suppressed or 0) < best.suppressed


def repair_samples(case: Case, strategy: str, longest_swept: int) -> Suppression:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sampled_suppression, "LONGEST_SWEPT", longest_swept)
        return suppress_baskets(
            case.baskets, case.sensitive, rho=case.rho, max_known=case.max_known, knowledge=case.knowledge,
            strategy=strategy, epsilon=0.2, delta=0.2,  # type: ignore[arg-type]
        )  # fmt: skip


@given(cases(), STRATEGIES)
@settings(max_examples=40)
def test_sampled_repairs_satisfy_a_fresh_sample(case: Case, strategy: str) -> None:
    found = repair_samples(case, strategy, 0)
    assert found.safe
    assert not found.verdict.exact
    assert found.verdict.unsafe_adversaries == 0


@given(cases())
@settings(max_examples=100)
def test_swept_short_records_are_safe_from_everybody(case: Case) -> None:
    """Records of up to LONGEST_SWEPT items are gone through, and nobody is left who could be drawn."""
    found = repair_samples(case, "swept", 12)
    shown = [{found.published.names[i] for i in found.published.record(u)} for u in range(len(case.records))]
    assert unsafe_by_hand(case, shown) == {}
    assert all(part <= record for part, record in zip(shown, case.records, strict=True))
    assert found.suppressed == sum(map(len, case.records)) - sum(map(len, shown))


@pytest.mark.parametrize("strategy", ["paper", "swept", "best"])
@pytest.mark.parametrize("sampled", [{}, {"epsilon": 0.1, "delta": 0.1}])
def test_the_same_seed_gives_the_same_records(strategy: str, sampled: dict[str, float]) -> None:
    rng = np.random.default_rng(3)
    baskets = make_baskets([{str(i) for i in rng.integers(0, 12, 4)} for _ in range(200)])
    secret = sensitive_rows(rng.random((200, len(baskets.names))) < 0.4, np.arange(200), "own")

    def run(seed: int) -> list[int]:
        found = suppress_baskets(baskets, secret, rho=0.5, max_known=3, strategy=strategy, seed=seed, **sampled)  # type: ignore[arg-type]
        assert found.safe
        return found.published.items.tolist()

    assert run(1) == run(1)
    assert run(1) != run(2)


@pytest.mark.parametrize("options", [{}, {"epsilon": 0.05, "delta": 0.05}, {"strategy": "best"}])
def test_work_that_is_cut_short_is_not_safe(options: dict[str, object]) -> None:
    baskets = make_baskets([["a", "b", "c"]] * 3 + [["a"], ["b"]])
    everything = sensitive_rows(np.ones((1, 3), bool), np.zeros(5, np.int32), "all")
    found = suppress_baskets(baskets, everything, rho=0.3, seconds=1e-9, **options)  # type: ignore[arg-type]
    assert (found.interrupted, found.safe) == (True, False)
    assert found.to_dict()["safe"] is False


def test_an_interruption_returns_the_state_so_far() -> None:
    baskets = make_baskets([["a", "b", "c"]] * 3 + [["a"], ["b"]])
    everything = sensitive_rows(np.ones((1, 3), bool), np.zeros(5, np.int32), "all")

    def interrupt(step: Message, done: int, total: int) -> None:
        if step.key == "progress.suppression":
            raise KeyboardInterrupt

    found = suppress_baskets(baskets, everything, rho=0.3, progress=interrupt)
    assert (found.interrupted, found.safe, found.suppressed > 0) == (True, False, True)


def test_progress_tells_pass_size_unsafe_and_suppressed() -> None:
    told: list[str] = []
    baskets = make_baskets([["a", "b"]] * 3 + [["a"]])
    everything = sensitive_rows(np.ones((1, 2), bool), np.zeros(4, np.int32), "all")
    suppress_baskets(baskets, everything, rho=0.5, progress=lambda step, *_: told.append(str(step)))
    assert any(step.startswith("pass 1, 1 known: ") and "unsafe so far" in step for step in told)


def test_options_that_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    baskets = make_baskets([["a", "b"]])
    everything = sensitive_rows(np.ones((1, 2), bool), np.zeros(1, np.int32), "all")
    with pytest.raises(sudare.OptionNotUsable, match="paper, swept or best"):
        suppress_baskets(baskets, everything, rho=0.5, strategy="magic")  # type: ignore[arg-type]
    with pytest.raises(sudare.OptionNotUsable, match="items, kl, rules or all"):
        suppress_baskets(baskets, everything, rho=0.5, strategy="best", keep_low="magic")  # type: ignore[arg-type]
    with pytest.raises(sudare.OptionNotUsable, match="does not choose what is kept low"):
        suppress_baskets(baskets, everything, rho=0.5, keep_low="kl")
    with pytest.raises(sudare.OptionNotUsable, match="original or published"):
        suppress_baskets(baskets, everything, rho=0.5, knowledge="none")  # type: ignore[arg-type]
    with pytest.raises(sudare.OptionNotUsable, match="max_known must be at least 1, not 0"):
        suppress_baskets(baskets, everything, rho=0.5, max_known=0)
    monkeypatch.setattr("sudare.baskets.suppress.repair.MOST_SETS", 2)
    with pytest.raises(sudare.OptionNotUsable, match="3 sets of items, too many to keep"):
        suppress_baskets(baskets, everything, rho=0.5)


def test_nothing_to_do_suppresses_nothing() -> None:
    baskets = make_baskets([["a"], [], ["a", "b"]])
    nothing = sensitive_rows(np.zeros((1, 2), bool), np.zeros(3, np.int32), "nothing")
    found = suppress_baskets(baskets, nothing, rho=0.1, strategy="best")
    assert (found.suppressed, found.safe, found.suppressed_share) == (0, True, 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["paper", "best"])
def test_real_click_streams_are_made_safe(real_data: Callable[[str], Path], strategy: str) -> None:
    """BMS-WebView-1 with at most five items: the paper says that 70 to 90 % of the items survive."""
    baskets = sudare.read_baskets(real_data("bms-webview-1.txt"))
    short = baskets.select(baskets.lengths <= 5)
    secret = sensitive_rows(
        np.random.default_rng(0).random((len(short), len(short.names))) < 0.4, np.arange(len(short)), "own"
    )
    found = suppress_baskets(short, secret, rho=0.5, strategy=strategy)  # type: ignore[arg-type]
    assert found.safe
    assert 0.05 < found.suppressed_share < 0.3
    assert check_baskets(short, secret, rho=0.5, published=found.published, knowledge="published").safe


def test_an_interruption_after_the_papers_way_returns_its_finished_and_safe_answer() -> None:
    baskets = make_baskets([["a", "b", "c"]] * 3 + [["a"], ["b"]])
    everything = sensitive_rows(np.ones((1, 3), bool), np.zeros(5, np.int32), "all")

    def interrupt(step: Message, done: int, total: int) -> None:
        if step.key == "progress.best_suppression":
            raise KeyboardInterrupt

    found = suppress_baskets(baskets, everything, rho=0.3, strategy="best", progress=interrupt)
    assert (found.interrupted, found.safe, found.verdict.complete) == (False, True, True)
