"""JUnit XML and SARIF say of each check what the gate says, in a form that other programs read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import jsonschema_rs
import pytest

from sudare.errors import OptionNotUsable, OutputNotWritable
from sudare.gate.baseline import Baseline, BaselineValue
from sudare.gate.exports import write_junit, write_sarif
from sudare.gate.run import GateRun, run_gate
from tests.gate.evidence_made import DAY, make_policy, make_run

# What SARIF 2.1.0 requires of the parts that are written (sections 3.13, 3.14, 3.18, 3.19, 3.27, 3.29, 3.30, 3.35 and
# 3.49), and the values that it allows. Nothing else may be there.
TEXT = {
    "type": "object",
    "required": ["text"],
    "additionalProperties": False,
    "properties": {"text": {"type": "string"}},
}
RULE = {
    "type": "object", "required": ["id"], "additionalProperties": False,
    "properties": {"id": {"type": "string"}, "shortDescription": TEXT},
}  # fmt: skip
DRIVER = {
    "type": "object", "required": ["name"], "additionalProperties": False,
    "properties": {
        "name": {"type": "string"}, "version": {"type": "string"},
        "rules": {"type": "array", "uniqueItems": True, "items": RULE},
    },
}  # fmt: skip
PLACE = {
    "type": "object", "required": ["artifactLocation"], "additionalProperties": False,
    "properties": {
        "artifactLocation": {
            "type": "object", "required": ["uri"], "additionalProperties": False,
            "properties": {"uri": {"type": "string", "format": "uri-reference"}},
        },
        "region": {
            "type": "object", "required": ["startLine"], "additionalProperties": False,
            "properties": {"startLine": {"type": "integer", "minimum": 1}},
        },
    },
}  # fmt: skip
RESULT = {
    "type": "object", "required": ["message"], "additionalProperties": False,
    "properties": {
        "ruleId": {"type": "string"}, "level": {"enum": ["none", "note", "warning", "error"]}, "message": TEXT,
        "locations": {
            "type": "array",
            "items": {
                "type": "object", "required": ["physicalLocation"], "additionalProperties": False,
                "properties": {"physicalLocation": PLACE},
            },
        },
        "suppressions": {
            "type": "array",
            "items": {
                "type": "object", "required": ["kind"], "additionalProperties": False,
                "properties": {"kind": {"enum": ["inSource", "external"]}, "justification": {"type": "string"}},
            },
        },
    },
}  # fmt: skip
SARIF = {
    "type": "object", "required": ["version", "runs"], "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"}, "version": {"const": "2.1.0"},
        "runs": {
            "type": "array", "minItems": 1, "maxItems": 1,
            "items": {
                "type": "object", "required": ["tool", "results"], "additionalProperties": False,
                "properties": {
                    "tool": {
                        "type": "object", "required": ["driver"], "additionalProperties": False,
                        "properties": {"driver": DRIVER},
                    },
                    "results": {"type": "array", "items": RESULT},
                },
            },
        },
    },
}  # fmt: skip


def junit(found: GateRun, folder: Path, **how: Any) -> Xml.Element:
    write_junit(found, folder / "gate.xml", **how)
    return Xml.parse(folder / "gate.xml").getroot()


def sarif(found: GateRun, folder: Path, **how: Any) -> dict[str, Any]:
    """Write, check against the standard, and return the only run."""
    write_sarif(found, folder / "gate.sarif", **how)
    told = json.loads((folder / "gate.sarif").read_text(encoding="utf-8"))
    jsonschema_rs.Draft202012Validator(SARIF, validate_formats=True).validate(told)
    (run,) = told["runs"]
    return dict(run)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> GateRun:
    """One check that fails, one that is worse than it was, one that warns, and one with an exception."""
    before = Baseline("last.json", {"risk": BaselineValue("highest-risk", 0.2)})
    return run_gate(make_policy(tmp_path_factory.mktemp("gate")), baseline=before, day=DAY)


def test_verdicts_are_those_of_the_example(found: GateRun) -> None:
    verdicts = {check.name: check.verdict for check in found.checks}
    assert verdicts == {"pairs": "fail", "risk": "drift", "unique": "warn", "rare": "waived"}


# ----------------------------------------------------------------------------------------------------------- JUnit


def test_junit_has_a_suite_for_each_source_and_a_case_for_each_check(found: GateRun, tmp_path: Path) -> None:
    root = junit(found, tmp_path)
    assert (root.tag, root.get("name")) == ("testsuites", "Hand-over")
    assert [(suite.tag, suite.get("name")) for suite in root] == [("testsuite", "visits"), ("testsuite", "people")]
    cases = {case.get("name"): case for case in root.iter("testcase")}
    assert {name: case.get("classname") for name, case in cases.items()} == {
        "risk": "people", "unique": "people", "rare": "people", "pairs": "visits",
    }  # fmt: skip
    assert {name: [part.tag for part in case] for name, case in cases.items()} == {
        "risk": ["failure"], "unique": ["system-out"], "rare": ["skipped"], "pairs": ["failure"],
    }  # fmt: skip


def test_counts_of_junit_are_those_of_its_cases(found: GateRun, tmp_path: Path) -> None:
    root = junit(found, tmp_path)
    for part in (root, *root):
        cases = list(part.iter("testcase"))
        failed = [case for case in cases if case.find("failure") is not None]
        skipped = [case for case in cases if case.find("skipped") is not None]
        told = tuple(part.get(name) for name in ("tests", "failures", "errors", "skipped"))
        assert told == (str(len(cases)), str(len(failed)), "0", str(len(skipped)))
    assert (root.get("tests"), root.get("failures"), root.get("skipped")) == ("4", "2", "1")


def test_junit_says_what_is_wrong_and_where(found: GateRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = found.policy.folder
    monkeypatch.chdir(folder.parent)
    cases = {case.get("name"): case for case in junit(found, tmp_path).iter("testcase")}
    failure = cases["pairs"].find("failure")
    assert failure is not None
    assert failure.get("type") == "fail"
    assert failure.get("message") == "pairs: Smallest k of k^m-anonymity 1; limit: at least 2; fails."
    assert "$" not in str(failure.text)
    assert "sudare baskets km" in str(failure.text)
    skipped, passed = cases["rare"].find("skipped"), cases["unique"].find("system-out")
    assert skipped is not None
    assert passed is not None
    assert skipped.get("message") == "A pilot"
    assert "warns" in str(passed.text)
    lines = (folder / "policy.toml").read_text().splitlines()
    for check in found.checks:
        assert cases[check.name].get("line") == str(check.line)
        assert lines[check.line - 1] == "[[checks]]"
        assert lines[check.line] == f'"name" = "{check.name}"'
        assert cases[check.name].get("file") == f"{folder.name}/policy.toml"


def test_a_policy_elsewhere_is_named_by_its_whole_path(
    found: GateRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    policy = (found.policy.folder / "policy.toml").resolve()
    case = next(junit(found, tmp_path).iter("testcase"))
    assert case.get("file") == policy.as_posix()
    place = sarif(found, tmp_path)["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == policy.as_uri()


def test_names_that_xml_cannot_hold_are_still_a_report(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("a,b\n1,1\n1,1\n")
    (tmp_path / "policy.toml").write_text(
        '[gate]\ntitle = "<Gate> & \\u0007"\n[sources."s\\u001b"]\nkind = "table"\nfile = "people.csv"\n'
        '[[checks]]\nname = "a \\"<b>\\" & \\u0001 \\uffff 検査"\nsource = "s\\u001b"\nmeasure = "uniques"\nfail = 0\n'
    )
    found = run_gate(tmp_path / "policy.toml")
    root = junit(found, tmp_path)
    assert root.get("name") == "<Gate> & \N{REPLACEMENT CHARACTER}"
    (case,) = root.iter("testcase")
    assert case.get("name") == 'a "<b>" & \N{REPLACEMENT CHARACTER} \N{REPLACEMENT CHARACTER} 検査'
    assert sarif(found, tmp_path)["results"] == []


# ----------------------------------------------------------------------------------------------------------- SARIF


def test_sarif_has_a_result_for_each_check_that_does_not_pass(found: GateRun, tmp_path: Path) -> None:
    run = sarif(found, tmp_path)
    assert run["tool"]["driver"]["name"] == "sudare"
    assert {one["id"] for one in run["tool"]["driver"]["rules"]} == {"highest-risk", "uniques", "rare-values", "km"}
    told = [(one["ruleId"], one["level"], "suppressions" in one) for one in run["results"]]
    assert told == [
        ("km", "error", False), ("highest-risk", "error", False), ("uniques", "warning", False),
        ("rare-values", "warning", True),
    ]  # fmt: skip
    (waiver,) = run["results"][-1]["suppressions"]
    assert waiver == {"kind": "external", "justification": "A pilot"}


def test_sarif_names_the_line_of_the_check(found: GateRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(found.policy.folder)
    results = sarif(found, tmp_path)["results"]
    lines = (found.policy.folder / "policy.toml").read_text().splitlines()
    for result, check in zip(results, found.checks, strict=True):
        (where,) = result["locations"]
        assert where["physicalLocation"]["artifactLocation"] == {"uri": "policy.toml"}
        assert lines[where["physicalLocation"]["region"]["startLine"]] == f'"name" = "{check.name}"'
        assert result["message"]["text"].startswith(f"{check.name}: ")
        assert check.command in result["message"]["text"]


def test_the_address_of_a_policy_is_one_whatever_it_is_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "方針 #1: a%20b"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    place = sarif(make_run(folder), tmp_path)["results"][0]["locations"][0]["physicalLocation"]
    uri = place["artifactLocation"]["uri"]
    assert uri == "%E6%96%B9%E9%87%9D%20%231%3A%20a%2520b/policy.toml"


def test_what_passes_is_an_empty_list_of_results(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("a,b\n1,1\n1,1\n")
    (tmp_path / "policy.toml").write_text(
        '[sources.s]\nkind = "table"\nfile = "people.csv"\n[[checks]]\nsource = "s"\nmeasure = "uniques"\nfail = 0\n'
    )
    run = sarif(run_gate(tmp_path / "policy.toml"), tmp_path)
    assert (run["results"], [one["id"] for one in run["tool"]["driver"]["rules"]]) == ([], ["uniques"])


# ------------------------------------------------------------------------------------------------------------ both


def test_both_speak_japanese(found: GateRun, tmp_path: Path) -> None:
    assert (
        "k^m-匿名性の最小のk 1、制限: 2以上、不合格。"
        in sarif(found, tmp_path, language="ja")["results"][0]["message"]["text"]
    )
    failures = list(junit(found, tmp_path, language="ja").iter("failure"))
    assert [one.get("message", "").split("、")[-1] for one in failures] == ["不合格。", "前回より悪化。"]


def test_neither_shows_values_of_the_data(found: GateRun, tmp_path: Path) -> None:
    junit(found, tmp_path)
    sarif(found, tmp_path)
    for name in ("gate.xml", "gate.sarif"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert [value for value in ("Pumpernickel", "Rollmops", "Quillfeather", "770101") if value in text] == []


def test_an_ending_that_does_not_fit_is_refused(found: GateRun, tmp_path: Path) -> None:
    with pytest.raises(OptionNotUsable, match=r"\.xml"):
        write_junit(found, tmp_path / "gate.json")
    with pytest.raises(OptionNotUsable, match=r"\.sarif"):
        write_sarif(found, tmp_path / "gate.xml")


def test_nothing_is_written_over_what_was_read(tmp_path: Path) -> None:
    (tmp_path / "people.json").write_text("a,b\n1,2\n")
    (tmp_path / "policy.toml").write_text(
        '[sources.s]\nkind = "table"\nfile = "people.json"\n[[checks]]\nsource = "s"\nmeasure = "uniques"\nfail = 0\n'
    )
    found = run_gate(tmp_path / "policy.toml")
    with pytest.raises(OutputNotWritable, match="it is read"):
        write_sarif(found, tmp_path / "people.json")
    assert (tmp_path / "people.json").read_text() == "a,b\n1,2\n"
