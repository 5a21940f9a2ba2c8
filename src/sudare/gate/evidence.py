"""Evidence of a gate: a folder that says what was measured of which files, and whose every file is hashed.

It holds the policy, the results, the page, the files that were read by their hashes, and a manifest with the hash of
each of these. No value or record of the data is in it, unless the policy names a check among `examples`.
"""

from __future__ import annotations

import codecs
import datetime as dt
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import platform, python_version
from typing import Any

from sudare.arguments import checked
from sudare.errors import OutputNotWritable
from sudare.gate.baseline import write_baseline
from sudare.gate.policy import Policy
from sudare.gate.run import GateRun
from sudare.gate.signature import sign, write_signature
from sudare.lazy import above
from sudare.messages import Language
from sudare.messages.reasons import reason_of
from sudare.sources.text import file_hash
from sudare.sources.writing import check_folder, keeps_inputs
from sudare.version import __version__

MANIFEST_FORMAT, INPUTS_FORMAT = "sudare gate evidence", "sudare gate inputs"
VERSION = 1
POLICY, RESULTS, REPORT, INPUTS = "policy.toml", "results.json", "report.html", "inputs.json"
BASELINE, ANSWERS = "baseline.json", "answers.toml"
MANIFEST, SIGNATURE = "manifest.json", "manifest.sig"
# What numbers can depend on, beside sudare itself.
_PACKAGES = ("duckdb", "numpy", "scipy", "numba", "scikit-learn", "pyspark")


@checked
@keeps_inputs()
def write_evidence(
    found: GateRun,
    folder: str | Path,
    *,
    command: str | None = None,
    language: Language = "en",
    key: str | Path | None = None,
    made: dt.datetime | None = None,
) -> None:
    """Write the evidence of a run into a new folder, whole or not at all.

    `key` is a private Ed25519 key (PEM) that signs the manifest. `made` is the time that is noted (None: now).
    """
    check_new_folder(Path(folder))
    # Links in the way must not change where the policy is from here.
    folder = Path(folder).resolve()
    made = made or dt.datetime.now().astimezone()
    try:
        temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise OutputNotWritable("errors.output.not_written", why=reason_of(error)) from None
    try:
        _fill(found, temporary, folder, made, command=command, language=language)
        _write_json(temporary / MANIFEST, manifest_of(temporary))
        if key is not None:
            write_signature(temporary / SIGNATURE, sign((temporary / MANIFEST).read_bytes(), Path(key)))
        temporary.chmod(0o755)
        if folder.exists():
            folder.rmdir()
        temporary.replace(folder)
    except OSError as error:
        raise OutputNotWritable("errors.output.not_written", why=reason_of(error)) from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def check_new_folder(folder: Path) -> None:
    """Refuse a folder with something in it, since evidence is not mixed, and not replaced; or one with no place."""
    check_folder(folder)
    if not folder.absolute().parent.is_dir():
        raise OutputNotWritable("errors.writing.no_folder", path=folder, folder=folder.parent)
    if folder.is_dir() and any(folder.iterdir()):
        raise OutputNotWritable("errors.gate.evidence_there", folder=folder)


def _fill(
    found: GateRun, folder: Path, final: Path, made: dt.datetime, *, command: str | None, language: Language
) -> None:
    policy = found.policy
    (folder / POLICY).write_bytes(_policy_bytes(policy))
    _write_json(folder / RESULTS, found.to_dict())
    _write_json(folder / INPUTS, _inputs(found, final, made, command))
    if found.compared is not None:
        write_baseline(found.compared, folder / BASELINE)
    if policy.answers:
        shutil.copyfile(policy.folder / policy.answers, folder / ANSWERS)
    write: Any = above("sudare.report.gate.report", "write_gate_report")
    write(found, folder / REPORT, command=command, language=language, made=made)


def _policy_bytes(policy: Policy) -> bytes:
    """Return the policy as it lies on the disk, so that it has the same hash: its text has lost a byte order mark."""
    content = policy.content.encode("utf-8")
    return content if sha256(content).hexdigest() == policy.sha256 else codecs.BOM_UTF8 + content


def _inputs(found: GateRun, folder: Path, made: dt.datetime, command: str | None) -> dict[str, Any]:
    """Return what was read, and with what: enough to repeat everything."""
    base = os.path.relpath(found.policy.folder.resolve(), folder)
    return {
        "format": INPUTS_FORMAT,
        "version": VERSION,
        "made": made.isoformat(timespec="seconds"),
        "sudare": __version__,
        "python": python_version(),
        "system": platform(terse=True),
        "packages": _versions(),
        "seed": found.seed,
        "command": command,
        "base": Path(base).as_posix(),
        "inputs": [part.to_dict() for part in found.inputs],
        "options": {source.name: dict(source.options) for source in found.policy.sources},
    }


def _versions() -> dict[str, str | None]:
    return {name: _version(name) for name in _PACKAGES}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def manifest_of(folder: Path) -> dict[str, Any]:
    """Return the hash and the size of each file of a folder, but for the manifest and its signature."""
    names = sorted(path.name for path in folder.iterdir() if path.name not in (MANIFEST, SIGNATURE))
    files = {name: {"sha256": file_hash(folder / name), "bytes": (folder / name).stat().st_size} for name in names}
    return {"format": MANIFEST_FORMAT, "version": VERSION, "files": files}


def json_text(told: Mapping[str, Any]) -> str:
    """Return what a file of evidence says as its text."""
    return json.dumps(told, ensure_ascii=False, indent=2) + "\n"


def _write_json(path: Path, told: Mapping[str, Any]) -> None:
    path.write_text(json_text(told), encoding="utf-8", newline="\n")
