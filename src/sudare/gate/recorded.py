"""What evidence says: its manifest, what was read, and what was found, in the form in which sudare writes them."""

from __future__ import annotations

import datetime as dt
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from sudare.errors import OptionNotUsable, SourceNotReadable
from sudare.gate.evidence import (
    INPUTS,
    INPUTS_FORMAT,
    MANIFEST,
    MANIFEST_FORMAT,
    RESULTS,
    VERSION,
    json_text,
)
from sudare.gate.verdicts import VERDICTS
from sudare.messages.reasons import reason_of
from sudare.showing import dataclass


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file as the manifest has it."""

    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """The files of evidence by their names, and whether the manifest is written to the letter as sudare writes it."""

    files: Mapping[str, ListedFile]
    exact: bool


@dataclass(frozen=True, slots=True)
class RecordedInputs:
    """What was read: with which version, relative to which folder; `told` is all of it."""

    sudare: str
    base: str
    inputs: Mapping[str, Mapping[str, Any]]
    told: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RecordedResults:
    """What was found: on which day, of which checks by their names; `told` is all of it."""

    day: dt.date
    baseline: str | None
    checks: Mapping[str, Mapping[str, Any]]
    told: Mapping[str, Any]


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of evidence; without one there is nothing to compare with."""
    told = _json(folder, MANIFEST)
    _check_format(told, MANIFEST_FORMAT, folder, MANIFEST)
    listed = told.get("files")
    if not isinstance(listed, dict):
        _refuse(folder, MANIFEST)
    files = {name: _listed(one, folder) for name, one in listed.items()}
    again = {name: {"sha256": files[name].sha256, "bytes": files[name].size} for name in sorted(files)}
    written = json_text({"format": MANIFEST_FORMAT, "version": VERSION, "files": again})
    return Manifest(files, (folder / MANIFEST).read_bytes() == written.encode("utf-8"))


def read_inputs(folder: Path) -> RecordedInputs:
    """Read which files evidence is about."""
    told = _json(folder, INPUTS)
    _check_format(told, INPUTS_FORMAT, folder, INPUTS)
    base, version, inputs = told.get("base"), told.get("sudare"), told.get("inputs")
    if not (isinstance(base, str) and isinstance(version, str)):
        _refuse(folder, INPUTS)
    return RecordedInputs(version, base, _by_name(inputs, folder, INPUTS), told)


def read_results(folder: Path) -> RecordedResults:
    """Read what was found."""
    told = _json(folder, RESULTS)
    baseline, checks = told.get("baseline"), _by_name(told.get("checks"), folder, RESULTS)
    for check in checks.values():
        if not _is_number(check.get("value")) or check.get("verdict") not in VERDICTS:
            _refuse(folder, RESULTS)
    try:
        day = dt.date.fromisoformat(told["day"])
    except (KeyError, TypeError, ValueError):
        _refuse(folder, RESULTS)
    if not (baseline is None or isinstance(baseline, str)):
        _refuse(folder, RESULTS)
    return RecordedResults(day, baseline, checks, told)


def _listed(told: object, folder: Path) -> ListedFile:
    if not isinstance(told, dict) or not isinstance(told.get("sha256"), str) or type(told.get("bytes")) is not int:
        _refuse(folder, MANIFEST)
    return ListedFile(told["sha256"], told["bytes"])


def _by_name(told: object, folder: Path, name: str) -> dict[str, Mapping[str, Any]]:
    """Return entries of a list by their names, which must differ."""
    if not isinstance(told, list) or not all(isinstance(one, dict) for one in told):
        _refuse(folder, name)
    found = {one["name"]: one for one in told if isinstance(one.get("name"), str)}
    if len(found) < len(told):
        _refuse(folder, name)
    return found


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _json(folder: Path, name: str) -> dict[str, Any]:
    path = folder / name
    try:
        found = json.loads(path.read_bytes().decode("utf-8"), parse_constant=_no_number)
        json_text(found).encode("utf-8")  # half a character can be escaped, but not shown
    except FileNotFoundError:
        raise SourceNotReadable("errors.gate.evidence_lacks", folder=folder, name=name) from None
    except OSError as error:
        raise SourceNotReadable("errors.gate.not_readable", path=path, why=reason_of(error)) from None
    except (ValueError, RecursionError):
        _refuse(folder, name)
    if not isinstance(found, dict):
        _refuse(folder, name)
    return found


def _no_number(text: str) -> NoReturn:
    raise ValueError(text)


def _check_format(told: Mapping[str, Any], wanted: str, folder: Path, name: str) -> None:
    if (told.get("format"), told.get("version")) != (wanted, VERSION):
        _refuse(folder, name)


def _refuse(folder: Path, name: str) -> NoReturn:
    raise OptionNotUsable("errors.gate.evidence_broken", folder=folder, name=name) from None
