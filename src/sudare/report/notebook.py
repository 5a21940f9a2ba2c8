"""What a notebook shows of a result: a self-contained piece of a report, on light and dark backgrounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from sudare.messages import Texts
from sudare.report.page import Figure, environment
from sudare.showing import dataclass

# Rows of a plain table; who wants all asks for a frame.
MOST_ROWS = 30


@dataclass(frozen=True, slots=True)
class Cell:
    """A title, what it comes to in a sentence, figures, and templates of the reports with what they show.

    `plain` says whether the templates are told in the words of ordinary data.
    """

    title: str
    lead: str = ""
    templates: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
    figures: tuple[Figure, ...] = ()
    plain: bool = False


def render_cell(cell: Cell, texts: Texts) -> str:
    """Return the cell as HTML: drawings are inside, styles hold within the cell, and there is no script."""
    found = environment(texts.in_plain_words() if cell.plain else texts)
    # Tables and figures have numbers on a page; in a notebook every cell would begin with Table 1 again.
    found.globals.update(next_number=lambda _: "")
    return found.get_template("notebook/cell.html").render(cell=cell, **cell.values)


def rows_cell(title: str, rows: list[dict[str, Any]], texts: Texts, *, figures: tuple[Figure, ...] = ()) -> Cell:
    """Return a table of rows, or for a single row a list of its values."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    shown = [[written(row.get(name), texts) for name in names] for row in rows[:MOST_ROWS]]
    numbers = [all(isinstance(row.get(name), int | float) or row.get(name) is None for row in rows) for name in names]
    values = {"names": names, "rows": shown, "numbers": numbers, "all_rows": len(rows)}
    return Cell(title, templates=("notebook/rows.html",), values=values, figures=figures)


def written(value: Any, texts: Texts) -> str:
    """Return a plain value as people read it: numbers with six digits, lists with commas, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return texts("baskets.yes" if value else "baskets.no")
    if isinstance(value, list):
        return texts("list.comma").join(written(part, texts) for part in value)
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.6g}" if isinstance(value, float) else str(value)
