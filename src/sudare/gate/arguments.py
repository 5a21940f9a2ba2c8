"""What the entries of a policy may be: texts, names, numbers, shares as people write them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal, NoReturn, TypeAlias

from sudare.showing import dataclass

Value: TypeAlias = str | int | float | bool | tuple[Any, ...]
# A `source` is a file, or a rule that says the same without one.
ArgumentKind = Literal["text", "file", "source", "names", "sets", "count", "number", "share", "flag"]

# People write no exponents, and 1e-999999999 would fill the memory.
_EXPONENT = re.compile("[eE]")
# Shares of people are written with smaller denominators.
_MOST_DENOMINATOR = 10_000


@dataclass(frozen=True, slots=True)
class Argument:
    """An entry of a policy: what it must be, whether it must be there, and which words are allowed."""

    kind: ArgumentKind
    needed: bool = False
    choices: tuple[str, ...] = ()


def values_of(
    given: Mapping[str, Any], arguments: Mapping[str, Argument], refuse: Callable[[str, Argument], NoReturn]
) -> dict[str, Value]:
    """Return entries as values; `refuse` is told the name of one that is wrong, and what it must be."""
    found: dict[str, Value] = {}
    for name, value in given.items():
        argument = arguments[name]
        read = _READERS[argument.kind](value)
        if read is None or (argument.choices and read not in argument.choices):
            refuse(name, argument)
        found[name] = read
    return found


def limit_of(value: object) -> float | None:
    """Return a limit: a number, or a share as people write it (20%, 1/5); None if it is neither."""
    if isinstance(value, bool):
        return None
    try:
        found = float(value) if isinstance(value, int | float) else _share_of(value) if isinstance(value, str) else None
    except (ValueError, ZeroDivisionError, OverflowError):
        return None
    return found if found is not None and math.isfinite(found) else None


def exact_share(share: float) -> Fraction:
    """Return a share as it was written: 1/3 for the number next to it, else the decimal fraction."""
    simple = Fraction(share).limit_denominator(_MOST_DENOMINATOR)
    return simple if float(simple) == share else Fraction(str(share))


def _share_of(text: str) -> float:
    if _EXPONENT.search(text):
        raise ValueError(text)
    return float(Fraction(text.removesuffix("%").strip()) / (100 if text.endswith("%") else 1))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _names(value: object) -> tuple[str, ...] | None:
    """Read names as a list, or as one text divided by commas."""
    if isinstance(value, str):
        value = [word.strip() for word in value.split(",") if word.strip()]
    if isinstance(value, Sequence) and value and all(isinstance(name, str) and name for name in value):
        return tuple(value)
    return None


def _sets(value: object) -> tuple[tuple[str, ...], ...] | None:
    if not isinstance(value, list) or not value:
        return None
    found = [_names(names) for names in value]
    return None if None in found else tuple(names for names in found if names)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


_READERS: dict[ArgumentKind, Callable[[object], Value | None]] = {
    "text": _text, "file": _text, "source": _text, "names": _names, "sets": _sets, "count": _count, "number": limit_of,
    "share": limit_of, "flag": _flag,
}  # fmt: skip
