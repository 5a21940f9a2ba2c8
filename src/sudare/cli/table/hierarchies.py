"""`sudare table hierarchies`: generalization hierarchies for the attributes of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sudare.cli.files import OutputFolder
from sudare.cli.frame import JsonOption, guarded, note, pairs, show_json, shown_progress, spoken
from sudare.cli.options import taking
from sudare.cli.table.hierarchy_options import ForceOption
from sudare.cli.table.source import TableOptions
from sudare.report.terminal import console

if TYPE_CHECKING:
    from sudare.messages import Texts
    from sudare.tables.hierarchies.suggest import SuggestedHierarchy


@guarded
@taking(TableOptions)
def hierarchies(
    source: TableOptions,
    out: Annotated[Path, OutputFolder(), typer.Option("--out", "-o", metavar="DIR")],
    kind: Annotated[list[str] | None, typer.Option(metavar="A=KIND")] = None,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Suggest a generalization hierarchy for each attribute."""
    from sudare.tables.hierarchies.files import check_hierarchy_files, write_hierarchies
    from sudare.tables.hierarchies.suggest import suggest_hierarchies

    texts = spoken()
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
    note("notes.wrote_files", count=len(paths), folder=out)
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
        note("notes.other_names", options=" ".join(others))
