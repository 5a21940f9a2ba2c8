"""Profiles and the similarity of people, against plain dictionaries straight from the definition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import product
from math import log, log1p, sqrt

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from sudare.histories.generalized.model import CellHistory, ItemColumn, Kind
from sudare.histories.profiles import candidates
from sudare.histories.profiles.candidates import NEIGHBOURS, find_candidates
from sudare.histories.profiles.sides import Sides, make_sides
from sudare.histories.profiles.views import MOST_KEYS, VIEWS, ViewedSides, view_sides
from sudare.kernels.profiles.pairs import compare_pairs
from tests.histories.generalized.small_cells import cells
from tests.histories.profiles.small_profiles import sides_of

COLUMNS = {"item": "item", "price": "price", "quantity": "quantity", "day": "date"}
# The values that each cell of a row can be, by column; none where it is deleted.
Row = dict[str, tuple[int, ...]]
Key = tuple[int, ...]
Vector = dict[Key, float]
Texts = list[list[tuple[str, ...]]]

single = st.tuples(
    st.sampled_from(["2011/1/1", "2011/1/2"]),
    st.sampled_from(["a", "b", "c", "d", "*"]),
    st.sampled_from(["1", "2", "2.5"]),
    st.sampled_from(["1", "2", "*"]),
)
wide = st.tuples(
    st.sampled_from(["[2011/1/1;2011/1/2]", "2011/1/1"]),
    st.sampled_from(["a", "{a;b}", "{c;b}", "*"]),
    st.sampled_from(["1", "[1;2]", "[2;2.5]"]),
    st.sampled_from(["1", "[1;2]", "[2;3]", "*"]),
)
# One who has cells that overlap in every column, so that all codes are single values.
OVERLAPPING = [
    ("[2011/1/1;2011/1/2]", "{a;b}", "[1;2]", "[1;2]"),
    ("[2011/1/2;2011/1/3]", "{b;c}", "[2;2.5]", "[2;3]"),
]


def people(rows: st.SearchStrategy[tuple[str, ...]]) -> st.SearchStrategy[Texts]:
    return st.lists(st.lists(rows, min_size=1, max_size=4), min_size=1, max_size=5)


def written(persons: Texts) -> CellHistory:
    rows = [[str(number), *row] for number, own in enumerate(persons, start=1) for row in own]
    return cells(rows, names=["a", "b", "c", "d"])


def different(persons: Texts) -> Texts:
    """Return the people without those whose rows somebody before them has."""
    found: dict[tuple[tuple[str, ...], ...], list[tuple[str, ...]]] = {}
    for own in persons:
        found.setdefault(tuple(sorted(own)), own)
    return list(found.values())


def plain_rows(history: CellHistory, values: Mapping[str, set[int]]) -> list[list[Row]]:
    """Return by person what each cell can be, of the values that count."""
    found: dict[int, list[Row]] = {}
    for place, person in enumerate(history.persons.tolist()):
        row: Row = {}
        for name, title in COLUMNS.items():
            column = history.column(title)
            if column.kinds[place] == Kind.DELETED:
                row[name] = ()
            elif isinstance(column, ItemColumn):
                number = column.sets[place]
                row[name] = tuple(column.members[column.starts[number] : column.starts[number + 1]].tolist())
            else:
                row[name] = tuple(v for v in values[name] if column.low[place] <= v <= column.high[place])
        found.setdefault(person, []).append(row)
    return list(found.values())


def keys_of(rows: list[Row], view: tuple[str, ...]) -> Counter[Key]:
    """Return how often each combination of values occurs in the rows of somebody."""
    return Counter(key for row in rows for key in product(*(row[name] for name in view)))


def plain_cosines(
    known: list[list[Row]], published: list[list[Row]], view: tuple[str, ...], *, plain: bool
) -> tuple[np.ndarray, dict[Key, float]]:
    """Return the cosines of all pairs, by having and by how often, and how rare each key is."""
    ours, theirs = ([keys_of(rows, view) for rows in side] for side in (known, published))
    counted = [*ours, *theirs] if plain else ours
    rarity = {
        key: log((len(counted) + 1) / (sum(key in own for own in counted) + 0.5))
        for own in [*ours, *theirs]
        for key in own
    }

    def vectors(counts: Counter[Key]) -> Iterator[Vector]:
        often = {key: sqrt(rarity[key]) * log1p(count) for key, count in counts.items()}
        had = {key: sqrt(rarity[key]) for key in counts} if plain else often
        for vector in (had, often):
            length = sqrt(sum(value**2 for value in vector.values()))
            yield {key: value / length for key, value in vector.items()}

    found = np.zeros((len(theirs), len(ours), 2))
    for (g, other), (p, own) in product(enumerate(theirs), enumerate(ours)):
        for way, (one, two) in enumerate(zip(vectors(own), vectors(other), strict=True)):
            found[g, p, way] = sum(value * two.get(key, 0) for key, value in one.items())
    return found, rarity


def check(known: Texts, published: Texts, *, plain: bool) -> None:
    """Compare the similarities of all pairs, and the candidates, with plain ones."""
    one, other = written(known), written(published)
    sides = make_sides(one, other, days=True)
    ends = {
        name: {
            *one.column(title).low.tolist(),
            *other.column(title).low[other.column(title).kinds == Kind.EXACT].tolist(),
        }
        for name, title in COLUMNS.items()
        if name != "item"
    }
    rows = plain_rows(one, ends), plain_rows(written(different(published)), ends)
    viewed = view_sides(sides.known, sides.published, sides.sizes)
    assert [view.name for view in viewed.views] == [view.name for view in VIEWS]
    similarity = np.zeros((len(rows[1]), len(rows[0])))
    compared = all_pairs(sides, viewed)
    for place, view in enumerate(VIEWS):
        found, rarity = plain_cosines(*rows, view.columns, plain=plain)
        assert compared[:, :, 2 * place : 2 * place + 2] == pytest.approx(found, abs=1e-5)
        similarity += view.weight * found.sum(axis=2) / (2 * sum(view.weight for view in VIEWS))
        if not place:
            common = [[keys_of(a, ("item",)).keys() & keys_of(b, ("item",)).keys() for a in rows[0]] for b in rows[1]]
            assert compared[:, :, -2].tolist() == [[len(keys) for keys in line] for line in common]
            rare = [[sum(rarity[key] for key in keys) for keys in line] for line in common]
            assert compared[:, :, -1] == pytest.approx(np.array(rare), abs=1e-5)
    check_candidates(viewed, similarity)


def all_pairs(sides: Sides, viewed: ViewedSides) -> np.ndarray:
    groups, persons = (place.ravel().astype(np.int32) for place in np.indices((len(sides.published), len(sides.known))))
    found = np.empty((len(groups), 2 * len(viewed.views) + 2), np.float32)
    compare_pairs(viewed.published, viewed.known, groups, persons, viewed.ends, viewed.rarity, found)
    return found.reshape(len(sides.published), len(sides.known), -1)


def check_candidates(viewed: ViewedSides, similarity: np.ndarray) -> None:
    """Compare candidates with all who have any likeness, measured from what each has to its ten nearest."""
    found = find_candidates(viewed, most=len(similarity.T))
    near = [np.sort(similarity, axis=axis) for axis in (1, 0)]
    to_people, to_groups = near[0][:, -NEIGHBOURS:].sum(axis=1) / 10, near[1][-NEIGHBOURS:].sum(axis=0) / 10
    wanted = 2 * similarity - to_people[:, None] - to_groups[None]
    there = {(g, p) for g, p in zip(*np.nonzero(similarity > 1e-7), strict=True)}
    assert set(zip(found.groups.tolist(), found.people.tolist(), strict=True)) == there
    assert found.scores == pytest.approx(wanted[found.groups, found.people], abs=1e-5)
    assert found.starts.tolist() == np.searchsorted(found.groups, np.arange(len(similarity) + 1)).tolist()
    for start, end in zip(found.starts, found.starts[1:], strict=False):
        assert (np.diff(found.scores[start:end]) <= 0).all()


@given(people(single), people(single))
def test_single_values_are_compared_as_they_are_defined(known: Texts, published: Texts) -> None:
    check(known, published, plain=True)


@settings(max_examples=50)
@given(people(single), people(wide))
def test_cells_that_overlap_are_compared_by_all_that_they_can_be(known: Texts, published: Texts) -> None:
    check(known, [*published, OVERLAPPING], plain=False)


def test_somebody_near_everybody_is_not_everybodys_nearest() -> None:
    # 1 buys what all pseudonyms buy, and is more similar to each of them than anybody else is.
    others = range(2, 14)
    known = {1: ["c0", "c1", "c2"]} | {n: [f"a{n}", *(f"{letter}{n}" for letter in "xyz")] for n in others}
    sides = sides_of(known, {n: [f"c{n % 3}", f"c{(n + 1) % 3}", f"a{n}"] for n in others})
    viewed = view_sides(sides.known, sides.published, sides.sizes)
    found = find_candidates(viewed)
    assert [found.people[start] for start in found.starts[:-1]] == list(range(1, 13))
    nearest = all_pairs(sides, viewed)[:, :, 1].argmax(axis=1)
    assert nearest.tolist() == [0] * 12


def test_a_row_that_can_be_too_many_things_says_nothing_of_their_combinations() -> None:
    many = [f"2011/1/{day}" for day in range(1, 28)]
    known = cells(
        [[str(n), day, "abcdefghijklmnopqrstuvwxyz"[n % 26], str(n % 26), "1"] for n, day in enumerate(many, 1)]
    )
    names = known.column("item").names  # type: ignore[union-attr]
    published = cells(
        [["1", "2011/6/1", f"{{{';'.join(names)}}}", "[0;30]", "1"], ["2", "2011/6/1", "{a;b}", "[0;1]", "1"]], names
    )
    sides = make_sides(known, published)
    viewed = view_sides(sides.known, sides.published, sides.sizes)
    ends = dict(zip(["", *(view.name for view in viewed.views)], [0, *viewed.ends.tolist()], strict=True))
    own = viewed.published.keys[: viewed.published.starts[1]]
    assert len(names) * len(set(range(26))) > MOST_KEYS
    assert (own < ends["item"]).sum() == len(names)
    assert not ((own >= ends["item_quantity"]) & (own < ends["item_price"])).any()


def test_what_too_many_people_have_leads_to_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    sides = sides_of({1: ["a", "b"], 2: ["a", "c"], 3: ["a"]}, {1: ["a", "b"], 2: ["a"]})
    viewed = view_sides(sides.known, sides.published, sides.sizes)
    assert np.diff(find_candidates(viewed).starts).tolist() == [3, 3]
    monkeypatch.setattr(candidates, "MOST_HOLDERS", 2)
    assert np.diff(find_candidates(viewed).starts).tolist() == [1, 0]


def test_no_more_candidates_are_kept_than_asked_for() -> None:
    sides = sides_of({n: ["a", f"b{n}"] for n in range(1, 20)}, {n: ["a", f"b{n}"] for n in range(1, 20)})
    viewed = view_sides(sides.known, sides.published, sides.sizes)
    found, every = find_candidates(viewed, most=3), find_candidates(viewed)
    assert np.diff(found.starts).tolist() == [3] * 19
    assert found.people.reshape(19, 3)[:, 0].tolist() == list(range(19))
    assert found.scores.reshape(19, 3).tolist() == every.scores.reshape(19, 19)[:, :3].tolist()


@pytest.mark.parametrize("cores", [1, 2, 5])
def test_candidates_do_not_depend_on_how_many_work(monkeypatch: pytest.MonkeyPatch, cores: int) -> None:
    random = np.random.default_rng(4)
    lists = {n: [f"i{item}" for item in random.integers(0, 60, 5)] for n in range(1, 700)}
    sides = sides_of(lists, {n: [*items[1:], "new"] for n, items in lists.items()})
    viewed = view_sides(sides.known, sides.published, sides.sizes)
    wanted = find_candidates(viewed)
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    found = find_candidates(viewed)
    assert len(found) == len(wanted)
    assert (found.people == wanted.people).all()
    assert (found.scores == wanted.scores).all()
