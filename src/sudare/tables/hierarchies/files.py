"""A folder of hierarchies, one file per attribute, named so that each is found by its attribute."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from sudare.arguments import checked
from sudare.errors import OutputNotWritable
from sudare.sources.result_folders import made_for
from sudare.sources.writing import check_writable, whole_file
from sudare.tables.hierarchies.model import Hierarchy, attribute_of, fill_hierarchy_file, find_hierarchies, named_first

# File systems allow 255 bytes; the ending and the name of the temporary file take some.
MOST_NAME_BYTES = 230
_FORBIDDEN = frozenset('/\0<>:"\\|?*' if os.name == "nt" else "/\0")


def hierarchy_paths(folder: Path, attributes: Sequence[str]) -> dict[str, Path]:
    """Return the file of each attribute: its name and `.csv`, by which `find_hierarchies` finds it.

    A name that no file can have gets a similar one that no other attribute has.
    """
    paths: dict[str, Path] = {}
    for attribute in attributes:
        name = _possible(attribute)
        while name != attribute and (
            attribute_of(folder / f"{name}.csv", attributes) or folder / f"{name}.csv" in paths.values()
        ):
            name += "_"
        paths[attribute] = folder / f"{name}.csv"
    return paths


def _possible(attribute: str) -> str:
    clean = "".join("_" if character in _FORBIDDEN else character for character in attribute) or "_"
    return clean.encode(errors="replace")[:MOST_NAME_BYTES].decode(errors="ignore")


def check_hierarchy_files(folder: Path, attributes: Sequence[str], *, overwrite: bool = False) -> None:
    """Refuse a folder in which hierarchies would be overwritten, or stand beside others of the same attributes."""
    paths = hierarchy_paths(folder, attributes)
    if not folder.is_dir():
        return
    there = [path for path in paths.values() if path.exists()]
    for path in there:
        check_writable(path)
    if there and not overwrite:
        files = named_first([path.name for path in there])
        raise OutputNotWritable("errors.hierarchies.files_exist", folder=folder, files=files)
    for attribute, path in find_hierarchies(folder, attributes).items():
        if path.name != paths[attribute].name:
            raise OutputNotWritable(
                "errors.hierarchies.file_exists", folder=folder, attribute=attribute, file=path.name
            )


@checked
def write_hierarchies(
    hierarchies: Mapping[str, Hierarchy], folder: str | Path, *, overwrite: bool = False
) -> dict[str, Path]:
    """Write hierarchies into a folder, created if missing, all or none; return the file of each."""
    folder = Path(folder)
    check_hierarchy_files(folder, list(hierarchies), overwrite=overwrite)
    paths = hierarchy_paths(folder, list(hierarchies))
    with made_for(folder), ExitStack() as files:
        for attribute, hierarchy in hierarchies.items():
            fill_hierarchy_file(hierarchy, files.enter_context(whole_file(paths[attribute])))
    return paths
