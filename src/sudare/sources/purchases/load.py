"""Reading purchase rows from files, relations and dataframes into tables on an engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import field
from typing import Literal, TypeVar

from sudare.engine import Engine, fresh_name
from sudare.engine.protocol import ZONE, Column, is_worth_gathering
from sudare.errors import BadRows, OptionNotUsable, SourceNotReadable
from sudare.messages import Message, message
from sudare.progress import Progress, silent
from sudare.showing import dataclass
from sudare.sources.opening import Source, open_source
from sudare.sources.options import SourceOptions
from sudare.sources.purchases.model import Purchases
from sudare.sources.purchases.roles import ROLES, alternatives, assign_roles, unknown_role
from sudare.sources.purchases.rules import (
    DAY_UNCLEAR,
    DAY_UNKNOWN,
    RULES,
    DayForm,
    Rule,
    has_zone,
    parsed,
    unclear_dates,
    unread_days,
)
from sudare.sources.readings import AS_WRITTEN, Dropped, Reading
from sudare.sources.rejects import (
    SINGLE_ROWS,
    BadRowsFound,
    Problem,
    check_rejects,
    dropped_rows,
    refused_rows,
    write_rejects,
)
from sudare.sources.spellings import find_spellings

P = TypeVar("P", bound=Purchases)


@dataclass(frozen=True, slots=True, kw_only=True)
class PurchaseForm(SourceOptions):
    """How a source is to be read as purchases; see `read_history`."""

    columns: Mapping[str, str] = field(default_factory=dict)
    date_format: str | None = None
    missing_values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    bad_rows: Literal["refuse", "drop"] = "refuse"

    def check(self) -> None:
        """Raise OptionNotUsable if something was said that nothing can be done with."""
        if self.bad_rows not in ("refuse", "drop"):
            raise OptionNotUsable("errors.sources.bad_rows", given=self.bad_rows)
        if self.date_format == "":
            raise OptionNotUsable("errors.sources.date_format_empty")
        for role in self.missing_values:
            if role not in ROLES:
                raise unknown_role(role)
        SourceOptions.check(self)


def load_purchases(
    source: object,
    options: PurchaseForm,
    kind: type[P],
    *,
    engine: Engine,
    own_engine: bool,
    progress: Progress = silent,
) -> P:
    """Read purchases into tables on an engine; those that break a rule are refused or dropped.

    With `own_engine` the engine is closed with them.
    """
    with _loading(source, options, RULES, engine, progress) as loader:
        return loader.load(kind, own_engine=own_engine, progress=progress)


@dataclass(frozen=True, slots=True, eq=False)
class RowsInOrder:
    """The rows of a history in the order of the source: customer, day (since 1970), item, price and quantity.

    `unused` are the columns of the source that are not among them, with the time of day if there is one.
    """

    values: dict[str, Column]
    reading: Reading
    unused: tuple[str | Message, ...]


def read_rows_in_order(
    source: object, options: PurchaseForm, rules: Sequence[Rule], *, engine: Engine, progress: Progress = silent
) -> RowsInOrder:
    """Read the rows of a history as they stand; those that break a rule are refused or dropped."""
    with _loading(source, options, rules, engine, progress) as loader:
        return loader.rows_in_order(progress)


@contextmanager
def _loading(
    source: object, options: PurchaseForm, rules: Sequence[Rule], engine: Engine, progress: Progress
) -> Iterator[_Loader]:
    with ExitStack() as cleanup:
        progress(message("progress.reading"), 0, 3)
        check_rejects(options, engine)
        opened = open_source(source, engine, options, cleanup)
        roles = assign_roles(opened.columns, options.columns, header=opened.header, source=opened.name)
        loader = _Loader(engine, opened, roles, options, rules)
        cleanup.callback(loader.forget)
        yield loader


@dataclass(eq=False)
class _Loader:
    """Brings one opened source into the model's tables."""

    engine: Engine
    source: Source
    roles: dict[str, int]
    options: PurchaseForm
    rules: Sequence[Rule]
    prefix: str = field(default_factory=lambda: f"{fresh_name('history')}_")
    days: DayForm = "usual"

    def load(self, kind: type[P], *, own_engine: bool, progress: Progress) -> P:
        numbers, dropped = self._stage(progress)
        progress(message("progress.numbering"), 2, 3)
        read, kept, parts, zoned = self._count(numbers)
        customers, near = self._number(parts, kept)
        names = {role: f"{self.prefix}{role}" for role in ("customer", "item")}
        reading = self._reading(read, dropped, zoned=zoned, names=names)
        progress(message("progress.reading"), 3, 3)
        return kind(self.engine, reading, kept, customers, parts, self.prefix, near, _own_engine=own_engine)

    def rows_in_order(self, progress: Progress) -> RowsInOrder:
        self.engine.check_people(SINGLE_ROWS)
        numbers, dropped = self._stage(progress)
        progress(message("progress.taking_rows"), 2, 3)
        read, _, parts, zoned = self._count(numbers)
        reading = self._reading(read, dropped, zoned=zoned)
        names = ["customer", "day - DATE '1970-01-01' AS day", "item", *numbers]
        query = f"SELECT {', '.join(names)} FROM {self.prefix}staged WHERE problem = 0"
        values = self.engine.people_columns(query, SINGLE_ROWS)
        unused: list[str | Message] = [
            self._shown(place) for place in range(len(self.source.columns)) if self._role(place) not in values
        ]
        if "time" in parts and "time" not in self.roles:
            unused.append(message("part.time"))
        progress(message("progress.reading"), 3, 3)
        return RowsInOrder(values, reading, tuple(unused))

    def _role(self, place: int) -> str:
        return next((role for role, other in self.roles.items() if other == place), "")

    def _shown(self, place: int) -> str:
        """Return the name of a column; without a header its role, or its position."""
        column = self.source.columns[place]
        return column if self.source.header else self._role(place) or column

    def _reading(
        self, read: int, dropped: tuple[Dropped, ...], *, zoned: bool, names: Mapping[str, str] | None = None
    ) -> Reading:
        columns = {role: self.source.columns[place] for role, place in self.roles.items()}
        rows = read + sum(part.rows for part in dropped if not part.column)
        source = self.source
        staged = f"(SELECT * FROM {self.prefix}staged WHERE problem = 0)"
        titles = {role: self._column(role) for role in ("customer", "item")}
        spellings = find_spellings(self.engine, staged, titles, names=names)
        return Reading(
            source.name, source.format, columns, source.guesses, rows, dropped, source.sha256, spellings,
            self._clock(zoned=zoned), alternatives=self._alternatives(), files=source.files,
        )  # fmt: skip

    def _alternatives(self) -> dict[str, tuple[str, ...]]:
        if not self.source.header:
            return self.source.alternatives
        return {**self.source.alternatives, **alternatives(self.source.columns, self.roles, self.options.columns)}

    def _clock(self, *, zoned: bool) -> str | None:
        if not zoned:
            moments = {self.roles[role] for role in ("day", "time") if role in self.roles}
            return self.source.clock if moments & set(self.source.zoned) else None
        form = self.options.date_format
        return self.options.time_zone or (ZONE if form and has_zone(form) else AS_WRITTEN)

    def forget(self) -> None:
        """Drop what was only needed while reading."""
        self.engine.drop(f"{self.prefix}staged")

    def _query(self) -> str:
        columns = {role: (self.source.expressions[p], self.source.types[p]) for role, p in self.roles.items()}
        options = self.options
        return parsed(
            self.source.table, columns, date_format=options.date_format, time_zone=options.time_zone,
            missing=options.missing_values, rules=self.rules, days=self.days,
        )  # fmt: skip

    def _stage(self, progress: Progress) -> tuple[list[str], tuple[Dropped, ...]]:
        """Parse and check all rows; return which numbers they have and what is dropped."""
        parts: list[str] = [role for role in ("price", "quantity") if role in self.roles]
        names = ["customer", "customer_was", "day", "zoned", "item", "item_was", "minute", *parts, "problem"]
        bad = self._keep(names)
        progress(message("progress.checking"), 1, 3)
        if bad[DAY_UNKNOWN.key] and self.options.date_format is None and self._finds_other_days():
            bad = self._keep(names)
        return parts, self._check(bad)

    def _keep(self, names: Sequence[str]) -> dict[str, int]:
        """Keep the rows, and return how many there are for each reason to refuse them."""
        staged = f"{self.prefix}staged"
        self.engine.keep(staged, f"SELECT {', '.join(names)} FROM ({self._query()})")
        each = ", ".join(f"count(*) FILTER (WHERE problem = {n})" for n in range(1, len(self.rules) + 1))
        counts = self.engine.total(f"SELECT {each} FROM {staged} WHERE problem > 0")
        return {rule.reason.key: rows for rule, rows in zip(self.rules, counts, strict=True)}

    def _finds_other_days(self) -> bool:
        """Find how days are written that are in no usual form; say whether that helps to read more of them.

        Whether the day or the month comes first is decided over the whole source: some date must be possible in one
        order only, and none in the other only.
        """
        readable, day_first, month_first = self.engine.total(unread_days(self._query()))
        if readable:
            self.days = "any" if bool(day_first) == bool(month_first) else "day_first" if day_first else "month_first"
        return bool(readable)

    def _check(self, bad: Mapping[str, int]) -> tuple[Dropped, ...]:
        broken = self.source.broken_lines(self.engine)
        used = [rule for rule in self.rules if rule.role in self.roles]
        reasons = ((rule.reason, self._column(rule.role), bad[rule.reason.key]) for rule in used)
        dropped = dropped_rows(reasons, broken)
        # Rules of roles that have no column are broken by no row.
        problems = [Problem(self.roles.get(rule.role, 0), rule.reason) for rule in self.rules]
        counted = f"SELECT row_number() OVER () AS record, problem FROM ({self._query()})"
        found = BadRowsFound(
            self.engine, self.source, f"SELECT record, problem FROM ({counted}) WHERE problem > 0", problems, broken
        )
        write_rejects(found, self.options)
        if dropped and self.options.bad_rows == "refuse":
            raise self._refusal(found, dropped)
        return tuple(dropped)

    def _column(self, role: str) -> str:
        return self.source.columns[self.roles[role]]

    def _refusal(self, found: BadRowsFound, dropped: list[Dropped]) -> BadRows:
        reasons = [part.reason for part in dropped]
        dates: Message | str = message("errors.rows.dates") if DAY_UNKNOWN in reasons else ""
        if DAY_UNCLEAR in reasons:
            dates = unclear_dates(found.first_value(DAY_UNCLEAR) if self.engine.shows_people else None)
        return refused_rows(found, dropped, self.options, dates=dates)

    def _count(self, parts: list[str]) -> tuple[int, int, tuple[str, ...], bool]:
        """Return how many rows were read and kept, what they have, and whether some days have an offset."""
        read, kept, timed, zoned = self.engine.total(
            "SELECT count(*), count(*) FILTER (WHERE problem = 0), "
            "coalesce(max(minute) FILTER (WHERE problem = 0), 0) > 0, "
            f"count(*) FILTER (WHERE zoned AND problem = 0) > 0 FROM {self.prefix}staged"
        )
        if not kept:
            if not read:
                raise SourceNotReadable("errors.sources.no_rows", name=self.source.name)
            raise SourceNotReadable("errors.sources.no_rows_left", name=self.source.name)
        has_time = "time" in self.roles or timed
        return read, kept, (*(("time",) if has_time else ()), *parts), zoned

    def _number(self, parts: Sequence[str], rows: int) -> tuple[int, str]:
        """Give customers and items numbers; return how many customers there are, and by what the rows lie together."""
        staged = f"{self.prefix}staged"
        for role in ("customer", "item"):
            names = f"SELECT DISTINCT {role} AS name FROM {staged} WHERE problem = 0"
            self.engine.keep(f"{self.prefix}{role}", names, number="code", order="name")
        customers = int(self.engine.total(f"SELECT count(*) FROM {self.prefix}customer")[0])
        near = "customer" if is_worth_gathering(self.engine, rows, customers) else ""
        kept = "".join(f", {'minute AS time' if part == 'time' else part}" for part in parts)
        self.engine.keep(
            f"{self.prefix}purchase",
            f"SELECT c.code AS customer, day, i.code AS item{kept} "
            f"FROM {staged} JOIN {self.prefix}customer AS c ON c.name = customer "
            f"JOIN {self.prefix}item AS i ON i.name = item WHERE problem = 0",
            near=near,
        )
        return customers, near
