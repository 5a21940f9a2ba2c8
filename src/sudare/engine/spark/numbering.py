"""Numbering the rows of a query in order, by one task or by all."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sudare.engine.protocol import quote_name

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Plan = Callable[[str], "DataFrame"]

# Spark numbers rows by the part of a frame, and below these bits by the place in it.
_PART_BITS = 33


def numbered_by_one(plan: Plan, rows: str, number: str, order: str) -> tuple[DataFrame, ...]:
    """Return the rows of a table with their places in an order, counted by one task."""
    counted = f"CAST(row_number() OVER (ORDER BY {order}) AS INTEGER) AS {number}"
    return (plan(f"SELECT *, {counted} FROM {rows}"),)


def numbered_by_all(plan: Plan, rows: str, number: str, order: str) -> tuple[DataFrame, ...]:
    """Return the rows of a table with their places in an order, and the kept frame that they are made of.

    All machines sort and number: a sorted frame lies in parts one after another, so that a row is numbered by the parts
    before its own and its place there.
    """
    from pyspark import StorageLevel
    from pyspark.sql.functions import broadcast

    columns = plan(f"SELECT * FROM {rows}").columns
    ordered = f"SELECT * FROM {rows} ORDER BY {order}"
    placed = plan(f"SELECT *, monotonically_increasing_id() AS sudare_place FROM ({ordered})")
    # Read twice, and sorted only once: a second sorting might divide the parts elsewhere.
    placed.persist(StorageLevel.MEMORY_AND_DISK)
    part = f"shiftright(sudare_place, {_PART_BITS}) AS sudare_part"
    sizes = placed.selectExpr(part).groupBy("sudare_part").count()
    before = sizes.selectExpr("sudare_part", "sum(count) OVER (ORDER BY sudare_part) - count AS before")
    counted = f"CAST(before + (sudare_place & {(1 << _PART_BITS) - 1}) + 1 AS INTEGER) AS {number}"
    own = placed.selectExpr("*", part).join(broadcast(before), "sudare_part")
    return own.selectExpr(*map(quote_name, columns), counted), placed
