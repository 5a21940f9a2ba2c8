"""From a raw table to one to publish: what is written, what is printed, and what is refused."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from sudare.cli.app import app
from tests.cli.test_json import check_form

PEOPLE = 60
DISEASES = ("flu", "cold", "none", "gout", "none", "flu")
COLUMNS = {
    "name": [f"Person {chr(97 + i % 20)}{'xyz'[i // 20]}" for i in range(PEOPLE)],
    "e-mail": [f"p{i}@example.org" for i in range(PEOPLE)],
    "sex": ["m", "f"] * (PEOPLE // 2),
    "age": [str(20 + 7 * i % 41) for i in range(PEOPLE)],
    "town": [("Nara", "Kobe", "Uji", "Kyoto", "Otsu")[i // 3 % 5] for i in range(PEOPLE)],
    "remark": [f"called about order {chr(97 + i % 26)}{'pq'[i // 26]}" for i in range(PEOPLE - 20)] + ["none"] * 20,
    "fax": [""] * PEOPLE,
    "disease": [DISEASES[i % 6] for i in range(PEOPLE)],
}
ASK = ("--k", "4", "--sensitive", "disease")
# What is measured after the search takes longer than the search of so small a table.
QUICK = ("--skip-attacks", "--skip-utility")
Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    lines = [",".join(COLUMNS), *(",".join(row) for row in zip(*COLUMNS.values(), strict=True))]
    Path("m.csv").write_text("\n".join(lines) + "\n")
    return lambda *words: CliRunner().invoke(app, ["table", "anonymize", "m.csv", *words])


def done(result: Result) -> str:
    assert result.exit_code == 0, (result.output, result.exception)
    return " ".join(result.stdout.split())


def answer(result: Result) -> Any:
    assert result.exit_code == 0, (result.output, result.exception)
    found = json.loads(result.stdout)
    check_form(found)
    return found


def rows_of(path: str) -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_raw_file_becomes_one_to_publish(run: Run) -> None:
    shown = done(run(*ASK, "--l", "2", *QUICK, "-o", "safe.csv"))
    rows = rows_of("safe.csv")
    assert list(rows[0]) == ["sex", "age", "town", "disease"]
    assert len(rows) == PEOPLE
    assert Counter(row["disease"] for row in rows) == Counter(COLUMNS["disease"])
    classes: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        classes.setdefault((row["sex"], row["age"], row["town"]), []).append(row["disease"])
    assert min(len(diseases) for diseases in classes.values()) >= 4
    diversity = min(len(set(diseases)) for diseases in classes.values())
    assert diversity >= 2
    assert f"60 records in {len(classes)} classes" in shown
    smallest = min(map(len, classes.values()))
    assert "Asked for: k = 4, l = 2 (distinct). Counted in safe.csv, read again by separate code" in shown
    assert f"separate code: k = {smallest}, l = {diversity}," in shown


def test_what_is_not_published_is_named_with_its_reason_and_how_to_decide(run: Run) -> None:
    shown = done(run(*ASK, *QUICK))
    assert "because they name people: name (names of people); e-mail (e-mail addresses). --keep publishes" in shown
    assert "please decide: remark (free text: most values occur once); fax (all values are missing)." in shown
    assert "--other keep publishes all of them" in shown
    assert "Nothing was asked for disease: --l or --t protects sensitive values." in shown


def test_columns_that_are_asked_for_are_published_and_said_not_to_be_protected(run: Run) -> None:
    shown = done(run(*ASK, *QUICK, "--keep", "e-mail", "--other", "keep", "-o", "safe.csv"))
    assert list(rows_of("safe.csv")[0]) == ["e-mail", "sex", "age", "town", "remark", "fax", "disease"]
    assert "not protected by k: e-mail (named to be kept); remark (free text" in shown
    assert "look like identifiers of people: e-mail (e-mail addresses)" in shown
    assert "Nothing was asked for disease: --l or --t protects sensitive values." in shown


def test_only_known_columns_are_generalized(run: Run) -> None:
    shown = done(run("--k", "4", "--known", "sex,town", *QUICK, "-o", "safe.csv"))
    assert list(rows_of("safe.csv")[0]) == ["sex", "town"]
    assert "please decide: age, remark, disease (not named as known); fax (all values are missing)." in shown


def test_without_an_output_nothing_is_written_and_the_command_for_it_is_said(run: Run) -> None:
    result = run(*ASK, *QUICK)
    assert "Nothing was written, so nothing is claimed yet." in done(result)
    assert "To write this table: sudare table anonymize m.csv --k 4" in done(result)
    assert [path.name for path in Path().iterdir()] == ["m.csv"]


def test_the_same_seed_gives_the_same_file(run: Run) -> None:
    for name, seed in (("a.csv", "1"), ("b.csv", "1"), ("c.csv", "2")):
        done(run(*ASK, *QUICK, "--seed", seed, "-o", name))
    first, second, other = (Path(name).read_bytes() for name in ("a.csv", "b.csv", "c.csv"))
    assert first == second != other


def test_the_secret_key_links_lines_to_records_and_is_said_to_be_secret(run: Run) -> None:
    result = run(*ASK, *QUICK, "-o", "safe.csv", "--aligned", "key.csv")
    assert done(result)
    assert "Wrote safe.csv" in result.stderr
    assert "key.csv links rows to people: keep it secret." in result.stderr
    published, original = rows_of("safe.csv"), rows_of("m.csv")
    for entry in rows_of("key.csv"):
        line, record = published[int(entry["line"]) - 1], original[int(entry["record"]) - 1]
        assert line["disease"] == record["disease"]


def test_use_and_attacks_are_shown_with_their_verdicts(run: Run) -> None:
    shown = done(run(*ASK, "-o", "safe.csv"))
    assert "Use: distributions moved by" in shown
    assert "linkage, all quasi-identifiers" in shown
    assert "within (proven)" in shown
    assert "Records attacked: all 60 (seed 0). Other attacks may reach more." in shown
    assert "No attacks were run" in done(run(*ASK, *QUICK))


def test_the_output_never_calls_a_table_safe_or_anonymous(run: Run) -> None:
    shown = done(run(*ASK, "-o", "out.csv"))
    assert " safe" not in shown
    assert " anonymous" not in shown


def test_japanese(run: Run) -> None:
    shown = done(run(*ASK, "-o", "safe.csv", "--lang", "ja"))
    assert "個人を直接示すため公開しない列: name（人名）；e-mail（メールアドレス）。" in shown
    assert "m.csv の匿名化（モデル local）" in shown
    assert "独立したコードで読み直して数えた値: k = " in shown


def test_json_has_everything_that_is_printed(run: Run) -> None:
    found = answer(run(*ASK, "--l", "2", "-o", "safe.csv", "--json"))
    assert [column["role"] for column in found["roles"]["columns"]] == [
        "identifier", "identifier", "quasi", "quasi", "quasi", "dropped", "dropped", "sensitive",
    ]  # fmt: skip
    assert found["published"]["check"]["holds"] is True
    assert found["criteria"]["l"] == 2
    assert answer(run(*ASK, *QUICK, "--json"))["published"] is None


@pytest.mark.parametrize("model", ["levels", "suppress"])
def test_every_model_writes_a_checked_file(run: Run, model: str) -> None:
    found = answer(run(*ASK, *QUICK, "--model", model, "-o", "safe.csv", "--json"))
    assert found["published"]["check"]["k"] >= 4
    assert found["model"] == model


def test_given_hierarchies_are_used_and_suggested_ones_said(run: Run) -> None:
    Path("town.csv").write_text("".join(f"{town};Kansai;*\n" for town in ("Nara", "Kobe", "Uji", "Kyoto", "Otsu")))
    shown = done(run("--k", "30", "--known", "sex,town", *QUICK, "--hierarchy", "town=town.csv", "-o", "safe.csv"))
    assert "Suggested hierarchies were used for: sex. The others were given." in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--k", "4", "--keep", "sex", "--keep", "age", "--keep", "town", "--keep", "disease"),
            "No column of m.csv is left",
        ),
        (("--k", "61"), "--k is 61, but m.csv has only 60 persons"),
        (("--k", "4", "--l", "5", "--sensitive", "disease"), "'disease' has 4 different values"),
        (("--k", "4", "--l", "2"), "--l and --t need a sensitive attribute"),
        (("--k", "4", "--hierarchy", "town=lists/town.csv"), "town.csv has no lines for 4 values of 'town'"),
        (("--k", "4", "--hierarchies", "."), "No file in . is named after an attribute of m.csv."),
        (("--k", "4", "--known", "sex,fax"), "'fax' has no values"),
        (("--k", "4", "--sensitive", "fax"), "'fax' has no values"),
        (("--k", "4", "--known", "sex,sex"), "'sex' is named twice in --known."),
        (("--k", "4", "--known", "sex", "--sensitive", "sex"), "'sex' is named both in --known and in --sensitive."),
        (("--k", "4", "--known", "sexx"), "Did you mean sex"),
        (("--k", "4", "--keep", "town", "--keep", "town"), "'town' is named twice in --keep."),
        (("--k", "0"), "--k"),
        ((), "--k"),
        (("--k", "4", "--loss", "mood"), "--loss"),
        (("--k", "4", "--model", "mood"), "--model"),
        (("--k", "4", "--microaggregate", "town"), "'town' cannot be microaggregated"),
        (("--k", "4", "--k-map", "3"), "--population"),
        (("--k", "4", "--presence", "0.5"), "--population"),
        (
            ("--k", "4", "--diversity", "recursive", "--l", "2", "--sensitive", "disease"),
            "--diversity recursive needs --c",
        ),
        (("--k", "4", "--suppress", "100%"), "--suppress"),
        (("--k", "4", "--t", "2", "--sensitive", "disease"), "--t must be between 0 and 1"),
    ],
)
def test_bad_input_gets_one_message_and_nothing_is_written(run: Run, words: tuple[str, ...], message: str) -> None:
    Path("lists").mkdir()
    Path("lists/town.csv").write_text("Nara;*\n")
    result = run(*words, "-o", "safe.csv")
    assert result.exit_code == 2, (result.output, result.exception)
    assert message in result.stderr
    assert result.stderr.count("Error: ") == 1
    assert "Traceback" not in result.stderr
    assert "Internal error" not in result.stderr
    assert not Path("safe.csv").exists()


def test_a_key_without_a_file_to_publish_is_refused(run: Run) -> None:
    result = run("--k", "4", "--aligned", "key.csv")
    assert result.exit_code == 2
    assert "--aligned chooses what is written, but there is no output file." in result.stderr


def test_criteria_that_cannot_be_met_end_with_no_and_write_nothing(run: Run) -> None:
    words = ("--diversity", "recursive", "--l", "3", "--c", "0.1", "--sensitive", "disease")
    result = run("--k", "4", *words, *QUICK, "-o", "safe.csv")
    assert result.exit_code == 3, result.output
    assert result.stderr.splitlines()[-1]
    assert not Path("safe.csv").exists()


def test_a_frontier_is_part_of_the_report(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sudare.tables.anonymize.frontier.KS", (2, 4))
    done(run(*ASK, "--l", "2", *QUICK, "--report", "r.html", "--frontier"))
    page = Path("r.html").read_text(encoding="utf-8")
    assert '<section id="frontier">' in page
    # Two k, without and with l.
    assert page.count('<tr id="frontier-') == 4
    assert "--frontier" in page.partition('<section id="parameters">')[2]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--frontier",), "no report is written"),
        (("--frontier", "--report", "r.html", "--model", "levels", "--loss", "precision"), "not for precision"),
        (("--frontier", "--report", "r.html", "--population", "m.csv"), "with a reference population"),
    ],
)
def test_a_frontier_that_cannot_be_shown_is_refused(run: Run, words: tuple[str, ...], message: str) -> None:
    result = run(*ASK, *QUICK, *words)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert not Path("r.html").exists()
