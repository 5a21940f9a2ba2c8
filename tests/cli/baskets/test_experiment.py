import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from sudare.baskets.experiments import experiments
from sudare.cli.app import app

Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    return lambda *words: CliRunner().invoke(app, ["baskets", "experiment", *(str(word) for word in words)])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    path = tmp_path / "small.txt"
    path.write_text("".join(" ".join(rng.choice(list("abcdefgh"), n, False)) + "\n" for n in rng.integers(1, 6, 100)))
    return path


HEADER = "figure,data,setting,x,repetition,value,safe,suppressed_share,kl_divergence,rules_distance"


def test_figures_rows_and_page_are_written_and_used_again(run: Run, file: Path, tmp_path: Path) -> None:
    words = (file, "-o", tmp_path / "out", "--repetitions", "2", "--figures", "5,6", "--threads", "1")
    result = run(*words)
    assert result.exit_code == 0, result.output
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"figure-5-small.svg", "figure-6-small.svg", "index.html", "parameters.json", "rows.csv"}
    lines = (tmp_path / "out" / "rows.csv").read_text().splitlines()
    # Figure 7 comes from the same runs as 6.
    assert (lines[0], len(lines)) == (HEADER, 1 + 12 + 24 + 24)
    # Table 1 of the paper.
    assert "Mean length" in result.stdout
    again = json.loads(run(*words, "--json").stdout)
    assert again["data"]["small"].keys() == {"records", "items", "longest", "mean_length"}
    assert {"suppressed_share", "kl_divergence", "rules_distance"} <= again["rows"][0].keys()
    other = run(*words, "--noise", "0.2", "--sensitive-share", "0.6", "--max-known", "2")
    assert other.exit_code == 2
    assert "sensitive is 0.4 there and 0.6 here" in other.stderr
    assert len(again["figures"]) == 6 + 12
    assert again["figures"][0].keys() == {"figure", "data", "setting", "x", "repetitions", "mean", "deviation"}


def test_an_interruption_says_that_the_rest_can_follow(
    run: Run, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(experiments, "perform", interrupt)
    result = run(file, "-o", tmp_path / "out", "--repetitions", "1", "--threads", "1")
    assert result.exit_code == 130
    assert "Run the same command again to continue" in result.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--figures", "three"], "--figures 'three' is not a list of numbers"),
        (["--figures", "2"], "Unknown figure 2"),
        (["--repetitions", "0"], "must be at least 1, not 0"),
        (["small.txt"], "Two data sets are named 'small'"),
    ],
)
def test_bad_input_gets_one_message_and_exit_code_2(
    run: Run, file: Path, tmp_path: Path, words: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(file, "-o", tmp_path / "out", *words)
    assert result.exit_code == 2
    assert message in result.stderr
