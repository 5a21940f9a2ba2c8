"""Pseudonyms of several releases that are taken for the same person."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from sudare.errors import OptionNotUsable
from sudare.histories.generalized.model import CellHistory
from sudare.histories.generalized.written_text import cell_texts
from sudare.histories.releases.chains import LEAST_CONFIDENCE, Chains, link_releases
from tests.histories.attack.histories import Row, day, history, name, price
from tests.histories.generalized.small_cells import cells
from tests.histories.profiles.small_profiles import habitual_rows


def months(rows: Sequence[Row], seed: int = 0, length: int = 50) -> tuple[list[CellHistory], list[dict[int, int]]]:
    """Return releases of so many days each under fresh pseudonyms, and by release the customer of each pseudonym."""
    releases, owners = [], []
    random = np.random.default_rng(seed)
    for first in range(0, 200, length):
        own = [row for row in rows if first <= row[1] < first + length]
        customers = sorted({row[0] for row in own})
        fresh = dict(zip(customers, (random.permutation(len(customers)) + 1).tolist(), strict=True))
        releases.append(history([(fresh[row[0]], *row[1:]) for row in own]))
        owners.append({pseudonym: customer for customer, pseudonym in fresh.items()})
    return releases, owners


def members(found: Chains, owners: Sequence[dict[int, int]]) -> dict[int, list[int]]:
    """Return the customers of each chain, release by release."""
    chains: dict[int, list[int]] = {}
    for release, own in zip(found.releases, owners, strict=True):
        for pid, chain in zip(release.pids.tolist(), release.chains.tolist(), strict=True):
            chains.setdefault(chain, []).append(own[pid])
    return chains


def habits(customers: int, visits: int = 8) -> list[Row]:
    """Return rows of people who buy what nobody else does, on different days of each fifty."""
    return [
        (n, 50 * part + (3 * n + 5 * visit) % 50, 5 * n + visit % 3, 100 + n, 1 + n % 4)
        for n in range(1, customers + 1)
        for part in range(4)
        for visit in range(visits)
    ]


def test_people_who_keep_to_what_they_buy_are_linked_whatever_they_are_called() -> None:
    rows = habits(20)
    releases, owners = months(rows)
    found = link_releases(releases)
    chains = members(found, owners)
    assert sorted(chains) == list(range(1, 21))
    assert all(len(own) == 4 and len(set(own)) == 1 for own in chains.values())
    assert found.lengths.tolist() == [4] * 20
    assert [release.joined.sum() for release in found.releases] == [0, 20, 20, 20]
    for release in found.releases[1:]:
        assert (release.confidence[release.joined] >= LEAST_CONFIDENCE).all()
        assert (release.guesses == release.chains).all()
    # All rows of all releases, by chain.
    assert len(found.cells) == len(rows)
    assert np.bincount(found.cells.persons)[1:].tolist() == [32] * 20


def test_who_is_new_begins_a_chain_and_who_is_missing_is_found_again() -> None:
    gone = [row for row in habits(20) if not (row[0] <= 5 and 50 <= row[1] < 100) and (row[0] <= 15 or row[1] >= 100)]
    releases, owners = months(gone)
    found = link_releases(releases)
    chains = members(found, owners)
    assert all(len(set(own)) == 1 for own in chains.values())
    assert {own[0]: len(own) for own in chains.values()} == {
        n: 3 if n <= 5 else 4 if n <= 15 else 2 for n in range(1, 21)
    }
    assert [len(release.pids) for release in found.releases] == [15, 10, 20, 20]


def test_a_chain_has_one_pseudonym_of_each_release_at_most() -> None:
    for seed in range(4):
        releases, _ = months(habitual_rows(seed, 30, rows=16, items=20), seed)
        found = link_releases(releases)
        for release in found.releases:
            assert len(set(release.chains.tolist())) == len(release.chains)
        numbers = set(np.concatenate([release.chains for release in found.releases]).tolist())
        assert numbers == set(range(1, len(numbers) + 1)) == set(found.cells.persons.tolist())
        assert len(found.apart) == len(found.cells)
        assert len(set(found.apart.persons.tolist())) == sum(len(release.pids) for release in found.releases)


def recipients(customers: int = 8) -> tuple[CellHistory, CellHistory]:
    """Return the same purchases twice: with wide quantities and other items, and with other wide quantities."""
    rows = [(n, 10 * visit + n, 3 * n + visit, 100 * n, 3 * n) for n in range(1, customers + 1) for visit in range(3)]
    one = [
        [str(n), day(when), f"{{{name(item)};x}}", price(cents), f"[{q - 2};{q}]"] for n, when, item, cents, q in rows
    ]
    two = [
        [str(customers + 1 - n), day(when), f"{{{name(item)};y}}", price(cents), f"[{q - 1};{q + 2}]"]
        for n, when, item, cents, q in rows
    ]
    names = sorted({*(name(item) for _, _, item, _, _ in rows), "x", "y"})
    return cells(one, names), cells(two, names)


def test_releases_of_the_same_days_narrow_each_others_cells() -> None:
    first, second = recipients()
    found = link_releases([first, second])
    assert found.releases[1].same_time
    assert found.lengths.tolist() == [2] * 8
    assert (len(found.cells), len(found.apart)) == (24, 24)
    quantities = dict(zip(found.cells.persons.tolist(), cell_texts(found.cells.column("quantity")), strict=True))
    assert quantities == {n: f"[{3 * n - 1};{3 * n}]" for n in range(1, 9)}
    assert set(cell_texts(found.cells.column("item"))) == {
        name(3 * n + visit) for n in range(1, 9) for visit in range(3)
    }
    # Apart, each says what it says.
    assert set(cell_texts(found.apart.column("quantity"))) == {f"[{3 * n - 2};{3 * n}]" for n in range(1, 9)}


def test_rows_that_only_one_release_has_are_kept() -> None:
    first, second = recipients()
    found = link_releases([first, second.taken(np.arange(1, len(second)))])
    assert len(found.cells) == 24
    other = link_releases([first.taken(np.arange(1, len(first))), second])
    assert len(other.cells) == 24
    assert other.lengths.tolist() == [2] * 8


def test_a_class_counts_once() -> None:
    rows = [[str(n), day(n % 3), name(n % 3), "1", "1"] for n in range(1, 10)]
    later = [[str(n), day(100 + n % 3), name(n % 3), "1", "1"] for n in range(1, 10)]
    found = link_releases([cells(rows), cells(later)])
    for release in found.releases:
        assert (release.pids.tolist(), release.sizes.tolist()) == ([1, 2, 3], [3, 3, 3])
        # The period is that of the file.
        assert (release.period.rows, release.period.people) == (9, 9)


def test_releases_without_days_are_linked_by_what_was_bought() -> None:
    releases, owners = months(habits(12))
    undated = cells(
        [[str(person), "*", *texts] for person, *texts in zip(
            releases[1].persons.tolist(), *map(cell_texts, releases[1].columns[1:]), strict=True
        )]
    )  # fmt: skip
    found = link_releases([releases[0], undated])
    assert not found.releases[1].same_time
    assert all(len(set(own)) == 1 for own in members(found, owners[:2]).values())
    assert found.lengths.tolist() == [2] * 12


def test_one_release_is_linked_to_nothing_and_an_empty_one_is_none() -> None:
    releases, _ = months(habits(3))
    with pytest.raises(OptionNotUsable, match="at least two releases"):
        link_releases(releases[:1])
    for empty in (cells([], "a"), cells([["*"] * 5], "a")):
        for several in ([releases[0], empty], [empty, releases[0]]):
            with pytest.raises(OptionNotUsable, match="has no rows"):
                link_releases(several)
