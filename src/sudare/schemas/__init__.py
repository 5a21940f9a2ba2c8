"""The formats of `--json` output: one JSON Schema (draft 2020-12) for each kind.

An output names its form in its first key, such as `"schema": "sudare.attackers/1"`. The number rises when a key is
removed or means something else; a new key does not change it.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from sudare.errors import OptionNotUsable
from sudare.messages import Joined


def schema_names() -> list[str]:
    """Return the names of all schemas, sorted."""
    return sorted(
        entry.name.removesuffix(".json") for entry in files(__name__).iterdir() if entry.name.endswith(".json")
    )


def load_schema(name: str) -> dict[str, Any]:
    """Return the schema of that name, such as attackers; a name with a number, as outputs have it, is taken too."""
    return _loaded(name.removeprefix("sudare.").partition("/")[0])


def schema_identity(name: str) -> str:
    """Return what an output says of its form: the name of its schema and its number."""
    identity: str = load_schema(name)["properties"]["schema"]["const"]
    return identity


@cache
def _loaded(name: str) -> dict[str, Any]:
    if name not in schema_names():
        raise OptionNotUsable("errors.usage.no_schema", name=name, names=Joined(schema_names(), "or"))
    found: dict[str, Any] = json.loads(files(__name__).joinpath(f"{name}.json").read_text(encoding="utf-8"))
    return found
