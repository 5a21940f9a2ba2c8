from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import polars
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import sudare
from sudare.baskets.check import held as held_uncertainty
from sudare.baskets.check.held import choose_known, count_part
from sudare.engine import DuckDBEngine
from sudare.errors import BadRows, NotOnEngine, OptionNotUsable
from tests.engine.looking import rows_of

records = st.lists(st.sets(st.sampled_from("abcdef"), min_size=1, max_size=5), min_size=2, max_size=12)


def frame(sets: list[set[str]]) -> polars.DataFrame:
    """Return baskets as a table whose users come in the order of their names."""
    rows = [(f"u{number:02}", item) for number, items in enumerate(sets) for item in sorted(items)]
    return polars.DataFrame(rows, schema=["user", "item"], orient="row")


@pytest.mark.slow
@given(records, st.sampled_from(["all", "item:?", "random-fixed:0.5:3"]), st.sampled_from(["0.3", "0.5"]))
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_a_sample_is_judged_as_in_memory(engine: DuckDBEngine, sets: list[set[str]], rule: str, rho: str) -> None:
    options = {"rho": rho, "epsilon": 0.2, "delta": 0.2, "max_known": 3, "seed": 4}
    baskets = sudare.read_baskets(frame(sets))
    expected = sudare.baskets.check_baskets(baskets, sudare.baskets.read_sensitive(rule, baskets), **options)  # type: ignore[arg-type]
    with sudare.baskets.hold_baskets(frame(sets), engine=engine) as held:
        found = sudare.baskets.check_held_baskets(held, sudare.baskets.hold_sensitive(rule, held), **options)  # type: ignore[arg-type]
    assert (found.adversaries, found.unsafe_adversaries, found.safe) == (
        expected.adversaries,
        expected.unsafe_adversaries,
        expected.safe,
    )
    assert (found.exact, found.worst) == (False, ())


@pytest.mark.parametrize("parts", [1, 2, 5])
def test_the_answer_does_not_depend_on_the_parts(
    engine: DuckDBEngine, monkeypatch: pytest.MonkeyPatch, parts: int
) -> None:
    sets = [set(items) for size in (1, 2, 3) for items in combinations("abcde", size)]
    monkeypatch.setattr(held_uncertainty, "PART_RECORDS", -(-len(sets) // parts))
    monkeypatch.setattr(held_uncertainty, "PART_ADVERSARIES", 200 // parts)
    with sudare.baskets.hold_baskets(frame(sets), engine=engine) as held:
        sensitive = sudare.baskets.hold_sensitive("item:a", held)
        found = sudare.baskets.check_held_baskets(held, sensitive, rho=0.4, epsilon=0.1, delta=0.1, seed=1)
    baskets = sudare.read_baskets(frame(sets))
    expected = sudare.baskets.check_baskets(
        baskets, sudare.baskets.read_sensitive("item:a", baskets), rho=0.4, epsilon=0.1, delta=0.1, seed=1
    )
    assert found.unsafe_adversaries == expected.unsafe_adversaries
    most, wanted = found.most_frequent_sensitive, expected.most_frequent_sensitive
    assert most and wanted
    # An engine names no item.
    assert (most.item, most.records, most.all_records) == (None, wanted.records, wanted.all_records) == (None, 11, 25)
    assert found.frequent_above_rho is expected.frequent_above_rho is True


def test_a_part_counts_supports_by_hand() -> None:
    # Records {0, 1}, {0, 2}, {0, 1, 2}; known are {0} and {1, 2}, and {3}, which nobody has.
    pairs = [(0, 7, 0), (0, 7, 1), (0, 8, 0), (0, 8, 2), (0, 9, 0), (0, 9, 1), (0, 9, 2)]
    pairs += [(1, 40, 0), (1, 41, 1), (1, 41, 2), (1, 42, 3)]
    kind, number, item = (np.array(column) for column in zip(*reversed(pairs), strict=True))
    found = count_part({"kind": kind, "number": number, "item": item})
    counts = set(zip(*(found[name].tolist() for name in ("adversary", "item", "records")), strict=True))
    assert counts == {(40, -1, 3), (40, 1, 2), (40, 2, 2), (41, -1, 1), (41, 0, 1)}


def test_what_adversaries_know_is_drawn_by_their_points() -> None:
    # Of the items 10, 20, 30 the first point takes one of the first two, the second one of all, or the last.
    rows = [(5, 30, -1.0), (5, 10, -1.0), (5, 20, -1.0), (6, 40, -1.0), (5, 0, 0.6), (5, 1, 0.5), (6, 0, 0.99)]
    adversary, number, point = (np.array(column) for column in zip(*rows, strict=True))
    found = choose_known({"adversary": adversary, "number": number, "point": point})
    assert sorted(zip(found["adversary"].tolist(), found["item"].tolist(), strict=True)) == [(5, 20), (5, 30), (6, 40)]


def test_lists_and_tables_of_sensitive_items(engine: DuckDBEngine, tmp_path: Path) -> None:
    listed, table = tmp_path / "list.txt", tmp_path / "table.csv"
    listed.write_text("item\na\nx\n")
    table.write_text("user,item\nu01,a\nu00,b\nu09,a\n")
    with sudare.baskets.hold_baskets(frame([{"a", "b"}, {"a"}]), engine=engine) as held:
        for source in (listed, table):
            with pytest.raises(BadRows, match=r"do not occur in the baskets, in 1 row(?s:.*)unknown=.ignore"):
                sudare.baskets.hold_sensitive(source, held)
        everybody, own = (sudare.baskets.hold_sensitive(source, held, unknown="ignore") for source in (listed, table))
        assert rows_of(engine, f"SELECT owner, item FROM {everybody.table}") == [(-1, 0)]
        assert rows_of(engine, f"SELECT owner, item FROM {own.table} ORDER BY owner") == [(0, 1), (1, 0)]
        assert (own.reading.lines, own.reading.unknown) == (3, 1)
        with pytest.raises(OptionNotUsable, match="No item matches"):
            sudare.baskets.hold_sensitive("item:z*", held)
        with pytest.raises(NotOnEngine, match="a list for every user"):
            sudare.baskets.hold_sensitive("random:0.4", held)


def test_baskets_are_counted_as_they_are_read_into_memory(engine: DuckDBEngine, toy_file: Path) -> None:
    with sudare.read_history(toy_file, engine=engine) as history:
        for per in ("customer", "visit"):
            expected = sudare.read_baskets(history, per=per)  # type: ignore[arg-type]
            with sudare.baskets.hold_baskets(history, per=per) as held:  # type: ignore[arg-type]
                assert (held.users, held.items, held.occurrences, held.longest) == (
                    len(expected),
                    len(expected.names),
                    len(expected.items),
                    expected.lengths.max(),
                )
                assert expected.reading
                assert held.reading.duplicates == expected.reading.duplicates


def test_users_that_are_missing_are_refused_or_dropped(engine: DuckDBEngine) -> None:
    rows = polars.DataFrame({"user": ["a", None, "b"], "item": ["x", "x", None]})
    with pytest.raises(BadRows, match=r"the user is missing \(row 2\)"):
        sudare.baskets.hold_baskets(rows, engine=engine)
    with sudare.baskets.hold_baskets(rows, engine=engine, bad_rows="drop") as held:
        assert (held.users, held.items, held.occurrences) == (2, 1, 1)


def test_what_a_sample_cannot_be_drawn_of_is_refused(engine: DuckDBEngine) -> None:
    sets = [set("abc"), set("ab"), set("ab")]
    with sudare.baskets.hold_baskets(frame(sets), engine=engine) as held:
        sensitive = sudare.baskets.hold_sensitive("all", held)
        with pytest.raises(NotOnEngine, match=r"epsilon=0\.05"):
            sudare.baskets.check_held_baskets(held, sensitive, rho=0.5, epsilon=None, delta=None)
        with pytest.raises(OptionNotUsable, match="max_known=10"):
            sudare.baskets.check_held_baskets(held, sensitive, rho=0.5, epsilon=0.00000001, delta=0.1)
    with DuckDBEngine(min_cell=2) as careful, sudare.baskets.hold_baskets(frame(sets), engine=careful) as held:
        sensitive = sudare.baskets.hold_sensitive("all", held)
        with pytest.raises(NotOnEngine, match="1 user has a number of items that fewer than 2 users have"):
            sudare.baskets.check_held_baskets(held, sensitive, rho=0.5, epsilon=0.2, delta=0.2)
        found = sudare.baskets.check_held_baskets(held, sensitive, rho=0.5, epsilon=0.2, delta=0.2, max_known=2)
        assert found.adversaries == 2 * 8
