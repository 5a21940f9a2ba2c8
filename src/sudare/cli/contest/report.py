"""`sudare contest report`: one page about an anonymized history, to show to others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sudare.cli.contest.files import (
    DEFAULT_RULES,
    AnonymizedArgument,
    MaxErrorsOption,
    OriginalArgument,
    RulesOption,
)
from sudare.cli.contest.safety import ThresholdsOption
from sudare.cli.contest.utility import DrawsOption
from sudare.cli.files import READ, REPORT
from sudare.cli.frame import EXIT_BAD_INPUT, EXIT_NOT_SAFE, LanguageOption, SeedOption, guarded, note, shown_progress


@guarded
def report(
    original: OriginalArgument,
    anonymized: AnonymizedArgument,
    out: Annotated[Path, REPORT, typer.Option("--out", "-o", metavar="OUT", help="HTML file to write.")],
    guesses: Annotated[
        list[str] | None,
        READ,
        typer.Option(metavar="FILE", help="Guesses of an attack to judge; give it again for another attack."),
    ] = None,
    draws: DrawsOption = 20,
    attacks: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Attacks to survive. Those of the rules if not given."),
    ] = None,
    thresholds: ThresholdsOption = None,
    rules: RulesOption = DEFAULT_RULES,
    max_errors: MaxErrorsOption = 20,
    seed: SeedOption = 0,
    lang: LanguageOption = "en",
) -> None:
    """Write a report about an anonymized history.

    It tells what was done to the data, what that costs and why, who looks like whom, how safe that is, whether the
    given attacks were effective, and what is left of the use. Exit code 2: A does not follow the rules; what is wrong
    is shown as by check, and nothing is written. Exit code 3: not safe, or a file of guesses without a guess.
    """
    from sudare.contest.check import check_anonymized
    from sudare.histories.generalized.rule_sets import load_rules
    from sudare.histories.utility.use_cases import check_draws
    from sudare.messages import Texts
    from sudare.report.contest.report import write_contest_report

    texts, chosen = Texts(lang), load_rules(rules)
    check_draws(draws, seed)
    with shown_progress() as progress:
        checked = check_anonymized(
            original, anonymized, chosen, most_errors=max_errors, language=lang, progress=progress
        )
        if checked.valid:
            found = write_contest_report(
                original, anonymized, out, rules=chosen, guesses=guesses or (), thresholds=thresholds, draws=draws,
                attacks=attacks, seed=seed, language=lang, progress=progress,
            )  # fmt: skip
    if not checked.valid:
        from sudare.report.contest.check_text import show_check

        show_check(checked, texts)
        raise typer.Exit(EXIT_BAD_INPUT)
    note(f"Wrote {out}")
    if not found.holds:
        raise typer.Exit(EXIT_NOT_SAFE)
