"""Guesses of a sensitive value, against guessing for each record by itself."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings, strategies as st

from sudare.errors import ColumnNotFound, OptionNotUsable
from sudare.tables.classes.guesses import SensitiveGuesses, guess_sensitive
from tests.tables.small_tables import Record, table_of

ONE = st.one_of(st.none(), st.integers(0, 2))


def guessed(records: list[Record], known: list[int], *, wild: bool) -> tuple[float, int]:
    """Return the records that are guessed right on average, and those of classes with a single value."""

    def like(one: Record, other: Record) -> bool:
        return all(one[a] == other[a] or (wild and None in (one[a], other[a])) for a in known)

    right, certain = 0.0, 0
    for record in records:
        counted = Counter(other[2] for other in records if like(record, other))
        best = [value for value, count in counted.items() if count == max(counted.values())]
        right += (record[2] in best) / len(best)
        certain += len(counted) == 1
    return right, certain


@settings(max_examples=100)
@given(
    st.lists(st.tuples(ONE, ONE, ONE), min_size=1, max_size=10),
    st.lists(st.sampled_from(range(2)), min_size=1, unique=True), st.booleans(),
)  # fmt: skip
def test_guesses_are_those_made_for_each_record(records: list[Record], known: list[int], wild: bool) -> None:
    # A missing sensitive value is a value of its own, whatever a missing known one is.
    found = guess_sensitive(table_of(records, missing="any" if wild else "value"), "c", ["ab"[a] for a in known])
    right, certain = guessed(records, known, wild=wild)
    assert found.right == pytest.approx(right)
    assert (found.certain, found.records) == (certain, len(records))
    assert found.most_common == max(Counter(record[2] for record in records).values())


def test_a_worked_example() -> None:
    # Of class 0 two of three have the value 1, of class 1 each of two has its own.
    table = table_of([(0, 1), (0, 1), (0, 0), (1, 0), (1, 2)])
    assert guess_sensitive(table, "b") == SensitiveGuesses("b", ("a",), 5, 2 + 0.5 + 0.5, 2, 0)
    assert guess_sensitive(table, "a", ["b"]).certain == 3


def test_what_is_known_cannot_be_guessed() -> None:
    table = table_of([(0, 1), (1, 1)])
    with pytest.raises(OptionNotUsable):
        guess_sensitive(table, "a", ["a", "b"])
    with pytest.raises(ColumnNotFound):
        guess_sensitive(table, "x")
