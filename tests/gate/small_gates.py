"""Small policies, written to a folder and run there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sudare.gate.run import GateCheck, GateRun, run_gate

# Six records of three attributes, small enough to work by hand.
PEOPLE = "sex,age,town\nm,30,x\nm,30,x\nm,40,x\nf,40,x\nf,40,y\nf,50,y\n"


def policy_text(sources: Mapping[str, Mapping[str, Any]], *checks: Mapping[str, Any], **gate: Any) -> str:
    """Return a policy as TOML; texts, numbers, flags and lists are written as in JSON."""
    parts = [_table("[gate]", gate), *(_table(f"[sources.{name}]", told) for name, told in sources.items())]
    return "\n".join([*parts, *(_table("[[checks]]", check) for check in checks)])


def _table(header: str, entries: Mapping[str, Any]) -> str:
    return "\n".join([header, *(f"{json.dumps(name)} = {_value(value)}" for name, value in entries.items()), ""])


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(name)} = {_value(one)}" for name, one in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)


def write(folder: Path, **files: str) -> None:
    """Write files; the name people_csv is that of people.csv."""
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")


def write_policy(
    folder: Path, sources: Mapping[str, Mapping[str, Any]], *checks: Mapping[str, Any], **gate: Any
) -> Path:
    """Write a policy into a folder, and return its path."""
    path = folder / "policy.toml"
    path.write_text(policy_text(sources, *checks, **gate), encoding="utf-8")
    return path


def run_checks(
    folder: Path, source: Mapping[str, Any], *checks: Mapping[str, Any], seed: int = 0, examples: tuple[str, ...] = ()
) -> GateRun:
    """Run checks on one source, each called by its number unless it has a name."""
    told = [{"name": str(number), "source": "s", "fail": 0, **check} for number, check in enumerate(checks, 1)]
    return run_gate(write_policy(folder, {"s": source}, *told, seed=seed, examples=list(examples)))


def measured(folder: Path, source: Mapping[str, Any], check: Mapping[str, Any], **how: Any) -> GateCheck:
    """Run one check, and return what became of it."""
    (found,) = run_checks(folder, source, check, **how).checks
    return found
