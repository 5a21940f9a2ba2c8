from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudare.anonymize import levels as module
from sudare.anonymize.levels import LOSSES, LevelsFound, find_levels, write_levels
from sudare.data.generalized import generalize_table
from sudare.data.hierarchy import Hierarchy, find_hierarchies, make_hierarchy, read_hierarchy
from sudare.data.history import Reading
from sudare.data.table import Table, read_table
from sudare.engine import DuckDBEngine
from sudare.errors import ColumnNotFound, HierarchyNotUsable, OptionNotUsable
from sudare.risk.subsets import class_size_within

# Four values of two groups each.
AGE = make_hierarchy(
    "age", {1: ("21", "20s", "*"), 2: ("25", "20s", "*"), 3: ("31", "30s", "*"), 4: ("36", "30s", "*")}
)
SEX = make_hierarchy("sex", {1: ("f", "*"), 2: ("m", "*")})
BOTH = {"age": AGE, "sex": SEX}
ROWS = {"name": list("ABCDEF"), "age": ["21", "25", "25", "31", "36", "36"], "sex": ["f", "m", "f", "m", "m", "m"]}


@pytest.fixture
def people(engine: DuckDBEngine) -> Iterator[Table]:
    with read_table(pl.DataFrame(ROWS), engine=engine) as table:
        yield table


def test_minimal_levels_by_hand(people: Table) -> None:
    # Pairs in which each person has company: age by tens with any sex (20s: 3, 30s: 3), or any age with the sex
    # (f: 2, m: 4). Ages as they are leave 21 and 31 alone; tens and sex leave 25 m alone.
    found = find_levels(people, BOTH, limit=0.5)
    assert found.minimal == ({"age": 1, "sex": 1}, {"age": 2, "sex": 0})
    assert (found.k, found.nodes, found.safe, found.suppressed) == (2, 6, 3, 0)
    assert found.highest == {"age": 2, "sex": 1}


def test_entropy_by_hand(people: Table) -> None:
    # Age by tens: 21 is one of three (log2 3), 25 twice two of three (log2 3/2), and so in the thirties;
    # any sex: f two of six, m four of six.
    tens = 2 * (math.log2(3) + 2 * math.log2(3 / 2))
    any_sex = 2 * math.log2(3) + 4 * math.log2(6 / 4)
    any_age = 2 * (math.log2(6) + 2 * math.log2(6 / 2))
    found = find_levels(people, BOTH, limit=0.5)
    assert tens + any_sex < any_age
    assert found.best == {"age": 1, "sex": 1}
    assert found.loss == pytest.approx(tens + any_sex)
    assert (found.classes, found.smallest, found.max_risk) == (2, 3, 1 / 3)


def test_precision_by_hand(people: Table) -> None:
    # {age: 1, sex: 1}: (1/2 + 1) / 2 = 3/4; {age: 2, sex: 0}: (1 + 0) / 2.
    found = find_levels(people, BOTH, limit=0.5, loss="precision")
    assert (found.best, found.loss) == ({"age": 2, "sex": 0}, 0.5)


def test_discernibility_by_hand(people: Table) -> None:
    # {age: 1, sex: 1}: 3 * 3 + 3 * 3 = 18; {age: 2, sex: 0}: 2 * 2 + 4 * 4 = 20.
    found = find_levels(people, BOTH, limit=0.5, loss="discernibility")
    assert (found.best, found.loss) == ({"age": 1, "sex": 1}, 18)


def test_suppression_by_hand(people: Table) -> None:
    # One of six may go: ages by tens and the sex leave 25 m alone (20s f: 2, 20s m: 1, 30s m: 3).
    found = find_levels(people, BOTH, limit=0.5, suppress=0.17)
    assert found.minimal == ({"age": 1, "sex": 0},)
    assert (found.best, found.suppressed, found.classes, found.smallest) == ({"age": 1, "sex": 0}, 1, 2, 2)
    tens = 2 * math.log2(3) + 3 * math.log2(3 / 2)
    assert found.loss == pytest.approx(tens + math.log2(6 / 2) + math.log2(6 / 4))
    by_level = find_levels(people, BOTH, limit=0.5, suppress=0.17, loss="precision")
    assert (by_level.best, by_level.loss) == ({"age": 1, "sex": 0}, pytest.approx((5 * 0.5 + 2) / 12))


def test_a_higher_level_may_save_a_record_and_lose_less(people: Table) -> None:
    # {age: 1, sex: 0}, the only minimal one, suppresses a record: 2 * 2 + 3 * 3 + 6 * 1 = 19;
    # {age: 1, sex: 1} suppresses none: 3 * 3 + 3 * 3 = 18.
    found = find_levels(people, BOTH, limit=0.5, suppress=0.17, loss="discernibility")
    assert (found.best, found.loss, found.suppressed) == ({"age": 1, "sex": 1}, 18, 0)


def test_nothing_is_changed_where_everything_is_safe(people: Table) -> None:
    found = find_levels(people, BOTH, limit=1)
    assert (found.best, found.loss, found.minimal) == ({"age": 0, "sex": 0}, 0, ({"age": 0, "sex": 0},))


def test_levels_that_are_never_safe(people: Table, tmp_path: Path) -> None:
    found = find_levels(people, BOTH, limit=0.1)
    assert (found.best, found.loss, found.minimal, found.safe, found.max_risk) == (None, None, (), 0, None)
    with pytest.raises(OptionNotUsable, match="No levels are safe"):
        write_levels(people, BOTH, found, tmp_path / "out.csv")


def test_only_known_attributes_make_classes(people: Table) -> None:
    found = find_levels(people, BOTH, known=["sex"], limit=0.5)
    assert (found.known, found.best) == (("sex",), {"sex": 0})


def test_a_known_attribute_without_a_hierarchy_counts_but_stays(people: Table) -> None:
    found = find_levels(people, {"age": AGE}, known=["sex", "age"], limit=0.5)
    assert found.minimal == ({"sex": 0, "age": 2},)
    assert find_levels(people, BOTH, known=["name", "age", "sex"], limit=0.5).best is None


@pytest.mark.parametrize(
    ("limit", "size"), [(0.2, 5), (1 / 3, 3), (0.33, 4), (1, 1), (0.99, 2), (0.1, 10), (1 / 49, 49), (5e-324, 2**53)]
)
def test_the_class_size_of_a_limit(limit: float, size: int) -> None:
    assert class_size_within(limit) == size


def test_every_class_size_is_found_from_its_own_risk() -> None:
    assert [class_size_within(1 / size) for size in range(1, 2000)] == list(range(1, 2000))


def test_the_share_is_meant_as_written(engine: DuckDBEngine) -> None:
    rows = {"sex": ["f"] * 71 + ["m"] * 29}
    with read_table(pl.DataFrame(rows), engine=engine) as table:
        assert find_levels(table, {"sex": SEX}, limit=1 / 30, suppress=0.29).minimal == ({"sex": 0},)
        assert find_levels(table, {"sex": SEX}, limit=1 / 30, suppress=0.289).minimal == ({"sex": 1},)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"limit": 0}, OptionNotUsable, "above 0 and at most 1"),
        ({"limit": math.nan}, OptionNotUsable, "above 0 and at most 1"),
        ({"limit": 1.5}, OptionNotUsable, "above 0 and at most 1"),
        ({"suppress": 1}, OptionNotUsable, "from 0 to below 1"),
        ({"suppress": -0.1}, OptionNotUsable, "from 0 to below 1"),
        ({"loss": "beauty"}, OptionNotUsable, "entropy, discernibility, precision"),
        ({"known": ["agee"]}, ColumnNotFound, "Did you mean age"),
        ({"known": []}, OptionNotUsable, "No attribute is known"),
        ({"known": ["age", "age"]}, OptionNotUsable, "named twice"),
    ],
)
def test_options_that_do_not_fit(
    people: Table, options: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        find_levels(people, BOTH, **{"limit": 0.5, **options})  # type: ignore[arg-type]


def test_values_without_a_line_are_refused(people: Table) -> None:
    with pytest.raises(HierarchyNotUsable, match="lacks 1 values of 'sex': 'm'"):
        find_levels(people, {"sex": make_hierarchy("sex", {1: ("f", "*")})}, limit=0.5)


def test_too_many_combinations_are_refused(people: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_NODES", 5)
    with pytest.raises(OptionNotUsable, match="allow 6 combinations of levels; 5 can be searched"):
        find_levels(people, BOTH, limit=0.5)


def test_the_result_as_plain_values(people: Table) -> None:
    found = find_levels(people, BOTH, limit=0.5, suppress=0.17).to_dict()
    assert found["best"] == {"age": 1, "sex": 0}
    assert (found["known"], found["minimal"], found["max_risk"]) == (["age", "sex"], [{"age": 1, "sex": 0}], 0.5)


def test_progress_ends_at_the_whole(people: Table) -> None:
    told: list[tuple[str, int, int]] = []
    find_levels(people, BOTH, limit=0.5, suppress=0.2, progress=lambda *step: told.append(step))
    assert [step for step in told if step[1] == step[2]] == [("safe levels", 6, 6), ("least loss", 6, 6)]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_written_table_keeps_its_order_and_columns(people: Table, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"out.{ending}"
    write_levels(people, BOTH, find_levels(people, BOTH, limit=0.5, suppress=0.17), path)
    written = pl.read_csv(path) if ending == "csv" else pl.read_parquet(path)
    assert written.rows() == [
        ("A", "20s", "f"),
        ("C", "20s", "f"),
        ("D", "30s", "m"),
        ("E", "30s", "m"),
        ("F", "30s", "m"),
    ]
    assert written.columns == ["name", "age", "sex"]
    left = people.engine.rows("SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE '%_levels%'")
    assert left == [(0,)]


def test_missing_values_are_a_class_of_their_own_until_the_top(engine: DuckDBEngine, tmp_path: Path) -> None:
    rows = {"age": ["21", "25", None, None, "31"], 'it\'s "odd"': list("abcde")}
    with read_table(pl.DataFrame(rows), engine=engine) as table:
        found = find_levels(table, BOTH, limit=0.5, suppress=0.2)
        assert (found.best, found.suppressed) == ({"age": 1}, 1)
        write_levels(table, BOTH, found, tmp_path / "out.csv")
        assert pl.read_csv(tmp_path / "out.csv")["age"].to_list() == ["20s", "20s", None, None]
        with generalize_table(table, BOTH, {"age": 2}).table as general:
            assert general.values[0] == ("*",)


@pytest.mark.parametrize("levels", [{"name": 1}, {"sex": 2}, {"sex": -1}])
def test_levels_that_do_not_exist_are_refused(people: Table, levels: dict[str, int]) -> None:
    with pytest.raises(OptionNotUsable, match="There is no level"):
        generalize_table(people, BOTH, levels)


def test_more_known_attributes_than_an_array_has_axes(engine: DuckDBEngine) -> None:
    names = [f"a{a}" for a in range(70)]
    with read_table(pl.DataFrame({name: ["f", "f", "m"] for name in names}), engine=engine) as table:
        found = find_levels(table, {"a3": SEX}, known=names, limit=0.5, suppress=0.4)
    assert (found.minimal, found.suppressed) == ((dict.fromkeys(names, 0),), 1)
    # 70 cells of one m among three records.
    assert found.loss == pytest.approx(70 * math.log2(3))


def tables(hierarchies: Sequence[Hierarchy], rows: Sequence[tuple[str | None, ...]]) -> Table:
    """Make a table without an engine."""
    values = tuple(tuple(sorted({row[a] for row in rows}, key=str)) for a in range(len(hierarchies)))
    distinct = Counter(rows)
    codes = np.array([[values[a].index(row[a]) for row in distinct] for a in range(len(hierarchies))], np.int32)
    reading = Reading("rows", "rows", {}, {}, len(rows), (), None)
    names = tuple(hierarchy.attribute for hierarchy in hierarchies)
    return Table(None, reading, names, codes, np.array(list(distinct.values())), values, "rows")  # type: ignore[arg-type]


def one_loss(
    rows: Sequence[tuple[str | None, ...]],
    general: Sequence[tuple[str | None, ...]],
    kept: Sequence[bool],
    shares: Sequence[float],
    loss: str,
) -> float:
    """The losses as the documentation has them, cell by cell."""
    n, sizes = len(rows), Counter(general)
    if loss == "discernibility":
        return sum(sizes[row] if keep else n for row, keep in zip(general, kept, strict=True))
    total = 0.0
    for a, share in enumerate(shares):
        before, after = Counter(row[a] for row in rows), Counter(row[a] for row in general)
        for row, new, keep in zip(rows, general, kept, strict=True):
            if loss == "precision":
                total += (share if keep else 1) / n / len(shares)
            else:
                total += math.log2((after[new[a]] if keep else n) / before[row[a]])
    return total


def brute_force(
    rows: Sequence[tuple[str | None, ...]], hierarchies: Sequence[Hierarchy], k: int, allowed: int, loss: str
) -> dict[tuple[int, ...], tuple[float, int]]:
    """Return loss and suppressed records of all safe level vectors."""
    safe = {}
    for levels in itertools.product(*(range(hierarchy.levels) for hierarchy in hierarchies)):
        columns = [h.generalize([row[a] for row in rows], levels[a]) for a, h in enumerate(hierarchies)]
        general = list(zip(*columns, strict=True))
        sizes = Counter(general)
        kept = [sizes[row] >= k for row in general]
        if kept.count(False) <= allowed:
            shares = [level / (h.levels - 1) if level else 0 for level, h in zip(levels, hierarchies, strict=True)]
            safe[levels] = one_loss(rows, general, kept, shares, loss), kept.count(False)
    return safe


@st.composite
def random_hierarchies(draw: st.DrawFn, name: str) -> Hierarchy:
    values = [str(number) for number in range(draw(st.integers(1, 6)))]
    columns = [values]
    for level in range(1, draw(st.integers(1, 4))):
        groups = {old: f"{level}-{draw(st.integers(0, 5 // level))}" for old in dict.fromkeys(columns[-1])}
        columns.append([groups[old] for old in columns[-1]])
    return make_hierarchy(name, dict(enumerate(zip(*columns, strict=True), start=1)))


@st.composite
def questions(draw: st.DrawFn) -> tuple[list[Hierarchy], list[tuple[str | None, ...]]]:
    hierarchies = [draw(random_hierarchies(f"a{a}")) for a in range(draw(st.integers(1, 4)))]
    cells = [st.sampled_from([*h.steps[0], None]) for h in hierarchies]
    return hierarchies, draw(st.lists(st.tuples(*cells), min_size=1, max_size=30))


@settings(max_examples=300, deadline=None)
@given(
    question=questions(),
    k=st.integers(1, 6),
    suppress=st.sampled_from([0, 0, 0.05, 0.1, 0.3, 0.6]),
    loss=st.sampled_from(LOSSES),
)
def test_levels_are_those_of_a_full_enumeration(
    question: tuple[list[Hierarchy], list[tuple[str | None, ...]]], k: int, suppress: float, loss: str
) -> None:
    hierarchies, rows = question
    table = tables(hierarchies, rows)
    by_name = {hierarchy.attribute: hierarchy for hierarchy in hierarchies}
    found = find_levels(table, by_name, limit=1 / k, suppress=suppress, loss=loss)
    safe = brute_force(rows, hierarchies, k, int(suppress * len(rows) + 1e-9), loss)
    check(found, safe)


def check(found: LevelsFound, safe: Mapping[tuple[int, ...], tuple[float, int]]) -> None:
    def lower(levels: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        return ((*levels[:a], levels[a] - 1, *levels[a + 1 :]) for a in range(len(levels)))

    minimal = sorted(levels for levels in safe if not any(below in safe for below in lower(levels)))
    assert [tuple(levels.values()) for levels in found.minimal] == minimal
    assert found.safe == len(safe)
    assert found.evaluated <= found.nodes
    if not safe:
        assert found.best is None
        return
    assert found.best is not None
    assert found.loss == pytest.approx(min(loss for loss, _ in safe.values()), rel=1e-9, abs=1e-9)
    loss, suppressed = safe[tuple(found.best.values())]
    assert (found.loss, found.suppressed) == (pytest.approx(loss, rel=1e-9, abs=1e-9), suppressed)


def test_keys_of_more_than_one_word(engine: DuckDBEngine) -> None:
    """Twelve attributes of 70 values need 84 bits."""
    generator = np.random.default_rng(1)
    pairs = generator.integers(0, 70, (12, 40)).repeat(2, axis=1).astype(str)
    rows = {str(value): (str(value), "*") for value in range(70)}
    names = [f"a{a}" for a in range(12)]
    hierarchies = {name: make_hierarchy(name, dict(enumerate(rows.values(), start=1))) for name in names}
    spoiled = pairs.copy()
    spoiled[[2, 11], [0, 5]] = ["x", "y"]
    hierarchies |= {
        name: make_hierarchy(name, dict(enumerate([*rows.values(), (new, "*")], start=1)))
        for name, new in (("a2", "x"), ("a11", "y"))
    }
    with read_table(pl.DataFrame(dict(zip(names, spoiled, strict=True))), engine=engine) as table:
        found = find_levels(table, hierarchies, limit=0.5)
    assert found.nodes == 2**12
    assert [[name for name, level in levels.items() if level] for levels in found.minimal] == [["a2", "a11"]]
    assert found.smallest == 2


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("suppress", [0, 0.04])
def test_adult_gets_the_class_size_that_was_promised(
    real_data: Callable[[str], Path], engine: DuckDBEngine, tmp_path: Path, suppress: float, loss: str
) -> None:
    path = real_data("adult/adult.csv")
    with read_table(path, engine=engine) as table:
        files = find_hierarchies(path.parent, table.attributes)
        hierarchies = {name: read_hierarchy(file, name) for name, file in files.items()}
        found = find_levels(table, hierarchies, limit=0.2, suppress=suppress, loss=loss)
        write_levels(table, hierarchies, found, tmp_path / "out.parquet")
        attributes = list(table.attributes)
    written = pl.read_parquet(tmp_path / "out.parquet")
    sizes = written.group_by(attributes).len()["len"]
    assert (sizes.min(), len(sizes)) == (found.smallest, found.classes)
    assert found.smallest is not None and found.smallest >= 5
    assert found.suppressed is not None and found.suppressed <= suppress * 30_162
    assert len(written) == 30_162 - found.suppressed
    assert found.nodes == 12_960
    assert (found.safe, len(found.minimal)) == ((87, 27) if not suppress else (4_452, 987))
    original = pl.read_csv(path, separator=";", infer_schema=False)
    if not suppress:
        expected = original.with_columns(
            pl.Series(name, hierarchies[name].generalize(original[name].to_list(), level))
            for name, level in (found.best or {}).items()
        )
        assert written.equals(expected)
