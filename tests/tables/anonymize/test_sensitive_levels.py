"""Levels with l and t as constraints, against all nodes measured one by one by the definitions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import sudare
from sudare.tables.anonymize import bounded_search, levels as levels_module, written_levels
from sudare.tables.anonymize.levels import LevelsFound, changed_levels, find_levels
from sudare.tables.classes.criteria import Criteria, DiversityKind
from sudare.tables.hierarchies.model import make_hierarchy, read_hierarchy
from sudare.tables.model import Table
from tests.tables.anonymize.test_match_search import STEPS, hierarchies, loss_of, raised
from tests.tables.small_tables import Case, Record, names, table_of

Value = int | None
Node = tuple[int, ...]


@dataclass(frozen=True)
class Secrets:
    """A case, and a sensitive value for each of its records, with the distance of the values."""

    case: Case
    values: list[Value]
    distance: str

    @property
    def name(self) -> str:
        return names([self.case.width])[0]

    @property
    def table(self) -> Table:
        records = [(*record, value) for record, value in zip(self.case.records, self.values, strict=True)]
        table = table_of(records, missing=self.case.missing, persons=self.case.persons)
        words = tuple(value and f"disease {value}" for value in table.values[-1])
        return table if self.distance == "ordered" else replace(table, values=(*table.values[:-1], words))


def far(secrets: Secrets, part: Sequence[Value]) -> float:
    """Return the distance of some values from all, by the formulas of Li et al."""
    counted, whole = Counter(part), Counter(secrets.values)
    extra = {value: counted[value] / len(part) - whole[value] / whole.total() for value in whole}
    if secrets.distance == "equal":
        return sum(map(abs, extra.values())) / 2
    if secrets.distance == "ordered":
        order = sorted(extra, key=lambda value: math.inf if value is None else value)
        return sum(abs(sum(extra[v] for v in order[: i + 1])) for i in range(len(order))) / max(len(order) - 1, 1)
    nodes = [[extra.get(0, 0), extra.get(1, 0)], [extra.get(2, 0)], [extra.get(None, 0)]]

    def cost(height: float, children: Sequence[float]) -> float:
        return height * min(sum(e for e in children if e > 0), -sum(e for e in children if e < 0))

    return sum(cost(0.5, node) for node in nodes) + cost(1, [sum(node) for node in nodes])


def diverse(part: Sequence[Value], criteria: Criteria) -> bool:
    counted = sorted(Counter(part).values(), reverse=True)
    if criteria.l is None:
        return True
    if criteria.diversity == "entropy":
        return -sum(n / len(part) * math.log(n / len(part)) for n in counted) >= math.log(criteria.l) - 1e-9
    if criteria.diversity == "recursive":
        return counted[0] < (criteria.c or 0) * sum(counted[int(criteria.l) - 1 :])
    return len(counted) >= criteria.l


def kept(secrets: Secrets, records: Sequence[tuple[int | None, ...]], criteria: Criteria) -> list[int]:
    """Leave out records whose class breaks a criterion, as long as there are any."""
    case, left = secrets.case, list(range(len(records)))
    whose = case.persons or left

    def safe(i: int) -> bool:
        like = [j for j in left if case.same(records[i], records[j], range(case.width))]
        part = [secrets.values[j] for j in like]
        enough = len({whose[j] for j in like}) >= criteria.k
        return enough and diverse(part, criteria) and (criteria.t is None or far(secrets, part) <= criteria.t + 1e-9)

    while (good := [i for i in left if safe(i)]) != left:
        left = good
    return left


def every_node(secrets: Secrets, criteria: Criteria) -> dict[Node, tuple[float, int]]:
    """Return loss and suppressed records of all safe nodes."""
    case, safe = secrets.case, {}
    allowed = math.floor(round(criteria.suppress * len(case.records), 9))
    for node in product(range(3), repeat=case.width):
        records = [raised(record, node) for record in case.records]
        left = kept(secrets, records, criteria)
        if len(records) - len(left) <= allowed:
            safe[node] = loss_of(case, node, records, left, "entropy"), len(records) - len(left)
    return safe


@st.composite
def secret_cases(draw: st.DrawFn) -> Secrets:
    """Draw some records; those of the lowest known values have few sensitive ones, so that unions can be worse."""
    width, size = draw(st.integers(1, 2)), draw(st.integers(4, 16))
    cells = st.sampled_from([0, 1, 2, None]) if draw(st.booleans()) else st.sampled_from([0, 0, 1, 2])
    records = draw(st.lists(st.tuples(*[cells] * width), min_size=size, max_size=size))
    common, any_value = st.sampled_from([0, 0, 0, 1]), st.sampled_from([0, 1, 2, None])
    values = [draw(common if record[0] == 0 else any_value) for record in records]
    persons = draw(st.one_of(st.none(), st.lists(st.integers(0, 5), min_size=size, max_size=size)))
    distance = draw(st.sampled_from(["equal", "ordered", "hierarchical"]))
    return Secrets(Case(records, persons, draw(st.sampled_from(["value", "any"]))), values, distance)


@st.composite
def criteria_of(draw: st.DrawFn) -> Criteria:
    kind: DiversityKind = draw(st.sampled_from(get_args(DiversityKind)))
    wanted = draw(st.sampled_from([1.5, 2.0] if kind == "entropy" else [2.0, 3.0]))
    with_l, with_t = draw(st.sampled_from([(True, False), (False, True), (True, True)]))
    return Criteria(
        k=draw(st.integers(1, 3)),
        l=wanted if with_l else None,
        diversity=kind if with_l else "distinct",
        c=draw(st.sampled_from([0.9, 2.0])) if with_l and kind == "recursive" else None,
        t=draw(st.sampled_from([0.1, 0.25, 0.4])) if with_t else None,
        suppress=draw(st.sampled_from([0.0, 0.3, 0.6])),
    )


def found_for(secrets: Secrets, criteria: Criteria) -> LevelsFound:
    given = hierarchies(secrets.case.width)
    if secrets.distance == "hierarchical":
        steps = {i: (f"disease {steps[0]}", *steps[1:]) for i, steps in enumerate(STEPS)}
        given[secrets.name] = make_hierarchy(secrets.name, steps)
    return find_levels(
        secrets.table, given, limit=1 / criteria.k, sensitive=secrets.name, l=criteria.l, seconds=None,
        diversity=criteria.diversity, c=criteria.c, t=criteria.t, suppress=criteria.suppress,
    )  # fmt: skip


def minimal_of(safe: dict[Node, tuple[float, int]]) -> list[Node]:
    def lower(node: Node) -> list[Node]:
        return [(*node[:a], node[a] - 1, *node[a + 1 :]) for a in range(len(node))]

    return [node for node in sorted(safe) if not any(below in safe for below in lower(node))]


@settings(max_examples=200, deadline=None)
@given(secret_cases(), criteria_of())
def test_levels_are_those_of_a_full_enumeration(secrets: Secrets, criteria: Criteria) -> None:
    if criteria.l is not None and criteria.l > len(set(secrets.values)):
        return
    safe, found = every_node(secrets, criteria), found_for(secrets, criteria)
    assert (found.safe_choices, found.complete) == (len(safe), True)
    assert [tuple(levels.values()) for levels in found.minimal] == minimal_of(safe)
    assert found.evaluated <= found.nodes
    check_best(found, safe)


@settings(max_examples=100, deadline=None)
@given(secret_cases(), criteria_of(), st.sampled_from([0, 3]))
def test_the_bounded_search_finds_and_proves_the_best_of_a_full_enumeration(
    secrets: Secrets, criteria: Criteria, descents: int
) -> None:
    if criteria.l is not None and criteria.l > len(set(secrets.values)):
        return
    safe = every_node(secrets, criteria)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(levels_module, "MOST_NODES", 0)
        patch.setattr(bounded_search, "MOST_DESCENTS", descents)
        patch.setattr(bounded_search, "MOST_IN_BLOCK", 4)
        found = found_for(secrets, criteria)
    assert {tuple(levels.values()) for levels in found.minimal} <= set(minimal_of(safe))
    assert found.complete == (not safe)
    assert found.bound == (pytest.approx(found.loss) if safe else None)
    check_best(found, safe)


def check_best(found: LevelsFound, safe: dict[Node, tuple[float, int]]) -> None:
    if not safe:
        assert (found.best, found.loss, found.minimal) == (None, None, ())
        return
    assert found.best is not None
    loss, suppressed = safe[tuple(found.best.values())]
    assert found.loss == pytest.approx(min(loss for loss, _ in safe.values()), abs=1e-9)
    assert found.loss == pytest.approx(loss, abs=1e-9)
    assert found.suppressed == suppressed


def test_a_node_above_a_safe_one_can_be_unsafe() -> None:
    """With the first four records suppressed, the others have two values in equal parts; united with them, not."""
    secrets = Secrets(Case([*[(0,)] * 4, *[(2,)] * 2], None, "value"), [0, 0, 0, 0, 0, 1], "equal")
    found = found_for(secrets, Criteria(l=1.9, diversity="entropy", suppress=0.7))
    assert (found.minimal, found.safe_choices, found.suppressed) == (({"a": 0},), 2, 4)
    # What enters and leaves goes up from the minimal ones, so nothing is said about it.
    assert not changed_levels(found, found).complete


def test_a_node_above_a_safe_one_can_be_unsafe_where_classes_overlap() -> None:
    """With b at `*`, the record with 0 in a is like those without a: values 0, 2, 0, 0; before, it was like one."""
    records: list[Record] = [(2, 0), (None, 2), (0, 2), (None, 0), (None, 0)]
    secrets = Secrets(Case(records, None, "any"), [2, 2, 0, 0, 0], "equal")
    criteria = Criteria(l=1.8, diversity="entropy")
    assert sorted(every_node(secrets, criteria)) == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)]
    assert found_for(secrets, criteria).safe_choices == 7


def test_what_cannot_be_asked_is_refused() -> None:
    table = table_of([(0, 0), (0, 1), (1, 0)])
    for options, said in [
        ({"sensitive": "b", "known": ["a", "b"]}, "'b' cannot be both known and sensitive"),
        ({"sensitive": ["b"], "l": 3}, "'b' has 2 different values"),
        ({"l": 2}, "need a sensitive attribute"),
        ({"sensitive": "x", "l": 2}, "no attribute 'x'"),
    ]:
        with pytest.raises(sudare.InputError, match=said):
            find_levels(table, {}, limit=0.5, **options)  # type: ignore[arg-type]


PATIENTS = """\
age,sex,disease
20,f,flu
21,f,flu
22,f,ulcer
31,m,flu
32,m,ulcer
39,m,cold
"""
DECADES = [(str(age), f"{age // 10}0s", "*") for age in (20, 21, 22, 31, 32, 39)]


@pytest.fixture
def patients(tmp_path: Path) -> Iterator[LevelsFound]:
    (tmp_path / "patients.csv").write_text(PATIENTS)
    ages = make_hierarchy("age", dict(enumerate(DECADES)))
    with sudare.read_table(tmp_path / "patients.csv") as table:
        yield table.levels(limit=1 / 3, hierarchies={"age": ages}, sensitive="disease", l=2)


def test_the_written_file_has_the_sensitive_column_and_satisfies_l(patients: LevelsFound, tmp_path: Path) -> None:
    written = patients.publish(tmp_path / "safe.csv")
    assert (written.columns, written.kept, written.max_risk) == (("age", "sex", "disease"), (), pytest.approx(1 / 3))
    lines = (tmp_path / "safe.csv").read_text().splitlines()
    assert lines == [
        "age,sex,disease", "20s,f,flu", "20s,f,flu", "20s,f,ulcer", "30s,m,cold", "30s,m,flu", "30s,m,ulcer"
    ]  # fmt: skip


def test_levels_that_break_a_criterion_are_not_written(patients: LevelsFound, tmp_path: Path) -> None:
    with pytest.raises(sudare.AnswerIsNo, match="6 records are in classes that do not satisfy the criteria"):
        patients.publish(tmp_path / "safe.csv", levels={"age": 0})
    with pytest.MonkeyPatch.context() as patch, pytest.raises(RuntimeError, match="breaks the limit"):
        # As if three values had been asked for, and the levels found all the same.
        patch.setattr(written_levels, "kept_rows", lambda _, general: np.ones(len(general.counts), np.bool_))
        replace(patients, l=3).publish(tmp_path / "safe.csv")
    assert not (tmp_path / "safe.csv").exists()


def test_a_page_that_would_not_show_the_criteria_is_refused(patients: LevelsFound, tmp_path: Path) -> None:
    with pytest.raises(sudare.OptionNotUsable, match="does not show levels with l or t"):
        patients.report(tmp_path / "page.html")


@pytest.mark.parametrize(("k", "bits"), [(5, 10.76), (10, 10.76), (100, 12.39)])
def test_adult_with_three_occupations_in_every_class(real_data: Callable[[str], Path], k: int, bits: float) -> None:
    path = real_data("adult/adult.csv")
    with sudare.read_table(path) as table:
        files = sudare.tables.find_hierarchies(path.parent, table.attributes)
        given = {name: read_hierarchy(file, name) for name, file in files.items()}
        found = find_levels(table, given, limit=1 / k, sensitive="occupation", l=3)
    assert found.loss is not None and found.loss / found.records == pytest.approx(bits, abs=0.005)
