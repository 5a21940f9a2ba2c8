from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

from sudare.engine import DuckDBEngine
from sudare.errors import (
    AnswerIsNo,
    ColumnNotFound,
    HierarchyNotUsable,
    OptionNotUsable,
    OutputNotWritable,
    SudareError,
)
from sudare.messages import Message
from sudare.sources.readings import Reading
from sudare.tables.anonymize import levels as module
from sudare.tables.anonymize.levels import LevelsFound, changed_levels, find_levels, find_levels_from
from sudare.tables.anonymize.losses import LOSSES
from sudare.tables.anonymize.written_levels import write_levels
from sudare.tables.generalized import generalize_table
from sudare.tables.hierarchies.model import Hierarchy, find_hierarchies, make_hierarchy, read_hierarchy
from sudare.tables.model import Table
from sudare.tables.read import read_table
from sudare.tables.sets.subsets import class_size_within
from tests.engine.looking import rows_of

# Four values of two groups each.
AGE = make_hierarchy(
    "age", {1: ("21", "20s", "*"), 2: ("25", "20s", "*"), 3: ("31", "30s", "*"), 4: ("36", "30s", "*")}
)
SEX = make_hierarchy("sex", {1: ("f", "*"), 2: ("m", "*")})
BOTH = {"age": AGE, "sex": SEX}
KNOWN = ("age", "sex")
ROWS = {"name": list("ABCDEF"), "age": ["21", "25", "25", "31", "36", "36"], "sex": ["f", "m", "f", "m", "m", "m"]}


@pytest.fixture
def people(engine: DuckDBEngine) -> Iterator[Table]:
    with read_table(pl.DataFrame(ROWS), engine=engine) as table:
        yield table


def test_minimal_levels_by_hand(people: Table) -> None:
    # Pairs in which each person has company: age by tens with any sex (20s: 3, 30s: 3), or any age with the sex
    # (f: 2, m: 4). Ages as they are leave 21 and 31 alone; tens and sex leave 25 m alone.
    found = find_levels(people, BOTH, known=KNOWN, limit=0.5)
    assert found.minimal == ({"age": 1, "sex": 1}, {"age": 2, "sex": 0})
    assert (found.k, found.nodes, found.safe_choices, found.suppressed) == (2, 6, 3, 0)
    assert found.highest == {"age": 2, "sex": 1}


def test_entropy_by_hand(people: Table) -> None:
    # Age by tens: 21 is one of three (log2 3), 25 twice two of three (log2 3/2), and so in the thirties;
    # any sex: f two of six, m four of six.
    tens = 2 * (math.log2(3) + 2 * math.log2(3 / 2))
    any_sex = 2 * math.log2(3) + 4 * math.log2(6 / 4)
    any_age = 2 * (math.log2(6) + 2 * math.log2(6 / 2))
    found = find_levels(people, BOTH, known=KNOWN, limit=0.5)
    assert tens + any_sex < any_age
    assert found.best == {"age": 1, "sex": 1}
    assert found.loss == pytest.approx(tens + any_sex)
    assert (found.classes, found.smallest, found.max_risk) == (2, 3, 1 / 3)


def test_precision_by_hand(people: Table) -> None:
    # {age: 1, sex: 1}: (1/2 + 1) / 2 = 3/4; {age: 2, sex: 0}: (1 + 0) / 2.
    found = find_levels(people, BOTH, known=KNOWN, limit=0.5, loss="precision")
    assert (found.best, found.loss) == ({"age": 2, "sex": 0}, 0.5)


def test_discernibility_by_hand(people: Table) -> None:
    # {age: 1, sex: 1}: 3 * 3 + 3 * 3 = 18; {age: 2, sex: 0}: 2 * 2 + 4 * 4 = 20.
    found = find_levels(people, BOTH, known=KNOWN, limit=0.5, loss="discernibility")
    assert (found.best, found.loss) == ({"age": 1, "sex": 1}, 18)


def test_suppression_by_hand(people: Table) -> None:
    # One of six may go: ages by tens and the sex leave 25 m alone (20s f: 2, 20s m: 1, 30s m: 3).
    found = find_levels(people, BOTH, known=KNOWN, limit=0.5, suppress=0.17)
    assert found.minimal == ({"age": 1, "sex": 0},)
    assert (found.best, found.suppressed, found.classes, found.smallest) == ({"age": 1, "sex": 0}, 1, 2, 2)
    tens = 2 * math.log2(3) + 3 * math.log2(3 / 2)
    assert found.loss == pytest.approx(tens + math.log2(6 / 2) + math.log2(6 / 4))
    by_level = find_levels(people, BOTH, known=KNOWN, limit=0.5, suppress=0.17, loss="precision")
    assert (by_level.best, by_level.loss) == ({"age": 1, "sex": 0}, pytest.approx((5 * 0.5 + 2) / 12))


def test_a_higher_level_may_save_a_record_and_lose_less(people: Table) -> None:
    # {age: 1, sex: 0}, the only minimal one, suppresses a record: 2 * 2 + 3 * 3 + 6 * 1 = 19;
    # {age: 1, sex: 1} suppresses none: 3 * 3 + 3 * 3 = 18.
    found = find_levels(people, BOTH, known=KNOWN, limit=0.5, suppress=0.17, loss="discernibility")
    assert (found.best, found.loss, found.suppressed) == ({"age": 1, "sex": 1}, 18, 0)


def test_nothing_is_changed_where_everything_is_safe(people: Table) -> None:
    found = find_levels(people, BOTH, known=KNOWN, limit=1)
    assert (found.best, found.loss, found.minimal) == ({"age": 0, "sex": 0}, 0, ({"age": 0, "sex": 0},))


def test_levels_that_are_never_safe(people: Table, tmp_path: Path) -> None:
    found = find_levels(people, BOTH, known=KNOWN, limit=0.1)
    assert (found.best, found.loss, found.minimal, found.safe_choices, found.max_risk) == (None, None, (), 0, None)
    with pytest.raises(AnswerIsNo, match="No levels are safe"):
        write_levels(found, tmp_path / "out.csv")


def test_only_known_attributes_make_classes(people: Table) -> None:
    found = find_levels(people, BOTH, known=["sex"], limit=0.5)
    assert (found.known, found.best) == (("sex",), {"sex": 0})


def test_a_known_attribute_without_a_hierarchy_counts_but_stays(people: Table) -> None:
    found = find_levels(people, {"age": AGE}, known=["sex", "age"], limit=0.5)
    assert found.minimal == ({"sex": 0, "age": 2},)
    assert find_levels(people, BOTH, known=["name", "age", "sex"], limit=0.5).best is None


@pytest.mark.parametrize(
    ("limit", "size"), [(0.2, 5), (1 / 3, 3), (0.33, 4), (1, 1), (0.99, 2), (0.1, 10), (1 / 49, 49), (5e-324, 2**62)]
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
        ({"limit": math.nan}, OptionNotUsable, "limit must be a finite number"),
        ({"limit": 1.5}, OptionNotUsable, "above 0 and at most 1"),
        ({"suppress": 1}, OptionNotUsable, "at least 0 and below 1"),
        ({"suppress": -0.1}, OptionNotUsable, "at least 0 and below 1"),
        ({"loss": "beauty"}, OptionNotUsable, "entropy, ncp, discernibility or precision"),
        ({"known": ["agee"]}, ColumnNotFound, "Did you mean age"),
        ({"known": []}, OptionNotUsable, "at least one attribute"),
        ({"known": ["age", "age"]}, OptionNotUsable, "none twice"),
    ],
)
def test_options_that_do_not_fit(
    people: Table, options: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        find_levels(people, BOTH, **{"limit": 0.5, "known": KNOWN, **options})  # type: ignore[arg-type]


def test_values_without_a_line_are_refused(people: Table) -> None:
    with pytest.raises(HierarchyNotUsable, match="no line for 1 value of 'sex': 'm'"):
        find_levels(people, {"sex": make_hierarchy("sex", {1: ("f", "*")})}, known=["sex"], limit=0.5)


def test_too_many_combinations_are_searched_with_bounds(people: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = find_levels(people, BOTH, known=KNOWN, limit=0.5)
    monkeypatch.setattr(module, "MOST_NODES", 5)
    found = find_levels(people, BOTH, known=KNOWN, limit=0.5)
    assert (whole.complete, whole.bound, whole.gap) == (True, whole.loss, 0)
    assert (found.complete, found.best, found.loss, found.gap) == (False, whole.best, pytest.approx(whole.loss), 0)


def test_other_levels_than_the_best_are_written(people: Table, tmp_path: Path) -> None:
    found = find_levels(people, BOTH, known=KNOWN, limit=0.5, suppress=0.17)
    assert found.minimal == ({"age": 1, "sex": 0},)
    written = write_levels(found, tmp_path / "out.csv", levels={"age": 2})
    assert (written.levels, written.suppressed) == ({"age": 2, "sex": 0}, 0)
    assert (tmp_path / "out.csv").read_text().split() == ["age,sex", *["*,f"] * 2, *["*,m"] * 4]


@pytest.mark.parametrize(
    ("levels", "error", "message"),
    [
        ({"age": 0}, AnswerIsNo, "4 records have a risk above 0.5, and at most 1 may be left out"),
        ({"age": 3}, OptionNotUsable, "'age' has no level 3.\\nHint: .*age 0 to 2, sex 0 to 1"),
        ({"name": 0}, OptionNotUsable, "'name' has no level 0"),
    ],
)
def test_levels_that_are_not_safe_are_not_written(
    people: Table, tmp_path: Path, levels: dict[str, int], error: type[SudareError], message: str
) -> None:
    found = find_levels(people, BOTH, known=KNOWN, limit=0.5, suppress=0.17)
    with pytest.raises(error, match=message):
        write_levels(found, tmp_path / "out.csv", levels=levels)
    assert list(tmp_path.iterdir()) == []


def test_the_result_as_plain_values(people: Table) -> None:
    found = find_levels(people, BOTH, known=KNOWN, limit=0.5, suppress=0.17).to_dict()
    assert found["best"] == {"age": 1, "sex": 0}
    assert (found["known"], found["minimal"], found["max_risk"]) == (["age", "sex"], [{"age": 1, "sex": 0}], 0.5)


def test_progress_ends_at_the_whole(people: Table) -> None:
    told: list[tuple[Message, int, int]] = []
    find_levels(people, BOTH, known=KNOWN, limit=0.5, suppress=0.2, progress=lambda *step: told.append(step))
    ended = [(step.key, done) for step, done, total in told if done == total]
    assert ended == [("progress.safe_levels", 6), ("progress.least_loss", 6)]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_order_of_the_records_is_not_told(engine: DuckDBEngine, tmp_path: Path, ending: str) -> None:
    """A list in the order of something that is left out would tell it by its order."""
    found = []
    for rows in (pl.DataFrame(ROWS), pl.DataFrame(ROWS).reverse()):
        with read_table(rows, engine=engine) as table:
            path = tmp_path / f"out.{ending}"
            write_levels(find_levels(table, BOTH, known=KNOWN, limit=0.5, suppress=0.17), path)
            found.append((pl.read_csv(path) if ending == "csv" else pl.read_parquet(path)).rows())
    assert found[0] == found[1] == sorted(found[0])


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_written_table_keeps_its_columns(people: Table, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"out.{ending}"
    write_levels(find_levels(people, BOTH, known=KNOWN, limit=0.5, suppress=0.17), path, keep=["name"])
    written = pl.read_csv(path) if ending == "csv" else pl.read_parquet(path)
    assert written.rows() == [
        ("A", "20s", "f"),
        ("C", "20s", "f"),
        ("D", "30s", "m"),
        ("E", "30s", "m"),
        ("F", "30s", "m"),
    ]
    assert written.columns == ["name", "age", "sex"]
    left = rows_of(people.engine, "SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE '%_levels%'")
    assert left == [(0,)]


def test_all_attributes_are_known_unless_they_are_named(people: Table) -> None:
    found = find_levels(people, BOTH, limit=0.5)
    assert found.known == ("name", "age", "sex")
    # Every name is another, and nothing makes them equal.
    assert (found.best, found.in_the_way) == (None, ("name",))
    assert find_levels(people, BOTH, limit=0.5, suppress=0.17, known=KNOWN).in_the_way == ()


def test_attributes_that_are_only_together_in_the_way_are_named(engine: DuckDBEngine) -> None:
    rows = {"a": list("xxyy"), "b": list("xyxy"), "sex": list("ffmm")}
    with read_table(pl.DataFrame(rows), engine=engine) as table:
        found = find_levels(table, {"sex": SEX}, limit=0.5)
    assert (found.best, found.in_the_way) == (None, ("a", "b"))


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_what_is_written_is_what_was_made_safe(people: Table, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"out.{ending}"
    written = write_levels(find_levels(people, BOTH, known=KNOWN, limit=0.5), path)
    back = pl.read_csv(path) if ending == "csv" else pl.read_parquet(path)
    assert back.columns == ["age", "sex"]
    sizes = back.group_by(back.columns).len()["len"].to_list()
    assert (written.columns, written.left_out, written.kept) == (("age", "sex"), ("name",), ())
    assert (written.records, written.max_risk, written.mean_risk) == (6, 1 / min(sizes), len(sizes) / 6)
    assert written.uniques == sizes.count(1) == 0


def test_what_is_kept_counts_in_the_risk_that_is_told(people: Table, tmp_path: Path) -> None:
    found = find_levels(people, BOTH, known=KNOWN, limit=0.5)
    written = write_levels(found, tmp_path / "out.csv", keep=["name"])
    assert (written.columns, written.kept, written.left_out) == (("name", "age", "sex"), ("name",), ())
    assert (written.uniques, written.max_risk, written.mean_risk) == (6, 1.0, 1.0)
    assert written.to_dict()["kept"] == ["name"]


@pytest.mark.parametrize(
    ("keep", "error", "message"),
    [
        (["age"], OptionNotUsable, "'age' cannot be kept"),
        (["name", "name"], OptionNotUsable, "named twice"),
        (["nmae"], ColumnNotFound, "Did you mean name"),
    ],
)
def test_columns_that_cannot_be_kept(
    people: Table, tmp_path: Path, keep: list[str], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        write_levels(find_levels(people, BOTH, known=KNOWN, limit=0.5), tmp_path / "out.csv", keep=keep)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_breaks_the_limit_is_never_left_behind(people: Table, tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text("before")
    found = find_levels(people, BOTH, known=KNOWN, limit=0.5)
    with pytest.raises(RuntimeError, match="breaks the limit"):
        write_levels(replace(found, best={"age": 0, "sex": 0}, k=1, limit=0.5), tmp_path / "out.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]
    assert (tmp_path / "out.csv").read_text() == "before"


def test_a_file_that_says_something_else_is_never_left_behind(
    people: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = find_levels(people, BOTH, known=KNOWN, limit=0.5)
    monkeypatch.setattr(type(people.engine), "write", lambda _, __, path: path.write_text("age,sex\n20s,*\n20s,*\n"))
    with pytest.raises(OutputNotWritable, match="differs from what was written"):
        write_levels(found, tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


def test_records_of_a_weighted_table_that_have_become_equal_are_one_row(engine: DuckDBEngine, tmp_path: Path) -> None:
    """Else a weight of its own would tell a row from those that are equal to it."""
    rows = {"age": ["21", "25", "31"], "n": [3, 4, 7]}
    with read_table(pl.DataFrame(rows), weight="n", engine=engine) as table:
        written = write_levels(find_levels(table, {"age": AGE}, limit=1 / 7), tmp_path / "out.csv")
    assert (written.weight, written.rows, written.left_out) == ("n", 2, ())
    # 21 and 25 are in their twenties; 31 alone has a weight of seven already, and is raised with them.
    assert pl.read_csv(tmp_path / "out.csv").rows() == [("20s", 7), ("30s", 7)]
    assert (written.records, written.max_risk) == (14, 1 / 7)


def test_the_risk_of_a_file_counts_persons_although_it_does_not_name_them(engine: DuckDBEngine, tmp_path: Path) -> None:
    rows = {"age": ["21", "25", "31", "31"], "town": list("xxyy"), "who": ["p", "q", "r", "r"]}
    with read_table(pl.DataFrame(rows), person="who", engine=engine) as table:
        found = find_levels(table, {"age": AGE}, known=["age"], limit=0.5)
        written = write_levels(found, tmp_path / "out.csv", keep=["town"])
    assert pl.read_csv(tmp_path / "out.csv").rows() == [("*", "x"), ("*", "x"), ("*", "y"), ("*", "y")]
    # Both records in y are of one person: no other person is like r there.
    assert (written.records, written.uniques, written.max_risk) == (4, 2, 1.0)


def test_a_single_column_with_missing_values_is_written_whole_or_not_at_all(
    engine: DuckDBEngine, tmp_path: Path
) -> None:
    with read_table(pl.DataFrame({"age": ["21", "25", None, None]}), engine=engine) as table:
        found = find_levels(table, {"age": AGE}, limit=0.5)
        assert write_levels(found, tmp_path / "out.parquet").records == 4
        try:
            assert write_levels(found, tmp_path / "out.csv").records == 4
        except OutputNotWritable:
            assert not (tmp_path / "out.csv").exists()


def test_files_of_hierarchies_are_read(people: Table, tmp_path: Path) -> None:
    (tmp_path / "age.csv").write_text("21;20s;*\n25;20s;*\n31;30s;*\n36;30s;*\n")
    (tmp_path / "sex.csv").write_text("f;*\nm;*\n")
    found = find_levels(people, find_hierarchies(tmp_path, people.attributes), known=KNOWN, limit=0.5)
    assert found == find_levels(people, BOTH, known=KNOWN, limit=0.5)


@pytest.mark.parametrize("hierarchies", [None, {"age": 3}, [AGE]])
def test_hierarchies_of_another_type_are_named(people: Table, hierarchies: object) -> None:
    with pytest.raises(TypeError, match="hierarchies"):
        find_levels(people, hierarchies, limit=0.5)  # type: ignore[arg-type]


def test_a_hierarchy_of_no_attribute_is_refused_with_the_attributes_that_there_are(people: Table) -> None:
    with pytest.raises(ColumnNotFound, match=r"no attribute 'aeg'.*\n.*age"):
        find_levels(people, {"aeg": AGE}, known=["sex"], limit=0.5)


def test_missing_values_are_a_class_of_their_own_until_the_top(engine: DuckDBEngine, tmp_path: Path) -> None:
    rows = {"age": ["21", "25", None, None, "31"], 'it\'s "odd"': list("abcde")}
    with read_table(pl.DataFrame(rows), engine=engine) as table:
        found = find_levels(table, {"age": AGE}, known=["age"], limit=0.5, suppress=0.2)
        assert (found.best, found.suppressed) == ({"age": 1}, 1)
        write_levels(found, tmp_path / "out.csv")
        assert pl.read_csv(tmp_path / "out.csv")["age"].to_list() == ["20s", "20s", None, None]
        with generalize_table(table, BOTH, {"age": 2}).table as general:
            assert general.values[0] == ("*",)


@pytest.mark.parametrize("levels", [{"name": 1}, {"sex": 2}, {"sex": -1}])
def test_levels_that_do_not_exist_are_refused(people: Table, levels: dict[str, int]) -> None:
    with pytest.raises(OptionNotUsable, match="has no level"):
        generalize_table(people, BOTH, levels)


@pytest.mark.slow
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
        covered = Counter(dict(zip((row[a] for row in rows), (row[a] for row in general), strict=True)).values())
        for row, new, keep in zip(rows, general, kept, strict=True):
            if loss == "precision":
                total += (share if keep else 1) / n / len(shares)
            elif loss == "ncp":
                other = max(len(before) - 1, 1)
                total += (covered[new[a]] - 1 if keep else len(before) - 1) / other / n / len(shares)
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
    loss=st.sampled_from(sorted(LOSSES)),
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


@settings(max_examples=100, deadline=None)
@given(question=questions(), cut=st.integers(1, 29), k=st.integers(1, 4))
def test_levels_that_enter_and_leave_are_those_of_all_safe_levels(
    question: tuple[list[Hierarchy], list[tuple[str | None, ...]]], cut: int, k: int
) -> None:
    hierarchies, rows = question
    by_name = {hierarchy.attribute: hierarchy for hierarchy in hierarchies}
    few = rows[: min(cut, len(rows))]
    before, after = (find_levels(tables(hierarchies, some), by_name, limit=1 / k) for some in (few, rows))
    old, new = (set(brute_force(some, hierarchies, k, 0, "entropy")) for some in (few, rows))
    changed = changed_levels(before, after)
    assert {tuple(levels.values()) for levels in changed.entered} == new - old
    assert {tuple(levels.values()) for levels in changed.left} == old - new
    assert changed.complete


@settings(max_examples=100, deadline=None)
@given(question=questions(), k=st.integers(1, 4), base=st.lists(st.integers(0, 3), min_size=4, max_size=4))
def test_levels_from_a_generalized_table_are_those_above_its_levels(
    question: tuple[list[Hierarchy], list[tuple[str | None, ...]]], k: int, base: list[int]
) -> None:
    hierarchies, rows = question
    by_name = {hierarchy.attribute: hierarchy for hierarchy in hierarchies}
    levels = {h.attribute: min(level, h.levels - 1) for h, level in zip(hierarchies, base, strict=False)}
    columns = [h.generalize([row[a] for row in rows], levels[h.attribute]) for a, h in enumerate(hierarchies)]
    general = tables(hierarchies, list(zip(*columns, strict=True)))
    before, after = (
        find_levels(tables(hierarchies, rows), by_name, limit=1 / k),
        find_levels_from(general, by_name, levels, limit=1 / k),
    )
    safe = set(brute_force(rows, hierarchies, k, 0, "entropy"))
    lowest = tuple(levels.values())
    kept = {one for one in safe if all(level >= low for level, low in zip(one, lowest, strict=True))}
    changed = changed_levels(before, after)
    assert {tuple(one.values()) for one in changed.left} == safe - kept
    assert changed.entered == ()


def check(found: LevelsFound, safe: Mapping[tuple[int, ...], tuple[float, int]]) -> None:
    def lower(levels: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        return ((*levels[:a], levels[a] - 1, *levels[a + 1 :]) for a in range(len(levels)))

    minimal = sorted(levels for levels in safe if not any(below in safe for below in lower(levels)))
    assert [tuple(levels.values()) for levels in found.minimal] == minimal
    assert found.safe_choices == len(safe)
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


@pytest.mark.slow
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
        write_levels(found, tmp_path / "out.parquet")
        attributes = list(table.attributes)
    written = pl.read_parquet(tmp_path / "out.parquet")
    sizes = written.group_by(attributes).len()["len"]
    assert (sizes.min(), len(sizes)) == (found.smallest, found.classes)
    assert found.smallest is not None and found.smallest >= 5
    assert found.suppressed is not None and found.suppressed <= suppress * 30_162
    assert len(written) == 30_162 - found.suppressed
    assert found.nodes == 12_960
    assert (found.safe_choices, len(found.minimal)) == ((87, 27) if not suppress else (4_452, 987))
    original = pl.read_csv(path, separator=";", infer_schema=False)
    if not suppress:
        expected = original.with_columns(
            pl.Series(name, hierarchies[name].generalize(original[name].to_list(), level))
            for name, level in (found.best or {}).items()
        )
        assert written.equals(expected.sort(expected.columns))
