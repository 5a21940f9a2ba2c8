"""How the cells of a purchase history become values, and what makes a row bad."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from sudare.engine import quote_text
from sudare.messages import Message, message
from sudare.showing import dataclass
from sudare.sources.cell_text import cell_text
from sudare.sources.spellings import as_written, plain

# Roles that are recognized, but no values of a purchase.
_UNUSED = ("invoice", "item_name")

# A double holds every whole number of this number of digits.
_EXACT_DIGITS = 15

_ORDERS = {"day_first": ("%d", "%m", "%Y"), "month_first": ("%m", "%d", "%Y")}

# Outside these years a date is a slip of the pen or of a format.
_YEARS = (1900, 2199)


@dataclass(frozen=True, slots=True)
class Rule:
    """What a cell must not be; `broken` is an SQL condition over the values of `parsed`."""

    role: str
    reason: Message
    broken: str


# The day is none that can be read; or it could be, if one knew whether the day or the month comes first.
DAY_UNKNOWN = message("errors.rows.reason.day_unknown")
DAY_UNCLEAR = message("errors.rows.reason.day_unclear")

# How the text of a day is read: the usual forms, which is far quicker; Japanese ones too; or also dates with the year
# last, the day or the month first.
DayForm = Literal["usual", "any", "day_first", "month_first"]

RULES = (
    Rule("customer", message("errors.rows.reason.customer_missing"), "customer IS NULL"),
    Rule("day", message("errors.rows.reason.day_missing"), "day_text IS NULL"),
    Rule("day", DAY_UNCLEAR, "moment IS NULL AND unclear"),
    Rule("day", DAY_UNKNOWN, "moment IS NULL"),
    Rule(
        "day", message("errors.rows.reason.day_outside", first=_YEARS[0], last=_YEARS[1]),
        "year(moment) NOT BETWEEN {} AND {}".format(*_YEARS),
    ),
    Rule("item", message("errors.rows.reason.item_missing"), "item IS NULL"),
    Rule("time", message("errors.rows.reason.time_unknown"), "time_text IS NOT NULL AND minute IS NULL"),
    Rule("price", message("errors.rows.reason.price_unknown"), "price_text IS NOT NULL AND price IS NULL"),
    Rule("price", message("errors.rows.reason.price_negative"), "price < 0"),
    Rule("quantity", message("errors.rows.reason.quantity_unknown"), "quantity_text IS NOT NULL AND quantity IS NULL"),
    Rule("quantity", message("errors.rows.reason.quantity_not_positive"), "quantity <= 0"),
)  # fmt: skip


def parsed(
    table: str,
    columns: Mapping[str, tuple[str, str]],
    *,
    date_format: str | None,
    time_zone: str | None,
    missing: Mapping[str, Sequence[str]],
    rules: Sequence[Rule] = RULES,
    days: DayForm = "any",
) -> str:
    """Return a query for the values of each row and `problem`, the number of the first rule it breaks (0: none).

    `columns` gives for each role the SQL expression and type of its column. Cells are taken in Unicode's form NFKC and
    trimmed; an empty cell, a not-a-number and the values of `missing` are missing. `customer_was` and `item_was` are as
    they were written, if otherwise; `zoned` says whether the day is written with an offset, `unclear` whether one that
    cannot be read could be if one knew the order of day and month.
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
        f"{_moment(columns['day'][1], date_format, time_zone, days)} AS moment",
        f"{_zoned(columns['day'][1], date_format)} AS zoned",
        f"{_unclear(columns['day'][1], date_format, days)} AS unclear",
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


def _moment(type_: str, date_format: str | None, time_zone: str | None, days: DayForm) -> str:
    """Read a day, with its time if it has one."""
    if _is_typed(type_):
        return "CAST(day_raw AS TIMESTAMP)"
    zone = quote_text(time_zone) if time_zone else None
    if date_format is not None:
        moment = f"read_moment_in(day_text, {quote_text(date_format)})"
        return f"clock_in({moment}, {zone})" if zone and has_zone(date_format) else moment
    text = "day_text" if days in ("usual", "any") else f"coalesce({days}(day_text), day_text)"
    moment = f"western_moment({text})" if days == "usual" else f"read_moment({text})"
    return f"CASE WHEN has_offset(day_text) THEN clock_of({text}, {zone}) ELSE {moment} END" if zone else moment


def _unclear(type_: str, date_format: str | None, days: DayForm) -> str:
    if days != "any" or date_format is not None or _is_typed(type_):
        return "false"
    return "coalesce(western_moment(day_first(day_text)), western_moment(month_first(day_text))) IS NOT NULL"


def unread_days(query: str) -> str:
    """Return a query about the days that `parsed` could not read in the usual forms: one row of counts.

    They are how many can be read in another form, how many only if the day comes first, and how many only if the month
    does.
    """
    forms = ("read_moment(day_text)", "western_moment(day_first(day_text))", "western_moment(month_first(day_text))")
    readings = ", ".join(f"{form} AS {name}" for form, name in zip(forms, ("other", "first", "second"), strict=True))
    unread = f"SELECT DISTINCT day_text FROM ({query}) WHERE moment IS NULL AND day_text IS NOT NULL"
    return (
        "SELECT count(coalesce(other, first, second)), "
        "count(*) FILTER (WHERE first IS NOT NULL AND second IS NULL), "
        "count(*) FILTER (WHERE second IS NOT NULL AND first IS NULL) "
        f"FROM (SELECT {readings} FROM ({unread}))"
    )


def _zoned(type_: str, date_format: str | None) -> str:
    if _is_typed(type_) or date_format is not None:
        return str(date_format is not None and has_zone(date_format)).lower()
    return "has_offset(day_text)"


def unclear_dates(example: str | None) -> Message:
    """Say what a date can mean of which day and month cannot be told apart, and what to do."""
    text = example or "01/02/2010"
    found = re.match(r"\s*(\d{1,2})([/.-])(\d{1,2})[/.-](\d{4})(.*)", plain(text))
    if found is None:
        return message("errors.rows.dates")
    one, divider, other, year, time = found.groups()
    clock = "" if not time.strip() else " %H:%M:%S" if time.count(":") > 1 else " %H:%M"
    readings = {"day_first": f"{year}-{other:0>2}-{one:0>2}", "month_first": f"{year}-{one:0>2}-{other:0>2}"}
    forms = {f"{name}_form": divider.join(order) + clock for name, order in _ORDERS.items()}
    return message("errors.rows.unclear_dates", example=text.strip(), **readings, **forms)


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
    # This number of digits, divided by a power of ten, are rounded as their text is.
    exact = decimal is not None and int(decimal[1]) <= _EXACT_DIGITS
    return expression if exact or type_ in ("BIGINT", "INTEGER", "SMALLINT") else None
