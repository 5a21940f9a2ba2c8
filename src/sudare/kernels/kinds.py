"""The types of kernel arguments and results, and their layout in slots of eight bytes.

A number takes one slot. An array takes its address, its lengths and its strides, and, on the way out, before these the
block of memory it owns. A tuple takes what its members take. A generator of random numbers takes the addresses by which
numpy hands it to C.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import struct
from collections.abc import Callable, Iterable, Iterator
from typing import Final, Literal, TypeAlias, cast

import numpy as np

# Kinds are text, or tuples of text, numbers and kinds, so that JSON carries them. An array has its dtype, its number of
# dimensions and its layout; a tuple the name of its class, "" for a plain one, and the kinds of its members.
ArrayKind: TypeAlias = tuple[Literal["array"], str, int, str]
TupleKind: TypeAlias = "tuple[Literal['tuple'], str, *tuple[Kind, ...]]"
Kind: TypeAlias = "str | ArrayKind | TupleKind"

INTEGER, UNSIGNED, FLOAT, TRUTH, NOTHING, RANDOM = "int64", "uint64", "float64", "bool", "none", "rng"
ARRAY: Final = "array"
TUPLE: Final = "tuple"

_DOUBLE, _SLOT = struct.Struct("=d"), struct.Struct("=q")


def as_kind(read: object) -> Kind:
    """Return a kind that JSON carried."""
    return cast(Kind, tuple(map(as_kind, read)) if isinstance(read, list) else read)


def as_kinds(read: list[object]) -> tuple[Kind, ...]:
    """Return the kinds of arguments that JSON carried."""
    return tuple(map(as_kind, read))


def kind_of(value: object) -> Kind:
    """Return the kind of an argument; kernels are compiled once for each combination of kinds."""
    if isinstance(value, np.ndarray):
        flags = value.flags
        if not flags.aligned:
            raise TypeError("a kernel takes aligned arrays only")
        return (ARRAY, value.dtype.str, value.ndim, "C" if flags.c_contiguous else "A")
    if isinstance(value, tuple):
        return tuple_kind(_name(type(value)), map(kind_of, value))
    if isinstance(value, (bool, np.bool_)):
        return TRUTH
    if isinstance(value, np.uint64):
        return UNSIGNED
    if isinstance(value, (int, np.integer)):
        if not -(1 << 63) <= value < 1 << 63:
            raise OverflowError("a kernel takes whole numbers of 64 bits only")
        return INTEGER
    if isinstance(value, (float, np.floating)):
        return FLOAT
    if isinstance(value, np.random.Generator):
        return RANDOM
    raise TypeError(f"a kernel takes no {type(value).__name__}")


@functools.cache
def _name(class_: type) -> str:
    return f"{class_.__module__}:{class_.__qualname__}" if hasattr(class_, "_fields") else ""


def tuple_kind(name: str, members: Iterable[Kind]) -> TupleKind:
    """Return the kind of a tuple by the name of its class and the kinds of its members."""
    return (TUPLE, name, *members)


def add_slots(value: object, slots: list[int]) -> None:
    """Add an argument to slots."""
    if isinstance(value, np.ndarray):
        slots.append(value.__array_interface__["data"][0])
        slots += value.shape
        slots += value.strides
    elif isinstance(value, tuple):
        for member in value:
            add_slots(member, slots)
    elif isinstance(value, (float, np.floating)):
        slots += _SLOT.unpack(_DOUBLE.pack(value))
    elif isinstance(value, np.random.Generator):
        slots += _addresses(value)
    elif isinstance(value, (int, np.integer, np.bool_)):
        slots.append(int(value))


def _addresses(random: np.random.Generator) -> Iterator[int]:
    c = random.bit_generator.ctypes
    yield c.state_address
    yield ctypes.cast(c.state, ctypes.c_void_p).value or 0
    for function in (c.next_uint64, c.next_uint32, c.next_double):
        yield ctypes.cast(function, ctypes.c_void_p).value or 0
    yield ctypes.cast(c.bit_generator, ctypes.c_void_p).value or 0


def width(kind: Kind) -> int:
    """Return how many slots a result takes."""
    if isinstance(kind, str):
        return 0 if kind == NOTHING else 1
    if kind[0] == ARRAY:
        return 2 + 2 * kind[2]
    return sum(map(width, kind[2:]))


def value_of(kind: Kind, slots: Iterator[int], arguments: object, release: Callable[[int], None]) -> object:
    """Make a result of its slots."""
    if not isinstance(kind, str):
        if kind[0] == ARRAY:
            return np.asarray(_Memory(kind, slots, arguments, release))
        members = [value_of(member, slots, arguments, release) for member in kind[2:]]
        return named(kind[1])(*members) if kind[1] else tuple(members)
    if kind == NOTHING:
        return None
    slot = next(slots)
    if kind == FLOAT:
        return _DOUBLE.unpack(_SLOT.pack(slot))[0]
    if kind == UNSIGNED:
        return slot & (1 << 64) - 1
    return bool(slot) if kind == TRUTH else slot


@functools.cache
def named(name: str) -> Callable[..., object]:
    """Return the class of named tuples that is kept under a name."""
    module, _, class_ = name.partition(":")
    found: Callable[..., object] = getattr(importlib.import_module(module), class_)
    return found


class _Memory:
    """The memory of an array that a kernel returned; one without a block of its own is a part of an argument."""

    def __init__(
        self, kind: ArrayKind, slots: Iterator[int], arguments: object, release: Callable[[int], None]
    ) -> None:
        _, dtype, dimensions, _ = kind
        self._block, address = next(slots), next(slots)
        self._release, self._arguments = release, None if self._block else arguments
        self.__array_interface__ = {
            "version": 3,
            "typestr": dtype,
            "data": (address, False),
            "shape": tuple(next(slots) for _ in range(dimensions)),
            "strides": tuple(next(slots) for _ in range(dimensions)),
        }

    def __del__(self) -> None:
        if self._block:
            self._release(self._block)
