"""`sudare history anonymize --earlier`: a release beside others of the same customers."""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars
import pytest
from typer.testing import CliRunner, Result

from sudare import interruption
from sudare.cli.app import app
from sudare.deadline import Deadline
from sudare.histories.anonymize.class_search import alignment

Run = Callable[..., Result]
# Nine customers of two rows each, in the columns of a contest.
MARCH = "".join(f"{n},2011/3/{n},i{n % 4},{n}.5,{n}\n{n},2011/3/{n + 9},common,1,1\n" for n in range(1, 10))
# Two of them do not come back, and four are new.
APRIL = "".join(f"{n},2011/4/{14 - n},i{n % 5},{n % 3}.5,{n % 4 + 1}\n" for n in range(3, 14))
HEADER = "customer,day,item,price,quantity\n"
SEARCH = ("--k", 2, "--fast", "--rounds", 2, "--skip-attacks")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(app, ["history", "anonymize", *map(str, words)])


@pytest.fixture
def march(run: Run, tmp_path: Path) -> Path:
    """Return the file from which march-out.csv was published, with the key march-key.csv."""
    (tmp_path / "march.csv").write_text(MARCH)
    (tmp_path / "april.csv").write_text(APRIL)
    result = run("march.csv", *SEARCH, "-o", "march-out.csv", "--aligned", "march-key.csv")
    assert result.exit_code == 0, result.output
    return tmp_path / "march.csv"


def alike(original: Path, aligned: Path) -> dict[str, tuple[str, ...]]:
    """Return the published rows of each customer of whom there are some, in text files without or with a header."""
    rows: dict[str, list[str]] = {}
    for before, after in zip(original.read_text().splitlines(), aligned.read_text().splitlines(), strict=True):
        pseudonym, _, row = after.partition(",")
        if pseudonym not in ("*", "customer"):
            rows.setdefault(before.partition(",")[0], []).append(row)
    return {customer: tuple(sorted(own)) for customer, own in rows.items()}


def smallest(first: dict[str, tuple[str, ...]], second: dict[str, tuple[str, ...]]) -> int:
    """Return the smallest crowd in both releases of anybody who is in the second."""
    seen = {customer: (first.get(customer), second.get(customer)) for customer in first | second}
    crowds = Counter(seen.values())
    return min(crowds[seen[customer]] for customer in second)


BEFORE = ("--earlier", "march-out.csv", "--aligned-key", "march-key.csv")


def test_another_release_of_the_same_rows(run: Run, march: Path, tmp_path: Path) -> None:
    result = run(march, *SEARCH, "--seed", 1, *BEFORE, "-o", "out.csv", "--aligned", "key.csv")
    assert result.exit_code == 0, result.output
    first, second = (alike(march, tmp_path / name) for name in ("march-key.csv", "key.csv"))
    assert smallest(first, second) >= 2
    assert len(second) == 9
    shown = " ".join(result.stdout.split())
    assert "Everybody published is one of at least 2 customers who have the same rows here and had the same" in shown
    assert "not published" not in shown


@pytest.mark.parametrize("form", ["contest", "csv", "parquet"])
def test_a_release_of_another_period(run: Run, tmp_path: Path, form: str) -> None:
    ending = "parquet" if form == "parquet" else "csv"
    for name, text in (("march.csv", MARCH), ("april.csv", APRIL)):
        (tmp_path / name).write_text(text if form == "contest" else HEADER + text)
    run("march.csv", *SEARCH, "-o", f"march-out.{ending}", "--aligned", f"march-key.{ending}")
    run("march.csv", *SEARCH, "--aligned", "march-key.txt.csv")
    words = ("april.csv", *SEARCH, "--earlier", f"march-out.{ending}", "--aligned-key", f"march-key.{ending}")
    result = run(*words, "--earlier-original", "march.csv", "-o", f"out.{ending}", "--aligned", "key.csv", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    first = alike(tmp_path / "march.csv", tmp_path / "march-key.txt.csv")
    second = alike(tmp_path / "april.csv", tmp_path / "key.csv")
    assert smallest(first, second) >= 2
    assert {"10", "11", "12", "13"} <= second.keys()
    groups = Counter(first.get(str(customer)) for customer in range(3, 14))
    assert found["unpublished_customers"] == 11 - len(second) == sum(n for n in groups.values() if n < 2)
    assert found["groups"] == sum(n >= 2 for n in groups.values())
    assert (found["customers"], sum(found["sizes"]), found["safety"]["persons"]) == (11, len(second), len(second))
    left = polars.read_parquet(tmp_path / f"out.{ending}") if form == "parquet" else None
    assert left is None or len(left) == len(second)


def test_several_releases_go_together_in_order(run: Run, march: Path, tmp_path: Path) -> None:
    made = run("april.csv", *SEARCH, *BEFORE, "--earlier-original", "march.csv", "-o", "a.csv", "--aligned", "ak.csv")
    assert made.exit_code == 0, made.output
    both = (*BEFORE, "--earlier", "a.csv", "--aligned-key", "ak.csv")
    originals = ("--earlier-original", "march.csv", "--earlier-original", "april.csv")
    result = run(march, *SEARCH, "--seed", 3, *both, *originals, "-o", "out.csv", "--aligned", "key.csv")
    assert result.exit_code == 0, result.output
    third = alike(march, tmp_path / "key.csv")
    releases = [alike(march, tmp_path / "march-key.csv"), alike(tmp_path / "april.csv", tmp_path / "ak.csv")]
    seen = {name: (third.get(name), *(one.get(name) for one in releases)) for name in {*third, *releases[0]}}
    crowds = Counter(seen.values())
    assert min(crowds[seen[customer]] for customer in third) >= 2
    swapped = run(march, *SEARCH, *both, *originals[2:], *originals[:2], "-o", "never.csv")
    assert swapped.exit_code == 2
    assert "The key file march-key.csv does not fit the rows of its original one by one." in swapped.stderr


@pytest.mark.slow
def test_who_is_not_published_is_said_in_every_form(run: Run, march: Path, tmp_path: Path) -> None:
    # In March they were in classes of two and three.
    words = ("april.csv", *SEARCH, "--k", 4, *BEFORE, "--earlier-original", march, "-o", "out.csv")
    assert json.loads(run(*words, "--json").stdout)["unpublished_customers"] == 7
    shown = " ".join(run(*words, "--report", "report.html").stdout.split())
    assert "7 of 11 customers are not published, because fewer than 4 customers were like them" in shown
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "7 of 11 customers are not published at all" in page
    assert 'id="made-unpublished"' in page
    assert "Classes are made only of customers who had the same rows in each earlier release" in page
    shown = run(*words, "--report", "report.html", "--lang", "ja").stdout
    assert "11人のうち7人は公開されません。" in shown
    assert "まったく公開しない" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--earlier", "march-out.csv"], "--earlier and --aligned-key were given 1 and 0 times"),
        (["--aligned-key", "march-key.csv"], "--earlier and --aligned-key were given 0 and 1 times"),
        ([*BEFORE, "--earlier", "march-out.csv"], "--earlier and --aligned-key were given 2 and 1 times"),
        (["--earlier-original", "march.csv"], "--earlier-original was given 1 times, --earlier 0 times"),
        (
            [*BEFORE, *["--earlier-original", "march.csv"] * 2],
            "--earlier-original was given 2 times, --earlier 1 times",
        ),
        ([*BEFORE, "--model", "levels"], "--earlier cannot be used with the model levels"),
        ([*BEFORE, "--model", "untouched"], "--earlier cannot be used with the model untouched"),
        ([*BEFORE, "--k", "9"], "Nobody can be published: no group of customers has 9 or more."),
        ([*BEFORE, "--earlier-original", "april.csv"], "name that file with --earlier-original."),
        (["--earlier", "march-out.csv", "--aligned-key", "march-out.csv"], "name that file with --earlier-original."),
        (
            ["--earlier", "other.csv", "--aligned-key", "march-key.csv"],
            "march-key.csv is not the key file of other.csv",
        ),
        (["--earlier", "none.csv", "--aligned-key", "march-key.csv"], "none.csv"),
        (["--earlier", "march-out.csv", "--aligned-key", "none.csv"], "none.csv"),
        ([*BEFORE, "--earlier-original", "none.csv"], "none.csv"),
    ],
)
def test_what_does_not_belong_together_is_refused(
    run: Run, march: Path, tmp_path: Path, words: list[str], said: str
) -> None:
    (tmp_path / "other.csv").write_text("".join((tmp_path / "march-out.csv").read_text().splitlines(True)[1:]))
    out = tmp_path / "never.csv"
    result = run(march, *SEARCH, "-o", out, *words)
    assert result.exit_code == 2, result.output
    assert said in " ".join(result.stderr.split())
    assert "Hint:" in result.stderr
    assert not out.exists()
    japanese = run(march, *SEARCH, "-o", out, *words, "--lang", "ja")
    assert (japanese.exit_code, "ヒント" in japanese.stderr) == (2, True)
    error = json.loads(run(march, *SEARCH, "-o", out, *words, "--json").stderr.splitlines()[-1])
    assert error["exit_code"] == 2
    assert error["hint"]


def test_a_limit_on_the_mean_takes_no_earlier_releases(run: Run, march: Path, tmp_path: Path) -> None:
    result = run(march, "--mean-limit", 0.5, *BEFORE, "-o", "never.csv")
    assert (result.exit_code, (tmp_path / "never.csv").exists()) == (2, False)
    assert "--mean-limit promises no classes, so --earlier cannot be used with it." in result.stderr


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_key_of_other_columns_does_not_fit(run: Run, tmp_path: Path, form: str) -> None:
    (tmp_path / "wide.csv").write_text(HEADER + MARCH)
    narrow = [line.rsplit(",", 1)[0] for line in (HEADER + MARCH).splitlines()]
    (tmp_path / "narrow.csv").write_text("\n".join(narrow) + "\n")
    assert run("narrow.csv", *SEARCH, "-o", f"out.{form}", "--aligned", f"key.{form}").exit_code == 0
    words = ("--earlier", f"out.{form}", "--aligned-key", f"key.{form}", "-o", "never.csv")
    result = run("wide.csv", *SEARCH, *words)
    assert (result.exit_code, f"The key file key.{form} does not fit" in result.stderr) == (2, True)
    assert run("wide.csv", *SEARCH, *words[:-1], "second.csv", "--earlier-original", "narrow.csv").exit_code == 0


@pytest.mark.parametrize("name", ["march-out.csv", "march-key.csv", "march.csv"])
def test_no_file_of_an_earlier_release_is_written_over(run: Run, march: Path, tmp_path: Path, name: str) -> None:
    before = (tmp_path / name).read_text()
    result = run("april.csv", *SEARCH, *BEFORE, "--earlier-original", march, "-o", name)
    assert (result.exit_code, (tmp_path / name).read_text()) == (2, before)


def test_rows_of_an_original_that_were_dropped_are_dropped_again(run: Run, march: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text(HEADER + "77,never,a,1,1\n" + MARCH)
    dropping = (*SEARCH, "--bad-rows", "drop")
    assert run("bad.csv", *dropping, "-o", "b.csv", "--aligned", "bk.csv").exit_code == 0
    words = ("--earlier", "b.csv", "--aligned-key", "bk.csv", "--earlier-original", "bad.csv")
    (tmp_path / "now.csv").write_text(HEADER + "78,never,a,1,1\n" + MARCH)
    result = run("now.csv", *dropping, *words, "-o", "out.csv", "--rejects", "rejects.csv")
    assert result.exit_code == 0, result.output
    rejected = (tmp_path / "rejects.csv").read_text()
    assert ("78" in rejected, "77" in rejected) == (True, False)


def test_interrupted_while_rows_are_aligned_it_writes_the_best_so_far(
    run: Run, march: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    realigned, pressed = alignment._realigned, list[bool]()

    def stopped(rows: Any, found: Any, deadline: Deadline) -> Any:
        if not pressed:
            pressed.append(True)
            os.kill(os.getpid(), signal.SIGINT)
            while not deadline.halt[0]:
                interruption.safe_point()
        return realigned(rows, found, deadline)

    monkeypatch.setattr(alignment, "_realigned", stopped)
    result = run(march, "--k", 2, "--threads", 1, *BEFORE, "-o", "out.csv", "--aligned", "key.csv", "--json")
    assert result.exit_code == 130, result.output
    found = json.loads(result.stdout)
    assert (found["converged"], found["unpublished_customers"]) == (False, 0)
    first, second = (alike(march, tmp_path / name) for name in ("march-key.csv", "key.csv"))
    assert smallest(first, second) >= 2
