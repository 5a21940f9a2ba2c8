"""Reading baskets from transaction text, tables of users and items, and purchase histories."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.baskets.model import BasketReading, Baskets, as_baskets, numbered
from sudare.baskets.transactions import SPMF_MARKS, TEXT_FORMS, TextForm, find_text_form, is_no_item, read_lines
from sudare.engine import Engine, engine_or_own, fresh_name
from sudare.errors import OptionNotUsable, SourceNotReadable
from sudare.messages import Joined, Language, message
from sudare.progress import Progress, silent
from sudare.showing import dataclass
from sudare.sources.cell_text import cell_text
from sudare.sources.encodings import with_mark
from sudare.sources.local.prepared import LocalText, is_excel, is_parquet, text_of
from sudare.sources.opening import Source, open_source, refuse_broken
from sudare.sources.purchases.load import PurchaseForm, load_purchases
from sudare.sources.purchases.model import Purchases
from sudare.sources.purchases.roles import NAMES, alternatives, assign_roles, fold
from sudare.sources.readings import Reading
from sudare.sources.rejects import (
    BadRowsFound,
    Problem,
    check_rejects,
    dropped_rows,
    refused_rows,
    write_rejects,
)
from sudare.sources.spellings import as_written, find_spellings, plain, spelled_names
from sudare.sources.text import DELIMITERS

Form = Literal["spaces", "commas", "spmf", "pairs", "history"]
Per = Literal["customer", "visit"]

PAIR_ROLES = ("customer", "item")
SHOWN_ROWS = 10
USER_MISSING = message("errors.rows.reason.user_missing")
# What an engine that shows no people does not show.
ITEMS_OF_USERS = message("errors.people.items_of_users")


@checked
def read_baskets(
    source: object,
    *,
    form: Form | None = None,
    per: Per = "customer",
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
    allow_empty: bool = False,
    engine: Engine | None = None,
    progress: Progress = silent,
) -> Baskets:
    """Read baskets from a text, CSV, Parquet or Excel file, a DuckDB relation, any dataframe, or a purchase history.

    Transaction text has one record per line, with items separated by `spaces`, `commas` or -1 (`spmf`); an empty line
    is an empty record, and users are line numbers from 1. A table of `pairs` has one row per user and item; users are
    in order of first appearance, and a row without an item adds a user but no item. A `history` has one record per
    customer, in name order, or one per visit (`per="visit"`; the user is then the customer's name and the day). The
    format and the columns are detected unless `form` and `columns` (user, item, day -> column) are given. An item that
    appears twice in a record counts once. Rows without a user, and bad rows of a history, are refused or dropped.
    Baskets without any item are an error unless `allow_empty` is set, since suppression can leave none.
    """
    _check_words(form, per, bad_rows)
    given = {"customer" if role == "user" else role: column for role, column in (columns or {}).items()}
    options = PurchaseForm(
        delimiter=delimiter, header=header, encoding=encoding, sheet=sheet, table=table, time_zone=time_zone,
        columns=given, date_format=date_format, bad_rows=bad_rows, rejects=rejects, language=language,
    )  # fmt: skip
    progress(message("progress.reading"), 0, 2)
    if isinstance(source, Purchases):
        found = _from_history(source, per)
    elif per == "visit" or form == "history":
        with (
            engine_or_own(engine) as place,
            load_purchases(source, options, Purchases, engine=place, own_engine=False) as history,
        ):
            found = _from_history(history, per)
    else:
        found = _from_text_or_pairs(source, form, options, engine)
    if not found.names and not allow_empty:
        name = found.reading.source if found.reading else message("errors.baskets.source")
        raise SourceNotReadable("errors.baskets.no_items", source=name)
    return found


def _check_words(form: str | None, per: str, bad_rows: str) -> None:
    if form not in (None, *get_args(Form)):
        raise OptionNotUsable("errors.baskets.form", form=form, forms=Joined(get_args(Form), "or"))
    if per not in get_args(Per):
        raise OptionNotUsable("errors.baskets.per", per=per, choices=Joined(get_args(Per), "or"))
    if bad_rows not in ("refuse", "drop"):
        raise OptionNotUsable("errors.baskets.bad_rows", bad_rows=bad_rows)
    if per == "visit" and form not in (None, "history"):
        raise OptionNotUsable("errors.baskets.per_visit", form=form)


def _from_text_or_pairs(source: object, form: Form | None, options: PurchaseForm, engine: Engine | None) -> Baskets:
    """Read transaction text if the form says so or the first line names no columns; read anything else as pairs."""
    with ExitStack() as cleanup:
        text = None
        if isinstance(source, str | Path) and (form in TEXT_FORMS or not options.columns):
            text = text_of(source, options.encoding, cleanup)
        header = text is not None and names_columns(text.file, text.encoding)
        if text is not None and (form in TEXT_FORMS or (form is None and not header)):
            return _from_text(text, form, options.encoding)
        if form in TEXT_FORMS:
            raise SourceNotReadable("errors.sources.no_transactions", form=form)
        if text is not None and options.header is None:
            # Names of people and things look like a header; here a header names both columns.
            options = replace(options, header=header)
        return _from_pairs(source, cleanup.enter_context(engine_or_own(engine)), options)


def is_binary(path: Path) -> bool:
    """Tell whether a path is a table that is not a text file."""
    return is_parquet(path) or is_excel(path)


def names_columns(path: Path, encoding: str) -> bool:
    """Return whether the first line of a text names a user column and an item column."""
    with path.open(encoding=with_mark(encoding)) as file:
        first = next((line for line in file if line.strip()), "")
    rows = ({fold(cell.strip('"')) for cell in first.strip().split(delimiter)} for delimiter in DELIMITERS)
    return any(all(row & set(NAMES[role]) for role in PAIR_ROLES) for row in rows)


def _from_text(text: LocalText, given: Form | None, encoding: str | None) -> Baskets:
    path, found = text.file, text.encoding
    form: TextForm = find_text_form(path, with_mark(found)) if given is None else given  # type: ignore[assignment]
    counts, cells, numbers = read_lines(path, with_mark(found), form, text.name)
    if given is None and form == "spaces" and SPMF_MARKS[0] in numbers:
        # Only short records in the first lines.
        form = "spmf"
    times = np.bincount(cells, minlength=len(numbers)).tolist()
    written = {name: times[number] for name, number in numbers.items() if not is_no_item(name, form)}
    spelling = spelled_names("item", written)
    names = sorted({plain(name) for name in written})
    places = {name: place for place, name in enumerate(names)}
    ranks = np.full(len(numbers), -1, np.int32)
    ranks[[numbers[name] for name in written]] = [places[plain(name)] for name in written]
    items = ranks[cells]
    owners = np.repeat(np.arange(len(counts)), counts)[items >= 0]
    # Several times as fast as np.unique, which goes by hashes.
    keys = np.sort(owners * len(names) + items[items >= 0])
    duplicates = np.diff(keys, prepend=-1) == 0
    keys = keys[~duplicates]
    guesses = {} if encoding else {"encoding": found}
    if given is None:
        guesses["form"] = form
    reading = BasketReading(
        text.name, "text", {}, guesses, len(counts), (), text.sha256, (spelling,) if spelling.remarkable else (),
        files=text.files, form=form, duplicates=int(np.count_nonzero(duplicates)),
    )  # fmt: skip
    return _made(keys // len(names), keys % len(names), names, numbered(len(counts)), reading)


def _made(
    owners: NDArray[np.int64],
    items: NDArray[np.int64],
    names: list[str],
    users: tuple[str, ...],
    reading: BasketReading,
) -> Baskets:
    """Make baskets from occurrences sorted by owner and item."""
    starts = np.append(0, np.cumsum(np.bincount(owners, minlength=len(users)))).astype(np.int64)
    return Baskets(starts, items.astype(np.int32), tuple(names), users, reading)


def _from_pairs(source: object, engine: Engine, options: PurchaseForm) -> Baskets:
    rows = f"{fresh_name('baskets')}_rows"
    with ExitStack() as cleanup:
        opened = open_source(source, engine, options, cleanup)
        cleanup.callback(engine.drop, rows)
        engine.check_people(ITEMS_OF_USERS)
        reading = keep_pairs(engine, opened, rows, options)
        return _numbered(engine, f"(SELECT * FROM {rows} WHERE owner IS NOT NULL)", rows, reading, "pairs")


def keep_pairs(engine: Engine, source: Source, rows: str, options: PurchaseForm) -> Reading:
    """Make a table of the users and items of a source, and return its reading; bad rows are refused or dropped."""
    check_rejects(options, engine)
    roles = assign_pairs(source, options.columns)
    engine.keep(rows, pair_rows(engine, source, roles))
    broken = source.broken_lines(engine)
    found = {"user": source.columns[roles["customer"]], "item": source.columns[roles["item"]]}
    read, lacking = engine.total(f"SELECT count(*), count(*) FILTER (WHERE owner IS NULL) FROM {rows}")
    dropped = dropped_rows([(USER_MISSING, found["user"], lacking)], broken)
    query = f"SELECT place AS record, 1 AS problem FROM {rows} WHERE owner IS NULL"
    bad = BadRowsFound(engine, source, query, [Problem(roles["customer"], USER_MISSING)], broken)
    write_rejects(bad, options)
    if dropped and options.bad_rows == "refuse":
        raise refused_rows(bad, dropped, options)
    spellings = find_spellings(engine, rows, {"owner": found["user"], "item": found["item"]})
    others = alternatives(source.columns, roles, options.columns) if source.header else {}
    return Reading(
        source.name, source.format, found, source.guesses, int(read) + len(broken), tuple(dropped), source.sha256,
        spellings, alternatives={**source.alternatives, **others}, files=source.files,
    )  # fmt: skip


def hold_pairs(engine: Engine, source: Source, given: Mapping[str, str], name: str) -> dict[str, int]:
    """Make a table of the users and items of a source: place (from 1), owner, item; return the column positions."""
    engine.check_people(ITEMS_OF_USERS)
    roles = assign_pairs(source, given)
    engine.keep(name, pair_rows(engine, source, roles))
    refuse_broken(engine, source)
    return roles


def assign_pairs(source: Source, given: Mapping[str, str]) -> dict[str, int]:
    """Return the positions of the user and item columns."""
    return assign_roles(source.columns, given, header=source.header, source=source.name, required=PAIR_ROLES)


def pair_rows(engine: Engine, source: Source, roles: Mapping[str, int]) -> str:
    """Return a query for the users and items of a source, with the places of the rows from 1."""
    return f"SELECT {engine.record_number} AS place, {pair_cells(source, roles)} FROM {source.table}"


def pair_cells(source: Source, roles: Mapping[str, int]) -> str:
    """Return the cells of a row of users and items: owner, item, and their original spelling if different."""
    cells = []
    for role, name in zip(PAIR_ROLES, ("owner", "item"), strict=True):
        expression, type_ = source.expressions[roles[role]], source.types[roles[role]]
        text = cell_text(expression, type_, ())
        cells.append(f"{text} AS {name}, {as_written(expression, type_, text)} AS {name}_was")
    return ", ".join(cells)


def missing_rows(engine: Engine, name: str, column: str) -> list[int]:
    """Return the places of the rows where a column is missing."""
    return _listed(engine, f"SELECT place FROM {name} WHERE {column} IS NULL ORDER BY place")


def _listed(engine: Engine, query: str) -> list[Any]:
    """Return the one column of a query as a list."""
    return [cell for (cell,) in engine.people(query, ITEMS_OF_USERS)]


def _from_history(history: Purchases, per: Per) -> Baskets:
    customer, item = history.table("customer"), history.table("item")
    owner, place = ("c.name", "c.code")
    joined = f"{history.table('purchase')} AS p JOIN {customer} AS c ON c.code = p.customer"
    if per == "visit":
        joined += f" JOIN {history.table('visit')} AS v ON v.customer = p.customer AND v.day = p.day"
        owner, place = "c.name || ' ' || p.day", "v.visit"
    query = (
        f"(SELECT {place} AS place, {owner} AS owner, i.name AS item FROM {joined} JOIN {item} AS i ON i.code = p.item)"
    )
    return _numbered(history.engine, query, fresh_name("baskets"), history.reading, "history")


@dataclass(frozen=True, slots=True)
class _Code:
    """How names of one kind are numbered on the engine: in the order of an expression."""

    column: str
    order: str


def _numbered(engine: Engine, rows: str, name: str, reading: Reading, form: Form) -> Baskets:
    """Make baskets from rows (place, owner, item): owners by first appearance, items by name."""
    engine.check_people(ITEMS_OF_USERS)
    codes = (_Code("owner", "min(place)"), _Code("item", "item"))
    try:
        for code in codes:
            engine.keep(
                f"{name}_{code.column}",
                f"SELECT {code.column}, "
                f"CAST(row_number() OVER (ORDER BY {code.order}) - 1 AS INTEGER) AS code "
                f"FROM {rows} WHERE {code.column} IS NOT NULL GROUP BY {code.column}",
            )
        users, names = (
            _listed(engine, f"SELECT {code.column} FROM {name}_{code.column} ORDER BY code") for code in codes
        )
        found = engine.people_columns(
            f"SELECT o.code AS owner, i.code AS item, count(*) AS times FROM {rows} AS r "
            f"JOIN {name}_owner AS o ON o.owner = r.owner JOIN {name}_item AS i ON i.item = r.item "
            "GROUP BY o.code, i.code ORDER BY o.code, i.code",
            ITEMS_OF_USERS,
        )
    finally:
        engine.drop(*(f"{name}_{code.column}" for code in codes))
    duplicates = int(found["times"].sum()) - len(found["times"])
    told = as_baskets(reading, form, duplicates)
    return _made(found["owner"].astype(np.int64), found["item"].astype(np.int64), names, tuple(users), told)
