"""How source cells become text, and what a missing cell equals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from sudare.engine import quote_text
from sudare.errors import SourceNotReadable
from sudare.sources.spellings import plain

# What a missing value of a table is equal to: missing values only, or any value.
MissingRule = Literal["value", "any"]


def cell_text(expression: str, type_: str, missing: Sequence[str]) -> str:
    """Return a cell as text in NFKC, trimmed; an empty cell, a not-a-number and the values of `missing` are NULL.

    Bytes are refused: nothing says which text they are.
    """
    if type_ in ("BLOB", "BINARY"):
        raise SourceNotReadable("errors.sources.bytes", column=expression)
    if type_ == "VARCHAR":
        text = f"nullif(trimmed(normal({expression})), '')"
    elif type_ in ("DOUBLE", "FLOAT"):
        # An integer column with gaps arrives as floating point: 17850.0 is customer 17850.
        whole = f"CASE WHEN abs({expression}) < 1e15 THEN {expression} = floor({expression}) ELSE false END"
        text = (
            f"CASE WHEN isnan({expression}) THEN NULL WHEN {whole} THEN CAST(CAST({expression} AS BIGINT) AS STRING) "
            f"ELSE CAST({expression} AS STRING) END"
        )
    else:
        text = f"CAST({expression} AS STRING)"
    if not missing:
        return text
    return f"CASE WHEN {text} IN ({', '.join(quote_text(plain(value)) for value in missing)}) THEN NULL ELSE {text} END"
