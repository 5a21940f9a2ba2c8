"""The rules of the house that can be counted hold, and the page and the picture of it are up to date."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))
import house  # noqa: E402
from house_picture import draw  # noqa: E402

# Where a path that a page names may begin.
HOMES = (ROOT / "src" / "sudare", ROOT)


def test_kinds_of_data_never_import_each_other() -> None:
    crossing = [found for found in house.imports() if found.crosses_a_kind()]
    assert [(found.importing.words, found.imported.words) for found in crossing] == []


def test_no_room_has_too_many_modules() -> None:
    assert {room: size for room, size in house.room_sizes().items() if size > house.MOST_MODULES} == {}


def test_no_module_is_too_long_to_read() -> None:
    assert [(module.words, module.lines) for module in house.long_modules()] == []


def test_kernels_have_array_types() -> None:
    assert house.untyped_kernels() == 0


def test_the_page_is_up_to_date() -> None:
    page = house.PAGE.read_text(encoding="utf-8")
    assert page == house.written(page), "run python tools/house.py"


def test_the_picture_is_up_to_date() -> None:
    assert house.PICTURE.read_text(encoding="utf-8") == draw(), "run python tools/house.py"


def test_imports_are_found_wherever_they_stand() -> None:
    found = {(pair.importing.words, pair.imported.words) for pair in house.imports()}
    assert (("histories", "model"), ("histories", "attackers", "assessment")) in found  # in a method
    assert (("engine", "gate"), ("engine", "protocol")) in found
    assert (("histories", "read"), ("engine",)) in found  # a package


@pytest.mark.parametrize("page", ["docs/explanation/architecture.md", "CONTRIBUTING.md"])
def test_every_path_that_a_page_names_is_there(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w./-]+\.py|[\w.-]+/[\w./-]+\.(?:json|toml|md|html|svg))`", text))
    assert len(named) > 10
    assert sorted(name for name in named if not any((home / name).is_file() for home in HOMES)) == []
