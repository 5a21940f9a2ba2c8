"""The rules of a contest as data: columns, their formats and domains, limits, and when an attack is effective.

`pwscup2018` is built in, after Hamada et al.: Report on the anonymization and re-identification contest PWSCUP 2018.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import field
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, get_args

from sudare.arguments import checked
from sudare.errors import OptionNotUsable, SourceNotReadable
from sudare.messages import Joined
from sudare.messages.reasons import reason_of
from sudare.showing import dataclass

Form = Literal["person", "date", "item", "decimal", "integer"]

BUILT_IN = ("pwscup2018",)
DEFAULT = "pwscup2018"
SEPARATORS = ("/", "-", ".")
# Digits that numbers may have, with room to add and square them in 64 bits.
MOST_PERSON_DIGITS = 18
MOST_VALUE = 10**12
MOST_CHARACTERS = 1_000_000
EPOCH = date(1970, 1, 1)
# A number or a quotient of two. Exponents are short: 1e-999999999 would fill the memory.
_NUMBER = r"[0-9]{0,30}(\.[0-9]{0,300})?(e-?[0-9]{1,3})?"
PROBABILITY = re.compile(f"{_NUMBER}(/{_NUMBER})?")

_KEYS = {"name", "columns", "most_items", "most_characters", "p", "alpha", "attacks", "results"}
_COLUMN_KEYS: dict[Form, set[str]] = {
    "person": {"digits"},
    "item": set(),
    "date": {"low", "high", "separator"},
    "decimal": {"low", "high"},
    "integer": {"low", "high"},
}


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """The allowed cells of a column: values from `low` to `high` in days since 1970, hundredths or units.

    `digits` is the number of digits a person's number may have, `separator` what separates year, month and day.
    """

    name: str
    form: Form
    low: int = 0
    high: int = 0
    digits: int = 0
    separator: str = "/"


@dataclass(frozen=True, slots=True)
class ContestResult:
    """The utility U of an anonymized history submitted to the contest, and whether it was found safe.

    `team` is the team that submitted it, "" if unknown; `measures` are other published errors by name.
    """

    utility: float
    safe: bool
    team: str = ""
    measures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class RuleSet:
    """The rules of a contest.

    A set has at most `most_items` items, a line `most_characters` characters. An attack is effective if its success
    would have a probability below `alpha` were every person recognized with probability `p`; `attacks` attacks are
    expected. `results` are published results of the contest, on its own original history, to compare with.
    """

    name: str
    columns: tuple[ColumnRule, ...]
    most_items: int
    most_characters: int
    p: Fraction
    alpha: Fraction
    attacks: int
    results: tuple[ContestResult, ...] = ()

    @cached_property
    def person(self) -> int:
        """The position of the person column, from 0."""
        return next(place for place, column in enumerate(self.columns) if column.form == "person")

    @property
    def first_day(self) -> int:
        """The first day that the rules allow, from which days are counted; 0 without dates."""
        return next((column.low for column in self.columns if column.form == "date"), 0)

    @property
    def best_results(self) -> tuple[ContestResult, ...]:
        """The best safe result, and the best of all if that one was not safe."""
        rising = sorted(self.results, key=lambda result: (result.utility, not result.safe))
        safe = [result for result in rising if result.safe][:1]
        return (*safe, *(result for result in rising[:1] if not result.safe))

    @cached_property
    def cell_columns(self) -> tuple[ColumnRule, ...]:
        """The columns except that of the persons."""
        return tuple(column for column in self.columns if column.form != "person")


@checked
def load_rules(source: str | Path = DEFAULT) -> RuleSet:
    """Return the rules of a contest: built-in rules by name (pwscup2018), others from a TOML file."""
    if isinstance(source, str) and source in BUILT_IN:
        return _built_in(source)
    path = Path(source)
    if not path.exists():
        raise OptionNotUsable("errors.contest_rules.not_found", source=str(source), built_in=Joined(BUILT_IN, "or"))
    try:
        return _rules(path.read_text(encoding="utf-8-sig"), str(source))
    except (OSError, UnicodeDecodeError) as error:
        raise SourceNotReadable("errors.contest_rules.not_readable", source=source, reason=reason_of(error)) from None


@cache
def _built_in(name: str) -> RuleSet:
    return _rules(built_in_text(name), name)


def built_in_text(name: str) -> str:
    """Return the text of the file of built-in rules."""
    return files("sudare.histories.generalized").joinpath(f"rule_sets/{name}.toml").read_text(encoding="utf-8")


def _rules(text: str, source: str) -> RuleSet:
    try:
        document = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise OptionNotUsable("errors.contest_rules.not_toml", source=source, reason=reason_of(error)) from None
    entry = _Entry(document, source, "")
    entry.check_keys(_KEYS)
    return RuleSet(
        name=entry.text("name"),
        columns=_columns(entry),
        most_items=entry.whole("most_items", 1, MOST_CHARACTERS),
        most_characters=entry.whole("most_characters", 1, MOST_CHARACTERS),
        p=entry.probability("p"),
        alpha=entry.probability("alpha"),
        attacks=entry.whole("attacks", 1, MOST_VALUE),
        results=_results(entry) if "results" in document else (),
    )


def _results(entry: _Entry) -> tuple[ContestResult, ...]:
    results = []
    for table in entry.tables("results"):
        table.check_keys({"utility", "safe", "team", "measures"})
        team = table.text("team") if "team" in table.table else ""
        measures = dict(table.measures("measures")) if "measures" in table.table else {}
        results.append(ContestResult(table.number("utility"), table.truth("safe"), team, measures))
    return tuple(results)


def _columns(entry: _Entry) -> tuple[ColumnRule, ...]:
    columns = tuple(map(_column, entry.tables("columns")))
    persons = sum(column.form == "person" for column in columns)
    if persons != 1:
        raise entry.error("persons", "columns", number=persons)
    if len({column.name for column in columns}) < len(columns):
        raise entry.error("column_twice", "columns")
    return columns


def _column(entry: _Entry) -> ColumnRule:
    form = entry.text("form")
    if form not in get_args(Form):
        raise entry.error("form", "form", found=form, forms=Joined(get_args(Form), "or"))
    entry.check_keys({"name", "form"} | _COLUMN_KEYS[form])  # type: ignore[index]
    name = entry.text("name")
    if form == "person":
        return ColumnRule(name, "person", digits=entry.whole("digits", 1, MOST_PERSON_DIGITS))
    if form == "item":
        return ColumnRule(name, "item")
    separator = entry.text("separator") if "separator" in entry.table else "/"
    if separator not in SEPARATORS:
        raise entry.error("separator", "separator", found=separator, separators=Joined(SEPARATORS, "or"))
    low, high = (entry.bound(key, form, separator) for key in ("low", "high"))
    if low > high:
        raise entry.error("order", "low")
    return ColumnRule(name, form, low, high, separator=separator)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class _Entry:
    """A table of the rules, and how its keys are called in messages."""

    table: Mapping[str, Any]
    source: str
    prefix: str

    def error(self, name: str, key: str, **values: object) -> OptionNotUsable:
        """Return the error of that name about a key; texts call the key itself `entry`, with the tables it is in."""
        return OptionNotUsable(
            f"errors.contest_rules.{name}", source=self.source, entry=self.prefix + key, key=key, **values
        )

    def check_keys(self, known: Collection[str]) -> None:
        unknown = next((key for key in self.table if key not in known), None)
        if unknown is not None:
            raise self.error("unknown", unknown, known=Joined(sorted(known)))

    def value(self, key: str) -> object:
        if key not in self.table:
            raise self.error("missing", key)
        return self.table[key]

    def tables(self, key: str) -> list[_Entry]:
        found = self.value(key)
        if not isinstance(found, list) or not all(isinstance(table, Mapping) for table in found):
            raise self.error("list", key, table=f"[[{key}]]")
        return [_Entry(table, self.source, f"{key}[{number}].") for number, table in enumerate(found, start=1)]

    def number(self, key: str) -> float:
        found = self.value(key)
        try:
            number = Fraction(str(found))
        except (ValueError, ZeroDivisionError):
            number = Fraction(-1)
        if not 0 <= number <= MOST_VALUE:
            raise self.error("number", key, found=found)
        return float(number)

    def measures(self, key: str) -> Iterator[tuple[str, float]]:
        """Yield numbers by their names; those of a table in the table have its name and theirs: date_mean."""
        found = self.value(key)
        if not isinstance(found, Mapping):
            raise self.error("table", key, found=found)
        inner = _Entry(found, self.source, f"{self.prefix}{key}.")
        for name, value in found.items():
            if isinstance(value, Mapping):
                yield from ((f"{name}_{part}", number) for part, number in inner.measures(name))
            else:
                yield name, inner.number(name)

    def truth(self, key: str) -> bool:
        found = self.value(key)
        if not isinstance(found, bool):
            raise self.error("truth", key, found=found)
        return found

    def text(self, key: str) -> str:
        found = self.value(key)
        if not isinstance(found, str) or not found.strip():
            raise self.error("text", key, found=found)
        return found

    def whole(self, key: str, least: int, most: int) -> int:
        found = self.value(key)
        if not isinstance(found, int) or isinstance(found, bool) or not least <= found <= most:
            raise self.error("whole", key, found=found, least=least, most=most)
        return found

    def probability(self, key: str) -> Fraction:
        found = self.value(key)
        try:
            if not PROBABILITY.fullmatch(str(found)):
                raise ValueError
            above, _, below = str(found).partition("/")
            share = Fraction(above) / Fraction(below or 1)
        except (ValueError, ZeroDivisionError):
            share = Fraction(0)
        if not 0 < share < 1:
            raise self.error("probability", key, found=found)
        return share

    def bound(self, key: str, form: str, separator: str) -> int:
        found = self.value(key)
        if form == "date":
            return self._day(key, found, separator)
        hundredths = form == "decimal"
        try:
            number = Fraction(str(found)) * (100 if hundredths else 1)
        except (ValueError, ZeroDivisionError):
            number = Fraction(1, 2)
        if isinstance(found, bool) or number.denominator != 1 or abs(number) > MOST_VALUE:
            raise self.error("decimal" if hundredths else "integer", key, found=found, most=MOST_VALUE)
        return int(number)

    def _day(self, key: str, found: object, separator: str) -> int:
        try:
            if isinstance(found, date):
                return (date(found.year, found.month, found.day) - EPOCH).days
            year, month, day = map(int, str(found).split(separator))
            return (date(year, month, day) - EPOCH).days
        except ValueError:
            example = separator.join(("2010", "12", "31"))
            raise self.error("day", key, found=found, example=example) from None
