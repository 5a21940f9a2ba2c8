"""`sudare contest anonymize`: the anonymized history A that a team hands in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sudare.cli.contest.files import DEFAULT_RULES, OriginalArgument, RulesOption
from sudare.cli.files import HISTORY
from sudare.cli.frame import guarded, shown_progress
from sudare.cli.history.anonymize import AnonymizingOptions, anonymize_to
from sudare.cli.options import ThreadsOption, taking

if TYPE_CHECKING:
    from sudare.histories.generalized.conversion import HistoryRows


@guarded
@taking(AnonymizingOptions)
def anonymize(
    wanted: AnonymizingOptions,
    original: OriginalArgument,
    out: Annotated[Path, HISTORY, typer.Option("--out", "-o", metavar="A")],
    rules: RulesOption = DEFAULT_RULES,
    threads: ThreadsOption = None,
) -> None:
    """Anonymize a contest's history T: write A, row by row as T."""
    from sudare.histories.generalized.conversion import HistoryRows
    from sudare.histories.generalized.rule_sets import load_rules
    from sudare.histories.generalized.text import read_original

    loaded = load_rules(rules)
    with shown_progress() as progress:

        def read() -> HistoryRows:
            return HistoryRows(read_original(original, loaded, progress=progress), loaded)

        anonymize_to(read, wanted, None, out, progress, threads=threads)
