"""Small made-up shops whose customers keep habits, and what an attacker of another time makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sudare.histories.generalized.model import CellHistory
from sudare.histories.profiles.attack import ProfileLinks
from sudare.histories.profiles.candidates import Candidates
from sudare.histories.profiles.learning import Calibration
from sudare.histories.profiles.read import NamedCells
from sudare.histories.profiles.sides import Sides, make_sides
from sudare.histories.profiles.views import view_sides
from tests.histories.attack.histories import Row, history
from tests.histories.generalized.small_cells import cells

CUT = 100


def habitual_rows(seed: int, customers: int = 40, rows: int = 12, items: int = 60, favourites: int = 4) -> list[Row]:
    """Return rows of customers 1, 2, ... over 200 days, of a few items each, at a price and in a quantity of each."""
    random = np.random.default_rng(seed)
    found = []
    for customer in range(1, customers + 1):
        liked = random.choice(items, favourites, replace=False)
        for day in random.choice(2 * CUT, rows, replace=False).tolist():
            item = int(random.choice(liked))
            found.append((customer, day, item, 100 + 25 * (item % 7), 1 + (customer + item) % 5))
    return found


def halves(rows: Sequence[Row], cut: int = CUT) -> tuple[CellHistory, CellHistory]:
    """Return the rows before a day, and those from it on."""
    return history([row for row in rows if row[1] < cut]), history([row for row in rows if row[1] >= cut])


def named(found: CellHistory, letter: str = "") -> NamedCells:
    """Return a history whose person 3 is called `letter` and 3."""
    most = int(found.persons.max(initial=0))
    return NamedCells(found, tuple(f"{letter}{number}" for number in range(1, most + 1)))


def bought(people: Mapping[int, Sequence[str]], day: str = "2011/1/1") -> CellHistory:
    """Return a history of exact cells from the items of each person, all at one price."""
    return cells([[str(person), day, item, "1", "1"] for person, items in people.items() for item in items])


def sides_of(known: Mapping[int, Sequence[str]], published: Mapping[int, Sequence[str]]) -> Sides:
    """Return both sides of people who are known by their items; pseudonyms with the same items are one group."""
    return make_sides(bought(known), bought(published, "2011/6/1"))


def links_of(
    sides: Sides, table: Sequence[Sequence[float | None]], utilities: Sequence[Sequence[float | None]] | None = None
) -> ProfileLinks:
    """Return links whose shares by group and known person stand in a table; None is no candidate."""
    groups, people = zip(
        *((g, p) for g, row in enumerate(table) for p, share in enumerate(row) if share is not None), strict=True
    )
    starts = np.searchsorted(np.array(groups), np.arange(len(table) + 1)).astype(np.int64)
    shares = np.array([share for row in table for share in row if share is not None], float)
    own = np.array([value for row in utilities for value in row if value is not None], float) if utilities else shares
    found = Candidates(starts, np.array(groups, np.int32), np.array(people, np.int32), own)
    viewed = view_sides(sides.known, sides.published, sides.sizes)
    return ProfileLinks(sides, found, own, shares, Calibration(), False, viewed, False)
