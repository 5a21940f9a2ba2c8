"""Folders that keep results beside what they depend on, so that interrupted work can go on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sudare.data.writing import whole_file
from sudare.errors import OptionNotUsable, OutputNotWritable

PARAMETERS = "parameters.json"


def make_folder(folder: Path) -> None:
    """Make a folder unless it is there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputNotWritable(
            f"Cannot make the folder {folder}: {error.strerror or error}.\nHint: name another one."
        ) from None


def refuse_files(folder: Path) -> None:
    """Refuse a folder that has files of somebody else, so that none of them is replaced."""
    try:
        found = sorted(entry.name for entry in folder.iterdir() if not entry.name.startswith("."))
    except OSError as error:
        raise OutputNotWritable(
            f"Cannot write to the folder {folder}: {error.strerror or error}.\nHint: name another one."
        ) from None
    if found:
        raise OutputNotWritable(
            f"{folder} is not empty: it has {found[0]}{' and others' if found[1:] else ''}.\n"
            "Hint: name a new folder, so that nothing in it is replaced."
        )


def keep_parameters(folder: Path, parameters: Mapping[str, Any]) -> bool:
    """Keep what the results in a folder depend on; say whether it has results already.

    Results that depend on something else are an error, and so are files that are not results. What is kept there and
    not named here stays.
    """
    path = folder / PARAMETERS
    if not path.exists():
        refuse_files(folder)
    kept = _kept_parameters(path) if path.exists() else {}
    for name, value in parameters.items():
        if kept.get(name, value) != value:
            raise OptionNotUsable(
                f"{folder} has other results: {name} is {kept[name]!r} there and {value!r} here.\n"
                "Hint: name another folder, or delete that one to begin anew."
            )
    with whole_file(path) as temporary:
        temporary.write_text(json.dumps({**kept, **parameters}, ensure_ascii=False, indent=2) + "\n", "utf-8")
    return bool(kept)


def _kept_parameters(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict):
        raise OptionNotUsable(f"{path} was not written by sudare.\nHint: name another folder, or delete that file.")
    return found
