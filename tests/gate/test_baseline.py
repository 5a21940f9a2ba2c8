"""Baselines: written, read again, and compared with what is measured now."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sudare.errors import OptionNotUsable, SourceNotReadable
from sudare.gate.baseline import Baseline, BaselineValue, read_baseline, write_baseline
from sudare.gate.policy import read_policy
from sudare.gate.run import GateRun, baseline_of, run_gate
from tests.gate.small_gates import PEOPLE, write, write_policy

SOURCES = {"people": {"kind": "table", "file": "people.csv"}}
CHECKS: list[dict[str, Any]] = [
    {"name": "smallest", "source": "people", "measure": "smallest-class", "known": "sex", "fail": 1},
    {"name": "mean", "source": "people", "measure": "mean-risk", "known": "sex", "fail": 1},
]
# The same people, and one woman less: a mean risk of 2 / 5, and a class of two.
FEWER = PEOPLE.replace("f,50,y\n", "")


def run(folder: Path, text: str, baseline: Any = None, **gate: Any) -> GateRun:
    write(folder, people_csv=text)
    return run_gate(write_policy(folder, SOURCES, *CHECKS, **gate), baseline=baseline)


def verdicts(found: GateRun) -> dict[str, str]:
    return {check.name: check.verdict for check in found.checks}


def test_a_baseline_is_read_as_it_was_written(tmp_path: Path) -> None:
    found = baseline_of(run(tmp_path, PEOPLE))
    assert found.checks == {"smallest": BaselineValue("smallest-class", 3), "mean": BaselineValue("mean-risk", 2 / 6)}
    write_baseline(found, tmp_path / "last.json")
    again = read_baseline(tmp_path / "last.json")
    assert (again.source, again.checks) == ("last.json", found.checks)
    # Values of measures, and nothing of the data.
    written = json.loads((tmp_path / "last.json").read_text(encoding="utf-8"))
    assert written == {
        "format": "sudare gate baseline", "version": 1,
        "checks": {
            "smallest": {"measure": "smallest-class", "value": 3}, "mean": {"measure": "mean-risk", "value": 2 / 6},
        },
    }  # fmt: skip


def test_the_same_data_are_no_worse_than_before(tmp_path: Path) -> None:
    write_baseline(baseline_of(run(tmp_path, PEOPLE)), tmp_path / "last.json")
    found = run(tmp_path, PEOPLE, tmp_path / "last.json")
    assert (verdicts(found), found.verdict, found.baseline) == (
        {"smallest": "pass", "mean": "pass"},
        "pass",
        "last.json",
    )
    assert {check.name: check.before for check in found.checks} == {"smallest": 3, "mean": 2 / 6}


@pytest.mark.parametrize(
    ("drift", "mean", "smallest"),
    [(0, "drift", "drift"), (0.06, "drift", "drift"), (0.07, "pass", "drift"), (1, "pass", "pass")],
)
def test_drift_beyond_what_is_allowed_fails(tmp_path: Path, drift: float, mean: str, smallest: str) -> None:
    before = baseline_of(run(tmp_path, PEOPLE))
    found = run(tmp_path, FEWER, before, drift=drift)
    assert verdicts(found) == {"mean": mean, "smallest": smallest}
    assert found.verdict == ("fail" if "drift" in (mean, smallest) else "pass")


def test_what_became_better_passes(tmp_path: Path) -> None:
    before = baseline_of(run(tmp_path, FEWER))
    assert verdicts(run(tmp_path, PEOPLE, before)) == {"smallest": "pass", "mean": "pass"}


def test_a_check_that_measured_something_else_then_is_not_compared(tmp_path: Path) -> None:
    policy = read_policy(write_policy(tmp_path, SOURCES, *CHECKS))
    before = Baseline("b", {"smallest": BaselineValue("uniques", 9), "gone": BaselineValue("mean-risk", 0)})
    assert before.values_of(policy) == {}
    found = run(tmp_path, PEOPLE, before)
    assert [check.before for check in found.checks] == [None, None]
    assert found.verdict == "pass"


def whole(**changed: Any) -> str:
    checks = {"mean": {"measure": "mean-risk", "value": 0.5}}
    return json.dumps({"format": "sudare gate baseline", "version": 1, "checks": checks, **changed})


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "null", "1", '"a"', "{}", "[" * 100_000, whole(format="sudare"), whole(version=2),
        whole(checks=[]), whole(checks=None), whole(checks={"mean": 0.5}), whole(checks={"mean": {"value": 0.5}}),
        whole(checks={"mean": {"measure": "mean-risk"}}),
        whole(checks={"mean": {"measure": "mean-risk", "value": "a"}}),
        whole(checks={"mean": {"measure": "mean-risk", "value": None}}),
        whole(checks={"mean": {"measure": "mean-risk", "value": True}}),
        whole(checks={"mean": {"measure": "mean-risk", "value": float("nan")}}),
        whole(checks={"mean": {"measure": "mean-risk", "value": float("-inf")}}),
        whole(checks={"mean": {"measure": "mean-risk", "value": 10**400}}),
        whole()[:-1], whole() + "x",
    ],
    ids=lambda text: text[:20],
)  # fmt: skip
def test_a_broken_file_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "last.json").write_text(text, encoding="utf-8")
    with pytest.raises(OptionNotUsable) as raised:
        read_baseline(tmp_path / "last.json")
    assert str(raised.value) == (
        f"{tmp_path / 'last.json'} is not a baseline of a gate.\nHint: --update-baseline writes one."
    )


def test_the_whole_file_is_no_broken_one(tmp_path: Path) -> None:
    (tmp_path / "last.json").write_text(whole(), encoding="utf-8")
    assert read_baseline(tmp_path / "last.json").checks == {"mean": BaselineValue("mean-risk", 0.5)}


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceNotReadable, match=r"last\.json"):
        read_baseline(tmp_path / "last.json")
    (tmp_path / "last.json").write_bytes(b"\xff\xfe{}")
    with pytest.raises(SourceNotReadable, match=r"last\.json cannot be read: "):
        read_baseline(tmp_path / "last.json")
    with pytest.raises(SourceNotReadable, match="cannot be read: "):
        read_baseline(tmp_path)


def test_a_baseline_is_a_json_file(tmp_path: Path) -> None:
    with pytest.raises(OptionNotUsable, match=r"last\.txt: its name must end in \.json"):
        write_baseline(Baseline("a", {}), tmp_path / "last.txt")
    assert not (tmp_path / "last.txt").exists()
