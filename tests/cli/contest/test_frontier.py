"""`sudare contest frontier`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sudare.cli.app import app
from sudare.contest import frontier
from sudare.histories.anonymize import models

Run = Callable[..., Result]
ROWS = "".join(f"{n},2011/1/{n},i{n % 3},{n}.5,{n}\n" for n in range(1, 13))


@pytest.fixture
def run() -> Run:
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def original(tmp_path: Path) -> Path:
    path = tmp_path / "T.csv"
    path.write_text(ROWS)
    return path


def test_chart_page_and_values_are_written(run: Run, original: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = run("contest", "frontier", original, "-o", out, "--ks", "2-3,6", "--fast", "--rounds", 3, "--skip-attacks")
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in out.iterdir()) == [
        "frontier.csv", "frontier.svg", "index.html", "parameters.json",
    ]  # fmt: skip
    lines = [line.split("│")[0].strip() for line in result.stdout.splitlines() if "│" in line]
    assert lines == ["2", "3", "6"]
    assert "had U = 0.206." in result.stdout
    assert "T.csv" in (out / "index.html").read_text(encoding="utf-8")
    again = run(
        "contest",
        "frontier",
        original,
        "-o",
        out,
        "--ks",
        "2,3",
        "--fast",
        "--rounds",
        3,
        "--skip-attacks",
        "--lang",
        "ja",
    )
    assert "匿名性の費用" in again.stdout


def test_json_has_every_point(run: Run, original: Path, tmp_path: Path) -> None:
    result = run(
        "contest", "frontier", original, "-o", tmp_path / "out", "--ks", "3,2", "--fast", "--rounds", 3, "--json"
    )
    found = json.loads(result.stdout)
    assert [point["k"] for point in found["points"]] == [2, 3]
    assert (found["customers"], found["attacks"], found["fast"]) == (12, 20, True)
    assert all(point["verdict"] is not None for point in found["points"])


def test_after_an_interruption_the_same_command_goes_on(
    run: Run, original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[int] = []

    def once(*words: object, **options: object) -> object:
        if done and len(done) == 1:
            done.append(0)
            raise KeyboardInterrupt
        done.append(1)
        return models.anonymize_by_model(*words, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(frontier, "anonymize_by_model", once)
    words = (
        "contest",
        "frontier",
        original,
        "-o",
        tmp_path / "out",
        "--ks",
        "2,3",
        "--fast",
        "--rounds",
        3,
        "--skip-attacks",
    )
    stopped = run(*words)
    assert stopped.exit_code == 130
    assert "Finished parts are kept in" in stopped.stderr
    assert run(*words).exit_code == 0
    # k = 2 was finished before the interruption and is not searched again.
    assert done == [1, 0, 1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--ks", "two"], "'two' is not a list of numbers"),
        (["--ks", "5-2"], "'5-2' is not a list of numbers"),
        (["--ks", "2-2000"], "'2-2000' is not a list of numbers"),
        (["--ks", "2-"], "'2-' is not a list of numbers"),
        (["--ks", "1-3"], "each must be 2 or more"),
        ([], "only 12 customers, fewer than k = 20"),
        (["--ks", "2", "--model", "magic"], "--model: the value must be classes"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(
    run: Run, original: Path, tmp_path: Path, words: list[str], message: str
) -> None:
    result = run("contest", "frontier", original, "-o", tmp_path / "out", *words)
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    assert "Hint:" in result.stderr
    assert not (tmp_path / "out").exists()
