"""Levels where missing values are equal to any value, and where classes count persons, against plain counting."""

from __future__ import annotations

import math
from itertools import product

import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

import sudare
from sudare.engine import DuckDBEngine
from sudare.tables.anonymize.losses import LOSSES
from sudare.tables.hierarchies.model import Hierarchy, make_hierarchy
from tests.tables.small_tables import Case, Record, cases, names

# Three values, of which two fall together at level 1.
STEPS = [("0", "low", "*"), ("1", "low", "*"), ("2", "high", "*")]
ABOVE = {0: (0, 10, 20), 1: (1, 10, 20), 2: (2, 11, 20)}


def hierarchies(width: int) -> dict[str, Hierarchy]:
    return {name: make_hierarchy(name, dict(enumerate(STEPS))) for name in names(range(width))}


def raised(record: Record, node: tuple[int, ...]) -> Record:
    """Return a record at levels; a missing value becomes the only one that is left, at the highest level."""
    return tuple(
        (20 if level == 2 else None) if value is None else ABOVE[value][level]
        for value, level in zip(record, node, strict=True)
    )


def kept(case: Case, records: list[Record], k: int) -> list[int]:
    """Leave out records with too few alike, as long as there are any."""
    left = list(range(len(records)))
    while True:
        persons = None if case.persons is None else [case.persons[i] for i in left]
        part = Case([records[i] for i in left], persons, case.missing)
        good = [i for i, n in zip(left, part.sizes(range(case.width)) if left else [], strict=True) if n >= k]
        if good == left:
            return left
        left = good


def loss_of(case: Case, node: tuple[int, ...], records: list[Record], left: list[int], loss: str) -> float:
    everyone = range(len(records))
    if loss == "discernibility":
        part = Case([records[i] for i in left], None, case.missing)
        matched = sum(len(part.matches(record, range(case.width))) for record in part.records)
        return matched + len(records) * (len(records) - len(left))
    if loss == "precision":
        return sum(sum(node) / 2 if i in left else case.width for i in everyone) / (len(records) * case.width)
    total = 0.0
    for a in range(case.width):
        before, after = [r[a] for r in case.records], [r[a] for r in records]
        if loss == "ncp":
            values = set(before)
            cells = dict(zip(before, after, strict=True))
            covered = [[*cells.values()].count(after[i]) if i in left else len(values) for i in everyone]
            total += sum((n - 1) / max(len(values) - 1, 1) for n in covered) / len(records) / case.width
            continue
        total += sum(
            math.log2((after.count(after[i]) if i in left else len(records)) / before.count(before[i]))
            for i in everyone
        )
    return total


@pytest.mark.slow
@given(cases(most_attributes=3), st.integers(1, 4), st.sampled_from([0.0, 0.3, 0.6]), st.sampled_from(sorted(LOSSES)))
@settings(max_examples=150)
def test_levels_equal_those_of_plain_counting(case: Case, k: int, suppress: float, loss: str) -> None:
    allowed = math.floor(round(suppress * len(case.records), 9))
    losses, suppressed = {}, {}
    for node in product(range(3), repeat=case.width):
        records = [raised(record, node) for record in case.records]
        left = kept(case, records, k)
        if len(records) - len(left) <= allowed:
            losses[node] = loss_of(case, node, records, left, loss)
            suppressed[node] = len(records) - len(left)
    found = sudare.tables.find_levels(case.table, hierarchies(case.width), limit=1 / k, suppress=suppress, loss=loss)
    minimal = {
        node for node in losses
        if not any(node[a] and (*node[:a], node[a] - 1, *node[a + 1 :]) in losses for a in range(case.width))
    }  # fmt: skip
    assert {tuple(levels.values()) for levels in found.minimal} == minimal
    assert found.safe_choices == len(losses)
    if not losses:
        assert found.best is None
        return
    assert found.best is not None
    best = tuple(found.best.values())
    assert found.loss == pytest.approx(min(losses.values()), abs=1e-9)
    assert losses[best] == pytest.approx(min(losses.values()), abs=1e-9)
    assert found.suppressed == suppressed[best]


def test_what_is_written_is_safe_for_persons_and_missing_values(engine: DuckDBEngine, tmp_path: object) -> None:
    """Three records of one person are no crowd; equal records have one weight, and persons are not written."""
    rows = {"who": ["x", "x", "x", "y", "z"], "a": ["0", "0", "1", "2", "2"]}
    with sudare.read_table(pl.DataFrame(rows), person="who", engine=engine) as table:
        found = sudare.tables.find_levels(table, hierarchies(1), limit=0.5, suppress=0.6)
        assert (found.best, found.suppressed, found.smallest) == ({"a": 0}, 3, 2)
        path = f"{tmp_path}/out.csv"
        sudare.tables.write_levels(found, path)
    assert pl.read_csv(path).to_dict(as_series=False) == {"a": [2, 2]}
    with sudare.read_table(pl.DataFrame({"a": ["0", "1"], "n": [2, 1]}), weight="n", engine=engine) as table:
        found = sudare.tables.find_levels(table, hierarchies(1), limit=1 / 3)
        sudare.tables.write_levels(found, path)
    assert pl.read_csv(path).to_dict(as_series=False) == {"a": ["low"], "n": [3]}
