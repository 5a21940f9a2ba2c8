from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

import sudare
from sudare.engine import DuckDBEngine
from sudare.errors import NotOnEngine
from sudare.histories.utility.cost import CellUtility, cell_utility
from tests.histories.generalized.test_held import texts
from tests.histories.utility.small_histories import ITEMS, Row, day_text, pair, rows_and_generalized


def written(rows: list[Row]) -> str:
    return "".join(",".join(row) + "\n" for row in rows)


def held(engine: DuckDBEngine, folder: Path, original: list[Row], anonymized: list[Row], most: int = 10) -> CellUtility:
    with sudare.histories.hold_cells(*texts(folder, written(original), written(anonymized)), engine=engine) as found:
        return sudare.histories.held_utility(found, most=most)


def like(found: object, expected: object) -> bool:
    """Say whether two answers are the same but for the last digits of floating-point numbers."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return found.keys() == expected.keys() and all(like(found[key], expected[key]) for key in expected)
    if isinstance(expected, list | tuple) and isinstance(found, list | tuple):
        return len(found) == len(expected) and all(map(like, found, expected))
    return bool(found == pytest.approx(expected, rel=1e-10, abs=1e-12) if isinstance(expected, float) else None) or (
        found == expected
    )


# Quantities 1, 1, 3, 3 have the standard deviation 1.
ORIGINAL = [
    ["1", "2011/1/1", "a", "1.00", "1"],
    ["1", "2011/1/1", "b", "2.00", "1"],
    ["2", "2011/1/2", "c", "3.00", "3"],
    ["2", "2011/1/3", "d", "4.00", "3"],
]


def test_utility_by_hand(engine: DuckDBEngine, tmp_path: Path) -> None:
    changed = [["5", "2011/1/1", "*", "1.00", "[1;5]"], ORIGINAL[1], *ORIGINAL[2:]]
    changed[1] = ["5", *ORIGINAL[1][1:]]
    found = held(engine, tmp_path, ORIGINAL, changed)
    assert found.utility == (2 + 1) / 16
    assert (found.columns[3].dear_ranges, found.columns[3].saving) == (1, 1 / 16)
    assert [(cell.row, cell.column, cell.original, cell.cell, cell.error) for cell in found.cells] == [
        (1, "quantity", "1", "[1;5]", 2.0),
        (1, "item", "a", "*", 1.0),
    ]
    assert [(one.customer, one.rows, one.deleted_rows, one.utility) for one in found.customers] == [(1, 2, 0, 3 / 16)]


@given(rows_and_generalized())
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_it_is_the_utility_of_histories_in_memory(
    engine: DuckDBEngine, tmp_path: Path, rows: tuple[list[Row], list[Row]]
) -> None:
    # A set may have items that only these rows bring.
    more = [["9", day_text(1), item, "1", "1"] for item in ITEMS]
    original, anonymized = (side + more for side in rows)
    found = held(engine, tmp_path, original, anonymized, most=100)
    expected = cell_utility(*pair(original, anonymized), most=100)
    assert like(found.to_dict() | {"cells": ()}, expected.to_dict() | {"cells": ()})
    # Of errors that are equal but for the last digit, any may come first.
    assert like(
        sorted((cell.row, cell.column, cell.original, cell.cell, cell.error) for cell in found.cells),
        sorted((cell.row, cell.column, cell.original, cell.cell, cell.error) for cell in expected.cells),
    )


def test_counts_that_are_too_small_do_not_leave_the_engine(tmp_path: Path) -> None:
    changed = [[row[0], "*", *row[2:]] for row in ORIGINAL]
    with DuckDBEngine(min_cell=4) as engine:
        assert held(engine, tmp_path, ORIGINAL, changed).utility == 0.25
        changed[0][2] = "*"
        with pytest.raises(NotOnEngine, match=r"2 kinds of cells (?s:.*)fewer than 4 cells(?s:.*)min_cell"):
            held(engine, tmp_path, ORIGINAL, changed)


@pytest.mark.slow
def test_real_histories_are_measured_alike_in_far_less_memory_than_they_take(
    real_data: Callable[[str], Path], tmp_path: Path
) -> None:
    path, spill = real_data("pwscup2018-T.csv"), tmp_path / "spill"
    rows = [line.split(",") for line in path.read_text().splitlines()]
    wide = [
        ["*"] * 5 if number % 20 == 0 else [row[0], f"[{row[1]};2011/12/31]", row[2], f"[0.01;{row[3]}]", "*"]
        for number, row in enumerate(rows)
    ]
    original, anonymized = texts(tmp_path, written(rows), written(wide))
    in_memory = sudare.histories.read_original(original)
    generalized = sudare.histories.read_valid_anonymized(anonymized, in_memory)
    expected = cell_utility(in_memory, generalized, most=3)
    spill.mkdir()
    with DuckDBEngine(memory="60MB", threads=1, spill=spill) as engine:
        with sudare.histories.hold_cells(original, anonymized, engine=engine) as held:
            assert like(sudare.histories.held_utility(held, most=3).to_dict(), expected.to_dict())
            sizes = {found.size: found.classes for found in sudare.histories.held_class_sizes(held)}
            assert sizes == Counter(sudare.histories.published_classes(generalized).sizes.tolist())
        # The same rows eight times have the same mean error.
        with sudare.histories.hold_cells(*texts(tmp_path, written(rows * 8), written(wide * 8)), engine=engine) as held:
            found = sudare.histories.held_utility(held, most=0)
            assert sum(file.stat().st_size for file in spill.rglob("*") if file.is_file()) > 60_000_000
    assert found.utility == pytest.approx(expected.utility, rel=1e-10)
