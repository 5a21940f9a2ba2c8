"""Arrow tables in the forms that Spark accepts and Python functions expect."""

from __future__ import annotations

from typing import Any

import numpy as np

from sudare.engine.protocol import Column, PartFunction


def of_part(function: PartFunction, rows: Any) -> Any:
    """Run a function on an Arrow table."""
    import pyarrow as pa

    return pa.table(dict(function({name: rows.column(name).to_numpy() for name in rows.column_names})))


def column_of(column: Any) -> Column:
    """Return a column of Arrow as an array; decimals, which numpy does not have, as floating point."""
    import pyarrow as pa

    found: Column = (column.cast(pa.float64()) if pa.types.is_decimal(column.type) else column).to_numpy()
    return found


def array_of(column: Column) -> Any:
    """Return an array of numpy as one of Arrow; objects are texts."""
    import pyarrow as pa

    return pa.array(column.tolist(), pa.string()) if column.dtype == np.object_ else pa.array(column)


def plain(table: Any) -> Any:
    """Return an Arrow table with texts and categories in the one form that Spark takes."""
    import pyarrow as pa

    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type) or pa.types.is_string_view(field.type):
            chunks = [_decoded(chunk) for chunk in table.column(place).chunks]
            table = table.set_column(place, field.name, pa.chunked_array(chunks, None if chunks else pa.string()))
    return table


def _decoded(chunk: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_dictionary(chunk.type):
        return _decoded(chunk.dictionary).take(chunk.indices)
    return chunk.cast(pa.string()) if pa.types.is_string_view(chunk.type) else chunk
