"""What the report of an anonymized table counts, by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import sudare
from sudare.report.table.anonymized.findings import CellCounts, Findings, gather_findings
from sudare.statistics.class_sizes import ClassSize
from tests.report.table.anonymized.small import PEOPLE, ROLES, recoded_people
from tests.tables.recoded.partitioned import partitioned


@pytest.fixture
def table(tmp_path: Path) -> Iterator[sudare.Table]:
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    with sudare.read_table(tmp_path / "people.csv") as found:
        yield found


@pytest.fixture
def findings(table: sudare.Table) -> Findings:
    return gather_findings(recoded_people(table))


def test_records_and_classes_are_counted_before_and_after(findings: Findings) -> None:
    assert (findings.records, findings.published, findings.suppressed) == (8, 7, 1)
    # f 30 twice, f 41 twice, m 30 twice, m 52, m 70.
    assert findings.before.sizes == (ClassSize(1, 2, 2), ClassSize(2, 3, 6))
    assert findings.after is not None
    assert findings.after.sizes == (ClassSize(3, 1, 3), ClassSize(4, 1, 4))
    assert findings.after.max_risk == pytest.approx(1 / 3)


def test_bands_hold_every_record_once(findings: Findings) -> None:
    assert [(band.first, band.last, band.before, band.after) for band in findings.bands] == [(1, 1, 2, 0), (2, 4, 6, 7)]


def test_cells_are_exact_or_coarser_or_anything(findings: Findings) -> None:
    columns = {change.column.attribute: change for change in findings.columns}
    assert columns["sex"].counts == CellCounts(exact=7)
    # f 30-41 and m 30-52; 70 is not covered, so neither is anything.
    assert columns["age"].counts == CellCounts(coarser=7)
    assert findings.counts == CellCounts(exact=7, coarser=7)
    assert (columns["age"].values, columns["age"].cells) == (4, 2)


def test_a_cell_that_covers_every_value_is_anything(table: sudare.Table) -> None:
    found = gather_findings(partitioned(table, ROLES, [0] * 8, cells="ranges"))
    assert {change.column.attribute: change.counts for change in found.columns if change.counts} == {
        "sex": CellCounts(star=8),
        "age": CellCounts(star=8),
    }


def test_means_are_cells_of_their_own_kind(table: sudare.Table) -> None:
    found = gather_findings(partitioned(table, ROLES, [0] * 8, cells="ranges", means=("age",)))
    assert found.counts == CellCounts(mean=8, star=8)


def test_examples_are_the_most_common_value_and_the_most_common_cells(findings: Findings) -> None:
    age = next(change for change in findings.columns if change.column.attribute == "age")
    assert age.common == "30"
    # Two women and two men are 30: ties go by what is written.
    assert age.becomes is not None
    assert age.becomes.text == "30-41"
    assert [(example.text, example.records, example.values) for example in age.examples] == [
        ("30-41", 4, 2),
        ("30-52", 3, 3),
    ]


def test_a_value_of_fewer_people_than_the_smallest_class_is_not_told(table: sudare.Table) -> None:
    whole = gather_findings(partitioned(table, ROLES, [0] * 8, cells="ranges"))
    age = next(change for change in whole.columns if change.column.attribute == "age")
    # Four are 30, and the one class has eight.
    assert (age.rare, age.common) == (True, None)


def test_nothing_is_shown_of_columns_that_are_not_generalized(findings: Findings) -> None:
    for change in findings.columns:
        if change.column.role != "quasi":
            assert (change.common, change.becomes, change.examples, change.counts) == (None, None, (), None)
    columns = {change.column.attribute: change for change in findings.columns}
    assert (columns["name"].values, columns["name"].cells) == (None, None)
    assert (columns["illness"].values, columns["illness"].cells) == (3, 3)
    assert findings.identifiers == ("name",)


def test_a_value_all_of_whose_records_are_suppressed_becomes_nothing(table: sudare.Table) -> None:
    made = recoded_people(table)
    thirty = made.table.values[made.table.attributes.index("age")].index("30")
    owner = np.where(made.codes("age") == thirty, -1, made.owner).astype(np.int32)
    found = gather_findings(replace(made, owner=owner))
    assert next(change.becomes for change in found.columns if change.column.attribute == "age") is None


def test_classes_that_read_alike_are_one(table: sudare.Table) -> None:
    made = recoded_people(table)
    alike = tuple(replace(column, texts=("same",) * len(column.texts)) for column in made.columns)
    found = gather_findings(replace(made, columns=alike))
    assert found.after is not None
    assert found.after.sizes == (ClassSize(7, 1, 7),)


def test_a_table_of_which_nothing_is_published_has_no_risk_after(table: sudare.Table) -> None:
    found = gather_findings(partitioned(table, ROLES, [-1] * 8))
    assert (found.published, found.after) == (0, None)
    assert [band.after for band in found.bands] == [0, 0]
