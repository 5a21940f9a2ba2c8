"""`sudare contest report`: one page about an anonymized history, to show to others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sudare.cli.contest.files import (
    DEFAULT_RULES,
    AnonymizedArgument,
    OriginalArgument,
    RulesOption,
    TopErrorsOption,
)
from sudare.cli.contest.safety import ThresholdsOption
from sudare.cli.contest.utility import DrawsOption
from sudare.cli.files import READ, REPORT
from sudare.cli.frame import EXIT_ANSWER_NO, SeedOption, guarded, note_written, shown_progress, spoken
from sudare.cli.options import LegalOption, frames_of
from sudare.cli.settings import Settings, command_line


@guarded
def report(
    original: OriginalArgument,
    anonymized: AnonymizedArgument,
    out: Annotated[Path, REPORT, typer.Option("--out", "-o", metavar="OUT")],
    guesses: Annotated[list[str] | None, READ, typer.Option(metavar="FILE")] = None,
    draws: DrawsOption = 20,
    attacks: Annotated[int | None, typer.Option(min=1, metavar="N")] = None,
    thresholds: ThresholdsOption = None,
    rules: RulesOption = DEFAULT_RULES,
    top: TopErrorsOption = 20,
    legal: LegalOption = None,
    seed: SeedOption = 0,
) -> None:
    """Write a report about an anonymized history."""
    from sudare.contest.check import check_anonymized
    from sudare.histories.generalized.rule_sets import load_rules
    from sudare.histories.utility.use_cases import check_draws
    from sudare.report.contest.report import write_contest_report

    texts, chosen = spoken(), load_rules(rules)
    check_draws(draws, seed)
    frames_of(legal)
    with shown_progress() as progress:
        checked = check_anonymized(
            original, anonymized, chosen, most_errors=top, language=Settings.language, progress=progress
        )
        if checked.valid:
            found = write_contest_report(
                original, anonymized, out, rules=chosen, guesses=guesses or (), thresholds=thresholds, draws=draws,
                attacks=attacks, legal=frames_of(legal), seed=seed, command=command_line(),
                language=Settings.language, progress=progress,
            )  # fmt: skip
    if not checked.valid:
        from sudare.report.contest.check_text import show_check

        show_check(checked, texts)
        raise typer.Exit(EXIT_ANSWER_NO)
    note_written(out)
    if not found.holds:
        raise typer.Exit(EXIT_ANSWER_NO)
