"""How results are printed and drawn: what `Result.text` and notebooks show.

Each room of reports has a module `presentation` with one line for each type of result: `TEXTS` says how it is printed,
`CELLS` how it is drawn. A type without a line is shown by its rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from sudare.messages import Language, Texts
from sudare.report.notebook import MOST_ROWS, Cell, render_cell, rows_cell, written
from sudare.report.terminal import collecting, console
from sudare.results import Result

Printed = Callable[[Any, Texts], None]
Drawn = Callable[[Any, Texts], Cell]

# The rooms of results, and those of their reports. They are loaded when one of their results is shown.
# Itemsets, which baskets and histories have, are shown as those of baskets.
ROOMS = {
    "histories": "history",
    "tables": "table",
    "baskets": "baskets",
    "contest": "contest",
    "gate": "gate",
    "statistics": "baskets",
}


def text_of(found: Result, language: Language) -> str:
    """Return what the command line prints of a result, without colours and without empty lines around it."""
    texts = Texts(language)
    printed: Printed = _listed(found, "TEXTS") or _print_rows
    with collecting() as collected:
        printed(found, texts)
    return collected.getvalue().strip("\n")


def html_of(found: Result, language: Language) -> str:
    """Return what a notebook shows of a result."""
    texts = Texts(language)
    drawn: Drawn = _listed(found, "CELLS") or _draw_rows
    return render_cell(drawn(found, texts), texts)


def _listed(found: Result, what: str) -> Any:
    """Return the line of the nearest type of a result, or None."""
    for kind in type(found).__mro__:
        room = ROOMS.get(kind.__module__.removeprefix("sudare.").partition(".")[0])
        if room:
            lines: Mapping[type, Any] = getattr(import_module(f"sudare.report.{room}.presentation"), what)
            if kind in lines:
                return lines[kind]
    return None


def _draw_rows(found: Result, texts: Texts) -> Cell:
    return rows_cell(type(found).__name__, found.to_rows(), texts)


def _print_rows(found: Result, texts: Texts) -> None:
    """Print a table of rows, or for a single row one line per value."""
    from rich.table import Table
    from rich.text import Text

    out, rows = console(), found.to_rows()
    out.print(type(found).__name__, style="bold")
    if len(rows) == 1:
        for name, value in rows[0].items():
            out.print(f"{name}: {written(value, texts)}")
        return
    names = list(dict.fromkeys(name for row in rows for name in row))
    table = Table(show_edge=False, pad_edge=False)
    for name in names:
        table.add_column(
            name, justify="left" if any(isinstance(row.get(name), str | list) for row in rows) else "right"
        )
    for row in rows[:MOST_ROWS]:
        table.add_row(*(Text(written(row.get(name), texts)) for name in names))
    out.print(table)
    if len(rows) > MOST_ROWS:
        out.print(texts("mining.shown", shown=f"{MOST_ROWS:,}", all=f"{len(rows):,}"))
