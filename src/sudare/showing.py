"""The `repr` of values: one short line without data.

Results, tables and histories are printed in notebooks, logs and tracebacks, where names, items and cells of people have
no place. All dataclasses of sudare are made by the `dataclass` of this module: their `repr` has numbers, flags and
sizes, and never a text, since a text may come from the data. A number that says who a person is is declared with
`field(repr=False)`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sized
from fractions import Fraction
from numbers import Integral
from typing import TYPE_CHECKING, Any

MOST_CHARACTERS = 200
# Numbers with more digits are shown by their magnitude.
_DIGITS = 15


def short_repr(value: Any) -> str:
    """Return a dataclass as one line: its numbers and flags, and the sizes of what it holds."""
    shown = (f"{part.name}={text}" for part in _shown_fields(value) if (text := _shown(getattr(value, part.name))))
    line = f"{type(value).__qualname__}({', '.join(shown)})"
    return line if len(line) <= MOST_CHARACTERS else line[: MOST_CHARACTERS - 4] + "...)"


def _shown_fields(value: Any) -> list[dataclasses.Field[Any]]:
    return [part for part in dataclasses.fields(value) if part.repr and not part.name.startswith("_")]


def _shown(value: object) -> str:
    """Return a number, a flag or a size; nothing for anything else."""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, Integral):
        return str(int(value)) if abs(int(value)) < 10**_DIGITS else f"~2**{int(value).bit_length()}"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Fraction):
        return f"{float(value):.6g}"
    if isinstance(value, str | bytes | type) or not isinstance(value, Sized):
        return ""
    shape: tuple[int, ...] = getattr(value, "shape", None) or (len(value),)
    return f"<{'x'.join(map(str, shape))}>"


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, **options):
        """Make a dataclass as the standard library does, with a `repr` that has no data in it."""

        def make(cls):
            if "__repr__" not in vars(cls):
                cls.__repr__ = short_repr
            # Else a `repr` would be made and dropped, for every class.
            return dataclasses.dataclass(repr=False, **options)(cls)

        return make if cls is None else make(cls)
