"""Small made-up histories, ways to anonymize them, and brute force."""

from __future__ import annotations

from datetime import date
from itertools import permutations

import numpy as np

from sudare.histories.generalized.model import CellHistory
from tests.histories.generalized.small_cells import cells

Row = tuple[int, int, int, int, int]  # customer, day, item, cents, quantity
Pair = tuple[int, int]
FIRST = date(2011, 1, 1)


def made_rows(seed: int, customers: int = 30, most_rows: int = 12, items: int = 40) -> list[Row]:
    """Return rows of customers 101, 102, ..., some rows each."""
    random = np.random.default_rng(seed)
    rows = []
    for customer in range(101, 101 + customers):
        for _ in range(random.integers(2, most_rows + 1)):
            day, item = int(random.integers(0, 200)), int(random.integers(0, items))
            rows.append((customer, day, item, 100 + 25 * (item % 7), int(random.integers(1, 13))))
    return rows


def history(rows: list[Row]) -> CellHistory:
    """Return rows of single values."""
    return cells([[str(row[0]), day(row[1]), name(row[2]), price(row[3]), str(row[4])] for row in rows])


def day(number: int) -> str:
    found = FIRST.fromordinal(FIRST.toordinal() + number)
    return f"{found.year}/{found.month}/{found.day}"


def name(item: int) -> str:
    return f"i{item:03d}"


def price(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"


def pseudonyms(rows: list[Row], seed: int) -> dict[int, int]:
    customers = sorted({row[0] for row in rows})
    return dict(zip(customers, (np.random.default_rng(seed).permutation(len(customers)) + 1).tolist(), strict=True))


def anonymize(rows: list[Row], how: str, seed: int = 0) -> CellHistory:
    """Anonymize rows badly: `identity`, `dates` (ranges), `items` (sets), `cells` (a fifth deleted), `random` (all)."""
    random, pids = np.random.default_rng(seed), pseudonyms(rows, seed)
    items = sorted({row[2] for row in rows})
    found = []
    for customer, when, item, cents, quantity in rows:
        row = [str(pids[customer]), day(when), name(item), price(cents), str(quantity)]
        if how == "dates" or (how == "random" and random.random() < 0.5):
            before, after = random.integers(0, 60, 2).tolist()
            row[1] = f"[{day(when - before)};{day(when + after)}]"
        if how == "items" or (how == "random" and random.random() < 0.5):
            others = [other for other in random.choice(items, 5).tolist() if other != item]
            row[2] = "{" + ";".join(name(member) for member in sorted({item, *others})) + "}"
        if how == "random" and random.random() < 0.5:
            row[3] = f"[{price(max(cents - 50, 1))};{price(cents + 75)}]"
        if how in ("cells", "random"):
            row[1:] = ["*" if random.random() < 0.2 else cell for cell in row[1:]]
        found.append(["*"] * 5 if how == "random" and random.random() < 0.1 else row)
    return cells(found, names=[name(item) for item in items])


def anonymize_classes(rows: list[Row], k: int, seed: int = 0) -> CellHistory:
    """Make classes of k customers with about as many rows, whose rows are published alike, in order; others deleted."""
    pids = pseudonyms(rows, seed)
    of = {customer: [n for n, row in enumerate(rows) if row[0] == customer] for customer in pids}
    ranked = sorted(of, key=lambda customer: (len(of[customer]), pids[customer]))
    found = [["*"] * 5 for _ in rows]
    for first in range(0, len(ranked) - len(ranked) % k, k):
        members = ranked[first : first + k]
        for aligned in zip(*(sorted(of[customer], key=lambda n: rows[n][1]) for customer in members), strict=False):
            ends = [[sorted(rows[n][place] for n in aligned)[end] for end in (0, -1)] for place in range(5)]
            items = "{" + ";".join(sorted({name(rows[n][2]) for n in aligned})) + "}"
            cells_of_all = [
                f"[{day(ends[1][0])};{day(ends[1][1])}]",
                items,
                f"[{price(ends[3][0])};{price(ends[3][1])}]",
                f"[{ends[4][0]};{ends[4][1]}]",
            ]
            for n in aligned:
                found[n] = [str(pids[rows[n][0]]), *cells_of_all]
    return cells(found, names=[name(item) for item in sorted({row[2] for row in rows})])


def covers(published: CellHistory, row: int, original: CellHistory, other: int) -> bool:
    """Tell whether a published row can stand for a row of the original, cell by cell."""
    for cell in published.columns:
        if cell.kinds[row] == 3:
            continue
        value = original.column(cell.name)
        if cell.name == "item":
            members = cell.members[cell.starts[cell.sets[row]] : cell.starts[cell.sets[row] + 1]]
            if value.sets[other] not in members:
                return False
        elif not cell.low[row] <= value.low[other] <= cell.high[row]:
            return False
    return True


def feasible_pairs(published: CellHistory, original: CellHistory) -> set[Pair]:
    """Return the pairs whose published rows cover different rows of the customer, by trying all injections."""
    found = set()
    for pid in set(published.persons.tolist()) - {0}:
        rows = np.flatnonzero(published.persons == pid).tolist()
        for customer in set(original.persons.tolist()):
            own = np.flatnonzero(original.persons == customer).tolist()
            if any(
                all(covers(published, row, original, other) for row, other in zip(rows, chosen, strict=True))
                for chosen in permutations(own, len(rows))
            ):
                found.add((pid, customer))
    return found
