"""`sudare hierarchy`: generalization hierarchies for the attributes of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sudare.cli.files import OutputFolder
from sudare.cli.frame import JsonOption, LanguageOption, guarded, note, pairs, show_json, shown_progress
from sudare.cli.options import taking
from sudare.cli.table.hierarchy_options import ForceOption
from sudare.cli.table.source import TableOptions
from sudare.report.terminal import console

if TYPE_CHECKING:
    from sudare.messages import Texts
    from sudare.tables.hierarchies.suggest import SuggestedHierarchy


@guarded
@taking(TableOptions)
def suggest(
    source: TableOptions,
    out: Annotated[
        Path,
        OutputFolder(),
        typer.Option("--out", "-o", metavar="DIR", help="Folder for the hierarchy files; made if missing."),
    ],
    kind: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A=KIND",
            help="What an attribute is: number, date, postal, code, boolean, text or identifier (repeatable).",
        ),
    ] = None,
    force: ForceOption = False,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Suggest a generalization hierarchy for each attribute.

    What the values are is found from them: numbers get nested bins, dates months and years, codes lose their last
    characters, rare words are joined. The files are a starting point to be mended, in the form that sudare risk levels
    reads.
    """
    from sudare.messages import Texts
    from sudare.tables.hierarchies.files import check_hierarchy_files, write_hierarchies
    from sudare.tables.hierarchies.suggest import suggest_hierarchies

    texts = Texts(lang)
    kinds = {attribute: given[-1] for attribute, given in pairs(kind, "--kind", "age=number").items()}
    with shown_progress() as progress, source.read(progress) as table:
        check_hierarchy_files(out, table.attributes, overwrite=force)
        found = suggest_hierarchies(table, kinds=kinds, other=texts("hierarchy.anything_else"))
    paths = write_hierarchies({entry.attribute: entry.hierarchy for entry in found}, out, overwrite=force)
    if json:
        files = [{**entry.to_dict(), "file": str(paths[entry.attribute])} for entry in found]
        show_json("hierarchies", {"folder": str(out), "hierarchies": files})
    else:
        _show(found, texts)
    note(f"Wrote {len(paths)} files to {out}")
    _tell_other_names(paths)


def _show(found: Sequence[SuggestedHierarchy], texts: Texts) -> None:
    """Print what was found, with an example of each level and what should be looked at."""
    from rich.table import Table as TextTable

    table = TextTable(show_edge=False, pad_edge=False)
    for name in ("attribute", "kind", "values", "levels", "example"):
        table.add_column(texts(f"hierarchy.{name}"), justify="right" if name in ("values", "levels") else "left")
    for entry in found:
        values = f"{len(entry.hierarchy.steps[0]):,}"
        example = " > ".join(entry.example)
        name = texts(f"hierarchy.kinds.{entry.kind}")
        table.add_row(entry.attribute, name, values, str(entry.hierarchy.levels), example)
    console().print(table)
    for entry in found:
        for remark in entry.remarks:
            console().print(f"{entry.attribute}: {texts(f'hierarchy.remark.{remark}')}")


def _tell_other_names(paths: Mapping[str, Path]) -> None:
    others = [f"--hierarchy '{attribute}={path}'" for attribute, path in paths.items() if path.stem != attribute]
    if others:
        note("No file can have the names of some attributes. Name theirs to sudare risk levels: " + " ".join(others))
