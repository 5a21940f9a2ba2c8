"""Classes with cells of their own: they satisfy what was asked, cover their records, and lose little."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest
from hypothesis import given, settings, strategies as st

import sudare
from sudare.deadline import Deadline
from sudare.errors import AnswerIsNo, OptionNotUsable
from sudare.tables.anonymize.class_search.search import ClassSearch
from sudare.tables.anonymize.local import request_problem
from sudare.tables.anonymize.publication import AnonymizedTable, anonymize_table
from sudare.tables.anonymize.registry import Request
from sudare.tables.classes.class_criteria import class_criteria
from sudare.tables.classes.criteria import Criteria
from sudare.tables.hierarchies.model import Hierarchy, make_hierarchy
from sudare.tables.model import Table
from sudare.tables.recoded.model import RecodedTable
from sudare.tables.roles import find_roles
from tests.tables.anonymize.test_sensitive_levels import Secrets, diverse, far
from tests.tables.small_tables import Case, Records, table_of

# Values 0 to 5 in pairs, the pairs in two groups of two and one.
NUMBERS = make_hierarchy(
    "a", {i: (str(i), f"{i // 2 * 2}-{i // 2 * 2 + 1}", "0-3" if i < 4 else "4-5", "*") for i in range(6)}
)
# After these seconds there are best cuts, and no exchanges.
AT_ONCE = 1e-6
HIERARCHIES = {name: replace(NUMBERS, attribute=name) for name in "ab"}

small = st.lists(st.tuples(*[st.integers(0, 5)] * 3), min_size=4, max_size=24)


def anonymized(records: Records, **options: Any) -> AnonymizedTable:
    options = {"hierarchies": HIERARCHIES, "known": ["a", "b"], "sensitive": ["c"], "seconds": None, **options}
    return anonymize_table(table_of(records), attacks=False, utility=False, **options)


def members(found: RecodedTable) -> Iterator[tuple[list[int], list[int]]]:
    """Return for each class its records, and its cells."""
    for c in range(found.classes):
        yield np.flatnonzero(found.owner == c).tolist(), found.cells[:, c].tolist()


def is_covered(found: RecodedTable) -> bool:
    """Tell whether the cells of each class cover the values of its records."""
    return all(
        set(found.codes(column.attribute)[records].tolist()) <= set(column.covered(cell).tolist())
        for records, cells in members(found)
        for column, cell in zip(found.columns, cells, strict=True)
    )


@settings(max_examples=60, deadline=None)
@given(small, st.integers(1, 4), st.sampled_from(["nodes", "sets", "ranges"]), st.sampled_from(["entropy", "ncp"]))
def test_classes_have_k_records_and_cells_that_cover_them(records: Records, k: int, cells: Any, loss: str) -> None:
    found = anonymized(records, k=k, cells=cells, loss=loss)
    assert found.smallest >= k
    assert is_covered(found.recoded)
    assert found.recoded.published.all()
    assert found.bound is not None
    assert found.bound <= found.minimized + 1e-9


def partitions(items: list[int], k: int) -> Iterator[list[list[int]]]:
    """Return all divisions into parts of at least k."""
    if not items:
        yield []
        return
    first, *rest = items
    for chosen in range(1 << len(rest)):
        part = [first, *(item for i, item in enumerate(rest) if chosen >> i & 1)]
        left = [item for i, item in enumerate(rest) if not chosen >> i & 1]
        if len(part) >= k:
            yield from ([part, *more] for more in partitions(left, k))


def lost_bits(records: Records, part: list[int]) -> float:
    """Return what a class loses with the lowest nodes that cover its values."""
    bits = 0.0
    for a in range(2):
        level = next(s for s in NUMBERS.steps if len({s[str(records[i][a])] for i in part}) == 1)
        node = level[str(records[part[0]][a])]
        covered = sum(level[str(record[a])] == node for record in records)
        own = [sum(other[a] == records[i][a] for other in records) for i in part]
        bits += sum(math.log2(covered / n) for n in own)
    return bits


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 5)] * 3), min_size=4, max_size=7), st.integers(2, 3))
def test_the_loss_lies_between_the_least_of_all_divisions_and_that_of_the_cuts(records: Records, k: int) -> None:
    least = min(sum(lost_bits(records, part) for part in parts) for parts in partitions([*range(len(records))], k))
    cut, searched = (anonymized(records, k=k, seconds=seconds).loss.entropy for seconds in (AT_ONCE, None))
    assert least / len(records) - 1e-9 <= searched <= cut + 1e-9


def test_what_few_exchanges_find_is_the_best_of_all_divisions() -> None:
    records: Records = [(0, 0, 0), (1, 0, 0), (4, 5, 0), (5, 5, 0), (4, 4, 0), (0, 1, 0), (1, 1, 0)]
    least = min(sum(lost_bits(records, part) for part in parts) for parts in partitions([*range(7)], 2))
    assert anonymized(records, k=2).loss.entropy == pytest.approx(least / 7)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 2)), min_size=6, max_size=24),
    st.sampled_from(["equal", "ordered"]),
    st.one_of(
        st.builds(Criteria, k=st.integers(1, 3), l=st.integers(1, 3)),
        st.builds(Criteria, k=st.integers(1, 3), l=st.floats(1, 2.5), diversity=st.just("entropy")),
        st.builds(
            Criteria, k=st.just(2), l=st.integers(1, 3), diversity=st.just("recursive"), c=st.sampled_from([0.7, 1, 3])
        ),
        st.builds(Criteria, k=st.integers(1, 3), t=st.sampled_from([0.0, 0.15, 0.3, 0.6])),
    ),
)  # fmt: skip
def test_classes_are_diverse_and_close(records: Records, distance: str, wanted: Criteria) -> None:
    case = Case([(first, second) for first, second, _ in records], None, "value")
    secrets = Secrets(case, [record[2] for record in records], distance)
    options: dict[str, Any] = {name: getattr(wanted, name) for name in ("k", "l", "diversity", "c", "t")}
    try:
        found = anonymize_table(
            secrets.table, hierarchies=HIERARCHIES, known=["a", "b"], sensitive="c", seconds=None, attacks=False,
            utility=False, **options,
        ).recoded  # fmt: skip
    except AnswerIsNo:
        values = [record[2] for record in records]
        assert not diverse(values, wanted)
        return
    except OptionNotUsable:
        assert wanted.l is not None
        assert wanted.l > len({record[2] for record in records})
        return
    table = found.table
    for own, _ in members(found):
        values = [table.codes[2][found.rows[i]] for i in own]
        assert len(own) >= wanted.k
        assert diverse(values, wanted)
        assert wanted.t is None or far(secrets, [int(value) for value in values]) <= wanted.t + 1e-6


def request(records: Records, criteria: Criteria, **options: Any) -> Request:
    table = table_of(records)
    roles = find_roles(table, known=["a", "b"], sensitive=["c"])
    classes = class_criteria(criteria, table, roles.sensitive)
    given: dict[str, Any] = {"loss": "entropy", "cells": "nodes", **options}
    return Request(
        table=table, roles=roles, hierarchies=HIERARCHIES, criteria=classes, population=None, microaggregate=(),
        blunt_ends=False, seconds=None, seed=0, progress=lambda *_: None, **given,
    )  # fmt: skip


def searched(problem: Any, rounds: int) -> ClassSearch:
    with ThreadPoolExecutor(2) as pool, Deadline(None) as deadline:
        search = ClassSearch(problem, deadline, pool, 0, lambda *_: None)
        search.start()
        search.improve(rounds)
        return search


@settings(max_examples=40, deadline=None)
@given(small, st.integers(1, 3), st.integers(2, 3))
def test_sensitive_values_are_looked_at_only_to_merge_classes(records: Records, k: int, l: int) -> None:  # noqa: E741
    if len({record[2] for record in records}) < l:
        return
    looking = searched(request_problem(request(records, Criteria(k=k, l=l)))[0], 0)
    again = searched(request_problem(request(records, Criteria(k=looking.problem.size)))[0], 0)
    # Records that the cuts left together are together: each class is a union of classes that no secret had a say in.
    for c in range(int(again.owner.max()) + 1):
        assert len(set(looking.owner[again.owner == c].tolist())) <= 1


def test_same_seed_same_table_and_another_order_of_secrets_makes_the_same_cuts() -> None:
    rng = np.random.default_rng(1)
    records = [tuple(map(int, row)) for row in rng.integers(0, 6, (300, 3))]
    one, two = (anonymized(records, k=3, l=2, seed=4) for _ in range(2))
    assert (one.recoded.owner == two.recoded.owner).all()
    assert (one.recoded.cells == two.recoded.cells).all()


def test_persons_count_once_in_a_class() -> None:
    records = [(i // 2, 0, i % 3) for i in range(12)]
    persons = [i // 4 for i in range(12)]
    table = table_of(records, persons=persons)
    found = anonymize_table(
        table, k=2, known=["a", "b"], keep=["c"], hierarchies=HIERARCHIES, attacks=False, utility=False, seconds=None
    ).recoded
    assert found.persons.min() >= 2
    with pytest.raises(OptionNotUsable, match="3 persons"):
        anonymize_table(table, k=4, known=["a", "b"], attacks=False, utility=False)


@settings(max_examples=40, deadline=None)
@given(small, st.integers(2, 3), st.floats(0, 0.5))
def test_at_most_the_allowed_records_are_suppressed_and_only_for_a_gain(records: Records, k: int, share: float) -> None:
    whole, less = (anonymized(records, k=k, suppress=allowed) for allowed in (0.0, share))
    assert less.suppressed <= share * len(records)
    assert less.smallest >= k
    assert less.loss.entropy <= whole.loss.entropy + 1e-9
    assert less.bound is not None
    assert less.bound <= less.loss.entropy + 1e-9


@settings(max_examples=40, deadline=None)
@given(small, st.integers(2, 4))
def test_means_keep_the_sums_of_classes(records: Records, k: int) -> None:
    found = anonymized(records, k=k, microaggregate=["a"]).recoded
    column = found.columns[0]
    assert column.mean
    for own, cells in members(found):
        values = found.codes("a")[own]
        assert float(column.texts[cells[0]] or "nan") * len(own) == pytest.approx(values.sum())


def test_only_numbers_among_the_quasi_identifiers_have_means() -> None:
    table = sudare.read_table(polars.DataFrame({"a": ["x", "y"], "b": [1, 2]}))
    with pytest.raises(OptionNotUsable, match="'a' cannot be microaggregated: not all"):
        anonymize_table(table, k=2, microaggregate=["a"])
    with pytest.raises(OptionNotUsable, match="'b' cannot be microaggregated: it is not"):
        anonymize_table(table, k=2, known=["a"], microaggregate=["b"])


@settings(max_examples=40, deadline=None)
@given(small, st.integers(2, 4))
def test_blunt_ends_are_not_held_by_a_single_record(records: Records, k: int) -> None:
    found = anonymized(records, k=k, cells="ranges", blunt_ends=True).recoded
    assert is_covered(found)
    for own, cells in members(found):
        for column, cell in zip(found.columns, cells, strict=True):
            covered, held = column.covered(cell), found.codes(column.attribute)[own].tolist()
            if len(covered) > 1:
                low, high = column.listed[0], column.listed[-1]
                assert covered[0] == low or held.count(covered[0]) != 1
                assert covered[-1] == high or held.count(covered[-1]) != 1


def matched(found: RecodedTable, population: Table) -> list[tuple[int, list[int]]]:
    """Return for each class its size and the records of a population that its cells cover; values are the same."""
    people = np.repeat(np.arange(len(population.counts)), population.counts)
    answer = []
    for own, cells in members(found):
        inside = np.ones(len(people), np.bool_)
        for column, cell in zip(found.columns, cells, strict=True):
            (place,) = population.positions([column.attribute])
            texts = [population.values[place][code] for code in population.codes[place][people]]
            covered = {column.values[code] for code in column.covered(cell)}
            inside &= np.asarray([text in covered for text in texts])
        answer.append((len(own), np.flatnonzero(inside).tolist()))
    return answer


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(*[st.integers(0, 5)] * 2), min_size=12, max_size=40),
    st.integers(2, 4),
    st.sampled_from([None, 0.5, 0.75]),
)
def test_cells_cover_enough_of_a_population_and_nobody_is_too_likely_present(
    people: Records, k_map: int, presence: float | None
) -> None:
    # Everybody in the population has a value of the table: then what a cell covers is the same in both.
    inside = sorted(people)[::3]
    values = [{record[a] for record in inside} for a in range(2)]
    people = [*inside, *(person for person in people if all(person[a] in values[a] for a in range(2)))]
    table, population = table_of(inside), table_of(people)
    try:
        found = anonymize_table(
            table, k_map=k_map, presence=presence, population=population, hierarchies={}, attacks=False,
            utility=False, seconds=None,
        )  # fmt: skip
    except AnswerIsNo:
        assert presence is not None
        assert len(inside) / len(people) > presence or len(people) < k_map
        return
    shares = [0.0] * len(people)
    for size, covered in matched(found.recoded, population):
        assert len(covered) >= k_map
        for person in covered:
            shares[person] += size / len(covered)
    assert presence is None or max(shares) <= presence + 1e-6


def test_values_that_only_the_population_has_are_in_no_cell() -> None:
    table = table_of([(0, 0), (1, 0), (2, 1)])
    population = table_of([(0, 0), (1, 0), (2, 1), (3, 1), (3, 0), (0, 1)])
    found = anonymize_table(table, k_map=3, population=population, attacks=False, utility=False, seconds=None).recoded
    assert found.columns[0].values == ("0", "1", "2")
    assert found.columns[0].listed.max() == 2


def test_options_that_a_model_does_not_take_are_refused_by_name() -> None:
    table = table_of([(0, 0), (1, 0), (2, 1)])
    with pytest.raises(OptionNotUsable, match="levels does not take"):
        anonymize_table(table, k=2, model="levels", cells="sets")
    with pytest.raises(OptionNotUsable, match="cannot minimize the loss 'precision'"):
        anonymize_table(table, k=2, loss="precision")
    with pytest.raises(OptionNotUsable, match="Unknown model 'magic'"):
        anonymize_table(table, k=2, model="magic")
    with pytest.raises(OptionNotUsable, match="need a reference population"):
        anonymize_table(table, k_map=2)
    with pytest.raises(OptionNotUsable, match="How many persons"):
        anonymize_table(table)


def test_suppressed_cells_are_values_or_stars(real_data: Callable[[str], Path]) -> None:
    with sudare.read_table(real_data("adult/adult.csv"), attributes=["sex", "age", "race"]) as table:
        found = anonymize_table(table, k=5, model="suppress", attacks=False, utility=False, seconds=AT_ONCE).recoded
        for column in found.columns:
            assert set(column.texts) <= {*column.values, "*"}
        assert found.sizes.min() >= 5


@pytest.mark.parametrize(("k", "most"), [(5, 4.85), (100, 10.6)])
def test_one_round_of_exchanges_on_adult(k: int, most: float, real_data: Callable[[str], Path]) -> None:
    folder = real_data("adult/adult.csv").parent
    with sudare.read_table(folder / "adult.csv") as table:
        roles = find_roles(table)
        hierarchies: dict[str, Hierarchy] = table.hierarchies(folder)
        asked = Request(
            table, roles, hierarchies, class_criteria(Criteria(k=k), table), "entropy", None, "nodes", (), False,
            None, 0, lambda *_: None,
        )  # fmt: skip
        assert searched(request_problem(asked)[0], 1).loss < most
