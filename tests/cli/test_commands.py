"""The command line as a user meets it: results, errors, exit codes, interruption."""

from __future__ import annotations

import errno
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from sudare.cli.app import app, load_command
from sudare.cli.demo import clear_demo
from sudare.cli.options import option_name
from sudare.version import __version__

Run = Callable[..., Result]
COMMAND = [sys.executable, "-c", "from sudare.cli import main; main()"]


@pytest.fixture
def run() -> Run:
    """Run a command in this process."""
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


def test_version_and_help(run: Run) -> None:
    assert run("--version").stdout == f"sudare {__version__}\n"
    assert "history" in run("--help").stdout
    assert run().exit_code == 2


def test_attackers_print_a_table_with_a_sentence_each(run: Run, toy_file: Path) -> None:
    result = run("history", "attackers", toy_file, "--knowledge", "day + item*2", "--theory")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert any(line.startswith("5 ") and "Knows the day of a visit." in line and "60.00 %" in line for line in lines)
    assert any(line.startswith("day + item*2") and "100 %" in line for line in lines)
    assert "Theory (possible values / rows) can exceed 1" in result.stdout
    assert "Read " in result.stderr
    assert "encoding utf-8, delimiter comma, header no" in result.stderr
    assert "customer=1, day=3, item=5" in result.stderr


def test_attackers_speak_japanese(run: Run, toy_file: Path) -> None:
    result = run("history", "attackers", toy_file, "--lang", "ja")
    assert "ある来店の日を知っている。" in result.stdout
    assert "識別確率" in result.stdout


def test_attackers_print_json_alone_on_stdout(run: Run, toy_file: Path) -> None:
    found = json.loads(run("history", "attackers", toy_file, "--json", "--weighting", "record").stdout)
    assert (found["records"], found["customers"], found["weighting"]) == (10, 3, "record")
    assert [a["attacker"] for a in found["attackers"]] == list(range(10))
    assert found["attackers"][5]["measured"] == pytest.approx(0.65)
    assert found["reading"]["columns"]["customer"] == "1"


def test_attackers_write_customers_and_a_report(run: Run, toy_file: Path, tmp_path: Path) -> None:
    customers, report = tmp_path / "customers.csv", tmp_path / "report.html"
    result = run("history", "attackers", toy_file, "--customer-risks", customers, "--report", report, "--lang", "ja")
    assert result.exit_code == 0, result.output
    assert customers.read_text().startswith("customer,attacker_0")
    assert '<html lang="ja"' in report.read_text(encoding="utf-8")
    assert f"{report} を書き出しました" in result.stderr


def test_columns_can_be_named(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "h.csv"
    path.write_text("who,when,thing\na,5.1.2024,tea\nb,6.1.2024,tea\n")
    words = ["--column", "customer=who", "--column", "day=when", "--column", "item=3", "--date-format", "%d.%m.%Y"]
    assert run("history", "attackers", path, *words).exit_code == 0


def test_dropped_rows_are_told(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "h.csv"
    path.write_text("customer,day,item\na,2024/1/5,tea\n0,2024/1/5,tea\n")
    result = run("history", "attackers", path, "--missing-value", "customer=0", "--bad-rows", "drop")
    assert result.exit_code == 0
    assert "Skipped 1 row: the customer is missing (column customer)" in result.stderr


def test_knowledge_shows_values_and_customers(run: Run, toy_file: Path, tmp_path: Path) -> None:
    result = run("history", "knowledge", toy_file, "3", "--values", tmp_path / "values.csv")
    assert result.exit_code == 0, result.output
    assert "Identifies the right customer in 80.00 % of cases" in result.stdout
    assert "ジュース" in result.stdout
    assert (tmp_path / "values.csv").read_text(encoding="utf-8").count("\n") == 9


def test_knowledge_prints_json(run: Run, toy_file: Path) -> None:
    found = json.loads(run("history", "knowledge", toy_file, "day", "--json", "--top", "1").stdout)
    assert found["measured"] == pytest.approx(0.6)
    assert [value["day"] for value in found["most_identifying"]] == ["2010-12-03"]
    assert found["customers"]["unique"] == 1


def test_sampled_knowledge_lists_no_values_and_says_why(run: Run, toy_file: Path) -> None:
    result = run("history", "knowledge", toy_file, "item*2", "--most-combinations", "1", "--samples", "100")
    assert result.exit_code == 0, result.output
    assert "estimate from a sample" in result.stdout


def test_generate_writes_a_history(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "h.csv"
    result = run("generate", "history", path, "--customers", "20", "--seed", "3")
    assert result.exit_code == 0, result.output
    assert "20 customers" in result.stderr
    assert run("history", "attackers", path).exit_code == 0


def test_generate_writes_a_table_with_hierarchies(run: Run, tmp_path: Path) -> None:
    words = ["--records", "30", "--seed", "3", "--write-hierarchies", tmp_path / "levels"]
    result = run("generate", "table", tmp_path / "m.csv", *words)
    assert result.exit_code == 0, result.output
    assert "30 records with 9 attributes, seed 3" in result.stderr
    assert len(list((tmp_path / "levels").iterdir())) == 8
    asked = ("table", "levels", tmp_path / "m.csv", "--limit", "0.5", "--hierarchies", tmp_path / "levels")
    assert run(*asked, "--attributes", "sex,age,prefecture,occupation,household,education,income,joined").exit_code == 0
    assert json.loads(run("generate", "table", tmp_path / "n.csv", "--json").stdout)["records"] == 2000


@pytest.mark.slow
def test_demo_leaves_data_and_reports(run: Run, tmp_path: Path) -> None:
    result = run("demo", tmp_path / "demo", "--lang", "en")
    assert result.exit_code == 0, result.output
    assert {entry.name for entry in (tmp_path / "demo").iterdir()} == {
        "history.csv",
        "report.html",
        "members.csv",
        "hierarchies",
        "table-report.html",
        "members-safe.csv",
        "members-safe-report.html",
        "published.csv",
        "published.csv.certificate.json",
        "baskets-report.html",
        "contest",
        "contest-report.html",
        "parameters.json",
    }
    assert "SAFE: nobody who knows" in result.stdout
    assert 'data-answer="safe"' in (tmp_path / "demo" / "baskets-report.html").read_text(encoding="utf-8")
    assert "5,000 records in " in result.stdout
    assert "Asked for: k = 5, l = 3 (distinct)." in result.stdout
    files = {entry.name for entry in (tmp_path / "demo" / "contest").iterdir()}
    assert files == {"T.csv", "A.csv", "PUBLISHED.csv", "rules.toml"}
    assert "Smallest class: k = 3." in result.stdout
    assert "Attacks run on the result: 14." in result.stdout
    assert "Not broken by these attacks. Others may still be effective." in result.stdout
    assert "before and after anonymization" in " ".join(result.stdout.split())
    assert 'data-answer="not_effective"' in (tmp_path / "demo" / "contest-report.html").read_text(encoding="utf-8")
    assert str(tmp_path / "demo" / "table-report.html") in result.stderr
    assert "report.html" in result.stderr
    (tmp_path / "demo" / "notes.txt").write_text("mine")
    clear_demo(tmp_path / "demo")
    assert {entry.name for entry in (tmp_path / "demo").iterdir()} == {"parameters.json", "notes.txt"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["history", "attackers", "missing.csv"], "There is no file missing.csv"),
        (["history", "attackers", "FOLDER"], "is a folder without Parquet files"),
        (["history", "attackers", "TOY", "--column", "customer"], "'customer' must have the form NAME=VALUE"),
        (["history", "attackers", "TOY", "--column", "customer=a", "--column", "customer=b"], "given twice"),
        (["history", "attackers", "TOY", "--knowledge", "shoe"], "unknown part 'shoe'"),
        (["history", "attackers", "TOY", "--lang", "fr"], "the value must be en or ja"),
        (["history", "attackers", "TOY", "--memory", "lots"], "does not accept --memory lots"),
        (["history", "attackers", "TOY", "--report", "FOLDER"], "it is a folder"),
        (["history", "attackers", "TOY", "--report", "no/such/report.html"], "does not exist"),
        (["history", "attackers", "TOY", "--customer-risks", "out.xlsx"], "end in .csv or .parquet"),
        (["history", "knowledge", "TOY", "day + shoe"], "unknown part 'shoe'"),
        (["generate", "history", "out.txt"], ".csv"),
        (["generate", "history", "out.csv", "--customers", "0"], "customers"),
        (["generate", "table", "out.txt"], ".csv"),
        (["generate", "table", "out.csv", "--records", "0"], "--records"),
        (["generate", "table", "out.csv", "--write-hierarchies", "TOY"], "Cannot make the folder"),
    ],
)
def test_bad_input_gets_one_message_and_exit_code_2(
    run: Run, toy_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    places = {"TOY": str(toy_file), "FOLDER": str(tmp_path / "folder")}
    result = run(*(places.get(word, word) for word in words))
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
    assert {entry.name for entry in tmp_path.iterdir()} == {"toy.csv", "folder"}


def test_debug_shows_where(run: Run) -> None:
    result = run("history", "attackers", "missing.csv", "-v")
    assert result.exit_code == 2
    assert "Traceback" in result.stderr


def test_an_error_of_ours_is_one_message_and_exit_code_1(
    run: Run, toy_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("something impossible")

    monkeypatch.setattr("sudare.histories.attackers.assessment.assess_attackers", fail)
    result = run("history", "attackers", toy_file)
    assert result.exit_code == 1
    assert "Internal error, please report it: RuntimeError: something impossible" in result.stderr
    assert "Traceback" not in result.stderr


def limit_file_size() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))


@pytest.mark.slow
def test_a_full_disk_leaves_no_half_report(toy_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    words = ["history", "attackers", str(toy_file), "--report", str(out / "report.html")]
    # A limit on the size of files fails writes as a full disk does.
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, preexec_fn=limit_file_size)
    assert done.returncode == 2, done.stderr
    assert "Cannot write" in done.stderr
    assert "Nothing was left half-written" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(out.iterdir()) == []


@pytest.mark.slow
def test_a_full_disk_leaves_no_half_table(tmp_path: Path) -> None:
    words = ["generate", "history", str(tmp_path / "h.csv"), "--customers", "50"]
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, preexec_fn=limit_file_size)
    assert done.returncode == 2, done.stderr
    assert "File too large. Nothing was left half-written" in done.stderr
    assert list(tmp_path.iterdir()) == []


def interrupted(words: list[str], out: Path, temporary: Path) -> subprocess.CompletedProcess[str]:
    """Run a command and interrupt it once it has begun to write something."""
    temporary.mkdir()
    process = subprocess.Popen(
        [*COMMAND, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    while process.poll() is None and not [*out.iterdir(), *temporary.iterdir()]:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    shown, err = process.communicate(timeout=60)
    return subprocess.CompletedProcess(words, process.returncode, shown, err)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ["generate", "history", "OUT", "--customers", "100000"],
        ["generate", "table", "OUT", "--records", "1000000000"],
        [
            "history",
            "attackers",
            "DATA",
            "--knowledge",
            "(item)*4",
            "--most-combinations",
            "1000000000000000",
            "--report",
            "PAGE",
        ],
    ],
    ids=["generate history", "generate table", "attackers"],
)
def test_an_interruption_leaves_nothing_behind(words: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    places: dict[str, Any] = {"OUT": out / "out.csv", "PAGE": out / "out.html", "DATA": tmp_path / "data.csv"}
    if "DATA" in words:
        subprocess.run([*COMMAND, "generate", "history", str(places["DATA"]), "--customers", "1000"], check=True)
    done = interrupted([str(places.get(word, word)) for word in words], out, tmp_path / "temporary")
    assert done.returncode == 130, done.stderr
    assert "Interrupted. Nothing was left half-written." in done.stderr
    assert "Traceback" not in done.stderr
    assert list(out.iterdir()) == []
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("words", [["--json"], []])
def test_a_closed_pipe_ends_quietly(toy_file: Path, words: list[str]) -> None:
    # As Python is started mostly: a short result is then written at the end.
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    process = subprocess.Popen(
        [*COMMAND, "history", "attackers", str(toy_file), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=buffered,
    )
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate(timeout=60)
    assert b"Traceback" not in err
    assert b"Exception" not in err
    assert process.returncode == 0


FULL = Path("/dev/full")


@pytest.mark.slow
@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
@pytest.mark.parametrize(
    "words",
    [
        ["history", "attackers", "TOY"],
        ["history", "attackers", "TOY", "--json"],
        ["--help"],
        ["--version"],
        ["history", "attackers", "--help"],
    ],
)
def test_a_full_standard_output_is_said_once(toy_file: Path, words: list[str]) -> None:
    line = [*COMMAND, *(str(toy_file) if word == "TOY" else word for word in words)]
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    for environment in (buffered, {**buffered, "PYTHONUNBUFFERED": "1"}):
        with FULL.open("w") as full:
            done = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, text=True, env=environment)
        assert done.returncode == 2, done.stderr
        assert done.stderr.count("The output cannot be written: no space left on the disk.") == 1
        assert not re.search("Internal error|Traceback|Exception", done.stderr)


@pytest.mark.slow
@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
def test_an_answer_of_no_stays_one_where_it_cannot_be_shown(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("tea milk\ntea\n")
    line = [*COMMAND, "baskets", "km", str(tmp_path / "b.txt"), "--k", "2", "--m", "1", "--json"]
    # Unbuffered, the answer is not known yet when its first words cannot be written.
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with FULL.open("w") as full:
        done = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, text=True, env=buffered)
    assert done.returncode == 3, done.stderr
    assert "The output cannot be written" in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
@pytest.mark.parametrize(
    "words", [["history", "attackers", "TOY"], ["history", "attackers", "none.csv"], ["--nonsense"]]
)
def test_a_full_standard_error_ends_with_exit_code_2(toy_file: Path, words: list[str]) -> None:
    line = [*COMMAND, *(str(toy_file) if word == "TOY" else word for word in words)]
    with FULL.open("w") as full:
        done = subprocess.run(line, stdout=subprocess.PIPE, stderr=full, text=True)
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.slow
@pytest.mark.parametrize("closed", [">&-", "2>&-"])
def test_a_closed_stream_is_refused_before_the_work(toy_file: Path, tmp_path: Path, closed: str) -> None:
    report = tmp_path / "report.html"
    words = [*COMMAND, "history", "attackers", str(toy_file), "--report", str(report)]
    done = subprocess.run(["sh", "-c", f'"$@" {closed}', "sh", *words], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Internal error" not in done.stderr
    assert closed == "2>&-" or "is closed" in done.stderr
    assert not report.exists()


def test_a_full_disk_anywhere_is_said_without_blaming_the_program(
    run: Run, toy_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill_the_disk(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("sudare.histories.attackers.assessment.assess_attackers", fill_the_disk)
    result = run("history", "attackers", toy_file)
    assert result.exit_code == 2
    assert "Error: The output cannot be written: no space left on the disk.\nHint: " in result.stderr


@pytest.mark.slow
def test_nothing_but_the_result_is_printed_at_the_end(toy_file: Path) -> None:
    done = subprocess.run([*COMMAND, "history", "attackers", str(toy_file)], capture_output=True, text=True, check=True)
    assert len(done.stderr.splitlines()) == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["risk", "--threads", "0"], "Error: --threads must be between 1 and 1024, not 0."),
        (["disclosable", "--limit", "0.5", "--seconds", "-1"], "Error: --seconds must be above 0, not -1.0."),
        (["disclosable", "--limit", "nan"], "Error: --limit: the value must be a share, such as 0.2, 20% or 1/5."),
        (["sample", "--seed", "-1"], "Error: --seed must be 0 or more, not -1."),
    ],
)
def test_an_argument_of_the_library_is_called_by_its_option(tmp_path: Path, words: list[str], message: str) -> None:
    (tmp_path / "t.csv").write_text("age,sex\n20,f\n20,m\n30,f\n")
    result = CliRunner().invoke(app, ["table", words[0], str(tmp_path / "t.csv"), *words[1:]])
    assert result.exit_code == 2
    assert message in result.stderr


def test_options_are_named_as_they_are_typed() -> None:
    command = load_command("baskets suppress")
    assert option_name(command, "seconds") == "--seconds"
    assert option_name(command, "out") == "--out"
    assert option_name(command, "file") == "FILE"
    assert option_name(command, "nothing_of_it") == "nothing_of_it"
