"""Evidence says what was measured of which files, and holds no value of the data unless the policy allows it."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
from pathlib import Path

import pytest

from sudare.errors import OutputNotWritable, SudareError
from sudare.gate.baseline import read_baseline, write_baseline
from sudare.gate.evidence import write_evidence
from sudare.gate.run import baseline_of, run_gate
from sudare.gate.verification import verify_evidence
from tests.gate.evidence_made import DAY, ITEMS, NAMES, TOWNS, make_evidence, make_policy, make_run

VALUES = (*NAMES, *TOWNS, *ITEMS, *(str(770_101 + number) for number in range(len(NAMES))))


def found_in(evidence: Path) -> dict[str, set[str]]:
    """Return the values of the data that each file of evidence shows, escaped or not."""
    spelled = {
        value: {value, json.dumps(value)[1:-1], value.encode("ascii", "xmlcharrefreplace").decode()} for value in VALUES
    }
    texts = {path.name: path.read_text(encoding="utf-8") for path in evidence.iterdir()}
    return {
        name: {value for value, words in spelled.items() if any(word in text for word in words)}
        for name, text in texts.items()
    }


@pytest.mark.parametrize("language", ["en", "ja"])
def test_no_file_shows_a_value_of_the_data(tmp_path: Path, language: str) -> None:
    found = make_run(tmp_path)
    assert [check.examples for check in found.checks if check.measure == "km"] == [()]
    write_evidence(found, tmp_path / "evidence", language=language, command="sudare gate run policy.toml")
    assert found_in(tmp_path / "evidence") == {
        name: set() for name in ("inputs.json", "manifest.json", "policy.toml", "report.html", "results.json")
    }


def test_only_the_check_that_the_policy_names_shows_examples(tmp_path: Path) -> None:
    found = found_in(make_evidence(tmp_path, examples=["pairs"]))
    assert found["results.json"] == {"Pumpernickel", "Rollmops"}
    assert found["report.html"] <= {"Pumpernickel", "Rollmops"}
    assert not found["inputs.json"] | found["manifest.json"] | found["policy.toml"]
    # To name another check shows nothing of this one.
    (tmp_path / "other").mkdir()
    assert not any(found_in(make_evidence(tmp_path / "other", examples=["risk"])).values())


def test_evidence_says_of_which_files_it_is_and_how_they_were_read(tmp_path: Path) -> None:
    made = dt.datetime(2026, 3, 1, 12, 30, tzinfo=dt.UTC)
    write_evidence(make_run(tmp_path), tmp_path / "evidence", made=made, command="sudare gate run")
    told = json.loads((tmp_path / "evidence" / "inputs.json").read_text())
    hashes = {name: hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in ("people.csv", "visits.txt")}
    assert told["inputs"] == [
        {"name": "people", "file": "people.csv", "sha256": hashes["people.csv"], "rows": 6},
        {"name": "visits", "file": "visits.txt", "sha256": hashes["visits.txt"], "rows": 4},
    ]
    assert (told["made"], told["seed"], told["base"]) == ("2026-03-01T12:30:00+00:00", 5, "..")
    assert (told["command"], told["options"]) == ("sudare gate run", {"people": {}, "visits": {}})
    assert told["packages"]["duckdb"]
    results = json.loads((tmp_path / "evidence" / "results.json").read_text())
    values = {check["name"]: (check["value"], check["verdict"]) for check in results["checks"]}
    # Three live in each town, everybody has an age and a name of their own, one has Rollmops.
    assert values == {"risk": (1 / 3, "pass"), "unique": (1.0, "warn"), "rare": (12, "waived"), "pairs": (1, "fail")}


def test_the_manifest_has_the_hash_and_the_size_of_every_other_file(tmp_path: Path) -> None:
    evidence = make_evidence(tmp_path)
    told = json.loads((evidence / "manifest.json").read_text())["files"]
    assert told == {
        path.name: {"sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "bytes": path.stat().st_size}
        for path in evidence.iterdir()
        if path.name != "manifest.json"
    }


def test_the_policy_is_kept_to_the_last_byte(tmp_path: Path) -> None:
    policy = make_policy(tmp_path)
    content = (
        "\N{ZERO WIDTH NO-BREAK SPACE}".encode() + policy.read_bytes().replace(b"\n", b"\r\n") + "# 方針\r\n".encode()
    )
    policy.write_bytes(content)
    write_evidence(run_gate(policy, day=DAY), tmp_path / "evidence")
    assert (tmp_path / "evidence" / "policy.toml").read_bytes() == content
    assert verify_evidence(tmp_path / "evidence").verified


def test_baseline_and_answers_go_with_it(tmp_path: Path) -> None:
    write_baseline(baseline_of(make_run(tmp_path)), tmp_path / "last.json")
    (tmp_path / "mine.toml").write_text('recipients = "The town hall"\n')
    found = make_run(tmp_path, baseline=tmp_path / "last.json", answers="mine.toml")
    write_evidence(found, tmp_path / "evidence")
    assert (tmp_path / "evidence" / "answers.toml").read_text() == 'recipients = "The town hall"\n'
    assert read_baseline(tmp_path / "evidence" / "baseline.json").checks == read_baseline(tmp_path / "last.json").checks
    assert "The town hall" in (tmp_path / "evidence" / "report.html").read_text(encoding="utf-8")
    assert verify_evidence(tmp_path / "evidence").verified


def test_a_folder_with_something_in_it_stays_as_it_is(tmp_path: Path) -> None:
    found, mine = make_run(tmp_path), tmp_path / "evidence"
    mine.mkdir()
    (mine / "notes.txt").write_text("mine")
    with pytest.raises(OutputNotWritable, match="is not empty"):
        write_evidence(found, mine)
    assert [path.name for path in mine.iterdir()] == ["notes.txt"]


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "evidence").mkdir()
    assert verify_evidence(make_evidence(tmp_path)).verified


@pytest.mark.parametrize("name", ["no/evidence", "people.csv", "people.csv/evidence"])
def test_a_place_that_cannot_be_is_refused(tmp_path: Path, name: str) -> None:
    found = make_run(tmp_path)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(OutputNotWritable):
        write_evidence(found, tmp_path / name)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("broken", ["answers", "key"])
def test_nothing_is_left_of_evidence_that_fails_in_the_middle(tmp_path: Path, broken: str) -> None:
    (tmp_path / "mine.toml").write_text("recipients = 7\n")
    (tmp_path / "key.pem").write_text("no key\n")
    found = make_run(tmp_path, **({"answers": "mine.toml"} if broken == "answers" else {}))
    before = sorted(tmp_path.iterdir())
    with pytest.raises(SudareError):
        write_evidence(found, tmp_path / "evidence", key=tmp_path / "key.pem")
    assert sorted(tmp_path.iterdir()) == before


def test_evidence_behind_a_link_finds_its_data_again(tmp_path: Path) -> None:
    (tmp_path / "deep" / "store").mkdir(parents=True)
    (tmp_path / "link").symlink_to("deep/store")
    write_evidence(make_run(tmp_path), tmp_path / "link" / "evidence")
    assert verify_evidence(tmp_path / "link" / "evidence").verified
    assert verify_evidence(tmp_path / "deep" / "store" / "evidence").verified


def test_evidence_is_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_policy(tmp_path)
    monkeypatch.chdir(tmp_path)
    write_evidence(run_gate("policy.toml", day=DAY), "evidence")
    monkeypatch.chdir(os.sep)
    assert verify_evidence(tmp_path / "evidence").verified
