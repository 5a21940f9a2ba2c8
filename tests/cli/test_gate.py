"""`sudare gate`: run, init and verify on the command line."""

import hashlib
import json
import shutil
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519
from typer.testing import CliRunner, Result

from sudare.cli.app import app
from sudare.cli.settings import settle
from tests.cli.test_json import check_form

# Six people, two of them alike.
TABLE = "sex,age\nf,30\nf,30\nm,40\nm,40\nm,40\nm,40\n"
POLICY = """\
[gate]
title = "Members"

[sources.people]
kind = "table"
file = "people.csv"

[[checks]]
name = "smallest"
source = "people"
measure = "smallest-class"
known = "sex, age"
fail = {least}

[[checks]]
name = "mean"
source = "people"
measure = "mean-risk"
known = "sex"
warn = 0.1
fail = 0.9
"""
Run = Callable[..., Result]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with data, a policy that holds with a warning, one that does not, and one that is none."""
    (tmp_path / "people.csv").write_text(TABLE)
    (tmp_path / "policy.toml").write_text(POLICY.format(least=2))
    (tmp_path / "strict.toml").write_text(POLICY.format(least=3))
    (tmp_path / "broken.toml").write_text("checks = 1\n")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    settle(["--lang", "en"])


def gate(*words: str | Path) -> Result:
    return CliRunner().invoke(app, ["gate", *(str(word) for word in words)])


def told(*words: str | Path) -> dict[str, Any]:
    """Return what is printed with --json, in the form that it names."""
    found: dict[str, Any] = json.loads(gate(*words, "--json").stdout)
    check_form(found)
    return found


def refused(result: Result) -> str:
    """Return the only message of a call that is refused."""
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert "Traceback" not in result.stderr
    assert "Internal error" not in result.stderr
    return result.stderr


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


def write_keys(folder: Path) -> None:
    """Write a private and a public key, as openssl does."""
    key = ed25519.Ed25519PrivateKey.generate()
    pem = serialization.Encoding.PEM
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    public = key.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo)
    (folder / "key.pem").write_bytes(secret)
    (folder / "public.pem").write_bytes(public)


# ------------------------------------------------------------------------------------------------------------- run


def test_run_ends_with_0_if_nothing_fails(here: Path) -> None:
    result = gate("run", "policy.toml")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("Gate: Members\n")
    assert "Yes: 1 warns, 1 passes." in result.stdout
    assert "mean: warns" in result.stdout
    assert "smallest: " not in result.stdout
    assert "$ sudare table risk people.csv --known sex\n" in result.stdout


def test_run_ends_with_3_if_a_check_fails(here: Path) -> None:
    result = gate("run", "strict.toml")
    assert result.exit_code == 3
    assert "NO: 1 check fails, 1 warns." in result.stdout
    rows = [line for line in result.stdout.splitlines() if "│" in line]
    assert [[part.strip() for part in row.split("│")] for row in rows] == [
        ["smallest", "2", "at least 3", "fails"],
        ["mean", "33.33 %", "at most 90 %; at most 10 % (warning)", "warns"],
    ]


def test_run_speaks_japanese(here: Path) -> None:
    result = gate("run", "strict.toml", "--lang", "ja")
    assert result.exit_code == 3
    assert result.stdout.startswith("ゲート: Members\n")
    assert "3以上" in result.stdout
    assert "不可。不合格 1件、警告 1件。" in result.stdout


def test_run_prints_json(here: Path) -> None:
    found = told("run", "strict.toml")
    assert list(found)[:3] == ["schema", "title", "source"]
    assert (found["schema"], found["verdict"], found["source"]) == ("sudare.gate/1", "fail", "strict.toml")
    assert {name: count for name, count in found["counts"].items() if count} == {"fail": 1, "warn": 1}
    assert [(one["name"], one["value"], one["verdict"]) for one in found["checks"]] == [
        ("smallest", 2, "fail"), ("mean", 1 / 3, "warn"),
    ]  # fmt: skip
    (data,) = found["inputs"]
    assert data == {
        "name": "people", "file": "people.csv", "sha256": hashlib.sha256(TABLE.encode()).hexdigest(), "rows": 6,
    }  # fmt: skip


def test_a_policy_is_found_wherever_it_lies(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "elsewhere").mkdir()
    monkeypatch.chdir(here / "elsewhere")
    assert gate("run", "../policy.toml").exit_code == 0


def test_a_baseline_is_written_and_compared_with(here: Path) -> None:
    result = gate("run", "policy.toml", "--baseline", "last.json", "--update-baseline")
    assert (result.exit_code, "Wrote last.json" in result.stderr) == (0, True)
    assert {name: one["value"] for name, one in json.loads((here / "last.json").read_text())["checks"].items()} == {
        "smallest": 2, "mean": 1 / 3,
    }  # fmt: skip
    assert gate("run", "policy.toml", "--baseline", "last.json").exit_code == 0
    # One of the men is a woman now: the mean is what it was, and no class is smaller.
    (here / "people.csv").write_text(TABLE + "d,50\nd,50\n")
    before = (here / "last.json").read_bytes()
    result = gate("run", "policy.toml", "--baseline", "last.json")
    assert result.exit_code == 3
    assert "mean: worse than before" in result.stdout
    assert "Baseline: 33.33 %; may be worse by 0 %" in result.stdout
    assert (here / "last.json").read_bytes() == before
    # What is accepted anew is not compared with what was.
    assert gate("run", "policy.toml", "--baseline", "last.json", "--update-baseline").exit_code == 0
    assert gate("run", "policy.toml", "--baseline", "last.json").exit_code == 0


def test_a_baseline_of_a_gate_that_fails_is_written_too(here: Path) -> None:
    assert gate("run", "strict.toml", "--baseline", "last.json", "--update-baseline").exit_code == 3
    assert (here / "last.json").is_file()


def test_everything_that_is_asked_for_is_written_and_told(here: Path) -> None:
    write_keys(here)
    result = gate(
        "run", "strict.toml", "--report", "gate.html", "--legal", "gdpr,ema", "--legal-page", "map.html", "--junit",
        "gate.xml", "--sarif", "gate.sarif", "--evidence", "evidence", "--sign", "key.pem",
    )  # fmt: skip
    assert result.exit_code == 3, result.output
    written = ["gate.html", "map.html", "gate.xml", "gate.sarif", "evidence"]
    assert [line for line in result.stderr.splitlines() if line.startswith("Wrote")] == [
        f"Wrote {name}" for name in written
    ]
    page, legal = ((here / name).read_text(encoding="utf-8") for name in ("gate.html", "map.html"))
    assert ("smallest" in page, 'id="checks"' in page, 'id="checks"' in legal) == (True, True, False)
    for text in (page, legal):
        assert ('id="legal-gdpr"' in text, 'id="legal-ema"' in text, 'id="legal-hipaa"' in text) == (True, True, False)
    assert len(list(Xml.parse(here / "gate.xml").iter("failure"))) == 1
    assert [one["level"] for one in json.loads((here / "gate.sarif").read_text())["runs"][0]["results"]] == [
        "error",
        "warning",
    ]
    assert names(here / "evidence") == {
        "inputs.json", "manifest.json", "manifest.sig", "policy.toml", "report.html", "results.json",
    }  # fmt: skip
    inputs = json.loads((here / "evidence" / "inputs.json").read_text())
    assert inputs["command"].startswith("sudare gate run strict.toml --report gate.html")


def test_everything_is_written_in_the_language_of_the_command(here: Path) -> None:
    words = ("--report", "gate.html", "--junit", "gate.xml", "--sarif", "gate.json", "--evidence", "evidence")
    assert gate("run", "strict.toml", *words, "--lang", "ja").exit_code == 3
    for name, text in {
        "gate.html": '<html lang="ja">', "evidence/report.html": '<html lang="ja">', "gate.xml": "不合格。",
        "gate.json": "不合格。",
    }.items():  # fmt: skip
        assert text in (here / name).read_text(encoding="utf-8"), name


WRITE_ALL = ("--report", "r.html", "--junit", "r.xml", "--sarif", "r.sarif", "--evidence", "evidence")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["none.toml", *WRITE_ALL], "none.toml"),
        (["broken.toml", *WRITE_ALL], "checks must be written as"),
        (["people.csv", *WRITE_ALL], "is not valid TOML"),
        (["policy.toml", *WRITE_ALL, "--baseline", "none.json"], "none.json"),
        (["policy.toml", *WRITE_ALL, "--baseline", "package.json"], "is not a baseline of a gate"),
        (["policy.toml", *WRITE_ALL, "--update-baseline"], "Add --baseline FILE"),
        (["policy.toml", *WRITE_ALL, "--legal", "gdrp"], "'gdrp'"),
        (["policy.toml", *WRITE_ALL, "--sign", "none.pem"], "none.pem"),
        (["policy.toml", *WRITE_ALL, "--sign", "people.csv"], "is not a key in PEM form"),
        (["policy.toml", "--sign", "people.csv"], "--sign"),
        (["policy.toml", "--junit", "r.json"], ".xml"),
        (["policy.toml", "--sarif", "r.xml"], ".sarif"),
        (["policy.toml", "--report", "r.txt"], ".html"),
        (["policy.toml", "--evidence", "no/evidence"], "no"),
        (["policy.toml", "--evidence", "people.csv"], "people.csv"),
        (["policy.toml", "--report", "r.html", "--legal-page", "r.html"], "r.html"),
        (["policy.toml", "--sarif", "r.json", "--baseline", "r.json", "--update-baseline"], "r.json"),
    ],
    ids=lambda told: " ".join(told) if isinstance(told, list) else "",
)
def test_a_call_that_is_wrong_is_refused_in_one_message_and_writes_nothing(
    here: Path, words: list[str], said: str
) -> None:
    (here / "package.json").write_text("{}")
    before = names(here)
    assert said in refused(gate("run", *words))
    assert names(here) == before


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ('legal = ["gdrp"]', "'gdrp'"),
        ('answers = "none.toml"', "none.toml"),
        ('answers = "wrong.toml"', "recipients"),
        ('answers = "people.csv"', "people.csv"),
    ],
)
def test_what_reports_would_need_is_refused_before_anything_is_written(here: Path, entry: str, said: str) -> None:
    (here / "wrong.toml").write_text("recipients = 7\n")
    (here / "policy.toml").write_text(POLICY.format(least=2).replace("[gate]", f"[gate]\n{entry}"))
    before = names(here)
    assert said in refused(gate("run", "policy.toml", *WRITE_ALL))
    assert names(here) == before


def test_bad_data_are_refused_in_one_message_and_write_nothing(here: Path) -> None:
    (here / "people.csv").write_bytes(b"\x00\x01\x02")
    before = names(here)
    refused(gate("run", "policy.toml", *WRITE_ALL))
    (here / "people.csv").write_text("sex,year\nf,30\n")
    assert "age" in refused(gate("run", "policy.toml", *WRITE_ALL))
    (here / "people.csv").unlink()
    assert "people.csv" in refused(gate("run", "policy.toml", *WRITE_ALL))
    assert names(here) == before - {"people.csv"}


def test_an_error_has_its_form(here: Path) -> None:
    result = gate("run", "broken.toml", "--json")
    assert (result.exit_code, result.stdout) == (2, "")
    check_form(json.loads(result.stderr))


def test_evidence_of_before_is_not_replaced(here: Path) -> None:
    assert gate("run", "policy.toml", "--evidence", "evidence").exit_code == 0
    before = {path: path.read_bytes() for path in (here / "evidence").iterdir()}
    assert "evidence is not empty" in refused(
        gate("run", "policy.toml", "--evidence", "evidence", "--report", "r.html")
    )
    assert {path: path.read_bytes() for path in (here / "evidence").iterdir()} == before
    assert not (here / "r.html").exists()


def test_nothing_that_the_policy_reads_is_written_over(here: Path) -> None:
    (here / "people.csv").rename(here / "people.json")
    (here / "policy.toml").write_text(POLICY.format(least=2).replace("people.csv", "people.json"))
    for words in (["--sarif", "people.json"], ["--baseline", "people.json", "--update-baseline"]):
        assert "it is read" in refused(gate("run", "policy.toml", *words))
    assert (here / "people.json").read_text() == TABLE


def test_evidence_is_not_put_among_the_data(here: Path) -> None:
    (here / "parts").mkdir()
    (here / "parts" / "people.csv").write_text(TABLE)
    (here / "policy.toml").write_text(POLICY.format(least=2).replace("people.csv", "parts"))
    before = names(here)
    assert "which is read" in refused(gate("run", "policy.toml", "--evidence", "parts/evidence", "--report", "r.html"))
    assert names(here) == before


# ------------------------------------------------------------------------------------------------------------ init


@pytest.mark.parametrize(("language", "comment"), [("en", "# Today: "), ("ja", "# 現在の値: ")])
def test_init_writes_a_policy_that_runs(here: Path, language: str, comment: str) -> None:
    result = gate("init", "people.csv", "-o", "first.toml", "--lang", language)
    assert result.exit_code == 0, result.output
    text = (here / "first.toml").read_text(encoding="utf-8")
    assert comment in text
    shown = {
        "en": "Suggested checks for people.csv, read as a table",
        "ja": "people.csv（表として読み込み）に対する検査の案",
    }
    assert result.stdout.startswith(shown[language])
    assert not (here / "answers.toml").exists()
    found = told("run", "first.toml")
    assert {one["measure"]: one["value"] for one in found["checks"]}["highest-risk"] == 1 / 2
    assert gate("run", "first.toml").exit_code == 3


def test_init_prints_json(here: Path) -> None:
    found = told("init", "people.csv", "-o", "first.toml")
    assert (found["schema"], found["kind"], found["source"]) == ("sudare.gate-policy/1", "table", "people.csv")
    assert {one["measure"]: one["value"] for one in found["checks"]}["uniques"] == 0
    assert (here / "first.toml").is_file()


def test_init_writes_the_questions_in_its_language(here: Path) -> None:
    (here / "gates").mkdir()
    words = ("init", "people.csv", "-o", "gates/first.toml", "--answers", "gates/answers.toml")
    for language, question in {"ja": "# 誰がデータを受領するか。", "en": "# Who receives the data?"}.items():
        result = gate(*words, "--lang", language)
        assert result.exit_code == 0, result.output
        assert question in (here / "gates" / "answers.toml").read_text(encoding="utf-8")
    assert "Wrote gates/answers.toml\nWrote gates/first.toml\n" in result.stderr
    policy = tomllib.loads((here / "gates" / "first.toml").read_text(encoding="utf-8"))
    assert (policy["gate"]["answers"], policy["sources"]["data"]["file"]) == ("answers.toml", "../people.csv")
    assert set(tomllib.loads((here / "gates" / "answers.toml").read_text(encoding="utf-8")).values()) == {""}
    assert gate("run", "gates/first.toml", "--report", "gate.html").exit_code == 3
    assert "not answered" in (here / "gate.html").read_text(encoding="utf-8")


def test_init_takes_options_of_the_source(here: Path) -> None:
    (here / "people.csv").write_text("sex;age;weight\nf;30;2\nm;40;2\n")
    words = ("--set", "weight=weight", "--set", "attributes=sex", "--set", "attributes=age", "--set", "header=true")
    found = told("init", "people.csv", "-o", "first.toml", *words, "--set", "min-cell=1")
    assert {one["measure"]: one["value"] for one in found["checks"]}["highest-risk"] == 1 / 2
    assert tomllib.loads((here / "first.toml").read_text())["sources"]["data"] == {
        "kind": "table", "file": "people.csv", "weight": "weight", "attributes": ["sex", "age"], "header": True,
        "min-cell": 1,
    }  # fmt: skip
    assert gate("run", "first.toml").exit_code == 3


@pytest.mark.parametrize(
    "words",
    [
        ["none.csv", "-o", "first.toml", "--answers", "answers.toml"],
        ["people.csv", "-o", "first.txt"],
        ["people.csv", "-o", "first.toml", "--answers", "answers.txt"],
        ["people.csv", "-o", "first.toml", "--answers", "first.toml"],
        ["people.csv", "-o", "first.toml", "--answers", "no/answers.toml"],
        ["people.csv", "-o", "no/first.toml", "--answers", "answers.toml"],
        ["people.csv", "-o", "first.toml", "--kind", "history"],
        ["people.csv", "-o", "first.toml", "--kind", "people"],
        ["people.csv", "-o", "first.toml", "--set", "weight"],
        ["people.csv", "-o", "first.toml", "--set", "weight=none"],
        ["people.csv", "-o", "first.toml", "--set", "wight=age"],
        ["people.csv", "-o", "first.toml", "--set", "header=perhaps"],
        ["people.csv", "-o", "first.toml", "--set", "min-cell=some"],
        ["policy.toml", "-o", "policy.toml"],
    ],
    ids=" ".join,
)
def test_a_policy_that_cannot_be_made_is_refused_in_one_message(here: Path, words: list[str]) -> None:
    before = {path: path.read_bytes() for path in here.iterdir()}
    refused(gate("init", *words))
    assert {path: path.read_bytes() for path in here.iterdir()} == before


# ---------------------------------------------------------------------------------------------------------- verify


@pytest.fixture
def evidence(here: Path) -> Path:
    assert gate("run", "policy.toml", "--evidence", "evidence").exit_code == 0
    return here / "evidence"


def test_verify_ends_with_0_if_all_is_as_it_was(here: Path, evidence: Path) -> None:
    result = gate("verify", "evidence")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == [
        "Files of the evidence: 4 of 4 unchanged.", "Files that it is about: 1 of 1 unchanged.",
        "Numbers computed again: 2 of 2 the same.",
        "Verified: every file and every number is as the evidence says.",
    ]  # fmt: skip
    assert "検証しました。" in gate("verify", "evidence", "--lang", "ja").stdout


@pytest.mark.parametrize("name", ["results.json", "inputs.json", "policy.toml", "report.html"])
def test_verify_ends_with_3_if_a_file_is_changed_whatever_is_left_of_it(here: Path, evidence: Path, name: str) -> None:
    content = (evidence / name).read_bytes()
    (evidence / name).write_bytes(b"]" + content[1:])
    result = gate("verify", "evidence")
    assert result.exit_code == 3
    assert f"File changed: {name} (SHA-256 " in result.stdout
    assert result.stdout.splitlines()[-1] == "NOT VERIFIED: something differs from the evidence."
    found = told("verify", "evidence")
    assert (found["verified"], found["recomputed"]) == (False, name == "report.html")
    assert (found["reason"] is None) == (name == "report.html")
    assert [(one["name"], one["state"]) for one in found["differences"]] == [(name, "changed")]


def test_verify_tells_a_changed_number(here: Path, evidence: Path) -> None:
    (here / "people.csv").write_text(TABLE.replace("f,30\nf,30", "f,30\nf,31"))
    result = gate("verify", "evidence")
    assert result.exit_code == 3
    assert "Input changed: people (SHA-256 " in result.stdout
    assert "Number changed: smallest: 1, the evidence says 2." in result.stdout
    assert "Verdict changed: smallest: fails, the evidence says passes." in result.stdout
    assert "File changed" not in result.stdout
    assert "Number changed: mean" not in result.stdout


def test_verify_follows_files_that_have_moved(here: Path, evidence: Path) -> None:
    (here / "archive").mkdir()
    shutil.move(here / "people.csv", here / "archive" / "p.csv")
    assert "--source 'people=FILE'" in refused(gate("verify", "evidence"))
    assert gate("verify", "evidence", "--source", "people=archive/p.csv").exit_code == 0
    assert "peple" in refused(gate("verify", "evidence", "--source", "peple=archive/p.csv"))
    assert "people" in refused(gate("verify", "evidence", "--source", "people"))
    result = gate("verify", "evidence", "--files-only")
    assert result.exit_code == 0
    assert "its numbers are not verified" in result.stdout
    assert told("verify", "evidence", "--files-only")["verified"] is False


def test_verify_checks_the_signature(here: Path) -> None:
    write_keys(here)
    assert gate("run", "policy.toml", "--evidence", "evidence", "--sign", "key.pem").exit_code == 0
    assert "The signature is that of this key." in gate("verify", "evidence", "--public-key", "public.pem").stdout
    assert "There is a signature, which was not checked" in gate("verify", "evidence").stdout
    (here / "other").mkdir()
    write_keys(here / "other")
    result = gate("verify", "evidence", "--public-key", "other/public.pem")
    assert result.exit_code == 3
    assert "NOT SIGNED by the owner of this key." in result.stdout
    assert "key.pem" in refused(gate("verify", "evidence", "--public-key", "key.pem"))
    assert "none.pem" in refused(gate("verify", "evidence", "--public-key", "none.pem"))


def test_what_is_no_evidence_is_refused_in_one_message(here: Path, evidence: Path) -> None:
    assert "nowhere is not a folder of evidence" in refused(gate("verify", "nowhere"))
    assert "people.csv is not a folder of evidence" in refused(gate("verify", "people.csv"))
    assert "manifest.json is missing" in refused(gate("verify", "."))
    (evidence / "manifest.json").write_text("{")
    message = refused(gate("verify", "evidence"))
    assert "manifest.json is not as sudare writes it" in message
    assert len(message.splitlines()) == 1
