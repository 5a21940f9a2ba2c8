"""The most similar people through an index, against whole tables."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from sudare.histories.profiles.candidates import index_keys
from sudare.kernels.profiles.nearest import Nearest, find_nearest
from sudare.kernels.profiles.rows import Profiles, count_keys, invert

KEYS = 6
# How often each person has each key.
tables = st.lists(st.lists(st.integers(0, 3), min_size=KEYS, max_size=KEYS), min_size=1, max_size=12)


def profiles(table: list[list[int]]) -> Profiles:
    """Return sparse rows; the values are how often, and 1 for having."""
    counts = np.array(table)
    persons, keys = np.nonzero(counts)
    starts = np.searchsorted(persons, np.arange(len(table) + 1)).astype(np.int64)
    often = counts[persons, keys].astype(np.float32)
    return Profiles(starts, keys.astype(np.int32), np.ones(len(keys), np.float32), often)


@given(tables, tables, st.integers(1, 12), st.lists(st.integers(0, 2), min_size=KEYS, max_size=KEYS))
def test_the_most_similar_are_found_and_how_similar_anybody_is_to_each(
    known: list[list[int]], published: list[list[int]], room: int, weights: list[int]
) -> None:
    wanted = np.array(published) * weights @ np.array(known).T
    wanted += (np.array(published) > 0) * weights @ (np.array(known) > 0).T
    room = min(room, len(known))
    shape = len(published), room
    found = Nearest(np.zeros(len(published), np.int64), np.empty(shape, np.int32), np.zeros(shape, np.float32))
    greatest = np.zeros((len(known), 3), np.float32)
    index = index_keys(profiles(known), KEYS)
    find_nearest(
        profiles(published), index, np.array(weights, np.float32), np.arange(len(published)), found, greatest
    )  # fmt: skip
    for row, similar in enumerate(wanted):
        size = int(found.counts[row])
        assert size == min(room, (similar > 0).sum())
        assert found.similarities[row, :size].tolist() == sorted(similar.tolist(), reverse=True)[:size]
        assert similar[found.persons[row, :size]].tolist() == found.similarities[row, :size].tolist()
        assert len(set(found.persons[row, :size].tolist())) == size
    for person, similar in enumerate(wanted.T):
        assert greatest[person].tolist() == sorted([0, 0, 0, *similar.tolist()])[-3:]


@given(st.lists(st.lists(st.integers(0, 5), max_size=6), min_size=1, max_size=5))
def test_keys_are_counted_by_person(rows: list[list[int]]) -> None:
    keys = np.array([key for own in rows for key in own], np.int64)
    starts = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    found_starts, found, counts = (
        np.empty(len(starts), np.int64),
        np.empty(len(keys), np.int64),
        np.empty(len(keys), np.int32),
    )
    count_keys(starts, keys, found_starts, found, counts)
    for person, own in enumerate(rows):
        here = slice(found_starts[person], found_starts[person + 1])
        assert found[here].tolist() == sorted(set(own))
        assert counts[here].tolist() == [own.count(key) for key in sorted(set(own))]


@pytest.mark.parametrize("rows", [[[0, 2], [1, 2], []], [[]], [[1]]])
def test_an_index_lists_who_has_a_key_and_where(rows: list[list[int]]) -> None:
    keys = np.array([key for own in rows for key in own], np.int32)
    starts = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    ends = np.cumsum(np.bincount(keys, minlength=3))
    persons, entries = np.empty(len(keys), np.int32), np.empty(len(keys), np.int32)
    invert(starts, keys, np.concatenate([[0], ends[:-1]]).astype(np.int64), persons, entries)
    for key in range(3):
        here = slice(ends[key - 1] if key else 0, ends[key])
        assert persons[here].tolist() == [person for person, own in enumerate(rows) if key in own]
        assert keys[entries[here]].tolist() == [key] * len(entries[here])
