from collections import Counter
from pathlib import Path

import polars
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import sudare
from sudare.engine import DuckDBEngine
from sudare.tables.hierarchies.model import make_hierarchy


def test_hand_worked_records(people: sudare.Table) -> None:
    found = sudare.tables.assess_records(people, ["sex", "age"])
    assert [(part.size, part.classes, part.records) for part in found.sizes] == [(1, 2, 2), (2, 2, 4)]
    assert (found.classes, found.max_risk, found.mean_risk, found.uniques) == (4, 1.0, 4 / 6, 2)
    assert found.curve() == [(0.5, 4 / 6), (1.0, 1.0)]
    assert found.share_above(0.5) == 2 / 6


def test_without_knowledge_all_records_are_alike(people: sudare.Table) -> None:
    found = sudare.tables.assess_records(people, [])
    assert (found.classes, found.max_risk, found.uniques) == (1, 1 / 6, 0)


def test_all_attributes_are_known_by_default(people: sudare.Table) -> None:
    assert sudare.tables.assess_records(people).attributes == ("sex", "age", "town")


@pytest.mark.parametrize(("known", "sizes"), [(["sex", "age"], [2, 2, 1, 2, 2, 1]), ([], [6] * 6)])
def test_every_record_is_written_in_order(
    people: sudare.Table,
    tmp_path: Path,
    known: list[str],
    sizes: list[int],
) -> None:
    assert sudare.tables.write_record_risks(people, known, tmp_path / "records.csv") == 6
    written = polars.read_csv(tmp_path / "records.csv")
    assert written.columns == ["record", *known, "class_size", "risk"]
    assert written["record"].to_list() == [1, 2, 3, 4, 5, 6]
    assert written["class_size"].to_list() == sizes
    assert written["risk"].to_list() == [1 / size for size in sizes]


def test_every_record_is_written_with_its_risk_after_a_change(people: sudare.Table, tmp_path: Path) -> None:
    derived = sudare.tables.add_records(people, polars.DataFrame({"sex": ["f"], "age": ["50"], "town": ["z"]}))
    with derived.table:
        written = sudare.tables.write_moved_records(derived, ["sex", "age"], tmp_path / "records.csv")
    after = polars.read_csv(tmp_path / "records.csv")
    assert written == 7
    assert after.columns[3:] == ["class_size", "risk", "class_size_after", "risk_after", "risk_difference"]
    assert after["record"].to_list() == [1, 2, 3, 4, 5, 6, 7]
    assert after["risk"].to_list() == [0.5, 0.5, 1, 0.5, 0.5, 1, None]
    # (f, 50), the sixth record, has company then.
    assert after["risk_after"].to_list() == [0.5, 0.5, 1, 0.5, 0.5, 0.5, 0.5]
    assert after["risk_difference"].to_list() == [0, 0, 0, 0, 0, -0.5, None]
    assert after.row(6)[:3] == (7, "f", 50)


@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=2, max_size=12), st.integers(1, 11))
def test_risks_of_records_before_and_after_are_those_of_counting(
    engine: DuckDBEngine, tmp_path: Path, records: list[tuple[int, int]], cut: int
) -> None:
    cut = min(cut, len(records) - 1)
    frame = polars.DataFrame({name: [str(record[a]) for record in records] for a, name in enumerate("ab")})
    steps = make_hierarchy("b", {n: (str(n), str(n // 2 * 2), "*") for n in range(4)})
    with sudare.read_table(frame.head(cut), engine=engine) as table:
        added = sudare.tables.add_records(table, frame.slice(cut))
        with added.table:
            derived = added.then(sudare.tables.generalize_table(added.table, {"b": steps}, {"b": 1}))
            with derived.table:
                sudare.tables.write_moved_records(derived, None, tmp_path / "r.csv")
    written = polars.read_csv(tmp_path / "r.csv")
    before, after = Counter(records[:cut]), Counter((a, b // 2) for a, b in records)
    risks = [1 / before[record] for record in records[:cut]] + [None] * (len(records) - cut)
    assert written["risk"].to_list() == risks
    assert written["risk_after"].to_list() == [1 / after[a, b // 2] for a, b in records]


def test_an_unknown_attribute_is_refused(people: sudare.Table, tmp_path: Path) -> None:
    with pytest.raises(sudare.ColumnNotFound, match="no attribute 'shoe'"):
        sudare.tables.assess_records(people, ["shoe"])
    with pytest.raises(sudare.ColumnNotFound, match="no attribute 'shoe'"):
        sudare.tables.write_record_risks(people, ["shoe"], tmp_path / "records.csv")
