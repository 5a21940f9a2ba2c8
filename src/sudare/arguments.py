"""Arguments of public functions, checked against their signatures.

`@checked` compares every argument with its annotation before any work begins. An argument of the wrong type raises a
TypeError that names the argument and what it must be; a value out of range (not a number, infinite, beyond 64 bits, an
unknown name, outside the `LIMITS` for its name) raises OptionNotUsable and names it too. Elements are checked as well,
except those of an iterator, which can be read only once.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections import abc
from collections.abc import Callable, Mapping
from fractions import Fraction
from numbers import Integral, Real
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from sudare.errors import MemoryNotEnough, OptionNotUsable
from sudare.messages import Joined, Message, message
from sudare.showing import dataclass

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
# Kernels and engines count with 64 bits.
_LARGEST = 2**63 - 1
# Where a user gets what an argument must be.
MAKERS = {
    "Baskets": "read_baskets",
    "CellHistory": "histories.read_original",
    "Certificate": "baskets.read_certificate",
    "CollapsedTable": "tables.collapse_table",
    "EarlierRelease": "histories.read_earlier_release",
    "Engine": "open_engine",
    "Guesses": "contest.read_guesses",
    "Hierarchy": "tables.read_hierarchy",
    "KnownHistory": "histories.know_history",
    "History": "read_history",
    "RuleSet": "histories.load_rules",
    "SensitiveItems": "baskets.read_sensitive",
    "Table": "read_table",
}


@dataclass(frozen=True, slots=True)
class Between:
    """The smallest and largest allowed value of a number; None means no limit."""

    least: float | None = None
    most: float | None = None

    def __contains__(self, value: Any) -> bool:
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)

    def said_of(self, value: object) -> Message:
        """Say what a value must be that it is not."""
        if self.most is None:
            return message("errors.arguments.problem.least", least=self.least, value=value)
        if self.least is None:
            return message("errors.arguments.problem.most", most=self.most, value=value)
        return message("errors.arguments.problem.between", least=self.least, most=self.most, value=value)


@dataclass(frozen=True, slots=True)
class Above:
    """A lower limit that values must exceed."""

    bound: float

    def __contains__(self, value: Any) -> bool:
        return bool(value > self.bound)

    def said_of(self, value: object) -> Message:
        """Say what a value must be that it is not."""
        return message("errors.arguments.problem.above", bound=self.bound, value=value)


# A name means the same everywhere, and so do its limits. What is said elsewhere of single functions comes on top.
LIMITS: dict[str, Between | Above] = {
    "most": Between(0),
    "most_examples": Between(0),
    "most_worst": Between(0),
    "queries": Between(0, 1_000_000),
    "seconds": Above(0),
    "seed": Between(0),
    "threads": Between(1, 1024),
}


class _Wrong(Exception):
    """An argument has the wrong type."""


def checked(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Make a public function check its arguments, and report a lack of memory as MemoryNotEnough."""
    said = function.__qualname__.removesuffix(".__init__")
    names = [
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]

    @functools.cache
    def hints() -> dict[str, Any]:
        # Worked out at the first call: annotations may name what is imported later.
        found = get_type_hints(function, include_extras=True)
        found.pop("return", None)
        return found

    @functools.wraps(function)
    def call(*args: Parameters.args, **options: Parameters.kwargs) -> Result:
        known = hints()
        for name, value in (*zip(names, args, strict=False), *options.items()):
            if name in known:
                _check(said, name, value, known[name])
        try:
            return function(*args, **options)
        except MemoryError:
            raise MemoryNotEnough("errors.arguments.memory", function=said) from None

    return call


def check_place(name: str, place: int, count: int) -> None:
    """Refuse an index, from 0, that is not below the number of things."""
    if not 0 <= place < count:
        raise OptionNotUsable("errors.arguments.place", name=name, most=count - 1, place=place)


def check_places(name: str, places: Any, count: int) -> None:
    """Refuse an array of indices, from 0, if any of them is not below the number of things."""
    if len(places):
        check_place(name, int(places.min()), count)
        check_place(name, int(places.max()), count)


def _check(function: str, name: str, value: object, hint: Any) -> None:
    try:
        problem = _problem(value, hint)
    except _Wrong:
        made = [MAKERS[part.__name__] for part in _parts(hint) if getattr(part, "__name__", "") in MAKERS]
        advice = f"\nHint: {' or '.join(f'sudare.{maker}' for maker in made)} makes one." if made else ""
        if MAKERS["CellHistory"] in made and hasattr(value, "cells"):
            advice = "\nHint: its cells() gives one."
        raise TypeError(f"{function}: {name} must be {_said(hint)}, not {_kind_of(value)}.{advice}") from None
    # In names and paths; a value of a table may have one.
    if not problem and isinstance(value, str | Path) and "\0" in str(value):
        problem = message("errors.arguments.problem.nul")
    limits = LIMITS.get(name)
    if not problem and limits and isinstance(value, Real) and value not in limits:
        problem = limits.said_of(value)
    if problem:
        raise OptionNotUsable("errors.arguments.must_be", function=function, name=name, problem=problem)


def _problem(value: object, hint: Any) -> Message | None:
    """Return what is wrong with a value of the right type, or nothing; raise if the type is wrong."""
    if hint is Any or hint is object or isinstance(hint, TypeVar):
        return None
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return _union_problem(value, hint)
    if origin is Literal:
        return _literal_problem(value, get_args(hint))
    if hint in (int, float):
        return _number_problem(value, hint)
    if isinstance(origin, type):
        return _generic_problem(value, origin, get_args(hint))
    if not isinstance(value, hint):
        raise _Wrong
    return None


def _union_problem(value: object, hint: Any) -> Message | None:
    parts = _parts(hint)
    if isinstance(value, str) and not value and str in parts and Path in parts:
        return message("errors.arguments.problem.empty_path")
    problems = []
    for part in parts:
        try:
            problem = _problem(value, part)
        except _Wrong:
            continue
        if not problem:
            return None
        problems.append(problem)
    if not problems:
        raise _Wrong
    return problems[0]


def _literal_problem(value: object, allowed: tuple[object, ...]) -> Message | None:
    if type(value) not in {type(option) for option in allowed}:
        raise _Wrong
    if value in allowed:
        return None
    return message("errors.arguments.problem.one_of", allowed=Joined([str(one) for one in allowed], "or"), value=value)


def _number_problem(value: object, hint: type) -> Message | None:
    # Numbers of numpy are numbers, flags are none.
    if isinstance(value, bool | Fraction) or not isinstance(value, Integral if hint is int else Real):
        raise _Wrong
    if isinstance(value, Integral):
        if abs(int(value)) > _LARGEST:
            return message("errors.arguments.problem.bits")
    elif not math.isfinite(value):
        return message("errors.arguments.problem.finite", value=value)
    return None


def _generic_problem(value: object, origin: Any, parts: tuple[Any, ...]) -> Message | None:
    # A string is not a list of strings, and a dataframe is not a list of what it yields.
    if isinstance(value, str | bytes) or hasattr(value, "__arrow_c_stream__") or not isinstance(value, origin):
        raise _Wrong
    if origin is abc.Callable:
        return _callable_problem(value, parts)
    if len(parts) == 2 and hasattr(value, "dtype"):
        return _array_problem(value, parts)
    if isinstance(value, Mapping) and len(parts) == 2:
        keys, values = parts
        return _first_problem([(key, keys) for key in value] + [(entry, values) for entry in value.values()])
    if isinstance(value, tuple) and origin is tuple and parts[-1] is not Ellipsis:
        if len(value) != len(parts):
            raise _Wrong
        return _first_problem(list(zip(value, parts, strict=True)))
    if parts and isinstance(value, abc.Collection):
        return _first_problem([(entry, parts[0]) for entry in value])
    return None


def _first_problem(entries: list[tuple[object, Any]]) -> Message | None:
    return next((problem for entry, hint in entries if (problem := _problem(entry, hint))), None)


def _callable_problem(value: Any, parts: tuple[Any, ...]) -> Message | None:
    """Refuse a function that does not accept the number of arguments it will get."""
    try:
        inspect.signature(value).bind(*parts[0])
    except TypeError:
        raise _Wrong from None
    except ValueError:
        pass  # a function of C may not tell what it takes
    return None


def _array_problem(value: Any, parts: tuple[Any, ...]) -> Message | None:
    import numpy as np

    (wanted,) = get_args(parts[-1])
    if wanted is not Any and np.dtype(wanted).kind != value.dtype.kind:
        raise _Wrong
    return None


def _parts(hint: Any) -> tuple[Any, ...]:
    """Return the members of a union, or any other type itself."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


_SAID = {
    int: "a whole number",
    float: "a number",
    str: "a text",
    bool: "True or False",
    NoneType: "None",
    Path: "a path",
    Fraction: "a fraction",
}


def _said(hint: Any) -> str:
    """Return the name of a type for users."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        members = [part for part in parts if part is not str or Path not in parts]
        return _listed(map(_said, members))
    if origin is Literal:
        return _listed(map(str, parts))
    if hint in _SAID:
        return _SAID[hint]
    if origin is abc.Callable:
        return "a function"
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return f"a mapping from {_plural(parts[0])} to {_plural(parts[1])}"
    if isinstance(origin, type) and issubclass(origin, abc.Iterable):
        return f"an array of {_held(parts[-1])}" if hasattr(origin, "dtype") else f"a list of {_plural(parts[0])}"
    return _with_article(getattr(hint, "__name__", str(hint)))


def _held(dtype: Any) -> str:
    """Return what an array type holds."""
    (wanted,) = get_args(dtype)
    kind = getattr(wanted, "__name__", "")
    return "whole numbers" if "int" in kind else "True and False" if "bool" in kind else "numbers"


def _plural(hint: Any) -> str:
    said = _said(hint)
    return {"a whole number": "whole numbers", "a number": "numbers", "a text": "texts", "a path": "paths"}.get(
        said, f"{said.removeprefix('a ').removeprefix('an ')}"
    )


def _kind_of(value: object) -> str:
    if value is None:
        return "None"
    if type(value).__name__ == "ndarray":
        return f"an array of {getattr(value, 'dtype', '')}"
    held = (
        f" of {type(found).__name__}" if isinstance(value, list | tuple) and (found := next(iter(value), None)) else ""
    )
    return _with_article(type(value).__name__) + held


def _with_article(name: str) -> str:
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def _listed(words: Any) -> str:
    *first, last = list(words)
    return f"{', '.join(first)} or {last}" if first else last
