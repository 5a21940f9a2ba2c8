"""`sudare contest recompute`: the outcome of a contest, recomputed from its archive."""

from __future__ import annotations

from typing import Annotated

import typer

from sudare.cli.files import READ
from sudare.cli.frame import EXIT_ANSWER_NO, JsonOption, guarded, show_json, shown_progress, spoken


@guarded
def recompute(
    archive: Annotated[str, READ, typer.Argument(metavar="ARCHIVE")],
    json: JsonOption = False,
) -> None:
    """Recompute the outcome of a contest from its archive, without the server."""
    from sudare.contest.recompute import recompute_archive

    with shown_progress() as progress:
        found = recompute_archive(archive, progress=progress)
    if json:
        show_json("recomputed", found.to_dict())
    else:
        from sudare.report.contest.recompute_text import show_recomputed

        show_recomputed(found, spoken())
    if not found.same:
        raise typer.Exit(EXIT_ANSWER_NO)
