"""Baskets on an engine, as rows of numbers, where they do not fit in memory or must not leave the engine."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Literal, Self

from sudare.arguments import checked
from sudare.baskets.model import BasketReading, as_baskets
from sudare.baskets.read import keep_pairs
from sudare.engine import Engine, closed, engine_to_keep, fresh_name
from sudare.errors import SourceNotReadable
from sudare.messages import Language, message
from sudare.progress import Progress, silent
from sudare.showing import dataclass
from sudare.sources.opening import open_source
from sudare.sources.purchases.load import PurchaseForm, load_purchases
from sudare.sources.purchases.model import Purchases
from sudare.sources.readings import Reading


@dataclass(eq=False)
class HeldBaskets:
    """Baskets on an engine, in three tables: `occurrence` (owner, item), `owner` and `item` (code, name, length).

    Users and items are numbered from 0 in name order; the table of users has the number of items of each.
    """

    engine: Engine
    reading: BasketReading
    users: int
    items: int
    occurrences: int
    longest: int
    _prefix: str
    _own_engine: bool = False
    _closed: bool = False

    @checked
    def table(self, name: str) -> str:
        """Return the SQL name of a table."""
        if self._closed:
            raise closed("baskets")
        return f"{self._prefix}{name}"

    def close(self) -> None:
        """Close the engine if the baskets opened it; otherwise drop their tables."""
        self._closed = True
        if self._own_engine:
            self.engine.close()
        else:
            self.engine.drop(*(f"{self._prefix}{name}" for name in ("occurrence", "owner", "item")))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@checked
def hold_baskets(
    source: object,
    *,
    form: Literal["pairs", "history"] | None = None,
    per: Literal["customer", "visit"] = "customer",
    columns: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    table: str | None = None,
    date_format: str | None = None,
    time_zone: str | None = None,
    bad_rows: Literal["refuse", "drop"] = "refuse",
    rejects: str | Path | None = None,
    language: Language = "en",
    engine: Engine | None = None,
    progress: Progress = silent,
) -> HeldBaskets:
    """Put baskets on an engine: a table of users and items, or a purchase history.

    The arguments are those of `read_baskets`. Only the numbers of users, items and occurrences and the length of the
    longest record leave the engine. An item that appears twice in a record counts once; rows without a user are refused
    or dropped.
    """
    given = {"customer" if role == "user" else role: column for role, column in (columns or {}).items()}
    given_engine = source.engine if isinstance(source, Purchases) else engine
    options = PurchaseForm(
        delimiter=delimiter, header=header, encoding=encoding, sheet=sheet, table=table, time_zone=time_zone,
        columns=given, date_format=date_format, bad_rows=bad_rows, rejects=rejects, language=language,
    )  # fmt: skip
    progress(message("progress.reading"), 0, 2)
    with engine_to_keep(given_engine, source) as (place, own):
        if isinstance(source, Purchases):
            found = _from_history(source, per)
        elif per == "visit" or form == "history":
            with load_purchases(
                source, options, Purchases, engine=place, own_engine=False, progress=progress
            ) as history:
                found = _from_history(history, per)
        else:
            found = _from_pairs(source, place, options)
        found._own_engine = own
    progress(message("progress.reading"), 2, 2)
    return found


def _from_history(history: Purchases, per: str) -> HeldBaskets:
    customer, purchase, item = (history.table(name) for name in ("customer", "purchase", "item"))
    owner, joined = "c.name", f"{purchase} AS p JOIN {customer} AS c ON c.code = p.customer"
    if per == "visit":
        owner = "c.name || ' ' || CAST(p.day AS STRING)"
    rows = f"SELECT {owner} AS owner, i.name AS item FROM {joined} JOIN {item} AS i ON i.code = p.item"
    return _held(history.engine, rows, history.reading, "history")


def _from_pairs(source: object, engine: Engine, options: PurchaseForm) -> HeldBaskets:
    rows = f"{fresh_name('baskets')}_rows"
    with ExitStack() as cleanup:
        opened = open_source(source, engine, options, cleanup)
        cleanup.callback(engine.drop, rows)
        reading = keep_pairs(engine, opened, rows, options)
        return _held(engine, f"SELECT owner, item FROM {rows} WHERE owner IS NOT NULL", reading, "pairs")


def _held(engine: Engine, rows: str, reading: Reading, form: str) -> HeldBaskets:
    """Return rows (owner, item) with users and items as numbers; a user may have a row without an item."""
    prefix = f"{fresh_name('baskets')}_"
    names = {
        "item": f"SELECT DISTINCT item AS name FROM ({rows}) WHERE item IS NOT NULL",
        "owner": f"SELECT owner AS name, CAST(count(DISTINCT item) AS INTEGER) AS length FROM ({rows}) GROUP BY owner",
    }
    for name, query in names.items():
        engine.keep(f"{prefix}{name}", query, number="code", order="name")
    engine.keep(
        f"{prefix}occurrence",
        f"SELECT o.code - 1 AS owner, i.code - 1 AS item, count(*) AS times FROM ({rows}) AS r JOIN {prefix}owner AS o "
        f"ON o.name = r.owner JOIN {prefix}item AS i ON i.name = r.item GROUP BY o.code, i.code",
    )
    users, longest = engine.total(f"SELECT count(*), coalesce(max(length), 0) FROM {prefix}owner")
    there, times = engine.total(f"SELECT count(*), coalesce(sum(times), 0) FROM {prefix}occurrence")
    (items,) = engine.total(f"SELECT count(*) FROM {prefix}item")
    if not items:
        raise SourceNotReadable("errors.baskets.no_items", source=reading.source)
    told = as_baskets(reading, form, int(times) - int(there))
    return HeldBaskets(engine, told, int(users), int(items), int(there), int(longest), prefix)
