"""Recomputing the outcome of a contest from its archive alone: hashes, U, hits, standings.

An archive is the folder that `sudare server export` writes: `archive.json` says what counted and what was found,
`files/` has every file under its SHA-256, and `SHA256SUMS` has the hashes of all of it.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from math import isclose
from pathlib import Path, PurePosixPath
from typing import Any

from sudare.arguments import checked
from sudare.contest.evaluation import EvaluatedRound, FinalFiles, evaluate_finals
from sudare.contest.publish import publish_anonymized
from sudare.errors import SourceNotReadable
from sudare.histories.generalized.rule_sets import BUILT_IN, RuleSet, load_rules
from sudare.histories.generalized.text import read_original
from sudare.messages import message
from sudare.messages.reasons import reason_of
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass

CONTEST_FILE = "archive.json"
SUMS_FILE = "SHA256SUMS"
FILES = "files"
# Another machine may add up in another order; what is shown of U has six digits.
TOLERANCE = 1e-9

JUDGED = ("guesses", "hits", "threshold", "margin", "effective")
RANKED = ("rank", "outcome", "attacks", "effective", "tied")

_SUM = re.compile(r"([0-9a-f]{64})  (.+)")


@dataclass(frozen=True, slots=True)
class Difference(Result):
    """Something that is not as recorded; `round` is None if it is about a file."""

    round: str | None
    what: str
    recorded: Any
    recomputed: Any


@dataclass(frozen=True, slots=True)
class RecomputedRound(Result):
    """A round: how many finals and attacks were computed once more; not `evaluated` if nothing was recorded."""

    name: str
    evaluated: bool
    finals: int
    attacks: int


@dataclass(frozen=True, slots=True)
class Recomputed(Result):
    """The result of recomputing an archive: its number of files, its rounds, and all differences.

    If a file does not match its hash, no round is computed.
    """

    _further = ("same",)
    _rows = ("differences",)
    _row = Difference

    contest: str
    files: int
    rounds: tuple[RecomputedRound, ...]
    differences: tuple[Difference, ...]

    @property
    def same(self) -> bool:
        """Whether everything is as recorded."""
        return not self.differences


@checked
def recompute_archive(folder: str | Path, *, progress: Progress = silent) -> Recomputed:
    """Check all hashes of an archive, recompute U, hits and standings of its rounds, and compare."""
    folder = Path(folder)
    described = _described(folder)
    contest, hashes = described["contest"], _hashes(folder)
    progress(message("progress.hashes"), 0, 1)
    differences = _changed_files(folder, described, hashes)
    rounds: list[RecomputedRound] = []
    for round in described["rounds"] if not differences else ():
        found = _recompute_round(folder, contest["rules"], round, progress)
        attacks = len(found.attacks) if found else 0
        rounds.append(RecomputedRound(round["name"], found is not None, len(round["finals"]), attacks))
        if found:
            differences += _compare(round["name"], round["evaluation"], found)
            differences += _compare_published(folder, contest["rules"], round)
    return Recomputed(contest["name"], len(hashes), tuple(rounds), tuple(differences))


def _described(folder: Path) -> dict[str, Any]:
    path = folder / CONTEST_FILE
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        for round in found["rounds"]:
            _ = round["name"], round["original"], round["finals"], round["evaluation"]
        _ = found["contest"]["name"], found["contest"]["rules"]
    except OSError as error:
        raise SourceNotReadable("errors.contest.not_archive", folder=folder, reason=reason_of(error)) from None
    except (ValueError, KeyError, TypeError):
        raise SourceNotReadable("errors.contest.not_exported", path=path) from None
    return found


def _hashes(folder: Path) -> dict[str, str]:
    """Return the hashes of all files by their names, none of which leaves the folder."""
    path = folder / SUMS_FILE
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SourceNotReadable("errors.contest.not_readable", path=path, reason=reason_of(error)) from None
    found: dict[str, str] = {}
    for line in lines:
        parts = _SUM.fullmatch(line)
        name = PurePosixPath(parts[2]) if parts else None
        if parts is None or name is None or name.is_absolute() or ".." in name.parts:
            raise SourceNotReadable("errors.contest.not_a_sum", path=path, line=line[:80])
        found[parts[2]] = parts[1]
    return found


def _changed_files(folder: Path, described: Mapping[str, Any], hashes: Mapping[str, str]) -> list[Difference]:
    """Return the files that are not what their hash says, and those that the archive names and does not have."""
    found = []
    for name, hash in hashes.items():
        now = file_hash(folder / name) if (folder / name).is_file() else None
        if now != hash:
            found.append(Difference(None, name, hash, now))
    named = {name for name in _named_files(described) if hashes.get(f"{FILES}/{name}") != name}
    return found + [Difference(None, f"{FILES}/{name}", name, None) for name in sorted(named)]


def _named_files(described: Mapping[str, Any]) -> Iterator[str]:
    rules = described["contest"]["rules"]
    if rules not in BUILT_IN:
        yield rules
    for round in described["rounds"]:
        if round["original"]:
            yield round["original"]
        for final in round["finals"]:
            yield from (final["anonymized"], final["published"], *(guess["file"] for guess in final["guesses"]))


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _rules(folder: Path, name: str) -> RuleSet:
    return load_rules(name if name in BUILT_IN else folder / FILES / name)


def _recompute_round(folder: Path, rules: str, round: Mapping[str, Any], progress: Progress) -> EvaluatedRound | None:
    if round["evaluation"] is None or round["original"] is None:
        return None
    files, loaded = folder / FILES, _rules(folder, rules)
    finals = [
        FinalFiles(
            final["team"],
            files / final["anonymized"],
            {guess["team"]: files / guess["file"] for guess in final["guesses"]},
        )
        for final in round["finals"]
    ]
    return evaluate_finals(read_original(files / round["original"], loaded), finals, loaded, progress=progress)


def _compare(round: str, recorded: Mapping[str, Any], found: EvaluatedRound) -> list[Difference]:
    computed = found.to_dict()
    before = {entry["name"]: entry for entry in recorded["standings"]}
    after = {entry["name"]: entry for entry in computed["standings"]}
    differences = _entries(round, before, after, ("utility", *RANKED))
    if list(before) != list(after):
        differences.append(Difference(round, "order", list(before), list(after)))
    return differences + _entries(round, _attacks(recorded), _attacks(computed), JUDGED)


def _attacks(outcome: Mapping[str, Any]) -> dict[str, Any]:
    return {f"{entry['attacker']} -> {entry['target']}": entry for entry in outcome["attacks"]}


def _entries(
    round: str, before: Mapping[str, Mapping[str, Any]], after: Mapping[str, Mapping[str, Any]], names: Sequence[str]
) -> list[Difference]:
    """Compare entries by their keys; one that is there only once differs as a whole."""
    found = []
    for key in sorted(before.keys() | after.keys()):
        if key not in before or key not in after:
            found.append(Difference(round, key, key in before, key in after))
            continue
        one, other = before[key], after[key]
        found += [
            Difference(round, f"{key}: {name}", one.get(name), other[name])
            for name in names
            if not _equal(one.get(name), other[name])
        ]
    return found


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return bool(one == other)


def _compare_published(folder: Path, rules: str, round: Mapping[str, Any]) -> list[Difference]:
    """Publish each final anew and compare the hash of what comes out."""
    found = []
    with tempfile.TemporaryDirectory() as aside:
        for final in round["finals"]:
            path = Path(aside) / "published.csv"
            publish_anonymized(folder / FILES / final["anonymized"], path, _rules(folder, rules))
            if (hash := file_hash(path)) != final["published"]:
                found.append(Difference(round["name"], f"{final['team']}: A'", final["published"], hash))
    return found
