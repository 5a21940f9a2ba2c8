from pathlib import Path

import polars
import pytest

import sudare


def test_hand_worked_records(people: sudare.Table) -> None:
    found = sudare.assess_records(people, ["sex", "age"])
    assert [(part.size, part.classes, part.records) for part in found.sizes] == [(1, 2, 2), (2, 2, 4)]
    assert (found.classes, found.max_risk, found.mean_risk, found.uniques) == (4, 1.0, 4 / 6, 2)
    assert found.curve() == [(0.5, 4 / 6), (1.0, 1.0)]
    assert found.share_above(0.5) == 2 / 6


def test_without_knowledge_all_records_are_alike(people: sudare.Table) -> None:
    found = sudare.assess_records(people, [])
    assert (found.classes, found.max_risk, found.uniques) == (1, 1 / 6, 0)


def test_all_attributes_are_known_by_default(people: sudare.Table) -> None:
    assert sudare.assess_records(people).attributes == ("sex", "age", "town")


@pytest.mark.parametrize(("known", "sizes"), [(["sex", "age"], [2, 2, 1, 2, 2, 1]), ([], [6] * 6)])
def test_every_record_is_written_in_order(
    people: sudare.Table,
    tmp_path: Path,
    known: list[str],
    sizes: list[int],
) -> None:
    assert sudare.write_record_risks(people, known, tmp_path / "records.csv") == 6
    written = polars.read_csv(tmp_path / "records.csv")
    assert written.columns == ["record", *known, "class_size", "risk"]
    assert written["record"].to_list() == [1, 2, 3, 4, 5, 6]
    assert written["class_size"].to_list() == sizes
    assert written["risk"].to_list() == [1 / size for size in sizes]


def test_an_unknown_attribute_is_refused(people: sudare.Table, tmp_path: Path) -> None:
    with pytest.raises(sudare.ColumnNotFound, match="no attribute 'shoe'"):
        sudare.assess_records(people, ["shoe"])
    with pytest.raises(sudare.ColumnNotFound, match="no attribute 'shoe'"):
        sudare.write_record_risks(people, ["shoe"], tmp_path / "records.csv")
