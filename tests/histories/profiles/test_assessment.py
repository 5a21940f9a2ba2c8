"""The whole answer: what is told with a truth and without, of two histories and of one that is split."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date

import numpy as np
import pytest

from sudare.errors import OptionNotUsable
from sudare.histories.profiles import attack, learning
from sudare.histories.profiles.assessment import SHARES, ProfileAssessment, link_profiles, split_profiles
from sudare.histories.profiles.measures import calibration_error
from sudare.statistics.intervals import share_interval
from tests.histories.attack.histories import Row, anonymize_classes, history, name as item_name, price
from tests.histories.generalized.small_cells import cells
from tests.histories.profiles.small_profiles import habitual_rows, halves, named

PEOPLE = 40


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return habitual_rows(1, PEOPLE)


def truth_of(people: range) -> dict[str, str]:
    return {f"x{n}": f"c{n}" for n in people}


def linked(rows: list[Row], truth: Mapping[str, str] | None = None, **options: object) -> ProfileAssessment:
    known, published = halves(rows)
    options = {"trained": False, **options}
    return link_profiles(named(known, "c"), named(published, "x"), truth=truth, **options)  # type: ignore[arg-type]


def test_a_split_history_is_judged_in_both_worlds(rows: list[Row]) -> None:
    # 1 to 5 are there in the earlier part only, 36 to 40 in the later one only.
    some = [row for row in rows if (row[0] > 5 or row[1] < 100) and (row[0] <= 35 or row[1] >= 100)]
    found = split_profiles(named(history(some)), date(2011, 4, 11), trained=False)
    assert (found.world, found.pseudonyms, found.candidates, found.shared) == ("closed", 30, 30, 30)
    assert found.guess == 1 / 30
    world = found.open_world
    assert world is not None
    assert (world.pseudonyms, world.candidates, world.shared) == (35, 35, 30)
    assert (found.known_period.rows, found.known_period.people) == (sum(row[1] < 100 for row in some), 35)
    assert (found.published_period.rows, found.published_period.people) == (sum(row[1] >= 100 for row in some), 35)
    assert found.known_period.last < date(2011, 4, 11) <= found.published_period.first  # type: ignore[operator]
    assert (found.same_time, found.gap_days) == (
        False,
        (found.published_period.first - found.known_period.last).days - 1,
    )  # type: ignore[operator]
    for part in (found, world):
        for name in SHARES:
            share = getattr(part, name)
            assert part.intervals[name] == pytest.approx(share_interval(share * 30, 30))
            assert part.intervals[name][0] <= share <= part.intervals[name][1]
        assert part.one_to_one is not None
        assert part.one_to_one > 0.8
    assert sum(band.pseudonyms for band in found.by_rows) == 30
    assert sum(band.pseudonyms * band.identified for band in found.by_rows) == pytest.approx(30 * found.one_to_one)  # type: ignore[operator]


def test_a_split_history_gives_what_its_two_parts_give(rows: list[Row]) -> None:
    split = split_profiles(named(history(rows), "c"), "2011-04-11", trained=False)
    two = linked(rows, {f"x{n}": f"c{n}" for n in range(1, PEOPLE + 1)}, closed=True)
    for name in (
        *SHARES,
        "calibration_error",
        "expected",
        "intervals",
        "surest",
        "by_rows",
        "items",
        "habits",
        "views",
    ):
        assert getattr(split, name) == getattr(two, name), name
    assert (two.world, two.open_world, two.what_if) == ("closed", None, ())


def test_without_a_truth_only_the_attackers_own_expectation_is_told(rows: list[Row]) -> None:
    found, judged = linked(rows), linked(rows, truth_of(range(1, PEOPLE + 1)))
    told = found.to_dict()
    assert [told[name] for name in ("shared", *SHARES, "calibration_error")] == [None] * 6
    assert (found.intervals, found.by_rows, found.views) == ({}, (), ())
    assert found.expected == judged.expected
    assert {one.right for one in found.surest} == {None}
    assert json.dumps(told, allow_nan=False)
    assert "guesses" not in told


def test_shares_are_of_those_whose_person_is_known(rows: list[Row]) -> None:
    known, published = halves(rows)
    some = named(history([row for row in rows if row[1] < 100 and row[0] <= 30]), "c")
    found = link_profiles(some, named(published, "x"), truth=truth_of(range(1, PEOPLE + 1)), trained=False)
    assert (found.world, found.pseudonyms, found.candidates, found.shared) == ("open", PEOPLE, 30, 30)
    assert sum(band.pseudonyms for band in found.by_rows) == 30
    # Guesses about the ten strangers are wrong, and count among the surest and for the calibration.
    assert found.surest[-1].guesses == PEOPLE
    assert found.surest[-1].right == pytest.approx(found.one_to_one * 30 / PEOPLE)  # type: ignore[operator]
    assert len(known) > len(some.cells)


def test_pseudonyms_that_the_truth_leaves_out_are_not_judged(rows: list[Row]) -> None:
    whole, some = linked(rows, truth_of(range(1, PEOPLE + 1))), linked(rows, truth_of(range(1, 11)))
    assert (some.pseudonyms, some.shared, some.surest[-1].guesses) == (PEOPLE, 10, 10)
    confidence = whole.guesses.confidence[:10]
    right = [float(guess == f"c{n}") for n, guess in enumerate(whole.guesses.customers[:10], start=1)]
    assert some.one_to_one == pytest.approx(sum(right) / 10)
    assert some.calibration_error == pytest.approx(calibration_error(confidence, np.array(right)))
    assert some.surest[-1].right == pytest.approx(sum(right) / 10)
    assert some.expected == whole.expected


def test_a_truth_that_names_no_known_customer_is_refused(rows: list[Row]) -> None:
    for truth in ({}, {"x1": "Ann"}, {"x1": "1", "x2": "2"}):
        with pytest.raises(OptionNotUsable, match="The truth names no known customer"):
            linked(rows, truth)


def test_a_truth_about_other_pseudonyms_is_refused(rows: list[Row]) -> None:
    with pytest.raises(OptionNotUsable, match="names the pseudonym 'c2', which the published history does not have"):
        linked(rows, {"x1": "c1", "c3": "c3", "c2": "c2"})


@pytest.mark.parametrize(("closed", "world"), [(None, "closed"), (True, "closed"), (False, "open")])
def test_the_world_is_closed_if_both_have_as_many_people(rows: list[Row], closed: bool | None, world: str) -> None:
    assert linked(rows, closed=closed).world == world
    fewer = halves([row for row in rows if row[0] < 20 or row[1] >= 100])
    expected = "open" if closed is None else world
    assert link_profiles(named(fewer[0]), named(fewer[1]), trained=False, closed=closed).world == expected


def test_histories_of_the_same_days_are_compared_by_days_too() -> None:
    # Everybody buys the same things, each on days of their own.
    rows = [(n, (7 * n + 13 * visit) % 150, visit, 100, 1) for n in range(1, 31) for visit in range(3)]
    known, published = history(rows), history(rows)
    found = link_profiles(named(known, "c"), named(published, "x"), truth=truth_of(range(1, 31)))
    assert (found.same_time, found.method, found.not_trained) == (True, "untrained", "same_time")
    assert found.one_to_one == 1
    assert [one.view for one in found.views][-1] == "item_day"
    later = history([(n, day + 200, item, cents, quantity) for n, day, item, cents, quantity in rows])
    other = link_profiles(named(known, "c"), named(later, "x"), truth=truth_of(range(1, 31)), trained=False)
    assert (other.same_time, other.one_to_one) == (False, pytest.approx(1 / 30))


def test_a_publication_without_days_is_attacked_by_what_was_bought(rows: list[Row]) -> None:
    known, published = halves(rows)
    texts = [[str(row[0]), "*", item_name(row[2]), price(row[3]), str(row[4])] for row in rows if row[1] >= 100]
    found = link_profiles(
        named(known, "c"), named(cells(texts), "x"), truth=truth_of(range(1, PEOPLE + 1)), trained=False
    )
    assert (found.published_period.first, found.published_period.rows) == (None, len(texts))
    assert (found.same_time, found.gap_days) == (False, 0)
    assert found.one_to_one == linked(rows, truth_of(range(1, PEOPLE + 1))).one_to_one
    assert len(published) == len(texts)


def test_classes_say_what_can_be_identified_at_most() -> None:
    rows = habitual_rows(6, 42, rows=10, items=25)
    later = [row for row in rows if row[1] >= 100]
    published = anonymize_classes(later, 3)
    owners = dict(zip(published.persons.tolist(), (row[0] for row in later), strict=True))
    truth = {f"x{pid}": f"c{customer}" for pid, customer in owners.items() if pid}
    found = link_profiles(named(halves(rows)[0], "c"), named(published, "x"), truth=truth)
    assert found.classes is not None
    assert (found.classes.classes, found.classes.ceiling) == (14, pytest.approx(1 / 3))
    assert found.one_to_one is not None
    assert found.best_ten is not None
    assert found.one_to_one <= 1 / 3 < found.best_ten
    assert found.guesses.confidence.max() <= 1 / 3
    assert found.not_trained == "overlapping"


def test_ties_do_not_depend_on_how_people_are_numbered() -> None:
    """Three of a kind each: their pseudonyms are taken for any of the three."""
    rows = [(n, day, n % 4, 100, 1) for n in range(1, 13) for day in (5, 120 + n)]
    swapped = [(13 - row[0], *row[1:]) if row[1] >= 100 else row for row in rows]
    for published in (rows, swapped):
        known, later = halves([row for row in rows if row[1] < 100] + [row for row in published if row[1] >= 100])
        owners = {row[0]: old[0] for row, old in zip(published, rows, strict=True) if row[1] >= 100}
        truth = {f"x{pid}": f"c{customer}" for pid, customer in owners.items()}
        found = link_profiles(named(known, "c"), named(later, "x"), truth=truth, trained=False)
        assert found.one_to_one == pytest.approx(1 / 3)
        assert found.alone == pytest.approx(1 / 3)
        assert found.best_ten == pytest.approx(1)


@pytest.mark.parametrize(
    ("split", "people", "said"),
    [
        (["2011-02-01", "2011-03-01"], range(1, 41), "Two periods need one day to split at"),
        ("months", range(1, 41), "Two periods need one day to split at"),
        ("half", range(1, 2), "Fewer than two people buy in both periods"),
    ],
)
def test_what_is_no_split_into_two_is_refused(rows: list[Row], split: object, people: range, said: str) -> None:
    with pytest.raises(OptionNotUsable, match=said):
        split_profiles(named(history([row for row in rows if row[0] in people])), split)  # type: ignore[arg-type]


def test_a_seed_below_zero_is_refused(rows: list[Row]) -> None:
    with pytest.raises(OptionNotUsable, match="seed must be 0 or more"):
        linked(rows, seed=-1)
    with pytest.raises(OptionNotUsable, match="seed must be 0 or more"):
        split_profiles(named(history(rows)), seed=-1)


def test_the_trained_attack_says_that_it_is(monkeypatch: pytest.MonkeyPatch, rows: list[Row]) -> None:
    monkeypatch.setitem(learning._TREES, "max_iter", 5)
    found = split_profiles(named(history(rows)), "2011-04-11")
    assert (found.method, found.not_trained) == ("trained", None)
    assert found.open_world is not None
    assert found.one_to_one is not None
    assert found.one_to_one > 0.8
    assert repr(found).startswith("ProfileAssessment(pseudonyms=40")
    assert split_profiles(named(history(rows)), "2011-04-11", trained=False).not_trained is None


def test_where_strangers_leave_too_few_to_learn_from_the_open_world_is_untrained(
    monkeypatch: pytest.MonkeyPatch, rows: list[Row]
) -> None:
    """All strangers come on one day, at which the known period would then be cut each time."""
    monkeypatch.setitem(learning._TREES, "max_iter", 5)
    monkeypatch.setattr(attack, "_LEAST_PEOPLE", 20)
    crowd = [(n, 99, n % 7, 100, 1) for n in range(100, 1300)]
    found = split_profiles(named(history([*rows, *crowd])), "2011-04-11", trained=True)
    assert found.method == "trained"
    assert found.open_world is not None
    assert found.open_world.shared == PEOPLE
