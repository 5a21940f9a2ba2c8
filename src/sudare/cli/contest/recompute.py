"""`sudare contest recompute`: the outcome of a contest once more, from its archive."""

from __future__ import annotations

from typing import Annotated

import typer

from sudare.cli.files import READ
from sudare.cli.frame import EXIT_NOT_SAFE, JsonOption, LanguageOption, guarded, show_json, shown_progress


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
        show_json("recomputed", found.to_dict())
    else:
        from sudare.report.contest.recompute_text import show_recomputed

        show_recomputed(found, Texts(lang))
    if not found.same:
        raise typer.Exit(EXIT_NOT_SAFE)
