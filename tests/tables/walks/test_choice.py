from typing import Any

import polars
import pytest

import sudare
from sudare.engine import DuckDBEngine
from sudare.tables import read as tables
from sudare.tables.walks import choice as walk_choice
from tests.conftest import PEOPLE

FRAME = polars.DataFrame(PEOPLE, schema=["sex", "age", "town"], orient="row")


def how(words: dict[str, Any], table: sudare.tables.CollapsedTable) -> tuple[str, str]:
    found = sudare.tables.assess_subsets(table, **words).walk
    return found.how, found.decided_by


def test_the_size_decides(engine: DuckDBEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    # Five distinct rows of three attributes.
    with sudare.tables.collapse_table(FRAME, engine=engine) as table:
        needed = walk_choice.walk_bytes(5, 3)
        assert how({}, table) == ("memory", "size")
        assert how({"memory": f"{needed}B"}, table) == ("memory", "size")
        assert how({"memory": f"{needed - 1}B"}, table) == ("engine", "size")
        monkeypatch.setattr(walk_choice, "MOST_GROUPED_ROWS", 5 * 7)
        assert how({"memory": "1B"}, table) == ("engine", "size")
        monkeypatch.setattr(walk_choice, "MOST_GROUPED_ROWS", 5 * 7 - 1)
        assert how({"memory": "1B"}, table) == ("sample", "size")
        assert how({"memory": "1B", "max_size": 2}, table) == ("engine", "size")
        # Only a walk through all classes tells their sizes.
        assert how({"memory": "1B", "class_sizes": True}, table) == ("engine", "size")


@pytest.mark.parametrize("walk", ["memory", "engine", "sample"])
def test_what_is_asked_for_decides(engine: DuckDBEngine, walk: str) -> None:
    with sudare.tables.collapse_table(FRAME, engine=engine) as table:
        assert how({"walk": walk, "memory": "1B"}, table) == (walk, "request")


def test_counts_that_may_not_leave_are_grouped_on_the_engine() -> None:
    with DuckDBEngine(min_cell=3) as guarded:
        with sudare.tables.collapse_table(FRAME, engine=guarded) as table:
            assert how({}, table) == ("engine", "small counts")
            with pytest.raises(sudare.NotOnEngine, match=r"(?s)6 records.*--walk engine"):
                sudare.tables.assess_subsets(table, walk="memory")
        with sudare.tables.collapse_table(FRAME, attributes=["sex"], engine=guarded) as table:
            assert how({}, table) == ("memory", "size")


def test_what_is_done_in_memory_only_is_refused_by_name(engine: DuckDBEngine) -> None:
    for words, said in (({"missing": "any"}, 'missing="any"'), ({"person": "town"}, "person")):
        with sudare.tables.collapse_table(FRAME, engine=engine, **words) as table:  # type: ignore[arg-type]
            assert how({"memory": "1B"}, table) == ("memory", "kind of classes")
            with pytest.raises(sudare.OptionNotUsable, match=rf"(?s){said}.*in memory only.*Hint"):
                sudare.tables.assess_subsets(table, walk="engine")
    with sudare.tables.collapse_table(FRAME, engine=engine) as table:
        with pytest.raises(sudare.OptionNotUsable, match="does not give the sizes"):
            sudare.tables.assess_subsets(table, walk="sample", class_sizes=True)
        with pytest.raises(sudare.OptionNotUsable, match="memory, engine or sample"):
            sudare.tables.assess_subsets(table, walk="magic")  # type: ignore[arg-type]


def test_a_table_that_was_fetched_is_walked_in_memory(people: sudare.Table) -> None:
    assert sudare.tables.assess_subsets(people).walk.how == "memory"
    with pytest.raises(sudare.OptionNotUsable, match="collapse_table"):
        sudare.tables.assess_subsets(people, walk="engine")


def test_more_rows_than_the_machine_can_hold_are_refused(engine: DuckDBEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "machine_bytes", lambda: 5 * 32 - 1)
    with pytest.raises(sudare.MemoryNotEnough, match=r"(?s)5 distinct rows with 3 attributes.*--walk engine"):
        sudare.read_table(FRAME, engine=engine)
    monkeypatch.setattr(tables, "machine_bytes", lambda: 5 * 32)
    with sudare.read_table(FRAME, engine=engine) as table:
        assert len(table.counts) == 5
