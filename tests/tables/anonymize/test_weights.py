"""The trees of hierarchies over the values of a column."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from sudare.errors import HierarchyNotUsable
from sudare.sources.cell_text import MissingRule
from sudare.tables.anonymize.weights import TreeColumn, tree_column
from sudare.tables.hierarchies.model import Hierarchy, make_hierarchy


def hierarchy_of(*lines: str) -> Hierarchy:
    return make_hierarchy("age", {i: line.split(";") for i, line in enumerate(lines, 1)})


def nodes(column: TreeColumn) -> dict[str | None, set[str | None]]:
    found = zip(column.texts, column.begin, column.end, strict=True)
    return {text: {column.values[code] for code in column.order[begin:end]} for text, begin, end in found}


AGES = hierarchy_of("21;20s;young;*", "22;20s;young;*", "35;30s;young;*", "61;60s;old;*", "99;90s;old;*")


def test_nodes_are_ranges_of_places_below_their_parents() -> None:
    column = tree_column("age", ["35", "61", "21", "22", "99"], np.asarray([1, 2, 3, 4, 6]), AGES)
    assert nodes(column) == {
        "*": {"21", "22", "35", "61", "99"},
        "young": {"21", "22", "35"},
        "20s": {"21", "22"},
        "old": {"61", "99"},
        **{value: {value} for value in ("21", "22", "35", "61", "99")},
    }
    above = {column.texts[i]: column.texts[p] for i, p in enumerate(column.parent) if p >= 0}
    assert (above["21"], above["20s"], above["35"], above["61"], above["old"]) == ("20s", "young", "young", "old", "*")
    assert column.texts[0] == "*"
    assert [column.texts[node] for node in column.leaf] == list(column.values)
    assert [column.order[place] for place in column.place] == [0, 1, 2, 3, 4]


def test_weights_are_those_of_the_losses() -> None:
    column = tree_column("age", ["35", "61", "21", "22", "99"], np.asarray([1, 2, 3, 4, 6]), AGES)
    entropy = dict(zip(column.texts, column.node_weights("entropy"), strict=True))
    ncp = dict(zip(column.texts, column.node_weights("ncp"), strict=True))
    assert (entropy["*"], entropy["old"], entropy["61"], entropy["35"]) == (4, 3, 1, 0)
    assert entropy["20s"] == math.log2(7)
    assert (ncp["*"], ncp["young"], ncp["20s"], ncp["35"]) == (1, 2 / 4, 1 / 4, 0)


def test_nodes_that_cover_the_same_values_become_the_lowest() -> None:
    assert nodes(tree_column("age", ["35", "61"], np.asarray([1, 1]), AGES)) == {
        "*": {"35", "61"},
        "35": {"35"},
        "61": {"61"},
    }
    assert set(nodes(tree_column("age", ["21", "22"], np.asarray([1, 1]), AGES))) == {"20s", "21", "22"}
    assert nodes(tree_column("age", ["21"], np.asarray([1]), AGES)) == {"21": {"21"}}


def test_without_a_hierarchy_or_its_end_there_is_a_star() -> None:
    assert set(nodes(tree_column("age", ["1", "2"], np.asarray([1, 1])))) == {"*", "1", "2"}
    forest = hierarchy_of("1;odd", "2;even", "3;odd", "4;even")
    assert set(nodes(tree_column("age", list("1234"), np.asarray([1] * 4), forest))) == {"*", "odd", "even", *"1234"}


@pytest.mark.parametrize("missing", ["value", "any"])
def test_a_missing_value_without_a_line_hangs_under_the_root(missing: MissingRule) -> None:
    column = tree_column("age", ["21", "22", "35", "61", None], np.asarray([1] * 5), AGES, missing)
    assert nodes(column)[None] == {None}
    assert column.parent[column.leaf[4]] == 0
    assert nodes(column)["*"] == {"21", "22", "35", "61", None}


def test_a_missing_value_with_a_line_is_generalized_by_it() -> None:
    ages = hierarchy_of("1;odd;*", "2;even;*", "3;odd;*", ";odd;*")
    assert nodes(tree_column("age", ["1", "2", "3", None], np.asarray([1] * 4), ages))["odd"] == {"1", "3", None}


def test_values_that_the_hierarchy_lacks_are_refused() -> None:
    with pytest.raises(HierarchyNotUsable, match="'23'"):
        tree_column("age", ["21", "23"], np.asarray([1, 1]), AGES)


@st.composite
def drawn_hierarchies(draw: st.DrawFn) -> Hierarchy:
    values = [str(value) for value in range(draw(st.integers(1, 8)))]
    rows = [[value] for value in values]
    for level in range(1, draw(st.integers(1, 4))):
        groups = {row[-1]: f"{level}/{draw(st.integers(0, 3))}" for row in rows}
        rows = [[*row, groups[row[-1]]] for row in rows]
    return make_hierarchy("age", dict(enumerate(rows, 1)))


@settings(max_examples=150, deadline=None)
@given(hierarchy=drawn_hierarchies(), data=st.data())
def test_nodes_are_the_different_sets_of_values_of_all_levels(hierarchy: Hierarchy, data: st.DataObject) -> None:
    values = data.draw(st.lists(st.sampled_from([*hierarchy.steps[0]]), min_size=1, unique=True))
    counts = np.asarray([data.draw(st.integers(1, 4)) for _ in values])
    column = tree_column("age", values, counts, hierarchy)
    expected: dict[frozenset[str], str] = {}
    for step in [*hierarchy.steps, dict.fromkeys(values, "*")]:
        for value in values:
            expected.setdefault(frozenset(v for v in values if step[v] == step[value]), step[value])
    found = zip(column.texts, column.begin, column.end, strict=True)
    assert {frozenset(values[c] for c in column.order[b:e]): text for text, b, e in found} == expected
    assert len(column.texts) == len(expected)
    ranges = zip(column.begin, column.end, strict=True)
    assert column.records.tolist() == [counts[column.order[b:e]].sum() for b, e in ranges]
    for node, parent in enumerate(column.parent.tolist()):
        around = [i for i in range(node) if column.begin[i] <= column.begin[node] and column.end[node] <= column.end[i]]
        assert parent == (min(around, key=lambda i: column.widths[i]) if around else -1)
    assert column.cells.sums(counts.astype(float)).tolist() == column.records.tolist()


def test_a_node_that_reads_like_one_above_it_is_left_out() -> None:
    other = hierarchy_of("a;a;a;*", "b;b;other;*", "c;other;other;*", "d;other;other;*")
    column = tree_column("x", ["a", "b", "c", "d"], np.asarray([9, 3, 1, 1]), other)
    assert nodes(column) == {
        "*": {"a", "b", "c", "d"}, "other": {"b", "c", "d"}, **{value: {value} for value in "abcd"},
    }  # fmt: skip
    assert column.texts.count("other") == 1
