import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sudare.cli.app import app
from sudare.histories.generalized.parquet import write_cells_parquet
from sudare.histories.generalized.text import write_cells
from tests.histories.attack.histories import anonymize, history, made_rows
from tests.report.pages import shown_text

Run = Callable[..., Result]
ROWS = made_rows(3, customers=8)


@pytest.fixture
def run() -> Run:
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_cells(history(ROWS), tmp_path / "T.csv")
    write_cells(anonymize(ROWS, "random"), tmp_path / "A.csv")
    return tmp_path


def test_attackers_are_shown_before_and_after_anonymization(run: Run, folder: Path) -> None:
    result = run(
        "history", "attackers", folder / "T.csv", "--anonymized", folder / "A.csv", "--knowledge", "day + item*2"
    )
    assert result.exit_code == 0, result.output
    assert "before and after anonymization" in " ".join(result.stdout.split())
    assert "Misled: how often others fit, but not the right one." in result.stdout
    assert "day + item*2" in result.stdout
    assert "Theory" not in result.stdout


def test_before_and_after_as_json_has_the_attackers_on_the_original_too(run: Run, folder: Path) -> None:
    result = run(
        "history", "attackers", folder / "T.csv", "--anonymized", folder / "A.csv", "--weighting", "record", "--json"
    )
    found = json.loads(result.stdout)
    assert found["published"]["weighting"] == "record"
    before = [risk["before"] for risk in found["published"]["attackers"]]
    assert before == [risk["measured"] for risk in found["attackers"]]
    assert all(risk["after"] <= 1 for risk in found["published"]["attackers"])


def test_an_estimate_before_and_after_shows_its_range(run: Run, folder: Path) -> None:
    words = ["--knowledge", "(day + item)*2", "--most-combinations", 5, "--samples", 100, "--lang", "ja"]
    result = run("history", "attackers", folder / "T.csv", "--anonymized", folder / "A.csv", *words)
    assert result.exit_code == 0, result.output
    assert "匿名化後" in result.stdout
    assert "無作為に選んだ100個" in result.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lang", "title"), [("en", "The ten attackers before and after"), ("ja", "匿名化の前後における10タイプの攻撃者")]
)
def test_the_report_has_a_section_of_before_and_after(run: Run, folder: Path, lang: str, title: str) -> None:
    out = folder / "report.html"
    words = ["--anonymized", folder / "A.csv", "--report", out, "--lang", lang]
    assert run("history", "attackers", folder / "T.csv", *words).exit_code == 0
    assert title in shown_text(out.read_text(encoding="utf-8"))
    assert run("history", "attackers", folder / "T.csv", "--report", out, "--lang", lang).exit_code == 0
    assert title not in shown_text(out.read_text(encoding="utf-8"))


def test_any_history_is_compared_with_a_parquet_file(run: Run, folder: Path) -> None:
    text = (folder / "T.csv").read_text(encoding="utf-8")
    (folder / "named.csv").write_text(f"customer,day,item,price,quantity\n{text}", encoding="utf-8")
    write_cells_parquet(anonymize(ROWS, "random"), folder / "A.parquet")
    contest = run("history", "attackers", folder / "T.csv", "--anonymized", folder / "A.csv", "--json")
    result = run("history", "attackers", folder / "named.csv", "--anonymized", folder / "A.parquet", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["published"] == json.loads(contest.stdout)["published"]
    refused = run("history", "attackers", folder / "named.csv", "--anonymized", folder / "A.csv")
    assert refused.exit_code == 2
    assert "sudare history anonymize wrote with --aligned" in refused.stderr


def test_what_was_published_is_not_taken_for_the_aligned_file(run: Run, folder: Path) -> None:
    run("contest", "publish", folder / "A.csv", "-o", folder / "published.csv")
    result = run("history", "attackers", folder / "T.csv", "--anonymized", folder / "published.csv")
    assert result.exit_code == 2
    assert "the file that sudare history anonymize wrote with --aligned, not that of -o" in result.stderr


@pytest.mark.parametrize("name", ["b\\[1]", "[bold]x", ":apple:", "end\\"])
def test_names_of_files_are_printed_as_they_are(run: Run, folder: Path, name: str) -> None:
    (folder / "T.csv").rename(folder / f"{name}.csv")
    shown = run("history", "attackers", folder / f"{name}.csv", "--knowledge", "day").stdout
    assert f"{name}.csv" in "".join(shown.split("\n"))


def test_an_anonymized_history_that_breaks_the_rules_is_refused(run: Run, folder: Path) -> None:
    (folder / "A.csv").write_text("1,2,3\n", encoding="utf-8")
    result = run(
        "history", "attackers", folder / "T.csv", "--anonymized", folder / "A.csv", "--report", folder / "r.html"
    )
    assert result.exit_code == 2
    assert "breaks the rules" in result.stderr
    assert not (folder / "r.html").exists()


def test_better_theories_and_how_often_the_assumption_holds_are_shown(run: Run, toy_file: Path) -> None:
    shown = run("history", "attackers", toy_file, "--theory").stdout
    lines = [" ".join(line.replace("│", " ").split()) for line in shown.splitlines()]
    assert "5 60.00 % 0.3000 60.00 % 60.00 % 0 of 3" in lines  # example 4.2
    risks = json.loads(run("history", "attackers", toy_file, "--json").stdout)["attackers"]
    assert [risks[5][name] for name in ("rows_equal", "values", "theory_occurring")] == [0, 3, 0.6]


def test_several_persons_are_shown_and_told_as_json(run: Run, toy_file: Path) -> None:
    result = run("history", "attackers", toy_file, "--persons", 2, "--knowledge", "kinds")
    assert result.exit_code == 0, result.output
    assert "Knowledge about 2 people at once" in result.stdout
    found = json.loads(run("history", "attackers", toy_file, "--persons", 2, "--knowledge", "kinds", "--json").stdout)[
        "persons"
    ]
    assert [risk["knowledge"] for risk in found][-2:] == ["day + count + items", "kinds"]
    alone = json.loads(run("history", "knowledge", toy_file, "kinds", "--persons", 2, "--json").stdout)["persons"]
    assert alone == found[-1]
    assert "Knowledge about 2 people at once" in run("history", "knowledge", toy_file, "kinds", "--persons", 2).stdout


def test_more_persons_than_customers_are_refused(run: Run, toy_file: Path) -> None:
    result = run("history", "attackers", toy_file, "--persons", 4)
    assert result.exit_code == 2
    assert "--persons must be between 1 and 3" in result.stderr


def test_visits_are_listed_and_written(run: Run, toy_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "visits.csv"
    result = run("history", "visits", toy_file, "-o", out, "--top", 2)
    assert result.exit_code == 0, result.output
    assert "2 of 5 visits are shown." in result.stdout
    assert out.read_text(encoding="utf-8").splitlines() == [
        "customer,day,rows,kinds,items",
        "1,2010-12-01,3,3,お茶 | パン | 本",
        "1,2010-12-02,1,1,お茶",
        "2,2010-12-01,1,1,パン",
        "3,2010-12-02,2,2,ジュース | パン",
        "3,2010-12-03,3,3,お茶 | ジュース | 本",
    ]
    shown = json.loads(run("history", "visits", toy_file, "--json").stdout)
    assert shown["visits"] == 5
    expected = {"customer": "2", "day": "2010-12-01", "rows": 1, "kinds": 1, "items": ["パン"]}
    assert shown["shown"][2] == expected
