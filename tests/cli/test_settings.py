"""What holds for the whole run of a command: language, quiet, defaults from a file, errors as JSON, exit codes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sudare.cli.app import app
from sudare.cli.options import share_of

Run = Callable[..., Result]
TABLE = "sex,age\nf,30\nf,30\nm,40\nm,41\n"
HISTORY = "customer,day,item\na,2024-01-01,tea\na,2024-01-02,milk\nb,2024-01-01,tea\nc,2024-01-03,rice\n"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    for name in ("SUDARE_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    Path("t.csv").write_text(TABLE)
    Path("h.csv").write_text(HISTORY)
    return lambda *words, **env: CliRunner().invoke(app, list(words), env=env)


@pytest.mark.parametrize(
    ("words", "env"),
    [
        (["--lang", "ja", "table", "risk", "none.csv"], {}),
        (["table", "risk", "none.csv", "--lang=ja"], {}),
        (["table", "risk", "none.csv"], {"SUDARE_LANG": "ja"}),
        (["table", "risk", "none.csv"], {"LANG": "ja_JP.UTF-8"}),
        (["table", "risk", "none.csv"], {"LC_ALL": "ja_JP.UTF-8", "LANG": "C"}),
    ],
)
def test_the_language_is_that_of_the_option_the_variable_or_the_locale(
    run: Run, words: list[str], env: dict[str, str]
) -> None:
    assert run(*words, **env).stderr.startswith("エラー: ")
    english = {**env, "SUDARE_LANG": "en"} if "--lang" not in " ".join(words) else env
    if english != env:
        assert run(*words, **english).stderr.startswith("Error: ")


def test_other_locales_and_languages_are_answered_in_english(run: Run) -> None:
    assert run("table", "risk", "none.csv", LANG="fr_FR.UTF-8").stderr.startswith("Error: ")
    refused = run("table", "risk", "t.csv", "--lang", "fr")
    assert (refused.exit_code, "--lang: the value must be en or ja." in refused.stderr) == (2, True)


def test_quiet_leaves_the_result_and_errors(run: Run) -> None:
    plain, quiet = run("table", "risk", "t.csv"), run("table", "risk", "t.csv", "-q")
    assert plain.stderr
    assert (quiet.stderr, quiet.stdout) == ("", plain.stdout)
    assert run("-q", "table", "risk", "none.csv").stderr.startswith("Error: ")


def test_a_secret_file_is_announced_even_if_told_to_be_quiet(run: Run) -> None:
    result = run("table", "risk", "t.csv", "-q", "--record-risks", "r.csv")
    assert "keep it secret" in result.stderr


def test_verbose_shows_where_an_error_happened(run: Run) -> None:
    assert "Traceback" in run("table", "risk", "none.csv", "-v").stderr
    assert "Traceback" not in run("table", "risk", "none.csv").stderr


def test_defaults_come_from_a_file_for_all_commands_groups_and_one_command(run: Run) -> None:
    Path("sudare.toml").write_text('lang = "ja"\n[table]\nknown = "sex"\n[table.risk]\nk = 3\n')
    found = json.loads(run("table", "risk", "t.csv", "--json").stdout)
    assert (found["attributes"], found["bound"]) == (["sex"], 1 / 3)
    shown = run("table", "risk", "t.csv")
    assert "レコード" in shown.stdout
    assert "オプションの既定値: sudare.toml" in shown.stderr
    told = json.loads(run("table", "risk", "t.csv", "--known", "age", "--json").stdout)
    assert told["attributes"] == ["age"]


def test_another_file_of_defaults_is_named(run: Run) -> None:
    Path("mine.toml").write_text('["table"]\nknown = "age"\n')
    found = json.loads(run("table", "risk", "t.csv", "--config", "mine.toml", "--json").stdout)
    assert found["attributes"] == ["age"]
    missing = run("table", "risk", "t.csv", "--config", "none.toml")
    assert (missing.exit_code, "none.toml cannot be read" in missing.stderr) == (2, True)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("k = ", "not valid TOML"),
        ("[histori]\nk = 3", "has a table [histori]"),
        ("[table.riks]\nk = 3", "has a table [table.riks]"),
        ("kk = 3", "sets kk, which is an option of no command"),
        ("[table.risk]\nrho = 3", "sets rho for sudare table risk, which has no such option"),
    ],
)
def test_a_file_of_defaults_that_is_wrong_is_refused(run: Run, text: str, problem: str) -> None:
    Path("sudare.toml").write_text(text)
    result = run("table", "risk", "t.csv")
    assert (result.exit_code, problem in result.stderr) == (2, True), result.output


def test_errors_are_json_where_results_are(run: Run) -> None:
    for words in (
        ("table", "risk", "none.csv"),
        ("table", "risk"),
        ("table", "riks"),
        ("table", "risk", "t.csv", "--x"),
    ):
        result = run(*words, "--json")
        assert (result.exit_code, result.stdout) == (2, "")
        told = json.loads(result.stderr.splitlines()[-1])
        assert (told["schema"], told["exit_code"]) == ("sudare.error/1", 2)
        assert told["problem"]


@pytest.mark.parametrize(
    ("words", "share"), [("0.2", 0.2), ("20%", 0.2), ("1/5", 0.2), (" 12.5 % ", 0.125), ("1", 1.0)]
)
def test_shares_are_read_as_people_write_them(words: str, share: float) -> None:
    assert share_of(words) == share


@pytest.mark.parametrize("words", ["a fifth", "1/0", "20%%", "nan", ""])
def test_what_is_no_share_is_refused(run: Run, words: str) -> None:
    result = run("table", "disclosable", "t.csv", "--limit", words)
    assert (result.exit_code, "such as 0.2, 20% or 1/5" in result.stderr) == (2, True)


def test_k_is_another_way_to_say_the_limit(run: Run) -> None:
    answers = [
        json.loads(run("table", "disclosable", "t.csv", *words, "--json").stdout)["maximal"]
        for words in (("--k", "2"), ("--limit", "0.5"), ("--limit", "50%"), ("--limit", "1/2"))
    ]
    assert answers == [answers[0]] * 4
    both = run("table", "disclosable", "t.csv", "--k", "2", "--limit", "0.5")
    assert (both.exit_code, "--k K is the limit 1/K" in both.stderr) == (2, True)
    neither = run("table", "levels", "t.csv")
    assert (neither.exit_code, "Give --k 5, or --limit 20%" in neither.stderr) == (2, True)


@pytest.mark.parametrize(
    "words",
    [
        ("table", "risk", "t.csv", "--fail-above"),
        ("history", "attackers", "h.csv", "--fail-above"),
        ("history", "knowledge", "h.csv", "day + item", "--fail-above"),
    ],
)
def test_a_risk_above_what_may_be_ends_with_3_after_the_result(run: Run, words: tuple[str, ...]) -> None:
    above, within = run(*words, "10%"), run(*words, "1")
    assert (above.exit_code, within.exit_code) == (3, 0)
    assert above.stdout == within.stdout
    assert re.search(r"^No: The risk [01.]+[0-9]* is above 0.1\.$", above.stderr, re.M)


def test_no_levels_within_the_limit_end_with_3(run: Run) -> None:
    assert run("table", "levels", "t.csv", "--k", "9").exit_code == 3


def test_a_command_with_its_name_elsewhere_is_found(run: Run) -> None:
    assert "Did you mean sudare history attackers?" in run("attackers", "h.csv").stderr
    assert "Did you mean sudare table hierarchies?" in run("hierarchies").stderr
