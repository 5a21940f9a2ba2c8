"""Whatever differs from evidence is named: files, inputs, numbers; what cannot be computed again is not verified."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars
import pytest
from hypothesis import given, settings, strategies as st

from sudare.errors import InputError, OptionNotUsable, SourceNotReadable
from sudare.gate.baseline import write_baseline
from sudare.gate.evidence import write_evidence
from sudare.gate.run import baseline_of, run_gate
from sudare.gate.verification import EvidenceVerification, verify_evidence
from tests.gate.evidence_made import edit, flip, forge_manifest, make_evidence, make_run
from tests.gate.small_gates import write_policy

FILES = ("answers.toml", "baseline.json", "inputs.json", "policy.toml", "report.html", "results.json")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data, a policy, and its evidence with everything that evidence can have."""
    folder = tmp_path_factory.mktemp("original")
    write_baseline(baseline_of(make_run(folder)), folder / "last.json")
    (folder / "answers.toml").write_text('recipients = "The town hall"\n')
    write_evidence(make_run(folder, baseline=folder / "last.json", answers="answers.toml"), folder / "evidence")
    return folder


@pytest.fixture
def folder(original: Path, tmp_path: Path) -> Path:
    """A copy that may be changed."""
    return Path(shutil.copytree(original, tmp_path / "copy"))


def differing(found: EvidenceVerification) -> set[tuple[str, str, str]]:
    return {(part.kind, part.name, part.state) for part in found.differences}


def test_untouched_evidence_is_verified(folder: Path) -> None:
    found = verify_evidence(folder / "evidence")
    assert found.verified
    assert found.recomputed
    assert (found.signed, found.reason, found.differences) == (None, None, ())
    assert {part.name for part in found.parts if part.kind == "file"} == set(FILES)
    assert {part.name for part in found.parts if part.kind == "input"} == {"people", "visits", "answers"}
    assert {part.name for part in found.parts if part.kind == "number"} == {"risk", "unique", "rare", "pairs"}
    assert {part.state for part in found.parts} == {"same"}


# -------------------------------------------------------------------------------------------------------- one byte


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=5)
@given(data=st.data())
def test_one_byte_of_a_file_is_noticed_wherever_it_is(original: Path, name: str, data: st.DataObject) -> None:
    path = original / "evidence" / name
    content = path.read_bytes()
    try:
        flip(path, data.draw(st.integers(0, len(content) - 1)), data.draw(st.integers(1, 255)))
        found = verify_evidence(original / "evidence")
    finally:
        path.write_bytes(content)
    assert ("file", name, "changed") in differing(found)
    assert not found.verified
    assert found.recomputed == (found.reason is None)


@settings(max_examples=40)
@given(data=st.data())
def test_one_byte_of_the_manifest_is_noticed_wherever_it_is(original: Path, data: st.DataObject) -> None:
    path = original / "evidence" / "manifest.json"
    content = path.read_bytes()
    try:
        flip(path, data.draw(st.integers(0, len(content) - 1)), data.draw(st.integers(1, 255)))
        found = verify_evidence(original / "evidence", files_only=True)
    except InputError as error:
        assert "manifest.json" in str(error)
    else:
        assert found.differs
    finally:
        path.write_bytes(content)


@pytest.mark.parametrize(
    ("name", "old", "new", "why"),
    [
        ("results.json", b'"seed": 5', b'"seed" 5', "results.json is not as sudare writes it"),
        ("results.json", b'"checks"', b'"check_"', "results.json is not as sudare writes it"),
        ("results.json", b'"value": 1.0', b'"value": "1"', "results.json is not as sudare writes it"),
        ("results.json", b'"value": 1.0', b'"value": 1e999', "results.json is not as sudare writes it"),
        ("results.json", b'"day": "2026-03-01"', b'"day": "2026-03-41"', "results.json is not as sudare writes it"),
        ("results.json", b"{", b"\xff", "results.json is not as sudare writes it"),
        ("inputs.json", b'"base"', b'"bass"', "inputs.json is not as sudare writes it"),
        ("inputs.json", b'"version": 1', b'"version": 2', "inputs.json is not as sudare writes it"),
        ("inputs.json", b'"inputs": [', b'"inputs": {', "inputs.json is not as sudare writes it"),
        ("policy.toml", b"[[checks]]", b"[[checks]}", "policy.toml is not valid TOML"),
        ("policy.toml", b'"highest-risk"', b'"highest-rusk"', "'highest-rusk' is not a measure"),
        ("policy.toml", b'"people.csv"', b'"people.cvs"', "people.cvs is not there"),
        ("baseline.json", b'"checks"', b'"chocks"', "baseline.json is not a baseline"),
        ("baseline.json", b'"value": 1.0', b'"value": "?"', "baseline.json is not a baseline"),
    ],
)
def test_a_change_that_breaks_a_file_is_an_answer(folder: Path, name: str, old: bytes, new: bytes, why: str) -> None:
    path = folder / "evidence" / name
    content = path.read_bytes()
    assert old in content
    path.write_bytes(content.replace(old, new, 1))
    found = verify_evidence(folder / "evidence")
    assert ("file", name, "changed") in differing(found)
    assert (found.verified, found.recomputed) == (False, False)
    assert why in str(found.reason)
    # What fits its hash and cannot be read is no changed file, but nothing to compare with either.
    forge_manifest(folder / "evidence")
    if name in ("results.json", "inputs.json", "baseline.json"):
        with pytest.raises(InputError, match=r"as sudare writes it|is not a baseline"):
            verify_evidence(folder / "evidence")


def test_a_page_that_is_cut_off_leaves_the_numbers_as_they_are(folder: Path) -> None:
    (folder / "evidence" / "report.html").write_bytes(b"")
    found = verify_evidence(folder / "evidence")
    assert differing(found) == {("file", "report.html", "changed")}
    assert found.recomputed
    assert not found.verified


def test_a_changed_file_is_told_from_a_changed_number(folder: Path) -> None:
    path = folder / "evidence" / "results.json"
    path.write_bytes(path.read_bytes() + b" ")
    assert differing(verify_evidence(folder / "evidence")) == {("file", "results.json", "changed")}
    edit(path, lambda told: next(one for one in told["checks"] if one["name"] == "unique").update(value=0.5))
    assert differing(verify_evidence(folder / "evidence")) == {
        ("file", "results.json", "changed"),
        ("number", "unique", "changed"),
    }


# ---------------------------------------------------------------------------------------- files that come and go


@pytest.mark.parametrize("name", [*FILES, "manifest.json"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / "evidence" / name).unlink()
    if name == "manifest.json":
        with pytest.raises(SourceNotReadable, match=r"manifest\.json is missing"):
            verify_evidence(folder / "evidence")
        return
    found = verify_evidence(folder / "evidence")
    assert ("file", name, "missing") in differing(found)
    assert not found.verified
    # No file is missed less because the manifest has forgotten it.
    forge_manifest(folder / "evidence")
    if name in ("inputs.json", "policy.toml", "results.json"):
        found = verify_evidence(folder / "evidence", files_only=True)
    else:
        found = verify_evidence(folder / "evidence")
    assert ("file", name, "missing") in differing(found)
    assert not found.verified


@pytest.mark.parametrize("name", ["results.json.bak", ".hidden", "folder"])
def test_a_file_that_is_not_listed_is_named(folder: Path, name: str) -> None:
    (folder / "evidence" / name).mkdir() if name == "folder" else (folder / "evidence" / name).write_text("")
    found = verify_evidence(folder / "evidence")
    assert differing(found) == {("file", name, "unexpected")}
    assert not found.verified


@pytest.mark.parametrize(
    "name", ["../people.csv", "/etc/hostname", ".", "..", "", "a/../../people.csv", "./policy.toml"]
)
def test_a_manifest_leads_to_no_file_outside(folder: Path, name: str) -> None:
    def point(told: dict[str, Any]) -> None:
        told["files"][name] = {"sha256": "0" * 64, "bytes": 1}

    edit(folder / "evidence" / "manifest.json", point)
    found = verify_evidence(folder / "evidence", files_only=True)
    (part,) = [part for part in found.parts if part.kind == "file" and part.name == name]
    assert (part.state, part.found) == ("missing", None)


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"[]", b"{}", b"null", b"\xff\xfe", b'{"format": "sudare gate evidence", "version": 1}',
        b'{"format": "sudare gate evidence", "version": 2, "files": {}}',
        b'{"format": "sudare gate evidence", "version": 1, "files": {"policy.toml": "0"}}',
        b'{"format": "sudare gate evidence", "version": 1, "files": {"policy.toml": {"sha256": 1, "bytes": 1}}}',
        b'{"format": "sudare gate evidence", "version": 1, "files": {"\\ud800": {"sha256": "0", "bytes": 1}}}',
        b"[" * 100_000,
    ],
)  # fmt: skip
def test_a_manifest_that_cannot_be_read_is_an_error(folder: Path, content: bytes) -> None:
    (folder / "evidence" / "manifest.json").write_bytes(content)
    with pytest.raises(OptionNotUsable, match=r"manifest\.json is not as sudare writes it"):
        verify_evidence(folder / "evidence")


def test_a_folder_that_is_not_evidence_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceNotReadable, match="is not a folder of evidence"):
        verify_evidence(tmp_path / "nowhere")
    with pytest.raises(SourceNotReadable, match=r"manifest\.json is missing"):
        verify_evidence(tmp_path)


# ------------------------------------------------------------------------------------------ somebody who means it


def _lower_risk(told: dict[str, Any]) -> None:
    next(one for one in told["checks"] if one["name"] == "risk")["value"] = 0.25


def _pass_all(told: dict[str, Any]) -> None:
    for check in told["checks"]:
        check["verdict"] = "pass"


def _forget(told: dict[str, Any]) -> None:
    told["checks"] = [check for check in told["checks"] if check["verdict"] != "fail"]


def _add(told: dict[str, Any]) -> None:
    told["checks"].append({**told["checks"][0], "name": "more"})


def _loosen(told: dict[str, Any]) -> None:
    next(one for one in told["checks"] if one["name"] == "pairs")["fail"] = 1.0


def _soften(told: dict[str, Any]) -> None:
    told["checks"][0]["said"] = ["All is well."]


def _open(told: dict[str, Any]) -> None:
    told["verdict"] = "pass"


@pytest.mark.parametrize(
    ("change", "noticed"),
    [
        (_lower_risk, ("number", "risk", "changed")),
        (_pass_all, ("verdict", "pairs", "changed")),
        (_forget, ("number", "pairs", "unexpected")),
        (_add, ("number", "more", "missing")),
        (_loosen, ("entry", "results.json: pairs: fail", "changed")),
        (_soften, ("entry", "results.json: pairs: said", "changed")),
        (_open, ("entry", "results.json: verdict", "changed")),
        (lambda told: told.update(seed=6), ("entry", "results.json: seed", "changed")),
        (lambda told: told["inputs"].pop(), ("entry", "results.json: inputs", "changed")),
        (lambda told: told.update(baseline=None), ("entry", "results.json: baseline", "changed")),
    ],
)
def test_results_changed_with_the_manifest_are_found_out_by_computing_them(
    folder: Path, change: Callable[[dict[str, Any]], object], noticed: tuple[str, str, str]
) -> None:
    edit(folder / "evidence" / "results.json", change)
    forge_manifest(folder / "evidence")
    assert verify_evidence(folder / "evidence", files_only=True).differences == ()
    found = verify_evidence(folder / "evidence")
    assert {part.kind for part in found.parts if part.kind == "file" and part.state != "same"} == set()
    assert noticed in differing(found)
    assert not found.verified


@pytest.mark.parametrize(
    ("change", "noticed"),
    [
        (lambda told: told["inputs"][0].update(sha256="0" * 64), ("input", "people", "changed")),
        (lambda told: told["inputs"][0].update(rows=600), ("entry", "inputs.json: people: rows", "changed")),
        (lambda told: told["inputs"][0].update(file="more.csv"), ("entry", "inputs.json: people: file", "changed")),
        (lambda told: told.update(seed=6), ("entry", "inputs.json: seed", "changed")),
        (lambda told: told["options"]["people"].update(missing="any"), ("entry", "inputs.json: options", "changed")),
    ],
)
def test_inputs_changed_with_the_manifest_are_found_out_too(
    folder: Path, change: Callable[[dict[str, Any]], object], noticed: tuple[str, str, str]
) -> None:
    edit(folder / "evidence" / "inputs.json", change)
    forge_manifest(folder / "evidence")
    assert noticed in differing(verify_evidence(folder / "evidence"))


def test_a_policy_changed_with_the_manifest_is_found_out_by_its_hash_in_the_results(folder: Path) -> None:
    path = folder / "evidence" / "policy.toml"
    path.write_text(path.read_text().replace('"fail" = 0.5', '"fail" = 0.9'))
    forge_manifest(folder / "evidence")
    found = verify_evidence(folder / "evidence")
    assert {
        ("entry", "results.json: sha256", "changed"),
        ("entry", "results.json: risk: fail", "changed"),
    } <= differing(found)


def test_a_page_changed_with_the_manifest_is_left_to_the_signature(folder: Path) -> None:
    (folder / "evidence" / "report.html").write_text("<p>All is well.")
    forge_manifest(folder / "evidence")
    assert verify_evidence(folder / "evidence").verified


# ------------------------------------------------------------------------------------------------------- the data


def test_one_byte_of_the_data_is_caught_by_its_hash_and_by_its_number(folder: Path) -> None:
    data = folder / "people.csv"
    # Another town: the classes are one of four, one of two.
    text = data.read_text(encoding="utf-8")
    data.write_text(text.replace("770102,Yvetotville", "770102,Yvetotvillf"), encoding="utf-8")
    found = verify_evidence(folder / "evidence")
    assert {("input", "people", "changed"), ("number", "risk", "changed"), ("verdict", "risk", "changed")} <= differing(
        found
    )
    assert ("input", "visits", "changed") not in differing(found)
    (risk,) = [part for part in found.parts if part.kind == "number" and part.name == "risk"]
    assert (risk.expected, risk.found) == (1 / 3, 1.0)


def test_one_byte_of_the_data_that_changes_no_number_is_caught_by_its_hash(folder: Path) -> None:
    data = folder / "people.csv"
    data.write_text(data.read_text(encoding="utf-8").replace("770101", "770109"), encoding="utf-8")
    found = verify_evidence(folder / "evidence")
    assert differing(found) == {("input", "people", "changed")}
    assert found.recomputed


@pytest.mark.parametrize("content", [b"", b"\x00\x01\x02", b"one\ntwo\n", b"name,age,street\na,1,b\n"])
def test_data_that_cannot_be_read_any_more_are_changed_and_nothing_is_verified(folder: Path, content: bytes) -> None:
    (folder / "people.csv").write_bytes(content)
    found = verify_evidence(folder / "evidence")
    assert ("input", "people", "changed") in differing(found)
    assert (found.verified, found.recomputed) == (False, False)
    assert found.reason


def test_a_damaged_page_of_a_parquet_file_is_an_answer(tmp_path: Path) -> None:
    rows = polars.DataFrame({"sex": ["f", "m"] * 300, "age": [number % 70 for number in range(600)]})
    rows.write_parquet(tmp_path / "people.parquet", compression="zstd")
    policy = write_policy(
        tmp_path,
        {"people": {"kind": "table", "file": "people.parquet"}},
        {"source": "people", "measure": "uniques", "fail": 0},
    )
    write_evidence(run_gate(policy), tmp_path / "evidence")
    content = (tmp_path / "people.parquet").read_bytes()
    reasons = set()
    # Three bytes among the pages, one of the metadata, the mark at the end.
    for place in (30, 60, 90, len(content) - 100, len(content) - 1):
        flip(tmp_path / "people.parquet", place)
        found = verify_evidence(tmp_path / "evidence")
        assert ("input", "people", "changed") in differing(found)
        assert not found.verified
        reasons.add(found.reason and "cannot be read as Parquet" in found.reason)
        (tmp_path / "people.parquet").write_bytes(content)
    assert True in reasons
    assert reasons <= {True, None}


def test_data_that_are_gone_are_an_error_that_says_what_to_do(folder: Path) -> None:
    (folder / "people.csv").rename(folder / "moved.csv")
    with pytest.raises(SourceNotReadable, match=r"--source 'people=FILE'"):
        verify_evidence(folder / "evidence")
    for name in ("people", "people.csv"):
        assert verify_evidence(folder / "evidence", sources={name: folder / "moved.csv"}).verified
    # With something that differs this is the answer.
    (folder / "evidence" / "report.html").write_text("")
    found = verify_evidence(folder / "evidence")
    assert differing(found) == {("file", "report.html", "changed")}
    assert "people.csv is not there" in str(found.reason)


def test_evidence_that_moves_alone_is_told_where_its_data_are(folder: Path, tmp_path: Path) -> None:
    shutil.move(folder / "evidence", tmp_path / "far")
    with pytest.raises(SourceNotReadable, match="is not there"):
        verify_evidence(tmp_path / "far")
    now = {name: folder / name for name in ("people.csv", "visits.txt", "answers.toml")}
    assert verify_evidence(tmp_path / "far", sources=now).verified
    other = {**now, "people.csv": folder / "visits.txt"}
    assert ("input", "people", "changed") in differing(verify_evidence(tmp_path / "far", sources=other))


def test_a_source_that_the_policy_does_not_have_is_an_error(folder: Path) -> None:
    with pytest.raises(OptionNotUsable, match="no source or file 'peopel'"):
        verify_evidence(folder / "evidence", sources={"peopel": folder / "people.csv"})


# ----------------------------------------------------------------------------------------------- what is not done


def test_files_alone_are_never_called_verified(folder: Path) -> None:
    for name in ("people.csv", "visits.txt"):
        (folder / name).unlink()
    found = verify_evidence(folder / "evidence", files_only=True)
    assert (found.verified, found.recomputed, found.differences) == (False, False, ())
    assert {part.kind for part in found.parts} == {"file"}
    assert "not verified" in found.text()
    flip(folder / "evidence" / "policy.toml", 30)
    assert verify_evidence(folder / "evidence", files_only=True).differs


def test_another_version_is_told_and_is_no_difference(tmp_path: Path) -> None:
    evidence = make_evidence(tmp_path)
    edit(evidence / "inputs.json", lambda told: told.update(sudare="0.0.1"))
    edit(evidence / "results.json", lambda told: told["checks"][0].update(said=["In other words."]))
    forge_manifest(evidence)
    found = verify_evidence(evidence)
    assert found.verified
    assert differing(found) == {("version", "sudare", "changed")}
    assert "the evidence was made with 0.0.1" in found.text()


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", ["File changed: results.json (SHA-256 ", "Nothing could be computed again: ", "NOT VERIFIED"]),
        ("ja", ["変更されたファイル: results.json（SHA-256 ", "再計算できませんでした: ", "検証できません。"]),
    ],
)
def test_what_is_wrong_is_said(folder: Path, language: Any, said: list[str]) -> None:
    (folder / "evidence" / "results.json").write_text("{")
    shown = verify_evidence(folder / "evidence").text(language)
    assert [text for text in said if text not in shown] == []


def test_everything_said_of_differences_is_said_in_both_languages(folder: Path) -> None:
    evidence = folder / "evidence"
    edit(evidence / "results.json", _pass_all)
    edit(evidence / "results.json", _lower_risk)
    edit(evidence / "results.json", _add)
    edit(evidence / "results.json", _forget)
    edit(evidence / "manifest.json", lambda told: told["files"]["report.html"].update(bytes=1))
    (evidence / "more.txt").write_text("")
    (folder / "visits.txt").write_text("Rollmops Pumpernickel\n")
    found = verify_evidence(evidence)
    told = {(part.kind, part.state) for part in found.differences}
    assert {("file", "unexpected"), ("file", "changed"), ("input", "changed"), ("verdict", "changed")} <= told
    assert {("number", "missing"), ("number", "changed"), ("entry", "changed")} <= told
    for shown in (found.text("en"), found.text("ja")):
        assert "gate.difference" not in shown
        assert all(part.name in shown for part in found.differences)
    assert "Verdict changed: unique: warns, the evidence says passes." in found.text("en")
    assert json.loads(json.dumps(found.to_dict()))["verified"] is False
