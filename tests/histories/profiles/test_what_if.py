"""What would change the answer, one thing at a time."""

from __future__ import annotations

import numpy as np
import pytest

from sudare.histories.profiles.assessment import ProfileAssessment, split_profiles
from sudare.histories.profiles.sides import make_sides
from sudare.histories.profiles.what_if import try_changes
from tests.histories.attack.histories import Row, anonymize_classes, history
from tests.histories.profiles.small_profiles import habitual_rows, halves, named


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return habitual_rows(1, 60, items=40)


@pytest.fixture(scope="module")
def tried(rows: list[Row]) -> ProfileAssessment:
    return split_profiles(named(history(rows)), "2011-04-11", trained=False, what_if=True)


def test_the_first_case_changes_nothing(tried: ProfileAssessment) -> None:
    first = tried.what_if[0]
    assert (first.change, first.value) == ("nothing", None)
    assert (first.pseudonyms, first.candidates) == (tried.pseudonyms, tried.candidates)


def test_every_case_is_tried_once(tried: ProfileAssessment) -> None:
    known = (tried.published_period.first - tried.known_period.first).days  # type: ignore[operator]
    published = tried.published_period.days
    assert [(case.change, case.value) for case in tried.what_if] == [
        ("nothing", None),
        ("known_days", round(known / 4)),
        ("known_days", round(known / 2)),
        ("published_days", round(published / 4)),
        ("published_days", round(published / 2)),
        ("gap_days", 30),
        ("gap_days", 60),
        ("gap_days", 90),
        ("publish", "without_price"),
        ("publish", "without_quantity"),
        ("publish", "items_only"),
        ("publish", "item_prefixes"),
        ("publish", "powers_of_two"),
        ("publish", "coarse"),
    ]


def test_a_shorter_period_has_the_rows_of_its_days_only(rows: list[Row], tried: ProfileAssessment) -> None:
    for case in tried.what_if:
        if case.change not in ("published_days", "gap_days", "known_days"):
            continue
        assert isinstance(case.value, int)
        first, last = 0, 10_000
        if case.change == "published_days":
            last = 100 + case.value
        if case.change == "gap_days":
            first = 100 + case.value
        early = 100 - case.value if case.change == "known_days" else 0
        known = {row[0] for row in rows if early <= row[1] < 100}
        later = {row[0] for row in rows if row[1] >= 100 and first <= row[1] < last}
        assert (case.candidates, case.pseudonyms) == (len(known), len(known & later)), case


def test_less_that_is_published_identifies_no_more_where_items_decide(tried: ProfileAssessment) -> None:
    found = {case.value: case.one_to_one for case in tried.what_if if case.change == "publish"}
    # All names of items are i000 to i039: three letters tell four kinds apart.
    assert found["item_prefixes"] < tried.what_if[0].one_to_one
    assert found["coarse"] <= found["item_prefixes"]
    assert found["items_only"] <= tried.what_if[0].one_to_one


def test_a_case_is_the_attack_on_what_would_be_published(rows: list[Row], tried: ProfileAssessment) -> None:
    """The same is measured on files that are so from the beginning."""

    def power(value: int) -> int:
        return 1 << (value.bit_length() - 1)

    files = {
        "item_prefixes": [(*row[:2], 10 * (row[2] // 10), *row[3:]) for row in rows],
        "powers_of_two": [(*row[:3], power(row[3]), power(row[4])) for row in rows],
        "coarse": [(*row[:2], 10 * (row[2] // 10), power(row[3]), power(row[4])) for row in rows],
    }
    found = {value: make_sides(*halves(changed)) for value, changed in files.items()}
    for value, gone in (("without_price", {"price"}), ("items_only", {"price", "quantity"})):
        parts = (
            type(half)(half.persons, tuple(column for column in half.columns if column.name not in gone))
            for half in halves(rows)
        )
        found[value] = make_sides(*parts)
    wanted = {case.value: case.one_to_one for case in tried.what_if}
    for value, sides in found.items():
        assert try_changes(sides)[0].one_to_one == pytest.approx(wanted[value]), value


def test_too_few_people_are_no_measure() -> None:
    found = try_changes(make_sides(*halves(habitual_rows(1, 9))))
    assert found == ()
    # A gap that leaves nobody is left out.
    early = [row for row in habitual_rows(1, 20) if row[1] < 130]
    assert {case.value for case in try_changes(make_sides(*halves(early))) if case.change == "gap_days"} <= {30}


def test_classes_are_not_changed() -> None:
    rows = habitual_rows(6, 42, rows=10, items=25)
    later = [row for row in rows if row[1] >= 100]
    assert try_changes(make_sides(halves(rows)[0], anonymize_classes(later, 2))) == ()


def test_histories_without_prices_and_quantities_have_fewer_cases() -> None:
    bare = [type(part)(part.persons, part.columns[:2]) for part in halves(habitual_rows(1, 20))]
    found = try_changes(make_sides(*bare))
    assert [case.value for case in found if case.change == "publish"] == ["item_prefixes"]
    assert np.isfinite([case.one_to_one for case in found]).all()
