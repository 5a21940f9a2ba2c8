"""How the cells of a purchase history become values, and what makes a row bad."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sudare.engine import quote_text

# What a missing value of a table is equal to: missing values only, or any value.
MissingRule = Literal["value", "any"]

# Outside these years a date is a slip of the pen or of a format.
_YEARS = (1900, 2199)


@dataclass(frozen=True, slots=True)
class Rule:
    """What a cell must not be; `broken` is an SQL condition over the values of `parsed`."""

    role: str
    reason: str
    broken: str


RULES = (
    Rule("customer", "customer is missing", "customer IS NULL"),
    Rule("day", "day is missing", "day_text IS NULL"),
    Rule("day", "no day in a known form", "moment IS NULL"),
    Rule("day", f"day is not within {_YEARS[0]} to {_YEARS[1]}", "year(moment) NOT BETWEEN {} AND {}".format(*_YEARS)),
    Rule("item", "item is missing", "item IS NULL"),
    Rule("time", "no time of day", "time_text IS NOT NULL AND minute IS NULL"),
    Rule("price", "no number", "price_text IS NOT NULL AND price IS NULL"),
    Rule("price", "price is negative", "price < 0"),
    Rule("quantity", "no number", "quantity_text IS NOT NULL AND quantity IS NULL"),
    Rule("quantity", "quantity is not above zero", "quantity <= 0"),
)  # fmt: skip


def parsed(
    table: str,
    columns: Mapping[str, tuple[str, str]],
    *,
    date_format: str | None,
    missing: Mapping[str, Sequence[str]],
    rules: Sequence[Rule] = RULES,
) -> str:
    """Return a query for the values of each row and `problem`, the number of the first rule it breaks (0: none).

    `columns` gives for each role the SQL expression and type of its column. Cells are trimmed; an empty cell, a
    not-a-number and the values of `missing` are missing.
    """
    texts = {role: cell_text(*column, missing.get(role, ())) for role, column in columns.items()}
    moment = _moment(*columns["day"], texts["day"], date_format)
    inner = [
        *(f"{text} AS {role}_text" for role, text in texts.items() if role != "invoice"),
        f"{moment} AS moment",
    ]
    outer = ["customer_text AS customer", "moment", "day_text", "item_text AS item"]
    if "time" in columns:
        outer += ["time_text", "CAST(read_minute(time_text) AS SMALLINT) AS minute"]
    else:
        outer += ["CAST(hour(moment) * 60 + minute(moment) AS SMALLINT) AS minute"]
    for role in ("price", "quantity"):
        if role in columns:
            outer += [f"{role}_text", f"{_number(role)} AS {role}"]
    numbered = [(number, rule) for number, rule in enumerate(rules, start=1) if rule.role in columns]
    cases = " ".join(f"WHEN {rule.broken} THEN {number}" for number, rule in numbered)
    source = f"SELECT {', '.join(outer)} FROM (SELECT {', '.join(inner)} FROM {table})"
    return f"SELECT *, CAST(moment AS DATE) AS day, CASE {cases} ELSE 0 END AS problem FROM ({source})"


def cell_text(expression: str, type_: str, missing: Sequence[str]) -> str:
    """Return a cell as trimmed text; an empty cell, a not-a-number and the values of `missing` are NULL."""
    if type_ == "VARCHAR":
        text = f"nullif(trimmed({expression}), '')"
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
    return f"CASE WHEN {text} IN ({', '.join(quote_text(value) for value in missing)}) THEN NULL ELSE {text} END"


def _moment(expression: str, type_: str, text: str, date_format: str | None) -> str:
    """Read a day, with its time if it has one."""
    if type_ == "DATE" or type_.startswith("TIMESTAMP"):
        return f"CAST({expression} AS TIMESTAMP)"
    if date_format is not None:
        return f"read_moment_in({text}, {quote_text(date_format)})"
    return f"read_moment({text})"


def _number(role: str) -> str:
    value = f"read_number({role}_text)"
    # Neither infinite nor a not-a-number, which engines take for the largest.
    return f"CASE WHEN abs({value}) < 'Infinity' THEN {value} END"
