"""Package names that are loaded on first use.

The stub of a package, `__init__.pyi`, is the only list of its names. Type checkers read it, and so does `attach` when a
name is first used. So importing a package costs nothing, and both report an unknown name as an error.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any


def attach(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` for a package with a stub; `__all__` is the list in the stub."""

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
    """Return a function of a layer above the caller's, by name, when it is needed.

    Nouns and results display and report themselves with code from the layers above them. This is the only way up; a
    module imports everything else it needs.
    """
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found


@cache
def _homes(package: str) -> dict[str, str]:
    """Return the module of each name in a stub."""
    stub = ast.parse(files(package).joinpath("__init__.pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom) and node.module]
    return {alias.name: str(node.module) for node in imports for alias in node.names}
