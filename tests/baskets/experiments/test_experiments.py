import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sudare
from sudare.baskets.experiments import experiments
from sudare.baskets.experiments.experiments import STUDIES, Circumstances, Run, run_experiments, summarize_experiments
from sudare.baskets.experiments.rows import ExperimentRow
from sudare.baskets.model import Baskets, make_baskets

RHO, EPSILON, SHARE = STUDIES


@pytest.fixture(scope="module")
def small() -> Baskets:
    """Two hundred records of up to seven of twelve items, some more frequent than others."""
    rng = np.random.default_rng(1)
    return make_baskets(
        [[f"i{item:02}" for item in (12 * rng.random(size) ** 2).astype(int)] for size in rng.integers(1, 8, 200)]
    )


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[Run]:
    """The runs that are performed."""
    runs: list[Run] = []
    perform = experiments.perform

    def count(baskets: Baskets, run: Run, **options: Any) -> list[ExperimentRow]:
        runs.append(run)
        return perform(baskets, run, **options)

    monkeypatch.setattr(experiments, "perform", count)
    return runs


def test_every_figure_has_a_row_for_each_setting_place_and_repetition(small: Baskets, tmp_path: Path) -> None:
    rows = run_experiments({"a": small}, tmp_path, repetitions=2, threads=1).rows
    numbers = {figure: sum(row.figure == figure for row in rows) for figure in experiments.FIGURES}
    assert numbers == {3: 36, 4: 36, 5: 12, 6: 24, 7: 24}
    assert list(rows) == sorted(rows)
    assert all(row.safe for row in rows if row.figure != 5)
    assert all(0 <= row.value <= 1 for row in rows if row.figure != 4)
    assert {row.setting for row in rows if row.figure == 6} == {"fixed+", "personalized+"}


def test_rows_depend_on_the_seed_and_not_on_what_else_is_computed(small: Baskets, tmp_path: Path) -> None:
    data = {"a": small, "b": small}
    alone = run_experiments({"b": small}, tmp_path / "1", figures=[6], repetitions=1, threads=1).rows
    among = run_experiments(data, tmp_path / "2", figures=[6, 5], repetitions=2, threads=1).rows
    assert alone == tuple(row for row in among if row.data == "b" and row.figure == 6 and row.repetition == 1)
    other = run_experiments({"b": small}, tmp_path / "3", figures=[6], repetitions=1, seed=1, threads=1).rows
    assert [row.key for row in other] == [row.key for row in alone]
    assert other != alone


def test_finished_rows_are_not_computed_again(small: Baskets, tmp_path: Path, counted: list[Run]) -> None:
    first = run_experiments({"a": small}, tmp_path, figures=[5], repetitions=1, threads=1).rows
    assert len(counted) == 6
    assert run_experiments({"a": small}, tmp_path, figures=[5], repetitions=1, threads=1).rows == first
    assert len(counted) == 6
    more = run_experiments({"a": small}, tmp_path, figures=[5], repetitions=2, threads=1).rows
    assert len(counted) == 12
    assert [row for row in more if row.repetition == 1] == list(first)


def test_after_an_interruption_the_rest_is_computed(
    small: Baskets, tmp_path: Path, counted: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run_experiments({"a": small}, tmp_path / "whole", figures=[5], repetitions=1, threads=1).rows
    perform = experiments.perform

    def stop(baskets: Baskets, run: Run, **options: Any) -> list[ExperimentRow]:
        if len(counted) == 8:
            raise KeyboardInterrupt
        return perform(baskets, run, **options)

    with monkeypatch.context() as patched:
        patched.setattr(experiments, "perform", stop)
        with pytest.raises(KeyboardInterrupt):
            run_experiments({"a": small}, tmp_path / "part", figures=[5], repetitions=1, threads=1)
    assert run_experiments({"a": small}, tmp_path / "part", figures=[5], repetitions=1, threads=1).rows == whole
    assert len(counted) == 12


def test_an_interrupted_suppression_gives_no_row(small: Baskets, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    suppress = experiments.suppress_baskets
    monkeypatch.setattr(experiments, "suppress_baskets", lambda *a, **k: replace(suppress(*a, **k), interrupted=True))
    with pytest.raises(KeyboardInterrupt):
        experiments.perform(small, Run(RHO, "a", "fixed", "0.5", 1), seed=0, strategy="paper")


def test_two_threads_find_the_same(small: Baskets, tmp_path: Path) -> None:
    one = run_experiments({"a": small}, tmp_path / "1", figures=[5], repetitions=1, threads=1).rows
    assert run_experiments({"a": small}, tmp_path / "2", figures=[5], repetitions=1, threads=2).rows == one


def test_rows_of_other_experiments_are_not_mixed_in(small: Baskets, tmp_path: Path) -> None:
    run_experiments({"a": small}, tmp_path, figures=[5], repetitions=1, threads=1)
    with pytest.raises(sudare.OptionNotUsable, match="seed is 0 there and 1 here"):
        run_experiments({"a": small}, tmp_path, figures=[5], repetitions=1, seed=1)
    with pytest.raises(sudare.OptionNotUsable, match="strategy is 'paper' there and 'best' here"):
        run_experiments({"a": small}, tmp_path, figures=[5], repetitions=1, strategy="best")
    with pytest.raises(sudare.OptionNotUsable, match="data a is"):
        run_experiments({"a": make_baskets([["x"]])}, tmp_path, figures=[5], repetitions=1)


def test_files_that_sudare_did_not_write_are_refused(small: Baskets, tmp_path: Path) -> None:
    (tmp_path / "parameters.json").write_text("[1]")
    with pytest.raises(sudare.OptionNotUsable, match="was not written by sudare"):
        run_experiments({"a": small}, tmp_path)
    (tmp_path / "parameters.json").write_text(json.dumps({"seed": 0}))
    with pytest.raises(sudare.OptionNotUsable, match="contains other results: what is not given there"):
        run_experiments({"a": small}, tmp_path)
    run_experiments({"a": small}, tmp_path / "own", figures=[5], repetitions=1)
    (tmp_path / "own" / "rows.csv").write_text("a,b\n1,2\n")
    with pytest.raises(sudare.OptionNotUsable, match="has rows that sudare did not write"):
        run_experiments({"a": small}, tmp_path / "own")
    with pytest.raises(sudare.OutputNotWritable, match="Cannot make the folder"):
        run_experiments({"a": small}, tmp_path / "parameters.json" / "folder")


@pytest.mark.slow
def test_circumstances_change_the_rows_and_are_kept_beside_them(small: Baskets, tmp_path: Path) -> None:
    def rows(folder: str, **changed: Any) -> list[float]:
        found = run_experiments(
            {"a": small}, tmp_path / folder, figures=[3, 6], repetitions=1, threads=1,
            circumstances=Circumstances(**changed),
        )  # fmt: skip
        return [row.suppressed_share for row in found.rows]

    usual = rows("usual")
    others = [
        rows(name, **changed)
        for name, changed in {
            "sample": {"sample": 0.5}, "sensitive": {"sensitive": 0.8}, "noise": {"noise": 0.3},
            "rho": {"rho": "0.2"}, "known": {"max_known_exact": 1},
        }.items()
    ]  # fmt: skip
    assert all(other != usual and len(other) == len(usual) for other in others)
    with pytest.raises(sudare.OptionNotUsable, match=r"noise is 0\.3 there and 0.01 here"):
        rows("noise")
    kept = json.loads((tmp_path / "known" / "parameters.json").read_text())
    assert (kept["max_known_exact"], kept["sample"]) == (1, 0.1)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"sample": 0.0}, "sample must be above 0"),
        ({"noise": 1.1}, "noise must be from 0 to 1"),
        ({"max_known": 0}, "max_known must be at least 1"),
    ],
)
def test_circumstances_that_cannot_be_are_refused(
    small: Baskets, tmp_path: Path, changed: dict[str, Any], message: str
) -> None:
    with pytest.raises(sudare.OptionNotUsable, match=message):
        run_experiments({"a": small}, tmp_path / "out", circumstances=Circumstances(**changed))


def test_every_row_has_all_measures(small: Baskets, tmp_path: Path) -> None:
    rows = run_experiments({"a": small}, tmp_path, figures=[3, 4], repetitions=1, threads=1).rows
    by_figure = {figure: [row for row in rows if row.figure == figure] for figure in (3, 4)}
    assert [row.value for row in by_figure[3]] == [row.suppressed_share for row in by_figure[4]]
    assert [row.value for row in by_figure[4]] == [row.kl_divergence for row in by_figure[3]]
    # What is read back from the file is what was computed.
    assert run_experiments({"a": small}, tmp_path, figures=[3, 4], repetitions=1, threads=1).rows == rows


def test_figures_and_repetitions_that_are_not_there_are_refused(small: Baskets, tmp_path: Path) -> None:
    with pytest.raises(sudare.OptionNotUsable, match="Unknown figure 8"):
        run_experiments({"a": small}, tmp_path, figures=[3, 8])
    with pytest.raises(sudare.OptionNotUsable, match="repetitions must be at least 1, not 0"):
        run_experiments({"a": small}, tmp_path, repetitions=0)


def test_a_tenth_of_the_records_is_drawn(small: Baskets) -> None:
    drawn = experiments.draw_records(small, 0.1, 5)
    assert len(drawn) == 20
    assert set(drawn.users) <= set(small.users)
    assert drawn.users == experiments.draw_records(small, 0.1, 5).users != experiments.draw_records(small, 0.1, 6).users
    assert len(experiments.draw_records(make_baskets([["a"]]), 0.1, 0)) == 1
    assert len(experiments.draw_records(make_baskets([]), 0.1, 0)) == 0


def sensitive(baskets: Baskets, run: Run) -> list[set[int]]:
    found = experiments.sensitive_items(baskets, run, seed=0)
    return [set(found.of(u, len(baskets.names)).tolist()) for u in range(len(baskets))]


def test_fixed_lists_are_one_and_personalized_lists_are_many_of_the_same_length(small: Baskets) -> None:
    fixed, personal = (sensitive(small, Run(RHO, "a", setting, "0.5", 1)) for setting in RHO.settings)
    # 40 % of 12 items, rounded.
    assert {len(items) for items in fixed + personal} == {5}
    assert all(items == fixed[0] for items in fixed)
    assert len({frozenset(items) for items in personal}) > 100


def test_fixed_plus_protects_what_is_sensitive_to_anybody(small: Baskets) -> None:
    fixed, personal = (sensitive(small, Run(SHARE, "a", setting, "0.2", 1)) for setting in SHARE.settings)
    assert all(items == set().union(*personal) for items in fixed)


def test_few_differ_from_most_on_an_item() -> None:
    lists = experiments.noisy_lists(5000, 100, 0.3, 0.01, 7)
    often = lists.mean(axis=0) > 0.5
    assert often.sum() == 30
    # A hundredth of half a million, give or take five standard deviations.
    assert abs((lists ^ often).sum() - 5000) < 5 * np.sqrt(5000)


def test_means_and_standard_deviations_by_hand() -> None:
    rows = [
        ExperimentRow(3, "a", "fixed", 0.5, n, value, True, value, 0.0, None)
        for n, value in enumerate((0.1, 0.2, 0.6), 1)
    ]
    alone = ExperimentRow(3, "a", "personalized", 0.5, 1, 0.4, True, 0.4, 0.0, None)
    first, second = summarize_experiments([*rows, alone])
    assert (first.repetitions, first.mean, first.deviation) == (3, pytest.approx(0.3), pytest.approx(0.07**0.5))
    assert (second.repetitions, second.mean, second.deviation) == (1, 0.4, 0)


def test_what_the_paper_saw_on_real_data(real_data: Callable[[str], Path]) -> None:
    baskets = sudare.read_baskets(real_data("bms-webview-1.txt"))

    def values(run: Run) -> list[float]:
        return [row.value for row in experiments.perform(baskets, run, seed=0, strategy="paper")]

    # Personalized costs a little more than fixed, and 70 to 90 % of the items survive.
    fixed, personal = (values(Run(RHO, "bms", setting, "0.5", 1))[0] for setting in RHO.settings)
    assert 0.1 < fixed < personal < 0.3
    # Where few items are sensitive, protecting everything for everybody costs far more, and most rules.
    (fixed, lost), (personal, less) = (values(Run(SHARE, "bms", setting, "0.05", 1)) for setting in SHARE.settings)
    assert fixed > 3 * personal
    assert lost > 0.7
    assert less < lost
