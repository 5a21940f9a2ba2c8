"""`sudare contest recompute`: the outcome of a contest once more, from its archive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sudare.cli.files import READ
from sudare.cli.frame import EXIT_NOT_SAFE, JsonOption, LanguageOption, guarded, show_json, shown_progress
from sudare.report.terminal import console

if TYPE_CHECKING:
    from sudare.contest.recompute import Recomputed
    from sudare.messages import Texts


@guarded
def recompute(
    archive: Annotated[
        str, READ, typer.Argument(metavar="ARCHIVE", help="The folder that sudare server export wrote.")
    ],
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Recompute the outcome of a contest from its archive, without the server.

    All hashes are checked; U, what was published, hits, hits needed and the standings are computed from the files and
    compared with what the server recorded. Exit code 3: something differs.
    """
    from sudare.contest.recompute import recompute_archive
    from sudare.messages import Texts

    with shown_progress() as progress:
        found = recompute_archive(archive, progress=progress)
    if json:
        show_json(found.to_dict())
    else:
        _show(found, Texts(lang))
    if not found.same:
        raise typer.Exit(EXIT_NOT_SAFE)


def _show(found: Recomputed, texts: Texts) -> None:
    out = console()
    out.print(texts("contest.recompute.title", contest=found.contest), style="bold")
    out.print(texts("contest.recompute.files", files=f"{found.files:,}"))
    for round in found.rounds:
        key = "contest.recompute.round" if round.evaluated else "contest.recompute.not_evaluated"
        out.print(texts(key, round=round.name, finals=f"{round.finals:,}", attacks=f"{round.attacks:,}"))
    for difference in found.differences:
        place = f"{difference.round}: {difference.what}" if difference.round else difference.what
        words = {"recorded": difference.recorded, "recomputed": difference.recomputed}
        shown = {name: str(value) for name, value in words.items()}
        out.print(texts("contest.recompute.difference", place=place, **shown))
    verdict = "same" if found.same else "different"
    out.print(texts(f"contest.recompute.{verdict}", number=f"{len(found.differences):,}"), style="bold")
