"""The public names of sudare, as the stubs of its packages list them."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import sudare

PACKAGES: tuple[ModuleType, ...] = (
    sudare,
    sudare.histories,
    sudare.tables,
    sudare.baskets,
    sudare.contest,
    sudare.gate,
)


def public() -> dict[str, Any]:
    """Return everything public by its name, packages left out; a name that stands in two packages is one thing."""
    found: dict[str, Any] = {}
    for package in PACKAGES:
        for name in package.__all__:
            value = getattr(package, name)
            if not isinstance(value, ModuleType):
                assert found.setdefault(name, value) is value, name
    return found
