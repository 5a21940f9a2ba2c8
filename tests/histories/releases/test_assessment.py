"""What releases reveal together: against direct assessments, by hand, and of releases that were made not to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import sudare
from sudare.engine import DuckDBEngine
from sudare.errors import OptionNotUsable
from sudare.histories import EarlierRelease, HistoryRows, Publication, anonymize_rows, assess_attackers
from sudare.histories.generalized.conversion import rows_of_cells
from sudare.histories.generalized.model import CellHistory
from sudare.histories.generalized.written_text import cell_texts
from sudare.histories.profiles.read import NamedCells
from sudare.histories.releases.assessment import ReleasesAssessment, assess_releases
from sudare.histories.releases.cells import stacked
from sudare.histories.releases.meeting import match_rows, narrowed
from sudare.histories.safety.published_classes import published_classes
from tests.histories.anonymize.small_histories import Row as Bought, rows as bought_rows
from tests.histories.attack.histories import Row, day, history, name, price
from tests.histories.generalized.small_cells import cells
from tests.histories.profiles.small_profiles import named
from tests.histories.releases.test_chains import habits, recipients


def parts(rows: Sequence[Row]) -> list[NamedCells]:
    """Return four releases in which people have the same numbers."""
    return [named(history([row for row in rows if first <= row[1] < first + 50])) for first in range(0, 200, 50)]


@pytest.fixture(scope="module")
def linked() -> ReleasesAssessment:
    gone = [row for row in habits(12, visits=3) if not (row[0] <= 3 and 50 <= row[1] < 100)]
    return assess_releases(parts(gone), truth=True)


def test_what_was_linked_is_told_release_by_release(linked: ReleasesAssessment) -> None:
    assert [one.pseudonyms for one in linked.releases] == [12, 9, 12, 12]
    assert [one.linked for one in linked.releases] == [0, 9, 12, 12]
    assert [one.right for one in linked.releases] == [None, 1, 1, 1]
    assert [one.identified for one in linked.releases] == [None, 1, 1, 1]
    assert [one.expected is None for one in linked.releases] == [True, False, False, False]
    assert (linked.chains, linked.in_releases, linked.whole) == (12, (0, 0, 3, 9), 1)
    assert linked.rows_alone == 3
    assert linked.rows_together == pytest.approx((9 * 12 + 3 * 9) / 12)
    assert linked.drawn is False
    told = linked.to_dict()
    assert "joined" not in told
    assert json.dumps(told, allow_nan=False)


def written(found: CellHistory, persons: np.ndarray, path: Path) -> Path:
    columns = [cell_texts(column) for column in found.columns]
    lines = (
        ",".join((f"p{person}", *row)) for person, row in zip(persons.tolist(), zip(*columns, strict=True), strict=True)
    )
    path.write_text("customer,day,item,price,quantity\n" + "\n".join(lines), encoding="utf-8")
    return path


def test_the_ten_attackers_are_those_of_the_joined_history(
    linked: ReleasesAssessment, engine: DuckDBEngine, tmp_path: Path
) -> None:
    """The chains, and the releases side by side, are assessed again as any exact history."""
    joined = linked.joined
    days = joined.column("date").low  # type: ignore[union-attr]
    release = (days - days.min()) // 50
    for who, key in ((joined.persons, "together"), (joined.persons * 10 + release, "apart")):
        with sudare.read_history(written(joined, who, tmp_path / f"{key}.csv"), engine=engine) as found:
            wanted = [risk.measured for risk in assess_attackers(found).attackers]
        assert [getattr(risk, key) for risk in linked.attackers] == pytest.approx(wanted)
    assert [risk.attacker for risk in linked.attackers] == list(range(10))
    assert all(risk.together >= risk.apart - 1e-9 for risk in linked.attackers)


def test_what_two_recipients_were_told_is_narrower_together() -> None:
    first, second = recipients()
    found = assess_releases([named(first), named(second)])
    columns = {column.column: column for column in found.columns}
    quantity, item = columns["quantity"], columns["item"]
    # [3n - 2; 3n] and [3n - 1; 3n + 2] are three and four values, together two; {i;x} and {i;y} are i.
    assert (quantity.values_apart, quantity.values_together) == (3, 2)
    assert (item.values_apart, item.values_together) == (2, 1)
    assert (item.exact_apart, item.exact_together) == (0, 1)
    assert (columns["price"].exact_apart, columns["date"].exact_together) == (1, 1)
    assert found.drawn
    assert (found.whole, {one.right for one in found.releases}) == (None, {None})
    again = assess_releases([named(first), named(second)])
    assert again.attackers == found.attackers
    assert assess_releases([named(first), named(second)], seed=1).seed == 1


def test_attackers_who_intersect_tell_those_apart_whom_each_release_hides() -> None:
    """The first release hides in pairs who bought a and who b; the second leaves either with c."""
    first, second = [], []
    for n in range(12):
        for visit in range(2):
            row = [str(n + 1), day(10 * (n // 2) + visit), f"{n + 1}", "1"]
            pair = f"{n // 2}{visit}"
            first.append([*row[:2], f"{{a{pair};b{pair}}}", *row[2:]])
            second.append([str(12 - n), row[1], f"{{{'ab'[n % 2]}{pair};c{pair}}}", *row[2:]])
    items = [f"{letter}{n}{visit}" for letter in "abc" for n in range(6) for visit in range(2)]
    found = assess_releases([named(cells(first, items)), named(cells(second, items))])
    assert (found.chains, len(found.joined)) == (12, 24)
    risks = {risk.knowledge: (risk.apart, risk.together) for risk in found.attackers}
    assert risks["item"] == (0.5, 1)
    assert risks["day"] == (0.5, 0.5)


def test_deleted_cells_have_no_width_and_are_not_exact() -> None:
    rows = [[str(n), day(n), name(n), "*", "[1;4]" if n % 2 else "*"] for n in range(1, 9)]
    found = assess_releases([named(cells(rows)), named(cells([[*row[:4], "*"] for row in rows]))])
    columns = {column.column: column for column in found.columns}
    assert (columns["price"].values_apart, columns["price"].exact_together) == (0, 0)
    assert (columns["quantity"].values_together, columns["quantity"].exact_together) == (4, 0)


def test_a_deleted_cell_can_be_any_value_of_its_column() -> None:
    rows = [[str(n), day(n), name(n), str(n), "[1;9]" if n % 2 else "*"] for n in range(1, 9)]
    other = [[*row[:4], "[5;12]" if n % 2 else "[3;4]"] for n, row in enumerate(rows, start=1)]
    found = assess_releases([named(cells(rows)), named(cells(other))])
    assert found.chains == 8
    quantity = next(column for column in found.columns if column.column == "quantity")
    # From 1 to 9 there are nine; what is deleted is one of them, too. Together they are 5 to 9, and 3 to 4.
    assert (quantity.values_apart, quantity.values_together) == (9, 3.5)


def test_releases_that_say_nothing_of_items_are_linked_by_the_rest() -> None:
    rows = [[str(n), day(n), "*", str(n), str(n)] for n in range(1, 9)]
    found = assess_releases([named(cells(rows)), named(cells(rows))])
    assert (found.chains, found.drawn) == (8, True)
    item = next(column for column in found.columns if column.column == "item")
    assert (item.values_apart, item.values_together, item.exact_together) == (0, 0, 0)


def test_wrong_links_are_wrong_and_mixed_chains_are_not_whole() -> None:
    """1 and 2 change what they buy for what the other one bought; 3 to 8 keep to theirs."""
    swap = {1: 2, 2: 1}
    rows = [
        (n, 5 * visit + n, 3 * (swap.get(n, n) if part else n) + visit, 100 + (swap.get(n, n) if part else n), 1)
        for n in range(1, 9)
        for part in (0, 1)
        for visit in range(3)
    ]
    first, second = (rows[start::6] + rows[start + 1 :: 6] + rows[start + 2 :: 6] for start in (0, 3))
    later = [(n, when + 100, item, cents, quantity) for n, when, item, cents, quantity in second]
    found = assess_releases([named(history(first)), named(history(later))], truth=True)
    assert found.releases[1].linked == 8
    assert found.releases[1].right == found.releases[1].identified == 6 / 8
    assert found.whole == 6 / 8


def test_bad_words_are_refused() -> None:
    release = named(cells([["1", "2011/1/1", "a", "1", "1"]]))
    with pytest.raises(OptionNotUsable, match="seed must be 0 or more"):
        assess_releases([release, release], seed=-1)
    with pytest.raises(OptionNotUsable, match="at least two releases"):
        assess_releases([release])


def test_people_in_one_release_only_have_nothing_to_be_whole() -> None:
    rows = [(n, 0, n, 100 + n, 1) for n in range(1, 5)] + [(n, 100, n, 100 + n, 1) for n in range(5, 9)]
    found = assess_releases([*parts(rows[:4])[:1], named(history(rows[4:]))], truth=True)
    assert (found.whole, found.releases[1].identified) == (0, None)
    assert found.in_releases[0] >= 6


SEARCH = {"fast": True, "rounds": 2, "attacks": False}
FIRST: dict[int, list[Bought]] = {
    n: [((1, 9, 20)[n // 2], "abc"[n // 2], 1 + 4 * (n // 2), 1 + 2 * (n // 2))] for n in range(6)
}
# The same purchases again: 0 is now like 2, 1 like 4 and 3 like 5.
OTHERS = {0: 0, 2: 0, 1: 1, 4: 1, 3: 2, 5: 2}


def rows_of(people: Mapping[int, Sequence[Bought]]) -> HistoryRows:
    return rows_of_cells(
        cells(
            [
                [str(10 + n), f"2011/1/{when}", item, price(cents), str(q)]
                for n, own in people.items()
                for when, item, cents, q in own
            ]
        )
    )


def with_customers(found: Publication) -> CellHistory:
    """Return what is published, in an order of its own, with the numbers of customers in place of pseudonyms."""
    published = found.history.taken(np.flatnonzero(~found.history.deleted))
    customers = found.rows.history.persons[~found.history.deleted]
    texts = list(zip(*map(cell_texts, published.columns), strict=True))
    order = sorted(range(len(texts)), key=lambda row: (customers[row], texts[row]))
    return replace(published, persons=customers).taken(np.array(order, np.int64))


def intersected(first: CellHistory, second: CellHistory) -> CellHistory:
    """Return what somebody knows who knows which pseudonyms of both releases are the same person."""
    together = stacked([first, second])
    pairs = []
    for person in np.intersect1d(first.persons, second.persons).tolist():
        rows = np.flatnonzero(together.persons == person)
        pairs.append(match_rows(together, rows[rows < len(first)], rows[rows >= len(first)]))
    ones, others = (np.concatenate([pair[side] for pair in pairs]) for side in (0, 1))
    return narrowed(together, ones, others).taken(np.setdiff1d(np.arange(len(together)), others))


def crowds(found: CellHistory, people: set[int]) -> list[int]:
    """Return how many people have the same cells as each of some people."""
    classes = published_classes(found)
    return [
        int(classes.sizes[number]) for pid, number in zip(classes.pids, classes.classes, strict=True) if pid in people
    ]


def test_classes_of_other_people_are_intersected_to_single_ones() -> None:
    shared = {n: [FIRST[2 * OTHERS[n]][0]] for n in range(6)}
    first = anonymize_rows(rows_of(FIRST), 2, **SEARCH)
    naive = anonymize_rows(rows_of(shared), 2, **SEARCH)
    aware = anonymize_rows(rows_of(shared), 2, earlier=[EarlierRelease(first.rows, first.history)], **SEARCH)
    own = with_customers(first)
    assert {*crowds(own, set(own.persons.tolist()))} == {2}
    for second, wanted in ((naive, 1), (aware, 2)):
        joined = intersected(own, with_customers(second))
        assert min(crowds(joined, set(with_customers(second).persons.tolist()))) == wanted


@settings(max_examples=15)
@given(
    st.dictionaries(st.integers(1, 9), st.lists(bought_rows, min_size=1, max_size=3), min_size=4, max_size=9),
    st.integers(2, 3),
)
def test_a_release_made_with_knowledge_of_an_earlier_one_gains_nothing_by_intersecting(
    people: dict[int, list[Bought]], k: int
) -> None:
    if len(people) < k:
        return
    first = anonymize_rows(rows_of(people), k, **SEARCH)
    second = anonymize_rows(rows_of(people), k, earlier=[EarlierRelease(first.rows, first.history)], seed=1, **SEARCH)
    later = with_customers(second)
    joined = intersected(with_customers(first), later)
    assert min(crowds(joined, set(later.persons.tolist()))) >= k


@pytest.mark.slow
def test_linking_such_releases_leaves_classes_of_k() -> None:
    people = {n: [(n + 1, "abc"[n % 3], 1 + n // 2, 1 + n % 4), (n + 9, "ad"[n % 2], 5, 2)] for n in range(9)}
    first = anonymize_rows(rows_of(people), 3, **SEARCH)
    second = anonymize_rows(rows_of(people), 3, earlier=[EarlierRelease(first.rows, first.history)], seed=1, **SEARCH)
    found = assess_releases([named(with_customers(first)), named(with_customers(second))], truth=True)
    assert all(one.smallest_class >= 3 for one in found.releases)
    assert found.releases[1].same_time
