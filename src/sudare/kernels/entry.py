"""Kernels: numeric loops that are compiled. Python calls entries, entries call inner functions.

Both are plain functions of Python. An entry is compiled once for each combination of kinds of arguments, together with
the inner functions it needs, and the machine code is kept (store.py); calling it takes no numba (loading.py).

Signals: a call does not return before the kernel has ended, and no line of Python runs meanwhile. So an interruption is
raised when the arrays that the kernel was given are whole.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar, cast

from sudare.kernels.kinds import Kind, kind_of

Function = TypeVar("Function", bound=Callable[..., Any])

INNER = "__inner_kernel__"


def entry(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a kernel that Python calls."""
    compiled: dict[tuple[Kind, ...], Callable[[tuple[Any, ...]], Any]] = {}

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        given = tuple(map(kind_of, arguments))
        ready = compiled.get(given)
        if ready is None:
            from sudare.kernels.loading import load  # llvmlite takes long to import

            ready = compiled.setdefault(given, load(plain(call), given))
        return ready(arguments)

    return call


def inner(function: Function) -> Function:
    """Mark a function that kernels call."""
    setattr(function, INNER, True)
    return function


def is_inner(value: object) -> bool:
    """Tell whether something is a function that kernels call."""
    return isinstance(value, FunctionType) and hasattr(value, INNER)


def plain(kernel: Callable[..., Any]) -> FunctionType:
    """Return the function behind an entry."""
    return cast(FunctionType, kernel.__wrapped__)  # type: ignore[attr-defined]
