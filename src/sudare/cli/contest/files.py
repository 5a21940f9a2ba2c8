"""`sudare contest check`, `check-guesses` and `publish`: whether files follow the rules, and what is published."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sudare.cli.files import LINES, READ
from sudare.cli.frame import EXIT_NOT_SAFE, JsonOption, LanguageOption, guarded, note, show_json, shown_progress
from sudare.cli.options import MemoryOption, SpillOption, ThreadsOption
from sudare.limits import MEMORY
from sudare.progress import Progress
from sudare.showing import dataclass

if TYPE_CHECKING:
    from sudare.contest.check import CheckResult
    from sudare.histories.generalized.held import HeldCells
    from sudare.messages import Texts

DEFAULT_RULES = "pwscup2018"
OriginalArgument = Annotated[
    str, READ, typer.Argument(metavar="T", help="The original history, rows of single values.")
]
AnonymizedArgument = Annotated[str, READ, typer.Argument(metavar="A", help="The anonymized history, row by row as T.")]
PublishedArgument = Annotated[str, READ, typer.Argument(metavar="PUBLISHED", help="What was published of A.")]
GuessesArgument = Annotated[
    str, READ, typer.Argument(metavar="GUESSES", help="The guesses: lines of a pseudonym, a comma and a customer.")
]
RulesOption = Annotated[
    str,
    READ,
    typer.Option(metavar="NAME|FILE", help="The rules: pwscup2018, or a TOML file with those of another contest."),
]
MaxErrorsOption = Annotated[int, typer.Option(min=0, metavar="N", help="How many errors to show; JSON has all.")]


@dataclass(frozen=True, slots=True)
class ComparedOptions:
    """The words that name T and A, their rules, and the engine that compares them if they are large."""

    original: OriginalArgument
    anonymized: AnonymizedArgument
    rules: RulesOption = DEFAULT_RULES
    engine_name: Annotated[
        str | None,
        typer.Option(
            "--engine",
            metavar="NAME",
            help="For histories that no memory holds: duckdb, local[2] (Spark on this machine), spark://host:port. "
            "T and A may then be folders of texts too.",
        ),
    ] = None
    memory: MemoryOption = MEMORY
    spill_dir: SpillOption = None
    min_cell: Annotated[
        int, typer.Option(metavar="N", help="Smallest count that may leave the engine; smaller ones are refused.")
    ] = 1
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
    max_errors: MaxErrorsOption = 20,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Check that an anonymized history follows the rules.

    Every cell that is not well formed or does not cover the value of T, every pseudonym that is not one to one with a
    customer, every line and the number of rows. T is checked first. Exit code 3: A does not follow the rules; 2: T
    does not, or a file cannot be read.
    """
    from sudare.contest.check import check_anonymized
    from sudare.histories.generalized.complaints import MOST_COMPLAINTS
    from sudare.histories.generalized.rule_sets import load_rules
    from sudare.messages import Texts

    texts, loaded = Texts(lang), load_rules(rules)
    with shown_progress() as progress:
        found = check_anonymized(
            original, anonymized, loaded, most_errors=MOST_COMPLAINTS if json else max_errors, language=lang,
            progress=progress,
        )  # fmt: skip
    _show(found, texts, json=json)


@guarded
def check_guesses(
    original: OriginalArgument,
    published: PublishedArgument,
    guesses: GuessesArgument,
    rules: RulesOption = DEFAULT_RULES,
    max_errors: MaxErrorsOption = 20,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Check that guesses follow the rules.

    A pseudonym must be in what was published and have one guess, a customer must be in T. T and what was published are
    checked first. A file without guesses is legal. Exit code 3: the guesses do not follow the rules; 2: T or what was
    published does not, or a file cannot be read.
    """
    from sudare.contest.check import check_guesses as check_file
    from sudare.histories.generalized.complaints import MOST_COMPLAINTS
    from sudare.histories.generalized.rule_sets import load_rules
    from sudare.messages import Texts

    texts, loaded = Texts(lang), load_rules(rules)
    with shown_progress() as progress:
        found = check_file(
            original, published, guesses, loaded, most_errors=MOST_COMPLAINTS if json else max_errors, language=lang,
            progress=progress,
        )  # fmt: skip
    _show(found, texts, json=json)


@guarded
def publish(
    anonymized: AnonymizedArgument,
    out: Annotated[Path, LINES, typer.Option("--out", "-o", metavar="PUBLISHED", help="File for what is published.")],
    rules: RulesOption = DEFAULT_RULES,
    unchecked: Annotated[
        bool, typer.Option("--unchecked", help="Publish a history that does not follow the rules, too.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Write what is published of an anonymized history.

    Deleted rows are left out and the lines are sorted, so that nobody learns which row of T is which. A is checked
    before, as far as that is possible without T.
    """
    from sudare.contest.publish import publish_anonymized as write_published
    from sudare.histories.generalized.rule_sets import load_rules

    loaded = load_rules(rules)
    with shown_progress() as progress:
        rows = write_published(anonymized, out, loaded, unchecked=unchecked, progress=progress)
    if json:
        show_json("published", {"out": str(out), "rows": rows})
    note(f"Wrote {out}. Rows: {rows:,}.")


def _show(found: CheckResult, texts: Texts, *, json: bool) -> None:
    if json:
        show_json("contest-check", found.to_dict())
    else:
        from sudare.report.contest.check_text import show_check

        show_check(found, texts)
    if not found.valid:
        raise typer.Exit(EXIT_NOT_SAFE)
