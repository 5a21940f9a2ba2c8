"""Whatever two histories hold, there is an answer whose numbers are numbers, or a refusal in words."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from sudare.errors import OptionNotUsable
from sudare.histories.generalized.model import CellHistory, Kind
from sudare.histories.profiles.assessment import SHARES, ProfileShares, link_profiles, split_profiles
from sudare.histories.releases.assessment import _columns, assess_releases
from sudare.histories.releases.chains import link_releases
from sudare.messages import Texts
from sudare.report.history.profiles_text import show_profiles
from sudare.report.history.releases_text import show_releases
from sudare.report.terminal import collecting
from tests.histories.generalized.small_cells import cells
from tests.histories.profiles.small_profiles import named

NAMES = ["a", "b", "c", "d"]
DAYS = ["2011/1/1", "2011/1/2", "2011/6/1", "[2011/1/1;2011/3/1]", "[2011/2/1;2011/6/1]", "*"]
ITEMS = [*NAMES, "{a;b}", "{c;b}", "{d}", "*"]
PRICES = ["0", "1", "-2", "2.5", "[-1;1]", "[1;2]", "[2;2.5]", "*"]
QUANTITIES = ["1", "2", "-1", "[1;3]", "[2;5]", "*"]


def histories(*, exact_days: bool = False) -> st.SearchStrategy[CellHistory]:
    """Return histories of a few people and rows, of any cells; deleted rows among them."""
    days = st.sampled_from(DAYS[:3] if exact_days else DAYS)
    row = st.tuples(
        st.integers(1, 4).map(str), days, st.sampled_from(ITEMS), st.sampled_from(PRICES), st.sampled_from(QUANTITIES)
    ).map(list)
    gone = st.just(["*"] * 5)
    return st.lists(row if exact_days else st.one_of(row, row, row, gone), max_size=8).map(
        lambda rows: cells(rows, NAMES)
    )


def check(found: ProfileShares) -> None:
    """Refuse numbers that no share and no confidence can be."""
    for name in SHARES:
        share = getattr(found, name)
        if share is not None:
            low, high = found.intervals[name]
            assert 0 <= low <= share + 1e-9
            assert share - 1e-9 <= high <= 1
    assert 0 <= found.expected <= 1
    assert found.calibration_error is None or 0 <= found.calibration_error <= 1
    assert [one.guesses for one in found.surest] == sorted(one.guesses for one in found.surest)
    for one in found.surest:
        assert 0 <= one.confidence <= one.expected + 1e-9 <= 1 + 2e-9
        assert one.right is None or 0 <= one.right <= 1


@settings(max_examples=150)
@given(histories(), histories(), st.booleans(), st.sampled_from([None, True, False]))
def test_two_histories(known: CellHistory, published: CellHistory, judged: bool, closed: bool | None) -> None:
    truth = {f"x{pid}": f"c{pid}" for pid in set(published.persons.tolist()) - {0}} if judged else None
    try:
        found = link_profiles(named(known, "c"), named(published, "x"), truth=truth, closed=closed)
    except OptionNotUsable as refused:
        people = [set(history.persons.tolist()) - {0} for history in (known, published)]
        assert refused.key == f"errors.profiles.{'truth_nobody' if all(people) else 'empty'}"
        assert not all(people) or (judged and not people[0] & people[1])
        return
    check(found)
    assert json.dumps(found.to_dict(), allow_nan=False)
    assert len(found.guesses) == found.pseudonyms == len(set(published.persons.tolist()) - {0})
    if found.classes is not None and found.one_to_one is not None and found.shared == found.pseudonyms:
        assert found.one_to_one <= found.classes.ceiling
    assert ((found.guesses.confidence >= 0) & (found.guesses.confidence <= 1)).all()
    with collecting():
        show_profiles(found, "known.csv", Texts("ja"))


@settings(max_examples=60)
@given(histories(exact_days=True))
def test_one_history_that_is_split(history: CellHistory) -> None:
    try:
        found = split_profiles(named(history), what_if=True)
    except OptionNotUsable as refused:
        assert refused.key.removeprefix("errors.profiles.") in ("empty", "split_outside", "few_in_both")
        return
    check(found)
    assert found.open_world is not None
    check(found.open_world)
    assert found.shared == found.open_world.shared == found.pseudonyms
    assert json.dumps(found.to_dict(), allow_nan=False)


# Ten attackers are measured each time.
@pytest.mark.slow
@settings(max_examples=8)
@given(st.lists(histories(), min_size=2, max_size=3))
def test_several_releases(releases: list[CellHistory]) -> None:
    try:
        found = assess_releases([named(release) for release in releases], truth=True)
    except OptionNotUsable as refused:
        assert refused.key == "errors.profiles.empty"
        assert any((release.persons == 0).all() for release in releases)
        return
    assert json.dumps(found.to_dict(), allow_nan=False)
    assert sum(found.in_releases) == found.chains == len(np.unique(found.joined.persons))
    for column in found.columns:
        assert 0 <= column.values_together <= column.values_apart
        assert 0 <= column.exact_apart <= column.exact_together <= 1
    for risk in found.attackers:
        assert 0 <= risk.apart <= 1
        assert 0 <= risk.together <= 1
    with collecting():
        show_releases(found, Texts("en"))


@settings(max_examples=100)
@given(st.lists(histories(), min_size=2, max_size=3))
def test_chains_of_releases_narrow_cells_and_lose_none(releases: list[CellHistory]) -> None:
    if any((release.persons == 0).all() for release in releases):
        return
    found = link_releases(releases)
    assert len(found.cells) == len(found.apart) <= sum(len(release.cells) for release in found.releases)
    assert len(found.lengths) == len(np.unique(found.cells.persons))
    for before, after in zip(found.apart.columns, found.cells.columns, strict=True):
        assert not ((after.kinds == Kind.DELETED) & (before.kinds != Kind.DELETED)).any()
    for column in _columns(found):
        assert 0 <= column.values_together <= column.values_apart
        assert 0 <= column.exact_apart <= column.exact_together <= 1
