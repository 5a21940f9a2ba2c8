"""`sudare history anonymize`."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import polars
import pytest
from typer.testing import CliRunner, Result

from sudare import interruption
from sudare.cli.app import app
from sudare.histories.anonymize import classes as histories, concealment, concealment_sets, publication
from sudare.histories.anonymize.class_search import search as history_classes
from sudare.histories.attack.duel import Duel
from sudare.histories.attack.methods import METHODS

Run = Callable[..., Result]
ROWS = "1,2011/1/1,a,1.5,1\n2,2011/1/1,a,1.5,1\n3,2011/1/3,b,2,4\n4,2011/1/5,b,2,4\n"
# Sixteen customers of two rows each, who have an item and a day of their own.
MANY = "".join(f"{n},2011/{1 + n % 12}/{n},i{n},{n}.5,{n}\n{n},2011/2/{n},common,1,1\n" for n in range(1, 17))


@pytest.fixture
def run() -> Run:
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def original(tmp_path: Path) -> Path:
    path = tmp_path / "T.csv"
    path.write_text(ROWS)
    return path


@pytest.fixture
def many(tmp_path: Path) -> Path:
    path = tmp_path / "many.csv"
    path.write_text(MANY)
    return path


def test_the_history_is_written_and_follows_the_rules(run: Run, original: Path, tmp_path: Path) -> None:
    out = tmp_path / "A.csv"
    result = run("history", "anonymize", original, "--k", 2, "--aligned", out)
    assert result.exit_code == 0, result.output
    assert "Classes x customers: 2 x 2." in result.stdout
    assert "What is left: 4 of 4 rows (100 %)." in result.stdout
    cells = sorted(line.split(",", 1)[1] for line in out.read_text().splitlines())
    assert cells == ["2011/1/1,a,1.5,1"] * 2 + ["[2011/1/3;2011/1/5],b,2,4"] * 2
    assert run("contest", "check", original, out).exit_code == 0
    assert "有用性" in run("history", "anonymize", original, "--k", 2, "--aligned", out, "--lang", "ja").stdout


def test_json_has_utility_bound_safety_and_attacks(run: Run, many: Path, tmp_path: Path) -> None:
    result = run("history", "anonymize", many, "--k", 4, "-o", tmp_path / "A.csv", "--fast", "--rounds", 20, "--json")
    found = json.loads(result.stdout)
    assert (found["model"], found["k"], found["sizes"], found["customers"], found["rows"]) == (
        "classes", 4, [4, 4, 4, 4], 16, 32,
    )  # fmt: skip
    assert found["bound"] <= found["utility"]
    assert found["safety"]["k"] == 4
    assert found["out"] == str(tmp_path / "A.csv")
    assert found["attacks"]["verdict"] == "not_broken"
    assert [attack["method"] for attack in found["attacks"]["attacks"]] == list(METHODS)


def test_the_attack_nearest_to_success_is_shown_with_its_control(run: Run, many: Path, tmp_path: Path) -> None:
    words = ("history", "anonymize", many, "--k", 4, "-o", tmp_path / "A.csv")
    shown = run(*words).stdout
    assert "Attacks run on the result: 14." in shown
    assert "Its control on T itself: 16 of 13." in shown
    assert "Not broken by these attacks. Others may still be effective." in shown
    assert "これらの攻撃では破られませんでした" in run(*words, "--lang", "ja").stdout


def test_where_too_few_customers_are_left_nothing_was_tried_and_nothing_is_called_safe(
    run: Run, original: Path, tmp_path: Path
) -> None:
    shown = run("history", "anonymize", original, "--k", 2, "-o", tmp_path / "A.csv").stdout
    assert "Failed their control, which proves nothing: 14." in shown
    assert "Nothing is known about the safety." in shown
    assert "Nearest to success" not in shown


def test_attacks_that_were_not_made_are_said_not_to_be(run: Run, many: Path, tmp_path: Path) -> None:
    words = ("history", "anonymize", many, "--k", 4, "-o", tmp_path / "A.csv", "--skip-attacks")
    assert "Not attacked: whether the built-in attacks break the result was not tried." in run(*words).stdout
    assert json.loads(run(*words, "--json").stdout)["attacks"] is None


def test_a_history_that_is_broken_is_written_and_exits_with_three(run: Run, many: Path, tmp_path: Path) -> None:
    out = tmp_path / "A.csv"
    result = run("history", "anonymize", many, "--mean-limit", 1, "-o", out)
    assert result.exit_code == 3, result.output
    assert "anonymized by levels" in result.stdout
    assert "Levels: date = day, " in result.stdout
    # Before anything about means.
    told, means, _ = " ".join(result.stdout.split()).partition("The mean risk")
    assert "16 of 16 customers have published rows like nobody else's." in told
    assert means
    assert "Not safe: broken by" in result.stdout
    assert len(out.read_text().splitlines()) == 32


def test_an_attack_on_classes_that_is_effective_is_said_to_have_had_luck(
    run: Run, many: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Duel, "verdict", "broken")
    result = run("history", "anonymize", many, "--k", 4, "-o", tmp_path / "A.csv")
    assert result.exit_code == 3
    assert "Nothing tells the members of a class apart, so the attack was lucky" in " ".join(result.stdout.split())


def test_what_is_published_is_sorted_and_has_no_deleted_row(run: Run, many: Path, tmp_path: Path) -> None:
    aligned, published = tmp_path / "A.csv", tmp_path / "published.csv"
    run("history", "anonymize", many, "--k", 4, "-o", published, "--aligned", aligned, "--skip-attacks")
    kept = [line for line in aligned.read_text().splitlines() if line != "*,*,*,*,*"]
    assert published.read_text().splitlines() == sorted(kept)
    again = tmp_path / "again.csv"
    run("contest", "publish", aligned, "-o", again)
    assert published.read_text() == again.read_text()


@pytest.mark.slow
@pytest.mark.parametrize("words", [("--k", 4), ("--mean-limit", 1)])
@pytest.mark.parametrize("form", ["contest", "csv", "parquet"])
def test_what_is_written_without_a_word_links_no_row_to_its_place(
    run: Run, many: Path, tmp_path: Path, form: str, words: tuple[object, ...]
) -> None:
    if form != "contest":
        many.write_text("customer,day,item,price,quantity\n" + MANY)
    out = tmp_path / ("out.parquet" if form == "parquet" else "out.csv")
    result = run("history", "anonymize", many, *words, "-o", out, "--skip-attacks")
    assert result.exit_code == 0, result.output
    rows = polars.read_parquet(out).rows() if form == "parquet" else out.read_text().splitlines()[form == "csv" :]
    pseudonyms = [row[0] if form == "parquet" else row.split(",")[0] for row in rows]
    assert "*" not in pseudonyms
    # Sorted as text, whatever the order of the customers.
    assert list(map(str, pseudonyms)) == sorted(map(str, pseudonyms))
    assert "secret" not in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", ["A.csv", "A.parquet"])
def test_the_aligned_file_is_for_its_owner_only_and_said_to_be_secret(
    run: Run, many: Path, tmp_path: Path, name: str
) -> None:
    many.write_text("customer,day,item,price,quantity\n" + MANY)
    aligned = tmp_path / name
    aligned.write_text("there before")
    aligned.chmod(0o644)
    words = ("history", "anonymize", many, "--k", 4, "--aligned", aligned, "--skip-attacks")
    result = run(*words)
    assert aligned.stat().st_mode & 0o777 == 0o600
    assert f"{aligned} links rows to people: keep it secret." in result.stderr
    assert "秘密にしてください" in run(*words, "--lang", "ja").stderr


def test_something_is_to_be_written(run: Run, many: Path, tmp_path: Path) -> None:
    result = run("history", "anonymize", many, "--k", 4, "--report", tmp_path / "r.html")
    assert (result.exit_code, list(tmp_path.iterdir())) == (2, [many])
    assert "Name the file to publish with -o" in result.stderr


@pytest.mark.parametrize("model", ["suppression", "levels"])
def test_other_models_follow_the_rules_too(run: Run, many: Path, tmp_path: Path, model: str) -> None:
    out = tmp_path / "A.csv"
    words = (
        "history",
        "anonymize",
        many,
        "--k",
        4,
        "--model",
        model,
        "--rounds",
        3,
        "--aligned",
        out,
        "--skip-attacks",
        "--json",
    )
    result = run(*words)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["model"] == model
    assert found["safety"]["k"] >= 4
    assert run("contest", "check", many, out).exit_code == 0


@pytest.mark.slow
def test_concealment_tells_how_safe_it_is_that_many_can_be_behind_a_pseudonym(
    run: Run, many: Path, tmp_path: Path
) -> None:
    words = (
        "history",
        "anonymize",
        many,
        "--k",
        4,
        "--model",
        "concealment",
        "--rounds",
        3,
        "--aligned",
        tmp_path / "A.csv",
    )
    shown = " ".join(run(*words).stdout.split())
    assert "every pseudonym can be one of at least 4 customers" in shown
    assert "The best guesses found for an attacker who knows who can be whom are effective" in shown
    found = json.loads(run(*words, "--skip-attacks", "--json").stdout)
    assert (found["model"], found["safety"]["least"], found["safety"]["attacks"]) == ("concealment", 4, 20)
    assert run("contest", "check", many, tmp_path / "A.csv").exit_code == 0


def test_customers_left_untouched_are_said_to_be_exposed(run: Run, many: Path, tmp_path: Path) -> None:
    words = (
        "history",
        "anonymize",
        many,
        "--k",
        2,
        "--model",
        "untouched",
        "--rounds",
        3,
        "--aligned",
        tmp_path / "A.csv",
    )
    result = run(*words, "--skip-attacks", "--report", tmp_path / "r.html")
    shown = " ".join(result.stdout.split())
    assert result.exit_code == 0
    assert "everybody else is one of at least 2 with the same rows" in shown
    assert "2 of 16 customers were left as they were, 2 of these with rows like nobody else's. Whoever knows" in shown
    assert "2 x 1" in shown
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "2 of 16 customers were left as they were, and the original gives them away." in page
    assert 'id="made-exposed"' in page
    assert "Every published customer is one of at least" not in page
    found = json.loads(run(*words, "--skip-attacks", "--untouched", 7, "--json").stdout)
    assert (found["untouched"], found["exposed"], found["safety"]["k"]) == (7, 7, 1)
    # Seven sure guesses are enough for an effective attack.
    assert found["safety"]["tests"][0]["bound"] == 1
    assert run("contest", "check", many, tmp_path / "A.csv").exit_code == 0
    refused = run("history", "anonymize", many, "--k", 2, "--untouched", 2, "-o", tmp_path / "P.csv")
    assert (refused.exit_code, "--untouched cannot be used with the model classes" in refused.stderr) == (2, True)


def test_levels_can_be_given(run: Run, many: Path, tmp_path: Path) -> None:
    words = ("--model", "levels", "--levels", "date=year,item=all,price=all,quantity=all", "--skip-attacks", "--json")
    result = run("history", "anonymize", many, "--k", 4, "-o", tmp_path / "A.csv", "--rounds", 3, *words)
    assert json.loads(result.stdout)["levels"] == {"date": "year", "item": "all", "price": "all", "quantity": "all"}


@pytest.mark.slow
def test_any_history_with_a_header_is_anonymized_by_the_columns_it_has(run: Run, tmp_path: Path) -> None:
    source, out, published = tmp_path / "log.csv", tmp_path / "A.csv", tmp_path / "published.csv"
    lines = ["who;invoice;day;item"] + [f"{name};9;2024-05-0{n};{item}" for n, (name, item) in enumerate(
        [("ann", "tea"), ("bob", "tea"), ("cid", "jam"), ("dan", "jam")], start=1
    )]  # fmt: skip
    source.write_text("\n".join(lines) + "\n")
    result = run(
        "history", "anonymize", source, "--column", "customer=who", "--k", 2, "-o", published, "--aligned", out,
        "--report", tmp_path / "report.html", "--json",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "Not published: invoice" in result.stderr
    header, *rows = out.read_text().splitlines()
    assert header == "who,day,item"
    assert sorted(row.split(",", 1)[1] for row in rows) == [
        "[2024-05-01;2024-05-02],tea", "[2024-05-01;2024-05-02],tea", "[2024-05-03;2024-05-04],jam",
        "[2024-05-03;2024-05-04],jam",
    ]  # fmt: skip
    assert published.read_text().splitlines() == [header, *sorted(rows)]
    assert "log.csv" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_report_tells_what_was_asked_and_what_attacks_reached(run: Run, many: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    result = run("history", "anonymize", many, "--k", 4, "-o", tmp_path / "A.csv", "--report", report)
    assert result.exit_code == 0, result.output
    assert f"Wrote {report}" in result.stderr
    page = report.read_text(encoding="utf-8")
    assert 'id="made-k"' in page
    assert 'id="duel-best"' in page
    assert 'id="published"' in page


@pytest.mark.slow
def test_the_same_seed_writes_the_same_file(run: Run, original: Path, tmp_path: Path) -> None:
    texts = []
    for name in ("A.csv", "B.csv"):
        run("history", "anonymize", original, "--k", 3, "--seed", 5, "-o", tmp_path / name)
        texts.append((tmp_path / name).read_text())
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--k", "1"], "--k must be 2 or more, not 1"),
        (["--k", "5"], "only 4 customers, fewer than k = 5"),
        (["--k", "2", "--seconds", "0"], "--seconds must be above 0, not 0.0."),
        (["--k", "2", "--rules", "none"], "Hint"),
        (["--k", "2", "--model", "magic"], "--model: the value must be classes"),
        (["--k", "2", "--levels", "date=week"], "--levels cannot be used with the model classes"),
        (["--k", "2", "--model", "levels", "--levels", "week"], "write column=level"),
        (["--k", "2", "--mean-limit", "0.5"], "Give either --k or --mean-limit"),
        ([], "Give either --k or --mean-limit"),
        (["--mean-limit", "2"], "--mean-limit must be above 0 and at most 1"),
        (["--mean-limit", "0.5", "--model", "suppression"], "--mean-limit always uses the model levels"),
        (["--mean-limit", "0.5", "--fast"], "--mean-limit always uses the model levels"),
        (["--k", "2", "--seconds", "nan"], "--seconds must be a finite number, not nan."),
        (["--k", "2", "--report", "none/report.html"], "does not exist"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(
    run: Run, original: Path, tmp_path: Path, words: list[str], message: str
) -> None:
    out = tmp_path / "A.csv"
    result = run("history", "anonymize", original, "-o", out, *words)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Hint:" in result.stderr
    assert not out.exists()


def test_no_file_is_written_over_another(run: Run, original: Path, tmp_path: Path) -> None:
    out = tmp_path / "A.csv"
    result = run("history", "anonymize", original, "--k", 2, "-o", original)
    assert (result.exit_code, original.read_text()) == (2, ROWS)
    for option in ("--aligned", "--report"):
        result = run("history", "anonymize", original, "--k", 2, "-o", out, option, out)
        assert (result.exit_code, out.exists()) == (2, False)
        assert f"{out} is named twice" in result.stderr or "its name must end in .html" in result.stderr


def asked_to_stop() -> None:
    """Press Ctrl-C, and come by safe points until the work is to stop or is settled."""
    os.kill(os.getpid(), signal.SIGINT)
    while not interruption.is_settled():
        interruption.safe_point()


def interrupted_in(monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str) -> None:
    """Press Ctrl-C when a function is called, once in each command; if the work goes on, so does the function."""
    function, pressing, pressed = getattr(module, name), threading.Lock(), list[object]()

    def call(*args: Any, **options: Any) -> Any:
        # Another thread may come by as well: a second signal could arrive when the command has ended.
        with pressing:
            first = interruption._Wish.owner not in pressed
            pressed.append(interruption._Wish.owner)
        if first:
            asked_to_stop()
        return function(*args, **options)

    monkeypatch.setattr(module, name, call)


def test_files_are_announced_and_the_result_is_shown_if_the_attacks_are_interrupted(
    run: Run, original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted_in(monkeypatch, publication, "run_duel")
    out, aligned, report = (tmp_path / name for name in ("out.csv", "A.csv", "report.html"))
    words = ("history", "anonymize", original, "--k", 2, "-o", out, "--aligned", aligned, "--report", report)
    result = run(*words)
    assert result.exit_code == 130
    assert f"Wrote {out}\n" in result.stderr
    assert f"{aligned} links rows to people: keep it secret." in result.stderr
    assert "Interrupted. The output shows what was found until then." in result.stderr
    assert "Classes x customers: 2 x 2." in result.stdout
    assert "Not attacked" in result.stdout
    assert (out.exists(), aligned.exists(), report.exists()) == (True, True, False)
    assert "report" not in result.stderr
    found = json.loads(run(*words, "--json").stdout)
    assert (found["attacks"], found["aligned"]) == (None, str(aligned))


@pytest.mark.parametrize(
    ("model", "module", "name"),
    [
        ("classes", histories, "class_bound"),
        ("classes", history_classes, "find_classes"),
        ("suppression", history_classes, "realign_all"),
        ("levels", histories, "class_bound"),
        ("concealment", concealment_sets, "_aligned_costs"),
        ("concealment", concealment, "_templates"),
        ("concealment", concealment, "matching_safety"),
    ],
)
def test_a_search_that_is_interrupted_when_there_is_an_answer_returns_it_at_once(
    run: Run, many: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, module: ModuleType, name: str
) -> None:
    interrupted_in(monkeypatch, module, name)
    out = tmp_path / "out.csv"
    given = ("--levels", "date=month,item=all,price=all,quantity=all") if model == "levels" else ()
    # Without the interruption this would go on for an hour, or as long as it finds something better.
    words = ("history", "anonymize", many, "--k", 4, "--model", model, *given, "--seconds", 3600, "-o", out)
    result = run(*words, "--json")
    assert result.exit_code == 130, result.output
    assert "The output shows what was found until then." in result.stderr
    assert f"Wrote {out}\n" in result.stderr
    assert out.exists()
    found = json.loads(result.stdout)
    assert (found["model"], found["attacks"]) == (model, None)
    assert found["converged"] is (name == "matching_safety")


@pytest.mark.parametrize("model", ["classes", "suppression", "levels", "concealment", "untouched"])
def test_a_search_that_is_interrupted_before_there_is_an_answer_writes_nothing(
    run: Run, many: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    interrupted_in(monkeypatch, concealment_sets if model == "concealment" else histories, "pair_costs")
    out = tmp_path / "out.csv"
    out.write_text("before")
    result = run("history", "anonymize", many, "--k", 4, "--model", model, "-o", out)
    assert (result.exit_code, result.stdout) == (130, "")
    assert "Interrupted. Nothing was left half-written." in result.stderr
    assert out.read_text() == "before"


def test_the_option_of_the_secret_file_is_not_suggested_for_another(run: Run, original: Path, tmp_path: Path) -> None:
    result = run("history", "anonymize", original, "--k", 2, "--published", tmp_path / "x.csv")
    assert result.exit_code == 2
    assert "There is no option --published.\n" in result.stderr
    assert list(tmp_path.iterdir()) == [original]
