"""Verifying evidence: its files, the files it is about, and all of its numbers, computed again.

What is not computed again, such as the page, is known by its hash alone. Somebody who changes a file together with the
manifest is found out where numbers differ, and for the rest by the signature.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Any, Literal

from sudare.arguments import checked
from sudare.errors import OptionNotUsable, SourceNotReadable, SudareError
from sudare.gate.baseline import read_baseline
from sudare.gate.evidence import ANSWERS, BASELINE, INPUTS, MANIFEST, POLICY, REPORT, RESULTS, SIGNATURE
from sudare.gate.policy import Policy, read_policy
from sudare.gate.recorded import (
    ListedFile,
    RecordedInputs,
    RecordedResults,
    read_inputs,
    read_manifest,
    read_results,
)
from sudare.gate.run import GateRun, hash_of, run_gate
from sudare.gate.signature import is_signed, read_signature
from sudare.messages import Message, message
from sudare.messages.near import near_names
from sudare.messages.reasons import reason_of
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass
from sudare.sources.text import file_hash
from sudare.version import __version__

PartKind = Literal["file", "input", "number", "verdict", "entry", "signature", "version"]
PartState = Literal["same", "changed", "missing", "unexpected", "not_checked"]
# Without these there is no evidence.
_FILES = (POLICY, RESULTS, REPORT, INPUTS)
# Numbers of the same files and the same seed are the same but for the last bits of sums.
_TOLERANCE = 1e-9
# What checks say that is compared as numbers and verdicts, or that depends on where the files are now.
_APART = ("name", "value", "before", "verdict", "command")
# What other versions may say in other words.
_WORDS = ("said", "examples")


@dataclass(frozen=True, slots=True)
class EvidencePart(Result):
    """Something that was compared: a file of the evidence, a file that it is about, a number, a verdict, a signature.

    `entry` is anything else that the evidence says and that was found out again; only what differs is listed.
    `version` says that another version of sudare computed the numbers; that alone is not a difference.
    """

    kind: PartKind
    name: str
    state: PartState
    expected: str | float | None = None
    found: str | float | None = None


@dataclass(frozen=True, slots=True)
class EvidenceVerification(Result):
    """What was compared, and whether everything is as the evidence says.

    `signed` is None where nobody signed or no key was given to compare with. `obstacle` says why nothing could be
    computed again, where something that differs is in the way.
    """

    _hidden = ("obstacle",)
    _rows = ("parts",)
    _row = EvidencePart
    _further = ("verified", "differences", "reason")

    parts: tuple[EvidencePart, ...]
    recomputed: bool
    signed: bool | None
    obstacle: Message | None = field(default=None, repr=False)

    @property
    def differences(self) -> tuple[EvidencePart, ...]:
        """What is not as the evidence says."""
        return tuple(part for part in self.parts if part.state in ("changed", "missing", "unexpected"))

    @property
    def differs(self) -> bool:
        """Whether anything is not as the evidence says; another version of sudare alone is not a difference."""
        return any(part.kind != "version" for part in self.differences)

    @property
    def verified(self) -> bool:
        """Whether all files and all numbers are as the evidence says; what was not computed again is not verified."""
        return self.recomputed and not self.differs

    @property
    def reason(self) -> str | None:
        """Why nothing could be computed again, in English."""
        return str(self.obstacle) if self.obstacle else None


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
    nothing is computed again, and the evidence is not called verified. Where nothing can be computed again because of
    something that differs, this is an answer; where everything is as it should be, it is an error.
    """
    folder = Path(folder)
    parts = [*_files(folder)]
    signed = _signature(folder, public_key, parts)
    found = EvidenceVerification(tuple(parts), recomputed=False, signed=signed)
    if files_only:
        return found
    try:
        for part in _again(folder, sources or {}, progress):
            parts.append(part)  # noqa: PERF402 - what is found before an error counts
    except SudareError as error:
        found = replace(found, parts=tuple(parts), obstacle=message(error.key, **error.values))
        if not found.differs:
            raise
        return found
    return replace(found, parts=tuple(parts), recomputed=True)


def _files(folder: Path) -> Iterator[EvidencePart]:
    """Compare the files of a folder with its manifest."""
    if not folder.is_dir():
        raise SourceNotReadable("errors.gate.no_evidence", folder=folder)
    manifest = read_manifest(folder)
    exact = manifest.exact
    for name, listed in manifest.files.items():
        part = _file(folder, name, listed)
        yield part
        # A size that is not that of the bytes with this hash was not written by sudare.
        exact = exact and (part.state != "same" or (folder / name).stat().st_size == listed.size)
    if not exact:
        yield EvidencePart("file", MANIFEST, "changed")
    for path in sorted(folder.iterdir()):
        if path.name not in (*manifest.files, MANIFEST, SIGNATURE):
            yield EvidencePart("file", path.name, "unexpected")
    for name in _FILES:
        if name not in manifest.files and not (folder / name).exists():
            yield EvidencePart("file", name, "missing")


def _file(folder: Path, name: str, listed: ListedFile) -> EvidencePart:
    """Compare a file with its hash. What lies elsewhere is not in the folder, whatever a manifest calls it."""
    path = folder / name
    if path.parent != folder or path.name != name or not path.is_file():
        return EvidencePart("file", name, "missing", listed.sha256)
    try:
        found = file_hash(path)
    except OSError as error:
        raise SourceNotReadable("errors.gate.not_readable", path=path, why=reason_of(error)) from None
    return EvidencePart("file", name, "same" if found == listed.sha256 else "changed", listed.sha256, found)


def _signature(folder: Path, public_key: str | Path | None, parts: list[EvidencePart]) -> bool | None:
    """Return whether the manifest is signed by the owner of a key, None without a key; and add a part about it."""
    path = folder / SIGNATURE
    signature = read_signature(path) if path.is_file() else None
    if public_key is None:
        if signature is not None:
            parts.append(EvidencePart("signature", SIGNATURE, "not_checked" if signature else "changed"))
        return None
    signed = is_signed((folder / MANIFEST).read_bytes(), signature or b"", Path(public_key))
    state: PartState = "same" if signed else "missing" if signature is None else "changed"
    parts.append(EvidencePart("signature", SIGNATURE, state))
    return signed


def _again(folder: Path, sources: Mapping[str, str | Path], progress: Progress) -> Iterator[EvidencePart]:
    """Compare what the evidence is about, and what it says, with what is found now."""
    inputs, results = read_inputs(folder), read_results(folder)
    policy = read_policy(folder / POLICY, folder=folder / inputs.base)
    needed = {BASELINE: results.baseline is not None, ANSWERS: policy.answers is not None}
    for name in (name for name, asked in needed.items() if asked and not (folder / name).exists()):
        yield EvidencePart("file", name, "missing")
    if not needed[BASELINE] and (folder / BASELINE).exists():
        yield EvidencePart("entry", f"{RESULTS}: baseline", "changed", "null", BASELINE)
    moved = _moved(policy, sources)
    yield from _inputs(moved, inputs)
    baseline = read_baseline(folder / BASELINE) if (folder / BASELINE).is_file() else None
    again = run_gate(moved, baseline=baseline, day=results.day, progress=progress)
    yield from _numbers(results, again)
    same_version = inputs.sudare == __version__
    yield from _entries(policy, inputs, results, again, same_words=same_version)
    yield EvidencePart("version", "sudare", "same" if same_version else "changed", inputs.sudare, __version__)


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


def _inputs(policy: Policy, told: RecordedInputs) -> Iterator[EvidencePart]:
    """Compare the files that the evidence is about with their hashes."""
    gone = []
    for name, file in policy.files():
        wanted = told.inputs[name]["sha256"] if "sha256" in told.inputs.get(name, {}) else None
        try:
            found = hash_of(policy.folder / file)
        except OSError as error:
            raise SourceNotReadable(
                "errors.gate.not_readable", path=policy.folder / file, why=reason_of(error)
            ) from None
        state: PartState = "same" if found == wanted else "changed"
        if found is None:
            state = "not_checked"
            if wanted is not None:
                gone.append((name, file))
        yield EvidencePart("input", name, state, wanted, found)
    for name, file in gone:
        raise SourceNotReadable("errors.gate.source_moved", file=policy.folder / file, name=name)


def _numbers(told: RecordedResults, again: GateRun) -> Iterator[EvidencePart]:
    """Compare values and verdicts with those computed again."""
    new = {check.name: check for check in again.checks}
    for name, old in told.checks.items():
        check = new.pop(name, None)
        if check is None:
            yield EvidencePart("number", name, "missing", old["value"])
            continue
        same = _is_close(check.value, old["value"])
        yield EvidencePart("number", name, "same" if same else "changed", old["value"], check.value)
        if check.verdict != old["verdict"]:
            yield EvidencePart("verdict", name, "changed", old["verdict"], check.verdict)
    for name, check in new.items():
        yield EvidencePart("number", name, "unexpected", None, check.value)


def _entries(
    policy: Policy, inputs: RecordedInputs, results: RecordedResults, again: GateRun, *, same_words: bool
) -> Iterator[EvidencePart]:
    """Compare everything else that the evidence says and that is known again: of checks, of inputs, of the run."""
    now = again.to_dict()
    asked = {check.name: check.to_dict()["arguments"] for check in policy.checks}
    left_out = _APART if same_words else (*_APART, *_WORDS)
    for check in now["checks"]:
        told = results.checks.get(check["name"])
        if told is not None:
            known = {key: value for key, value in check.items() if key not in left_out}
            known["arguments"] = asked[check["name"]]
            if not _is_close(check["before"], told.get("before")):
                known["before"] = check["before"]
            yield from _differing(f"{RESULTS}: {check['name']}: ", told, known)
    of_run = {name: now[name] for name in ("sha256", "seed", "verdict", "counts")}
    yield from _differing(f"{RESULTS}: ", results.told, {**of_run, "inputs": inputs.told["inputs"]})
    options = {source.name: source.to_dict()["options"] for source in policy.sources}
    yield from _differing(f"{INPUTS}: ", inputs.told, {"seed": policy.seed, "options": options})
    files = dict(policy.files())
    for part in now["inputs"]:
        told, name = inputs.inputs.get(part["name"]), part["name"]
        known = {"file": files[name]}
        # Of another file, nobody says that it has as many rows.
        if told is not None and told.get("sha256") == part["sha256"]:
            known["rows"] = part["rows"]
        yield from _differing(f"{INPUTS}: {name}: ", told or {}, known)


def _differing(where: str, told: Mapping[str, Any], known: Mapping[str, Any]) -> Iterator[EvidencePart]:
    """Yield what is not told as it is known, to the letter."""
    for name, value in known.items():
        if _text(told.get(name)) != _text(value):
            yield EvidencePart("entry", f"{where}{name}", "changed", _text(told.get(name)), _text(value))


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _is_close(one: float | None, other: Any) -> bool:
    if one is None or isinstance(other, bool) or not isinstance(other, int | float):
        return one is other
    return math.isclose(one, other, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
