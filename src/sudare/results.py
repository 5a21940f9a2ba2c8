"""The base of all results: plain values, rows, dataframes, and how they are displayed.

A result type is a frozen dataclass that inherits from `Result`. Most types define nothing more. Where the plain values
are not simply the fields, or the rows not simply the result itself, a type says so in one of the class attributes
below, or overrides the method.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from sudare.arguments import checked
from sudare.errors import EngineNotAvailable
from sudare.lazy import above
from sudare.messages import Joined, Language

if TYPE_CHECKING:
    from dataclasses import Field
    from types import ModuleType

Backend = Literal["polars", "pandas", "pyarrow"]
BACKENDS: tuple[Backend, ...] = ("polars", "pandas", "pyarrow")
Row = dict[str, Any]
# What frames hold as whole numbers; larger ones become floating point.
_LARGEST = 2**63 - 1


class Result:
    """A result that converts to plain values, rows or a dataframe, and displays itself as text or HTML."""

    __slots__ = ()

    # Fields that stay inside: data, and what is too large.
    _hidden: ClassVar[tuple[str, ...]] = ()
    # Properties that stand after the fields.
    _further: ClassVar[tuple[str, ...]] = ()
    # Names that are left out where they are None.
    _optional: ClassVar[tuple[str, ...]] = ()
    # Fields whose entries are the rows; without them the result is one row.
    _rows: ClassVar[tuple[str, ...]] = ()
    # The type of a row, or the names of its columns: what a frame without rows has.
    _row: ClassVar[type[Result] | tuple[str, ...] | None] = None

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values for JSON.

        Nested results become dictionaries, fractions and paths become strings, days are written as 2024-12-31.
        """
        found = {name: plain(getattr(self, name)) for name in self._names()}
        return {name: value for name, value in found.items() if value is not None or name not in self._optional}

    def to_rows(self) -> list[Row]:
        """Return the main rows as flat dictionaries of plain values.

        Nested dictionaries become columns with joined names. Lists of values stay lists; lists of dictionaries, which
        are tables of their own, are left out.
        """
        if not self._rows:
            return [flat(self.to_dict())]
        return [flat(plain(entry)) for name in self._rows for entry in getattr(self, name) or ()]

    @checked
    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return the rows as a polars or pandas dataframe, or a pyarrow table.

        Without a name, the first installed one is used. Without rows, the columns are kept. Integers beyond
        64 bits become floating point, and a column of mixed types becomes text.
        """
        rows = self.to_rows()
        names = list(dict.fromkeys(name for row in rows for name in row)) or self._columns()
        columns = {name: _column([row.get(name) for row in rows]) for name in names}
        library = _load(backend)
        if library.__name__ == "pyarrow":
            return library.table(columns)
        return library.DataFrame(columns)

    @checked
    def text(self, language: Language = "en") -> str:
        """Return what the command line prints for the result, without colours."""
        shown: str = above("sudare.report.presentation", "text_of")(self, language)
        return shown

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        """Return what a notebook shows of the result: the tables and charts of the reports."""
        shown: str = above("sudare.report.presentation", "html_of")(self, "en")
        return shown

    @classmethod
    @cache
    def _names(cls) -> tuple[str, ...]:
        """Return the keys of the plain values, including optional ones."""
        return (*(part.name for part in _fields(cls) if part.name not in cls._hidden), *cls._further)

    @classmethod
    def _columns(cls) -> list[str]:
        """Return the columns of a dataframe without rows."""
        row = cls if cls._row is None else cls._row
        return list(row) if isinstance(row, tuple) else [name for name in row._names() if name not in row._optional]


def plain(value: Any) -> Any:
    """Return a value as JSON represents it: null, boolean, number, string, list or dictionary."""
    if value is None or isinstance(value, str | bool | int | float):
        # Also makes plain values of what inherits from them, such as the numbers of numpy and enumerations.
        return value if value is None or isinstance(value, str | bool) else _number(value)
    if isinstance(value, Result):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if is_dataclass(value) and type(value).__str__ is object.__str__:
        return {part.name: plain(getattr(value, part.name)) for part in _fields(type(value))}
    if isinstance(value, Fraction | Path) or is_dataclass(value):
        return str(value)
    return _from_array(value)


def _from_array(value: Any) -> Any:
    """Return an array, an element of one, or any other collection as plain values."""
    found = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(found, Iterable) and not isinstance(found, str | bytes):
        return [plain(entry) for entry in found]
    return found if found is not value else _number(value)


def _number(value: Any) -> int | float:
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    raise TypeError(f"{type(value).__name__} has no plain value.")


def flat(entry: Mapping[str, Any]) -> Row:
    """Return a dictionary without nested dictionaries: their names are joined, lists of them are left out."""
    found: Row = {}
    for name, value in entry.items():
        if isinstance(value, Mapping):
            found |= {f"{name}_{inner}": part for inner, part in flat(value).items()}
        elif not (isinstance(value, list) and any(isinstance(part, Mapping | list) for part in value)):
            found[name] = value
    return found


def _fields(kind: Any) -> list[Field[Any]]:
    return [part for part in fields(kind) if not part.name.startswith("_")]


def _column(values: list[Any]) -> list[Any]:
    """Return the values of a column as all three libraries accept them: of one type, and within 64 bits."""
    kinds = {type(value) for value in values if value is not None}
    large = any(isinstance(value, int) and abs(value) > _LARGEST for value in values)
    if kinds <= {int, float} and (large or len(kinds) > 1):
        return [value if value is None else _float(value) for value in values]
    return values if len(kinds) < 2 else [value if value is None else str(value) for value in values]


def _float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf")


def _load(backend: Backend | None) -> ModuleType:
    """Import a dataframe library on first use."""
    wanted = (backend,) if backend else BACKENDS
    found = next((name for name in wanted if find_spec(name)), None)
    if found is None:
        raise EngineNotAvailable("errors.arguments.no_frames", libraries=Joined(wanted, "or"), first=wanted[0])
    return import_module(found)
