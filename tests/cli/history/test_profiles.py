"""`sudare history profiles`: on one file, on two and on several."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import sudare
from sudare.cli.app import app
from sudare.histories.generalized.text import write_cells
from sudare.histories.profiles import attack, learning
from sudare.messages import Texts
from sudare.report.terminal import percent
from tests.histories.attack.histories import history
from tests.histories.profiles.small_profiles import habitual_rows
from tests.histories.releases.test_chains import recipients

Run = Callable[..., Result]
PEOPLE = 34
HEADER = "customer,day,item,price,quantity\n"


def exact(rows: list[Any], *, letter: str = "c") -> str:
    """Return rows as CSV with a header; people are called by a letter and their number."""
    lines = (
        f"{letter}{n},2011-{1 + day // 28:02}-{1 + day % 28:02},i{item},{cents / 100},{quantity}\n"
        for n, day, item, cents, quantity in rows
    )
    return HEADER + "".join(lines)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files: whole.csv is known.csv and published.csv; three releases; two of the same days with wide cells."""
    found = tmp_path_factory.mktemp("profiles")
    rows = habitual_rows(1, PEOPLE)
    texts = {"whole": exact(rows), "known": exact([row for row in rows if row[1] < 98])}
    texts["published"] = exact([row for row in rows if row[1] >= 98], letter="x")
    for number, first in enumerate((0, 70, 140)):
        texts[f"release{number}"] = exact([row for row in rows if first <= row[1] < first + 70], letter="abx"[number])
    texts["vague"] = HEADER + "".join(f"c{n},[2010-07-01;2010-07-09],i{n},1,1\n" for n in range(1, 20))
    texts["key"] = "pseudonym,customer\n" + "".join(f"x{n},c{n}\n" for n in range(1, PEOPLE + 1))
    texts["one"] = HEADER + "c1,2011-01-01,tea,1,1\nc1,2011-01-05,tea,1,1\n"
    texts["ranges"] = HEADER + "".join(
        f"c{n},[2011-07-01;2011-07-09],{{i{n};i{n + 1}}},[1;2],*\n" for n in range(1, 20)
    )
    for name, text in texts.items():
        (found / f"{name}.csv").write_text(text, encoding="utf-8")
    for name, cells in zip(("first", "second"), recipients(), strict=True):
        write_cells(cells, found / f"{name}.csv")
    return found


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(folder)
    monkeypatch.setitem(learning._TREES, "max_iter", 5)
    return lambda *words: CliRunner().invoke(app, ["history", "profiles", *map(str, words)])


def told(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def shown(result: Result) -> str:
    assert result.exit_code == 0, result.output
    return " ".join(result.stdout.split())


def said_as(share: float) -> str:
    return " ".join(percent(share, Texts("en")).split())


SPLIT = "2011-04-15"


@pytest.mark.parametrize("split", [SPLIT, "half"])
def test_one_file_is_split_and_its_truth_is_known(run: Run, split: str) -> None:
    found = told(run("whole.csv", "--split", split, "--untrained", "--json"))
    assert next(iter(found)) == "schema"
    assert (found["pseudonyms"], found["candidates"], found["world"]) == (PEOPLE, PEOPLE, "closed")
    for name in ("alone", "one_to_one", "best_ten"):
        assert 0.8 < found[name] <= 1
    assert 0 <= found["calibration_error"] < 0.5
    assert found["open_world"]["shared"] == PEOPLE
    assert found["what_if"] == []


def test_half_is_the_default_for_one_file(run: Run) -> None:
    assert told(run("whole.csv", "--untrained", "--json")) == told(
        run("whole.csv", "--split", "half", "--untrained", "--json")
    )


def test_two_files_without_truth_have_no_shares(run: Run) -> None:
    found = told(run("known.csv", "published.csv", "--untrained", "--json"))
    assert (found["pseudonyms"], found["candidates"], found["method"]) == (PEOPLE, PEOPLE, "untrained")
    names = ("shared", "alone", "one_to_one", "assigned", "best_ten", "calibration_error")
    assert [found[name] for name in names] == [None] * 6
    assert 0 < found["expected"] <= 1
    text = shown(run("known.csv", "published.csv", "--untrained"))
    assert "Nobody told who is behind the pseudonyms" in text
    assert "Give the truth with --truth, or split one file with --split." in text
    assert "The attack is untrained: that was asked for." in text
    assert "Identified, one-to-one" not in text


@pytest.mark.slow
def test_the_truth_of_two_files_is_counted(run: Run) -> None:
    words = ("known.csv", "published.csv", "--truth", "key.csv", "--untrained", "--json")
    found = told(run(*words))
    split = told(run("whole.csv", "--split", SPLIT, "--untrained", "--json"))
    assert [found[name] for name in ("alone", "one_to_one", "best_ten", "calibration_error", "shared")] == [
        split[name] for name in ("alone", "one_to_one", "best_ten", "calibration_error", "shared")
    ]
    assert told(run(*words, "--open-world"))["world"] == "open"
    assert told(run(*words, "--closed-world"))["world"] == "closed"


@pytest.mark.slow
def test_what_is_shown_is_what_was_measured(run: Run) -> None:
    words = ("known.csv", "published.csv", "--truth", "key.csv", "--trained")
    found, text = told(run(*words, "--json")), shown(run(*words))
    assert f"Identified, one-to-one │ {said_as(found['one_to_one'])} (" in text
    assert f"Right one among the best ten │ {said_as(found['best_ten'])} (" in text
    assert f"Calibration error │ {found['calibration_error']:.3f}" in text
    assert f"Identified by guessing │ {100 / PEOPLE:.2f} %" in text
    assert "The attack is trained on the known period, split within itself." in text
    assert "2011-01-01 to 2011-04-14" in text
    sure = next(one for one in found["surest"] if one["share"] == 0.3)
    assert f"Of the 30 % of the pseudonyms that the attacker is surest of, {said_as(sure['right'])} are" in text


def test_guesses_are_a_line_for_every_pseudonym_and_secret(run: Run, folder: Path) -> None:
    result = run("known.csv", "published.csv", "--guesses", "guesses.csv", "--untrained")
    assert result.exit_code == 0, result.output
    header, *lines = (folder / "guesses.csv").read_text(encoding="utf-8").splitlines()
    assert header == "pseudonym,customer,confidence"
    rows = [line.split(",") for line in lines]
    assert sorted(row[0] for row in rows) == sorted(f"x{n}" for n in range(1, PEOPLE + 1))
    assert {row[1] for row in rows} <= {f"c{n}" for n in range(1, PEOPLE + 1)}
    assert all(0 <= float(row[2]) <= 1 for row in rows)
    assert stat.S_IMODE((folder / "guesses.csv").stat().st_mode) == 0o600
    assert "guesses.csv" in result.stderr
    again = run("known.csv", "published.csv", "--guesses", "again.csv", "--untrained", "--truth", "key.csv", "--quiet")
    assert (folder / "again.csv").read_bytes() == (folder / "guesses.csv").read_bytes()
    assert "again.csv" in again.stderr


def test_what_if_shows_what_would_change_the_answer(run: Run) -> None:
    found = told(run("whole.csv", "--split", SPLIT, "--untrained", "--what-if", "--json"))
    assert [(case["change"], case["value"]) for case in found["what_if"]][:1] == [("nothing", None)]
    assert found["what_if"][0]["candidates"] == PEOPLE
    text = shown(run("whole.csv", "--split", SPLIT, "--untrained", "--what-if"))
    assert "items are cut to their first three letters" in text
    assert "publishing starts 30 days later" in text
    assert "Compare with --what-if." not in text


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("whole.csv", "--split", SPLIT, "--fail-above", "10%"), 3),
        (("whole.csv", "--split", SPLIT, "--fail-above", "1"), 0),
        (("known.csv", "published.csv", "--fail-above", "0.1"), 3),
        (("known.csv", "published.csv", "--truth", "key.csv", "--fail-above", "1/10"), 3),
    ],
)
def test_a_limit_that_is_exceeded_ends_with_three(run: Run, words: tuple[str, ...], code: int) -> None:
    result = run(*words, "--untrained")
    assert result.exit_code == code, result.output
    assert (" is above 0.1." in result.stderr) == (code == 3)


def test_classes_of_three_do_not_exceed_a_third(run: Run, folder: Path) -> None:
    rows = [row for row in habitual_rows(1, 30) if row[1] < 98]
    classes = [(n, 120 + n // 3 % 7, n // 3, 100 + n // 3, 1) for n in range(30)]
    (folder / "rows.csv").write_text(exact([(row[0] - 1, *row[1:]) for row in rows]), encoding="utf-8")
    (folder / "classes.csv").write_text(exact(classes, letter="x"), encoding="utf-8")
    (folder / "classes-key.csv").write_text("".join(f"x{n},c{n}\n" for n in range(30)))
    words = ("rows.csv", "classes.csv", "--truth", "classes-key.csv", "--fail-above", "1/3", "--untrained")
    assert run(*words).exit_code == 0
    found = told(run(*words[:4], "--untrained", "--json"))
    assert (found["classes"]["classes"], found["classes"]["smallest"]) == (10, 3)
    assert max(one["confidence"] for one in found["surest"]) <= 1 / 3


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("release0.csv", "release1.csv", "release2.csv"),
        ("whole.csv", "--split", "2011-03-15,2011-05-15"),
    ],
)
def test_several_files_or_days_are_releases(run: Run, words: tuple[str, ...]) -> None:
    found = told(run(*words, "--json"))
    assert found["schema"] == "sudare.releases/1"
    assert len(found["releases"]) == 3
    assert (found["whole"] is None) == (len(words) == 3 and "--split" not in words)
    text = shown(run(*words))
    assert f"{len(found['releases'])} releases of the same people, linked by what people buy" in text
    assert f"pseudonyms became {found['chains']} chains" in text
    assert ("have all their pseudonyms in one chain" in text) == (found["whole"] is not None)


@pytest.mark.slow
def test_months_are_releases(run: Run) -> None:
    found = told(run("whole.csv", "--split", "months", "--json"))
    assert [one["period"]["first"][:7] for one in found["releases"]] == [f"2011-{month:02}" for month in range(1, 9)]


def test_what_recipients_reveal_together_is_shown(run: Run) -> None:
    text = shown(run("first.csv", "second.csv", "second.csv"))
    # [3n - 2; 3n] and [3n - 1; 3n + 2] leave two values.
    assert "quantity │ 3.0 │ 2.0 │ 0 % │ 0 %" in text
    assert "item │ 2.0 │ 1.0 │ 0 % │ 100 %" in text
    assert "The published cells are not exact" in text


@pytest.mark.slow
def test_japanese_is_spoken(run: Run, folder: Path) -> None:
    text = shown(run("whole.csv", "--split", SPLIT, "--untrained", "--lang", "ja"))
    for said in (
        "別の時期の購買による個人の特定",
        "特定率 (一対一)",
        "攻撃は学習なしです。理由: 指定による。",
        "閉世界",
        "開世界",
    ):
        assert said in text
    text = shown(run("release0.csv", "release1.csv", "release2.csv", "--lang", "ja"))
    assert "同じ人々についての3回の公開" in text
    refused = run("whole.csv", "--split", "soon", "--lang", "ja")
    assert refused.exit_code == 2
    assert "--split には 2011-06-10 のような日付" in refused.stderr
    assert (folder / "whole.csv").exists()


@pytest.mark.parametrize(
    ("words", "said", "hint"),
    [
        (["whole.csv", "--split", "soon"], "--split is a day such as 2011-06-10", "--split half"),
        (["whole.csv", "--split", "2020-01-01"], "Splitting at 2020-01-01 leaves nothing on one side", "Choose a day"),
        (["whole.csv", "--split", "2011-04-01,"], "--split is a day such as 2011-06-10", "--split half"),
        (["ranges.csv"], "Only a history of exact days can be split", "Split the original"),
        (["one.csv"], "Fewer than two people buy in both periods", "--split"),
        (["known.csv", "published.csv", "--split", "half"], "--split is for one history", "Leave out --split"),
        (["whole.csv", "--truth", "key.csv"], "--truth is only for a known and a published", "leave out --truth"),
        (["whole.csv", "--closed-world"], "--closed-world is only for a known", "Give both files"),
        (["known.csv", "published.csv", "--what-if"], "--what-if needs to know who is behind", "Give one file"),
        (["a", "b", "c", "--trained"], "--trained is not for several releases", "Leave out"),
        (["a", "b", "c", "--guesses", "g.csv"], "--guesses is not for several releases", "Leave out --guesses"),
        (["a", "b", "c", "--fail-above", "0.1"], "--fail-above is not for several releases", "Leave out --fail-above"),
        (["whole.csv", "--split", "months", "--guesses", "g.csv"], "--guesses is not for several", "Leave out"),
        (["whole.csv", "--split", "months", "--fail-above", "0"], "--fail-above is not for several", "Leave out"),
        (["whole.csv", "--split", "months", "--untrained"], "--untrained is not for several", "Leave out"),
        (["whole.csv", "--split", "months", "--what-if"], "--what-if is not for several releases", "Leave out"),
        (["known.csv", "ranges.csv", "--trained"], "cannot be trained: the published cells overlap", "--untrained"),
        (["vague.csv", "published.csv", "--trained"], "the known history has no exact days", "--untrained"),
        (["known.csv", "known.csv", "--trained"], "both histories cover the same days", "--untrained"),
        (["one.csv", "published.csv", "--trained"], "too few people come in both parts", "a longer known period"),
        (["known.csv", "published.csv", "--truth", "bad.csv"], "bad.csv, row 1: a line of the truth", "Correct"),
        (["known.csv", "published.csv", "--truth", "twice.csv"], "twice.csv, row 2: the pseudonym 'x1'", "once"),
        (["known.csv", "published.csv", "--truth", "other.csv"], "names the pseudonym 'y1'", "these pseudonyms"),
        (["known.csv", "published.csv", "--truth", "nobody.csv"], "The truth names no known customer", "written as"),
        (["known.csv", "published.csv", "--truth", "no.csv"], "no.csv", "Check the name"),
        (["whole.csv", "--guesses", "g.parquet"], "g.parquet", "Change the ending"),
        (["known.csv", "published.csv", "--seed", "-1"], "--seed must be 0 or more", ""),
    ],
)
def test_what_cannot_be_done_is_said_in_one_message(
    run: Run, folder: Path, words: list[str], said: str, hint: str
) -> None:
    for name, text in (("bad", "x1\n"), ("twice", "x1,c1\nx1,c2\n"), ("other", "y1,c1\n"), ("nobody", "x1,Ann\n")):
        (folder / f"{name}.csv").write_text(text)
    words = [f"release{'abc'.index(word)}.csv" if word in ("a", "b", "c") else word for word in words]
    before = set(folder.iterdir())
    result = run(*words)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    message = " ".join(result.stderr.split())
    assert said in message
    assert hint in message.partition("Hint:")[2] or not hint
    assert message.count("Hint:") <= 1
    assert "Traceback" not in message
    assert set(folder.iterdir()) == before


def test_without_scikit_learn_it_says_so(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attack, "find_spec", lambda name: None if name == "sklearn" else find_spec(name))
    text = shown(run("known.csv", "published.csv"))
    assert "The attack is untrained: scikit-learn is not installed (pip install 'sudare[learn]')." in text
    refused = run("known.csv", "published.csv", "--trained")
    assert refused.exit_code == 2
    assert "The trained attack needs scikit-learn" in refused.stderr
    assert "--untrained" in refused.stderr


def test_an_engine_that_shows_no_people_refuses(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sudare.DuckDBEngine, "shows_people", False)
    result = run("known.csv", "published.csv")
    assert result.exit_code == 2
    assert "does not show what each customer bought, by which people are recognized" in result.stderr


def test_no_input_is_written_over(run: Run, folder: Path) -> None:
    for name in ("known.csv", "published.csv", "key.csv"):
        before = (folder / name).read_bytes()
        result = run("known.csv", "published.csv", "--truth", "key.csv", "--guesses", name)
        assert (result.exit_code, (folder / name).read_bytes()) == (2, before)


def test_rows_that_cannot_be_used_are_dropped_and_those_of_the_known_file_listed(run: Run, folder: Path) -> None:
    for name in ("known", "published"):
        text = (folder / f"{name}.csv").read_text(encoding="utf-8")
        (folder / f"{name}-bad.csv").write_text(f"{text}{name},never,tea,1,1\n", encoding="utf-8")
    words = ("known-bad.csv", "published-bad.csv", "--untrained")
    assert run(*words).exit_code == 2
    result = run(*words, "--bad-rows", "drop", "--rejects", "rejects.csv", "--json")
    found = told(result)
    assert (found["pseudonyms"], found["candidates"]) == (PEOPLE, PEOPLE)
    rejected = (folder / "rejects.csv").read_text(encoding="utf-8")
    assert ("known,never" in rejected, "published,never" in rejected) == (True, False)
    assert result.stderr.count("1 row") >= 2


def test_contest_files_are_known_too(run: Run, folder: Path) -> None:
    rows = habitual_rows(2, 12)
    write_cells(history(rows), folder / "T.csv")
    assert told(run("T.csv", "--untrained", "--json"))["pseudonyms"] == 12
