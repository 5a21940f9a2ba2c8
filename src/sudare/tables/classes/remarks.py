"""Columns that an assessment can do without, or that determine it alone."""

from __future__ import annotations

from typing import Literal

from sudare.arguments import checked
from sudare.results import Result
from sudare.showing import dataclass
from sudare.tables.model import Table


@dataclass(frozen=True, slots=True)
class ColumnRemark(Result):
    """An attribute with the same value in every record (constant), or a different one in each (unique)."""

    attribute: str
    kind: Literal["constant", "unique"]


@checked
def column_remarks(table: Table) -> tuple[ColumnRemark, ...]:
    """Return the constant and unique attributes, in column order; a table with a single record has none.

    A missing value is a value of its own.
    """
    if table.records < 2:
        return ()
    remarks = []
    for attribute, values in zip(table.attributes, table.values, strict=True):
        if len(values) == 1:
            remarks.append(ColumnRemark(attribute, "constant"))
        elif len(values) == table.records:
            remarks.append(ColumnRemark(attribute, "unique"))
    return tuple(remarks)
