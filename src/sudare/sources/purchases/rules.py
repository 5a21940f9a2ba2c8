"""How the cells of a purchase history become values, and what makes a row bad."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sudare.engine import quote_text
from sudare.showing import dataclass
from sudare.sources.cell_text import cell_text
from sudare.sources.spellings import as_written

# Roles that are recognized, but no values of a purchase.
_UNUSED = ("invoice", "item_name")

# A double holds every whole number of so many digits.
_EXACT_DIGITS = 15

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
    time_zone: str | None,
    missing: Mapping[str, Sequence[str]],
    rules: Sequence[Rule] = RULES,
) -> str:
    """Return a query for the values of each row and `problem`, the number of the first rule it breaks (0: none).

    `columns` gives for each role the SQL expression and type of its column. Cells are taken in Unicode's form NFKC and
    trimmed; an empty cell, a not-a-number and the values of `missing` are missing. `customer_was` and `item_was` are as
    they were written, if otherwise; `zoned` says whether the day is written with an offset.
    """
    texts = {role: cell_text(*column, missing.get(role, ())) for role, column in columns.items()}
    numbers = {role: f"read_number({role}_text)" for role in ("price", "quantity") if role in columns}
    for role in numbers:
        # A column of numbers is not written as text only to be read again.
        if not missing.get(role) and (number := _plain_number(*columns[role])):
            texts[role], numbers[role] = number, f"CAST({role}_text AS DOUBLE)"
    inner = [
        *(f"{text} AS {role}_text" for role, text in texts.items() if role not in _UNUSED),
        *(f"{columns[role][0]} AS {role}_raw" for role in ("customer", "day", "item")),
    ]
    outer = [
        *(f"{role}_text AS {role}" for role in ("customer", "item")),
        *(
            f"{as_written(f'{role}_raw', columns[role][1], f'{role}_text')} AS {role}_was"
            for role in ("customer", "item")
        ),
        "day_text",
        f"{_moment(columns['day'][1], date_format, time_zone)} AS moment",
        f"{_zoned(columns['day'][1], date_format)} AS zoned",
    ]
    if "time" in columns:
        outer += ["time_text"]
        minute = "read_minute(time_text)"
    else:
        minute = "hour(moment) * 60 + minute(moment)"
    for role, number in numbers.items():
        # Neither infinite nor a not-a-number, which engines take for the largest.
        outer += [f"{role}_text", f"CASE WHEN abs({number}) < 'Infinity' THEN {number} END AS {role}"]
    numbered = [(number, rule) for number, rule in enumerate(rules, start=1) if rule.role in columns]
    cases = " ".join(f"WHEN {rule.broken} THEN {number}" for number, rule in numbered)
    source = f"SELECT {', '.join(outer)} FROM (SELECT {', '.join(inner)} FROM {table})"
    timed = f"SELECT *, CAST({minute} AS SMALLINT) AS minute FROM ({source})"
    return f"SELECT *, CAST(moment AS DATE) AS day, CASE {cases} ELSE 0 END AS problem FROM ({timed})"


def _moment(type_: str, date_format: str | None, time_zone: str | None) -> str:
    """Read a day, with its time if it has one."""
    if _is_typed(type_):
        return "CAST(day_raw AS TIMESTAMP)"
    zone = quote_text(time_zone) if time_zone else None
    if date_format is not None:
        moment = f"read_moment_in(day_text, {quote_text(date_format)})"
        return f"clock_in({moment}, {zone})" if zone and has_zone(date_format) else moment
    if zone:
        return f"CASE WHEN has_offset(day_text) THEN clock_of(day_text, {zone}) ELSE read_moment(day_text) END"
    return "read_moment(day_text)"


def _zoned(type_: str, date_format: str | None) -> str:
    if _is_typed(type_) or date_format is not None:
        return str(date_format is not None and has_zone(date_format)).lower()
    return "has_offset(day_text)"


def _is_typed(type_: str) -> bool:
    return type_ == "DATE" or type_.startswith("TIMESTAMP")


def has_zone(date_format: str) -> bool:
    """Tell whether days in a form are written with an offset or a time zone."""
    return "%z" in date_format or "%Z" in date_format


def _plain_number(expression: str, type_: str) -> str | None:
    """Return an expression for a cell of a type whose numbers are the ones that its text says, else None."""
    if type_ == "DOUBLE":
        return f"CASE WHEN isnan({expression}) THEN NULL ELSE {expression} END"
    decimal = re.fullmatch(r"DECIMAL\((\d+),\s*\d+\)", type_)
    # So many digits, divided by a power of ten, are rounded as their text is.
    exact = decimal is not None and int(decimal[1]) <= _EXACT_DIGITS
    return expression if exact or type_ in ("BIGINT", "INTEGER", "SMALLINT") else None
