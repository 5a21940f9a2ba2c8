"""`sudare gate`: a policy of checks for pipelines, and evidence that others can verify."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from sudare.cli.files import READ, REPORT, Input, InputFolder, Output, OutputFolder, check_outputs
from sudare.cli.frame import (
    EXIT_ANSWER_NO,
    JsonOption,
    guarded,
    note_written,
    pairs,
    show_json,
    shown_progress,
    spoken,
)
from sudare.cli.options import LegalOption, frames_of, taking
from sudare.cli.settings import Settings, command_line
from sudare.errors import OptionNotUsable
from sudare.showing import dataclass
from sudare.sources.writing import protect

if TYPE_CHECKING:
    from sudare.gate.run import GateRun

JUNIT = Output((".xml",))
SARIF = Output((".sarif", ".json"))
TOML = Output((".toml",))
BASELINE = Output((".json",))


@dataclass(frozen=True, slots=True)
class GateOutputs:
    """The words that say what is written about a run."""

    report: Annotated[Path | None, REPORT, typer.Option(metavar="REPORT")] = None
    legal: LegalOption = None
    legal_page: Annotated[Path | None, REPORT, typer.Option(metavar="REPORT")] = None
    evidence: Annotated[Path | None, OutputFolder(), typer.Option(metavar="DIR")] = None
    sign: Annotated[Path | None, READ, typer.Option(metavar="KEY")] = None
    junit: Annotated[Path | None, JUNIT, typer.Option(metavar="FILE")] = None
    sarif: Annotated[Path | None, SARIF, typer.Option(metavar="FILE")] = None

    def check(self) -> None:
        """Refuse what cannot be written or is not known, before anything is measured."""
        from sudare.gate.evidence import check_new_folder
        from sudare.gate.signature import sign

        if self.sign and not self.evidence:
            raise OptionNotUsable("errors.usage.nothing_written", option="--sign")
        if self.sign:
            sign(b"", self.sign)  # whether it is a key that can
        if self.evidence:
            check_new_folder(self.evidence)
        frames_of(self.legal)

    def written(self, baseline: Path | None) -> Iterator[tuple[Path, Output]]:
        """Yield the files that will be written, with what they may be called."""
        marks = {self.report: REPORT, self.legal_page: REPORT, self.junit: JUNIT, self.sarif: SARIF, baseline: BASELINE}
        yield from ((path, mark) for path, mark in marks.items() if path is not None)

    def write(self, found: GateRun) -> None:
        """Write everything that is asked for, and tell of each file when it is there."""
        from sudare.gate.evidence import write_evidence
        from sudare.gate.exports import write_junit, write_sarif
        from sudare.report.gate.report import write_gate_report

        how: dict[str, Any] = {"command": command_line(), "language": Settings.language}
        if self.report:
            write_gate_report(found, self.report, legal=frames_of(self.legal), **how)
            note_written(self.report)
        if self.legal_page:
            write_gate_report(found, self.legal_page, legal=frames_of(self.legal), only_legal=True, **how)
            note_written(self.legal_page)
        if self.junit:
            write_junit(found, self.junit, language=Settings.language)
            note_written(self.junit)
        if self.sarif:
            write_sarif(found, self.sarif, language=Settings.language)
            note_written(self.sarif)
        if self.evidence:
            write_evidence(found, self.evidence, key=self.sign, **how)
            note_written(self.evidence)


@guarded
@taking(GateOutputs)
def run(
    outputs: GateOutputs,
    policy: Annotated[str, READ, typer.Argument(metavar="POLICY")],
    baseline: Annotated[Path | None, BASELINE, typer.Option(metavar="FILE")] = None,
    update_baseline: Annotated[bool, typer.Option("--update-baseline")] = False,
    json: JsonOption = False,
) -> None:
    """Measure what a policy asks for; exit code 3 if a check fails."""
    from sudare.gate.baseline import write_baseline
    from sudare.gate.policy import read_policy
    from sudare.gate.run import baseline_of, run_gate
    from sudare.report.legal.criteria import frames_named, read_answers

    if update_baseline and baseline is None:
        raise OptionNotUsable("errors.gate.which_baseline")
    asked = read_policy(policy)
    # What reports will show of the policy is refused before anything is measured, and written.
    frames_named(asked.legal)
    if asked.answers:
        read_answers(asked.folder / asked.answers)
    # What the policy reads is known only now: nothing is written over it.
    protect(asked.folder / file for _, file in asked.files())
    outputs.check()
    check_outputs(dict(outputs.written(baseline if update_baseline else None)))
    # What is accepted anew is not compared with what was before.
    compared = None if update_baseline else baseline
    with shown_progress() as progress:
        found = run_gate(asked, baseline=compared, progress=progress)
    outputs.write(found)
    if update_baseline and baseline:
        write_baseline(baseline_of(found), baseline)
        note_written(baseline)
    if json:
        show_json("gate", found.to_dict())
    else:
        from sudare.report.gate.text import show_gate

        show_gate(found, spoken())
    if found.verdict == "fail":
        raise typer.Exit(EXIT_ANSWER_NO)


@guarded
def init(
    file: Annotated[str, READ, typer.Argument(metavar="FILE")],
    out: Annotated[Path, TOML, typer.Option("--out", "-o", metavar="POLICY")],
    answers: Annotated[Path | None, TOML, typer.Option(metavar="FILE")] = None,
    kind: Annotated[Literal["history", "table", "baskets"] | None, typer.Option()] = None,
    option: Annotated[list[str] | None, typer.Option("--set", metavar="NAME=VALUE")] = None,
    json: JsonOption = False,
) -> None:
    """Look at a file, and write a first policy for it."""
    from sudare.gate.suggestion import suggest_policy

    with shown_progress() as progress:
        found = suggest_policy(
            file, kind=kind, options=_options(option), folder=out.parent, answers=answers,
            language=Settings.language, progress=progress,
        )  # fmt: skip
    if answers:
        found.write_questions(answers)
    found.write(out)
    if json:
        show_json("gate-policy", found.to_dict())
    else:
        from sudare.report.gate.text import show_suggested

        show_suggested(found, spoken())
    if answers:
        note_written(answers)
    note_written(out)


def _options(words: list[str] | None) -> Mapping[str, Any]:
    """Return options of the source as a policy has them; those that may be repeated are lists."""
    from sudare.gate.measures.registry import SOURCE_OPTIONS

    known = {name: argument for options in SOURCE_OPTIONS.values() for name, argument in options.items()}
    found: dict[str, Any] = {}
    for name, values in pairs(words, "--set", "bad-rows=drop").items():
        kind = known[name].kind if name in known else "text"
        if kind == "names":
            found[name] = tuple(values)
        elif kind == "flag":
            found[name] = {"true": True, "false": False}.get(values[-1], values[-1])
        else:
            found[name] = int(values[-1]) if kind == "count" and values[-1].isdecimal() else values[-1]
    return found


@guarded
def verify(
    folder: Annotated[Path, InputFolder(), typer.Argument(metavar="DIR")],
    source: Annotated[list[str] | None, Input(named=True), typer.Option(metavar="NAME=FILE")] = None,
    public_key: Annotated[Path | None, READ, typer.Option(metavar="KEY")] = None,
    files_only: Annotated[bool, typer.Option("--files-only")] = False,
    json: JsonOption = False,
) -> None:
    """Compare evidence with its files and compute its numbers again; exit code 3 if anything differs."""
    from sudare.gate.verification import verify_evidence

    sources = {name: values[-1] for name, values in pairs(source, "--source", "sales=sales.csv").items()}
    with shown_progress() as progress:
        found = verify_evidence(
            folder, sources=sources, public_key=public_key, files_only=files_only, progress=progress
        )
    if json:
        show_json("gate-verification", found.to_dict())
    else:
        from sudare.report.gate.text import show_verification

        show_verification(found, spoken())
    if found.differs:
        raise typer.Exit(EXIT_ANSWER_NO)
