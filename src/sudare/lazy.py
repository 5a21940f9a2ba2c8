"""Package names that are loaded on first use.

The stub of a package, `__init__.pyi`, is the one list of its names. Type checkers read it, and so does `attach`, when a
name is first asked for. So importing a package costs nothing, and an unknown name is an error to both.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any


def attach(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return the `__getattr__` and the `__dir__` of a package that has a stub; `__all__` is what the stub lists."""

    def find(name: str) -> object:
        if name == "__all__":
            return listed()
        home = None if name.startswith("__") and name != "__version__" else _homes(package).get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return import_module(f"{home}.{name}") if home == package else getattr(import_module(home), name)

    def listed() -> list[str]:
        return sorted(_homes(package))

    return find, listed


def above(module: str, name: str) -> Callable[..., Any]:
    """Return a function of a layer above the caller's, by its name, when it is needed.

    Nouns and results show and report themselves, and what they are shown by stands above them. This is the one way
    up; whatever else a module needs it imports.
    """
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found


@cache
def _homes(package: str) -> dict[str, str]:
    """Return the module of each name of a stub."""
    stub = ast.parse(files(package).joinpath("__init__.pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom) and node.module]
    return {alias.name: str(node.module) for node in imports for alias in node.names}
