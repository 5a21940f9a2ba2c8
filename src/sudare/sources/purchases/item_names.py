"""Item names that a source has beside the codes."""

from __future__ import annotations

from contextlib import ExitStack

from sudare.engine import Engine
from sudare.engine.small_counts import LeaveOut
from sudare.errors import SourceNotReadable
from sudare.sources.cell_text import cell_text
from sudare.sources.opening import open_source
from sudare.sources.purchases.load import PurchaseForm
from sudare.sources.purchases.roles import assign_roles
from sudare.sources.readings import Reading


def read_item_names(source: object, options: PurchaseForm, reading: Reading, engine: Engine) -> dict[str, str]:
    """Return the name of each item that has one, from the source of a history; a file that has changed is refused.

    Of several names the most frequent wins, of equally frequent ones the first in order. Names that fewer rows have
    than may leave the engine are left out. A source without a column of names has none.
    """
    if "item_name" not in reading.columns:
        return {}
    with ExitStack() as cleanup:
        opened = open_source(source, engine, options, cleanup)
        if opened.sha256 != reading.sha256:
            raise SourceNotReadable("errors.sources.changed", name=opened.name)
        roles = assign_roles(opened.columns, options.columns, header=opened.header, source=opened.name)
        cells = ", ".join(
            f"{cell_text(opened.expressions[roles[role]], opened.types[roles[role]], missing)} AS {name}"
            for role, name in (("item", "item"), ("item_name", "name"))
            for missing in (options.missing_values.get(role, ()),)
        )
        rows = (
            f"SELECT item, name, count(*) AS rows FROM (SELECT {cells} FROM {opened.table}) "
            "WHERE item IS NOT NULL AND name IS NOT NULL GROUP BY item, name"
        )
        placed = f"SELECT *, row_number() OVER (PARTITION BY item ORDER BY rows DESC, name) AS place FROM ({rows})"
        best = f"SELECT item, name, rows FROM ({placed}) WHERE place = 1 ORDER BY item"
        return {item: name for item, name, _ in engine.counts(best, cell="rows", small=LeaveOut())}
