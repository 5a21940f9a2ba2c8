"""Running a gate: every source is opened once, every check measured, and the worst comes first."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from sudare.arguments import checked
from sudare.errors import SudareError
from sudare.gate.arguments import Value
from sudare.gate.baseline import Baseline, BaselineValue, read_baseline
from sudare.gate.commands import command_of
from sudare.gate.measures.model import Asked, Basis, Better, Measured, Unit
from sudare.gate.measures.registry import Kind, find_measure
from sudare.gate.opened.opening import opened
from sudare.gate.opened.source import OpenSource
from sudare.gate.policy import Policy, PolicyCheck, PolicySource, Waiver, read_policy
from sudare.gate.verdicts import FAILING, VERDICTS, Verdict, verdict_of
from sudare.lazy import above
from sudare.messages import Language, Message, Texts, has_entry, message
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass
from sudare.sources.local.names import is_pattern, matching_files, not_found
from sudare.sources.text import file_hash
from sudare.sources.writing import keeps_inputs, protected

GateVerdict = Literal["fail", "warn", "pass"]


@dataclass(frozen=True, slots=True)
class GateInput(Result):
    """A file that was read: what the policy calls it, its hash, and of a source how many rows it has.

    What lies in a catalog has no hash.
    """

    name: str
    file: str
    sha256: str | None
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class GateCheck(Result):
    """What became of a check: the value, its limits, the verdict, and the command that shows more.

    `before` is the value in the baseline, if there is one. `facts` are said beside the value, without values of the
    data. `examples` are values of the data; they are empty unless the policy names the check among `examples`.
    """

    _hidden = ("facts", "unproven")
    _further = ("said",)

    name: str
    source: str
    kind: Kind
    measure: str
    arguments: Mapping[str, Value]
    value: float
    better: Better
    unit: Unit
    basis: Basis
    warn: float | None
    fail: float | None
    before: float | None
    drift: float
    verdict: Verdict
    waiver: Waiver | None
    command: str
    line: int
    facts: tuple[Message, ...]
    unproven: Message | None
    examples: tuple[str, ...]

    @property
    def said(self) -> tuple[str, ...]:
        """What is said beside the value, in English."""
        return self.told(Texts("en"))

    @checked
    def told(self, texts: Texts) -> tuple[str, ...]:
        """Return what is said beside the value, and why that does not count as an answer if it does not."""
        return tuple(texts.say(part) for part in (*((self.unproven,) if self.unproven else ()), *self.facts))


@dataclass(frozen=True, slots=True, eq=False)
class GateRun(Result):
    """The checks of a policy, the worst first, and the files that they were about.

    `day` is the one on which exceptions were valid or not. `compared` is the baseline, if there was one.
    """

    _hidden = ("policy", "compared")
    _rows = ("checks",)
    _row = GateCheck
    _further = ("verdict", "counts")

    title: str
    source: str
    sha256: str
    seed: int
    day: dt.date
    checks: tuple[GateCheck, ...]
    inputs: tuple[GateInput, ...]
    baseline: str | None
    policy: Policy = field(repr=False)
    compared: Baseline | None = field(repr=False)

    @property
    def verdict(self) -> GateVerdict:
        """Whether a check fails, or at least one warns, or all pass."""
        found = {check.verdict for check in self.checks}
        return "fail" if found.intersection(FAILING) else "warn" if "warn" in found else "pass"

    @property
    def sources(self) -> tuple[str, ...]:
        """Where the policy and everything that it names lie: nothing is written over them."""
        return tuple(str(self.policy.folder / file) for file in (self.source, *dict(self.policy.files()).values()))

    @property
    def counts(self) -> dict[Verdict, int]:
        """How many checks have which verdict."""
        return {verdict: sum(check.verdict == verdict for check in self.checks) for verdict in VERDICTS}

    @checked
    @keeps_inputs()
    def report(self, path: str | Path, *, command: str | None = None, language: Language = "en") -> None:
        """Write one page about the checks, for readers who do not have sudare."""
        write: Any = above("sudare.report.gate.report", "write_gate_report")
        write(self, path, command=command, language=language)


@checked
def run_gate(
    policy: Policy | str | Path,
    *,
    baseline: Baseline | str | Path | None = None,
    day: dt.date | None = None,
    progress: Progress = silent,
) -> GateRun:
    """Measure everything that a policy asks for, and compare it with its limits and with a baseline.

    Each source is opened once. `day` says which exceptions have expired (None: today). Input that cannot be used is an
    error, never a verdict.

        sudare.gate.run_gate("policy.toml").verdict
    """
    asked = policy if isinstance(policy, Policy) else read_policy(policy)
    compared = baseline if isinstance(baseline, Baseline) or baseline is None else read_baseline(baseline)
    before = compared.values_of(asked) if compared else {}
    today = day or dt.datetime.now().astimezone().date()
    found: list[GateCheck] = []
    inputs = _inputs(asked)
    with protected([asked.folder / file for _, file in asked.files()]):
        for source in asked.sources:
            checks = [check for check in asked.checks if check.source == source.name]
            if checks:
                found += _run_source(asked, source, checks, before, today, inputs, len(found), progress)
    progress(message("progress.gate"), len(asked.checks), len(asked.checks))
    order = {check.name: place for place, check in enumerate(asked.checks)}
    found.sort(key=lambda check: (VERDICTS.index(check.verdict), order[check.name]))
    return GateRun(
        asked.title, asked.source, asked.sha256, asked.seed, today, tuple(found), tuple(inputs.values()),
        compared.source if compared else None, asked, compared,
    )  # fmt: skip


def _inputs(policy: Policy) -> dict[str, GateInput]:
    """Return the files of a policy with their hashes, before anything is computed."""
    in_catalogs = {source.name for source in policy.sources if source.options.get("engine", "duckdb") != "duckdb"}
    found = {}
    for name, file in policy.files():
        hashed = hash_of(policy.folder / file)
        if hashed is None and name not in in_catalogs:
            raise _of_policy(not_found(policy.folder / file), policy, name)
        found[name] = GateInput(name, file, hashed)
    return found


def hash_of(path: Path) -> str | None:
    """Return the hash of a file, or of the hashes of all files of a folder or a pattern; None if there are none."""
    if path.is_file():
        return file_hash(path)
    files = sorted(filter(Path.is_file, path.rglob("*"))) if path.is_dir() else []
    if not files and is_pattern(path):
        files = matching_files(path)
    return sha256("\n".join(map(file_hash, files)).encode()).hexdigest() if files else None


def _of_policy(error: SudareError, policy: Policy, where: str) -> SudareError:
    """Return an error as one of a check or a source of a policy, with what to do about it."""
    hint = f"{error.key}_hint"
    told = Message(hint, error.values) if has_entry("en", hint) else ""
    return type(error)("errors.gate.within", path=policy.source, where=where, problem=error, hint=told)


def _run_source(
    policy: Policy,
    source: PolicySource,
    checks: Sequence[PolicyCheck],
    before: Mapping[str, float],
    today: dt.date,
    inputs: dict[str, GateInput],
    done: int,
    progress: Progress,
) -> Iterator[GateCheck]:
    """Open a source, and measure its checks."""
    knowledge = tuple(
        dict.fromkeys(str(check.arguments["knowledge"]) for check in checks if "knowledge" in check.arguments)
    )
    with opened(
        source.kind, policy.folder / source.file, policy.options_of(source), seed=policy.seed, knowledge=knowledge,
        progress=progress,
    ) as place:  # fmt: skip
        for number, check in enumerate(checks, done):
            progress(message("progress.gate"), number, len(policy.checks))
            yield _run_check(policy, source, check, place, before.get(check.name), today, progress)
        if place.reading:
            told = inputs[source.name]
            inputs[source.name] = GateInput(told.name, told.file, told.sha256, place.reading.rows)


def _run_check(
    policy: Policy,
    source: PolicySource,
    check: PolicyCheck,
    place: OpenSource,
    before: float | None,
    today: dt.date,
    progress: Progress,
) -> GateCheck:
    measure = find_measure(source.kind, check.measure)
    limits = tuple(limit for limit in (check.warn, check.fail) if limit is not None)
    asked = Asked(check.arguments, limits, policy.folder, policy.seed, progress)
    try:
        found: Measured = measure.function(place, asked)
    except SudareError as error:
        raise _of_policy(error, policy, check.name) from None
    return GateCheck(
        name=check.name, source=source.name, kind=source.kind, measure=measure.name, arguments=check.arguments,
        value=found.value, better=measure.better, unit=measure.unit, basis=found.basis, warn=check.warn,
        fail=check.fail, before=before, drift=check.drift,
        verdict=verdict_of(check, measure, found, before, today), waiver=check.waiver,
        command=command_of(policy, source, check, measure), line=check.line, facts=found.facts,
        unproven=found.unproven, examples=found.examples if check.name in policy.examples else (),
    )  # fmt: skip


@checked
def baseline_of(found: GateRun) -> Baseline:
    """Return what was measured, to be compared with later."""
    checks = sorted(found.checks, key=lambda check: check.line)
    return Baseline(found.title, {check.name: BaselineValue(check.measure, check.value) for check in checks})
