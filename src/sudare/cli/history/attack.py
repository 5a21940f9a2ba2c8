"""`sudare history attack`: the built-in attacks on a published history, each with its control."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sudare.cli.files import READ
from sudare.cli.frame import EXIT_ANSWER_NO, JsonOption, SeedOption, guarded, show_json, shown_progress, spoken
from sudare.cli.history.attackers import read_aligned
from sudare.cli.history.cells import CellOptions
from sudare.cli.options import taking
from sudare.errors import BadRows
from sudare.showing import dataclass

if TYPE_CHECKING:
    from sudare.histories.generalized.conversion import HistoryRows
    from sudare.histories.generalized.model import CellHistory
    from sudare.progress import Progress


@dataclass(frozen=True, slots=True)
class OriginalOptions(CellOptions):
    """The words that say which history was published and how to read it."""

    file: Annotated[str, READ, typer.Argument(metavar="ORIGINAL")]


@guarded
@taking(OriginalOptions)
def attack(
    source: OriginalOptions,
    published: Annotated[str, READ, typer.Argument(metavar="PUBLISHED")],
    aligned: Annotated[str | None, READ, typer.Option(metavar="KEY")] = None,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Attack a published history, and check that each attack works at all."""
    from sudare.histories.anonymize.publication import attack_rows
    from sudare.histories.attack.expected import expect_attacks
    from sudare.report.contest.duel_text import show_duel
    from sudare.report.history.attack_text import show_expected

    texts = spoken().in_plain_words()
    with shown_progress() as progress:
        rows = source.open(progress)
        key, read = _read(rows, published, aligned, progress)
        if key is None:
            expected = expect_attacks(
                rows.history, read, p=rows.rules.p, alpha=rows.rules.alpha, seed=seed, progress=progress
            )
        else:
            found = attack_rows(rows, key, seed=seed, progress=progress)
    if key is None:
        show_json("expected-attacks", expected.to_dict()) if json else show_expected(expected, published, texts)
    else:
        show_json("duel", found.to_dict()) if json else show_duel(found, published, texts)
    if (expected.verdict == "expected") if key is None else (found.verdict == "broken"):
        raise typer.Exit(EXIT_ANSWER_NO)


def _read(
    rows: HistoryRows, published: str, aligned: str | None, progress: Progress
) -> tuple[CellHistory | None, CellHistory]:
    """Return the rows whose order is that of the original, if there are any, and those that were published."""
    from sudare.histories.generalized.coverage import is_row_by_row

    if aligned is None:
        read = rows.read_published(published, progress=progress)
        return (read if is_row_by_row(rows.history, read) else None), read
    key = read_aligned(aligned, rows, progress)
    read = rows.read_published(published, progress=progress)
    if rows.published_rows(key) != rows.published_rows(read):
        raise BadRows("errors.written_cells.other_key", key=aligned, published=published)
    return key, read
