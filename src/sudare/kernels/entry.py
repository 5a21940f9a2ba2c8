"""Kernels: compiled numeric loops. Python calls entries, entries call inner functions.

Both are plain functions of Python. An entry is compiled once for each combination of kinds of arguments, together with
the inner functions it needs, and the machine code is kept (store.py); calling it takes no numba (loading.py).

Signals: a call does not return before the kernel has ended, and no line of Python runs meanwhile. So an interruption is
raised when the arrays that the kernel was given are whole.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import ParamSpec, TypeGuard, TypeVar, cast

from sudare.kernels.kinds import Kind, kind_of

Given = ParamSpec("Given")
Returned = TypeVar("Returned")
Function = TypeVar("Function", bound=Callable[..., object])

INNER = "__inner_kernel__"
INLINED = "inlined"


def entry(function: Callable[Given, Returned]) -> Callable[Given, Returned]:
    """Compile a kernel that Python calls, by place or by name, as its signature says."""
    compiled: dict[tuple[Kind, ...], Callable[[tuple[object, ...]], object]] = {}

    @functools.wraps(function)
    def call(*by_place: Given.args, **by_name: Given.kwargs) -> Returned:
        arguments: tuple[object, ...] = by_place
        if by_name:
            arguments = inspect.signature(function).bind(*by_place, **by_name).args
        given = tuple(map(kind_of, arguments))
        ready = compiled.get(given)
        if ready is None:
            from sudare.kernels.loading import load  # llvmlite takes long to import

            ready = compiled.setdefault(given, load(plain(call), given))
        return cast(Returned, ready(arguments))

    return call


def inner(function: Function) -> Function:
    """Mark a function that kernels call."""
    setattr(function, INNER, True)
    return function


def inlined(function: Function) -> Function:
    """Mark a small function that kernels call in their innermost loops: it becomes part of whatever calls it."""
    setattr(function, INNER, INLINED)
    return function


def is_inner(value: object) -> TypeGuard[FunctionType]:
    """Tell whether something is a function that kernels call."""
    return isinstance(value, FunctionType) and hasattr(value, INNER)


def plain(kernel: Callable[..., object]) -> FunctionType:
    """Return the function behind an entry."""
    return cast(FunctionType, kernel.__wrapped__)  # type: ignore[attr-defined]
