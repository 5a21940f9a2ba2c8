"""Verifying evidence: its files, the files it is about, and all of its numbers, computed again."""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from sudare.arguments import checked
from sudare.errors import OptionNotUsable, SourceNotReadable
from sudare.gate.baseline import read_baseline
from sudare.gate.evidence import (
    BASELINE,
    INPUTS,
    INPUTS_FORMAT,
    MANIFEST,
    MANIFEST_FORMAT,
    POLICY,
    RESULTS,
    SIGNATURE,
    VERSION,
)
from sudare.gate.policy import Policy, read_policy
from sudare.gate.run import GateRun, hash_of, run_gate
from sudare.gate.signature import is_signed, read_signature
from sudare.messages.near import near_names
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass
from sudare.sources.text import file_hash

PartKind = Literal["file", "input", "number", "verdict", "signature", "version"]
PartState = Literal["same", "changed", "missing", "unexpected", "not_checked"]
# Numbers of the same files and the same seed are the same but for the last bits of sums.
_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class EvidencePart(Result):
    """Something that was compared: a file of the evidence, a file that it is about, a number, a verdict, a signature.

    `version` says that another version of sudare computed the numbers; it is no difference by itself.
    """

    kind: PartKind
    name: str
    state: PartState
    expected: str | float | None = None
    found: str | float | None = None


@dataclass(frozen=True, slots=True)
class EvidenceVerification(Result):
    """What was compared, and whether everything is as the evidence says.

    `signed` is None where nobody signed or no key was given to compare with.
    """

    _rows = ("parts",)
    _row = EvidencePart
    _further = ("verified", "differences")

    parts: tuple[EvidencePart, ...]
    recomputed: bool
    signed: bool | None

    @property
    def differences(self) -> tuple[EvidencePart, ...]:
        """What is not as the evidence says."""
        return tuple(part for part in self.parts if part.state in ("changed", "missing", "unexpected"))

    @property
    def verified(self) -> bool:
        """Whether all files and all numbers are as the evidence says; what was not computed again is not verified."""
        return self.recomputed and not any(part.kind != "version" for part in self.differences)


@checked
def verify_evidence(
    folder: str | Path,
    *,
    sources: Mapping[str, str | Path] | None = None,
    public_key: str | Path | None = None,
    files_only: bool = False,
    progress: Progress = silent,
) -> EvidenceVerification:
    """Compare the files of evidence with its manifest, the files it is about with their hashes, and every number.

    `sources` says where files are now, by the name of the source or as the policy names the file. With `files_only`
    nothing is computed again, and the evidence is not called verified.
    """
    folder = Path(folder)
    parts = [*_files(folder)]
    signed = _signature(folder, public_key)
    if signed is not None:
        parts.append(EvidencePart("signature", SIGNATURE, "same" if signed else "changed"))
    elif (folder / SIGNATURE).is_file():
        parts.append(EvidencePart("signature", SIGNATURE, "not_checked"))
    if files_only:
        return EvidenceVerification(tuple(parts), recomputed=False, signed=signed)
    inputs, results = _json(folder / INPUTS), _json(folder / RESULTS)
    _check_format(inputs, INPUTS_FORMAT, folder / INPUTS)
    policy = _moved(read_policy(folder / POLICY, folder=folder / str(inputs["base"])), sources or {})
    parts += _inputs(policy, inputs)
    baseline = read_baseline(folder / BASELINE) if (folder / BASELINE).is_file() else None
    day = dt.date.fromisoformat(str(results["day"]))
    again = run_gate(policy, baseline=baseline, day=day, progress=progress)
    parts += _numbers(results, again)
    parts += _versions(inputs)
    return EvidenceVerification(tuple(parts), recomputed=True, signed=signed)


def _files(folder: Path) -> Iterator[EvidencePart]:
    """Compare the files of a folder with its manifest."""
    if not folder.is_dir():
        raise SourceNotReadable("errors.gate.no_evidence", folder=folder)
    manifest = _json(folder / MANIFEST)
    _check_format(manifest, MANIFEST_FORMAT, folder / MANIFEST)
    listed: Mapping[str, Any] = manifest["files"]
    for name, told in listed.items():
        path = folder / name
        if not path.is_file():
            yield EvidencePart("file", name, "missing", told["sha256"])
            continue
        found = file_hash(path)
        yield EvidencePart("file", name, "same" if found == told["sha256"] else "changed", told["sha256"], found)
    for path in sorted(folder.iterdir()):
        if path.name not in (*listed, MANIFEST, SIGNATURE):
            yield EvidencePart("file", path.name, "unexpected")


def _signature(folder: Path, public_key: str | Path | None) -> bool | None:
    """Return whether the manifest is signed by the owner of a key; None without a key."""
    if public_key is None:
        return None
    path = folder / SIGNATURE
    return path.is_file() and is_signed((folder / MANIFEST).read_bytes(), read_signature(path), Path(public_key))


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(found, dict):
            raise ValueError(path)
    except FileNotFoundError:
        raise SourceNotReadable("errors.gate.evidence_lacks", folder=path.parent, name=path.name) from None
    except (OSError, ValueError):
        raise OptionNotUsable("errors.gate.evidence_broken", folder=path.parent, name=path.name) from None
    return found


def _check_format(told: Mapping[str, Any], wanted: str, path: Path) -> None:
    if (told.get("format"), told.get("version")) != (wanted, VERSION):
        raise OptionNotUsable("errors.gate.evidence_broken", folder=path.parent, name=path.name)


def _moved(policy: Policy, sources: Mapping[str, str | Path]) -> Policy:
    """Return the policy with files where they are now."""
    known = {name for name, _ in policy.files()} | {file for _, file in policy.files()}
    for name in sources:
        if name not in known:
            raise OptionNotUsable("errors.gate.no_such_source", name=name, near=near_names(name, sorted(known)))
    now = {name: str(Path(path).absolute()) for name, path in sources.items()}
    moved = tuple(
        replace(source, file=now.get(source.name, now.get(source.file, source.file))) for source in policy.sources
    )
    checks = tuple(
        replace(
            check,
            arguments={
                **check.arguments,
                **{
                    name: now.get(f"{check.name}: {name}", now.get(str(check.arguments[name]), check.arguments[name]))
                    for name in policy.files_of(check)
                },
            },
        )
        for check in policy.checks
    )
    answers = now.get("answers", now.get(policy.answers, policy.answers)) if policy.answers else None
    return replace(policy, sources=moved, checks=checks, answers=answers)


def _inputs(policy: Policy, told: Mapping[str, Any]) -> Iterator[EvidencePart]:
    """Compare the files that the evidence is about with their hashes."""
    expected = {str(one["name"]): one["sha256"] for one in told["inputs"]}
    for name, file in policy.files():
        found, wanted = hash_of(policy.folder / file), expected.get(name)
        if found is None:
            state: PartState = "not_checked" if wanted is None else "missing"
            if state == "missing":
                raise SourceNotReadable("errors.gate.source_moved", file=policy.folder / file, name=name)
        else:
            state = "same" if found == wanted else "changed"
        yield EvidencePart("input", name, state, wanted, found)


def _numbers(told: Mapping[str, Any], again: GateRun) -> Iterator[EvidencePart]:
    """Compare values and verdicts with those computed again."""
    new = {check.name: check for check in again.checks}
    for old in told["checks"]:
        check = new.pop(str(old["name"]), None)
        if check is None:
            yield EvidencePart("number", str(old["name"]), "missing", old["value"])
            continue
        same = math.isclose(check.value, float(old["value"]), rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
        yield EvidencePart("number", check.name, "same" if same else "changed", old["value"], check.value)
        if check.verdict != old["verdict"]:
            yield EvidencePart("verdict", check.name, "changed", str(old["verdict"]), check.verdict)
    for name, check in new.items():
        yield EvidencePart("number", name, "unexpected", None, check.value)


def _versions(told: Mapping[str, Any]) -> Iterator[EvidencePart]:
    from sudare.version import __version__

    state: PartState = "same" if told["sudare"] == __version__ else "changed"
    yield EvidencePart("version", "sudare", state, str(told["sudare"]), __version__)
