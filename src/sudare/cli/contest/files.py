"""`sudare contest check`, `check-guesses` and `publish`: whether files follow the rules, and what is published."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sudare.cli.files import LINES, READ
from sudare.cli.frame import EXIT_ANSWER_NO, JsonOption, guarded, note, show_json, shown_progress, spoken
from sudare.cli.options import MemoryOption, SpillOption, ThreadsOption
from sudare.cli.settings import Settings
from sudare.limits import MEMORY
from sudare.progress import Progress
from sudare.showing import dataclass

if TYPE_CHECKING:
    from sudare.contest.check import CheckResult
    from sudare.histories.generalized.held import HeldCells
    from sudare.messages import Texts

DEFAULT_RULES = "pwscup2018"
OriginalArgument = Annotated[str, READ, typer.Argument(metavar="T")]
AnonymizedArgument = Annotated[str, READ, typer.Argument(metavar="A")]
PublishedArgument = Annotated[str, READ, typer.Argument(metavar="PUBLISHED")]
GuessesArgument = Annotated[str, READ, typer.Argument(metavar="GUESSES")]
RulesOption = Annotated[
    str,
    READ,
    typer.Option(metavar="NAME|FILE"),
]
TopErrorsOption = Annotated[int, typer.Option(min=0, metavar="N")]


@dataclass(frozen=True, slots=True)
class ComparedOptions:
    """The words that name T and A, their rules, and the engine that compares them if they are large."""

    original: OriginalArgument
    anonymized: AnonymizedArgument
    rules: RulesOption = DEFAULT_RULES
    engine_name: Annotated[str | None, typer.Option("--engine", metavar="NAME")] = None
    memory: MemoryOption = MEMORY
    spill_dir: SpillOption = None
    min_cell: Annotated[int, typer.Option(metavar="N")] = 1
    threads: ThreadsOption = None

    @contextmanager
    def held(self, progress: Progress) -> Iterator[HeldCells]:
        """Put T and A on the engine, and forget them at the end."""
        from sudare.engine import open_engine
        from sudare.histories.generalized.held import hold_cells
        from sudare.histories.generalized.rule_sets import load_rules

        rules = load_rules(self.rules)
        with (
            open_engine(
                self.engine_name or "duckdb", memory=self.memory, threads=self.threads, spill=self.spill_dir,
                min_cell=self.min_cell,
            ) as engine,
            hold_cells(self.original, self.anonymized, rules, engine=engine, progress=progress) as held,
        ):  # fmt: skip
            yield held


@guarded
def check(
    original: OriginalArgument,
    anonymized: AnonymizedArgument,
    rules: RulesOption = DEFAULT_RULES,
    top: TopErrorsOption = 20,
    json: JsonOption = False,
) -> None:
    """Check that an anonymized history follows the rules."""
    from sudare.contest.check import check_anonymized
    from sudare.histories.generalized.complaints import MOST_COMPLAINTS
    from sudare.histories.generalized.rule_sets import load_rules

    texts, loaded = spoken(), load_rules(rules)
    with shown_progress() as progress:
        found = check_anonymized(
            original, anonymized, loaded, most_errors=MOST_COMPLAINTS if json else top, language=Settings.language,
            progress=progress,
        )  # fmt: skip
    _show(found, texts, json=json)


@guarded
def check_guesses(
    original: OriginalArgument,
    published: PublishedArgument,
    guesses: GuessesArgument,
    rules: RulesOption = DEFAULT_RULES,
    top: TopErrorsOption = 20,
    json: JsonOption = False,
) -> None:
    """Check that guesses follow the rules."""
    from sudare.contest.check import check_guesses as check_file
    from sudare.histories.generalized.complaints import MOST_COMPLAINTS
    from sudare.histories.generalized.rule_sets import load_rules

    texts, loaded = spoken(), load_rules(rules)
    with shown_progress() as progress:
        found = check_file(
            original, published, guesses, loaded, most_errors=MOST_COMPLAINTS if json else top,
            language=Settings.language, progress=progress,
        )  # fmt: skip
    _show(found, texts, json=json)


@guarded
def publish(
    anonymized: AnonymizedArgument,
    out: Annotated[Path, LINES, typer.Option("--out", "-o", metavar="PUBLISHED")],
    rules: RulesOption = DEFAULT_RULES,
    unchecked: Annotated[bool, typer.Option("--unchecked")] = False,
    json: JsonOption = False,
) -> None:
    """Write what is published of an anonymized history."""
    from sudare.contest.publish import publish_anonymized as write_published
    from sudare.histories.generalized.rule_sets import load_rules

    loaded = load_rules(rules)
    with shown_progress() as progress:
        rows = write_published(anonymized, out, loaded, unchecked=unchecked, progress=progress)
    if json:
        show_json("published", {"out": str(out), "rows": rows})
    note("notes.wrote_rows", path=out, count=rows)


def _show(found: CheckResult, texts: Texts, *, json: bool) -> None:
    if json:
        show_json("contest-check", found.to_dict())
    else:
        from sudare.report.contest.check_text import show_check

        show_check(found, texts)
    if not found.valid:
        raise typer.Exit(EXIT_ANSWER_NO)
