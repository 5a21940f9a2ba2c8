"""What can be known about an original history, in arrays to compare with published cells.

The values and their weights are those of `facts`, so that attackers on the original and on the published history
differ in nothing but what they look into.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.errors import KnowledgeNotUnderstood
from sudare.histories.attackers.facts import (
    check_parts,
    facts,
    numbered_observations,
    observation_table,
    value_table,
    visit_keys,
    visit_table,
)
from sudare.histories.attackers.knowledge import Knowledge
from sudare.histories.attackers.parts import PARTS
from sudare.histories.attackers.sampling import draw_occurrences
from sudare.histories.generalized.purchases import HUNDREDTHS
from sudare.histories.model import History
from sudare.kernels.cells.demands import KnownVisits
from sudare.kernels.cells.pseudonyms import NO_VALUE
from sudare.kernels.common.arrays import Ints
from sudare.messages import message
from sudare.showing import dataclass

Arrays = dict[str, NDArray[Any]]

# Of more visits whose days are not known, too many choices of days would have to be tried.
MOST_VISITS_WITHOUT_DAY = 2
# Parts of a row that are ordered; they are compared in hundredths.
ORDERED_PARTS = tuple(name for name, part in PARTS.items() if part.ordered)
# What an engine that shows no people does not show.
PEOPLE = message("errors.people.known")


@dataclass(frozen=True, slots=True, eq=False)
class KnownValues:
    """The values of a knowledge, and who has which: fact i is that customer `customers[i]` has value `values[i]`.

    Customers are numbered from 0 and rise; a fact weighs `occurrences` or `records`.
    """

    visits: KnownVisits
    values: Ints
    customers: Ints
    occurrences: Ints
    records: Ints

    def __len__(self) -> int:
        return len(self.visits.visits)


def check_comparable(history: History, knowledge: Knowledge) -> None:
    """Raise KnowledgeNotUnderstood if generalized cells cannot be compared with such knowledge."""
    problem = _incomparable(knowledge)
    if problem:
        raise KnowledgeNotUnderstood(
            f"errors.incomparable.{problem}", knowledge=str(knowledge), visits=knowledge.visits
        )
    check_parts(history, knowledge)


def _incomparable(knowledge: Knowledge) -> str | None:
    """Return the name of the reason why a knowledge cannot be compared with generalized cells; None if it can."""
    for part in (*knowledge.row_parts, *knowledge.key_visit_parts, *knowledge.customer_parts):
        if found := PARTS[part].incomparable:
            return found
    if "items" in knowledge.visit_parts and knowledge.row_parts and "item" not in knowledge.row_parts:
        return "items_of_rows"
    if knowledge.visits > MOST_VISITS_WITHOUT_DAY and "day" not in knowledge.visit_parts:
        return "visits_without_day"
    return None


def known_values(history: History, knowledge: Knowledge) -> KnownValues:
    """Return all values of a knowledge that occur, with everybody who has them."""
    if not (knowledge.visit_parts or knowledge.row_parts):
        query = facts(history, knowledge).query
        found = history.engine.people_columns(
            f"SELECT customer, occurrences, records FROM ({query}) ORDER BY customer", PEOPLE
        )
        return _numbered(history, knowledge, {}, np.zeros((len(found["customer"]), 0), np.int64), found)
    query = f"SELECT observation AS observation1, * FROM {numbered_observations(history, knowledge)}"
    if knowledge.visits > 1:
        query = facts(history, replace(knowledge, customer_parts=())).query
    keys = [f"observation{number}" for number in range(1, knowledge.visits + 1)]
    found = history.engine.people_columns(
        f"SELECT {', '.join(keys)}, customer, CAST(sum(occurrences) AS BIGINT) AS occurrences, "
        f"CAST(sum(records) AS BIGINT) AS records FROM ({query}) GROUP BY {', '.join(keys)}, customer "
        "ORDER BY customer",
        PEOPLE,
    )
    numbered = f"SELECT * FROM {observation_table(history, knowledge)} ORDER BY observation"
    seen = history.engine.people_columns(numbered, PEOPLE)
    # The engine numbers observations from 1.
    visits = np.column_stack([found[key].astype(np.int64) - 1 for key in keys])
    return _numbered(history, knowledge, seen, visits, found)


def drawn_values(history: History, knowledge: Knowledge, *, samples: int, seed: int) -> KnownValues:
    """Return occurrences of a knowledge that are drawn at random, each as likely as any other, as values."""
    draws = draw_occurrences(history, knowledge, samples=samples, seed=seed)
    parts = [_observed(history, knowledge, draw) for draw in draws]
    seen = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    customers = seen["customer"][:: knowledge.visits]
    order = np.argsort(customers, kind="stable")
    visits = np.arange(len(seen["customer"])).reshape(-1, knowledge.visits)[order]
    ones = np.ones(len(order), np.int64)
    found = {"customer": customers[order], "occurrences": ones, "records": ones}
    return _numbered(history, knowledge, seen, visits, found)


def _observed(history: History, knowledge: Knowledge, draw: Arrays) -> Arrays:
    """Return what is seen of drawn visits: the columns of an observation, and the customer."""
    history.engine.attach("sudare_draw", draw)
    table = visit_table(history, knowledge)
    parts = visit_keys(knowledge)
    values = [name for name in draw if name.startswith("value")]
    visits = f"SELECT {', '.join(['visit', 'customer', *(part.column for part in parts)])} FROM {table}"
    columns = ", ".join(["customer", *(part.key for part in parts), *values])
    return history.engine.people_columns(
        f"SELECT {columns} FROM sudare_draw JOIN ({visits}) USING (visit) ORDER BY sample, slot", PEOPLE
    )


def _numbered(history: History, knowledge: Knowledge, seen: Arrays, visits: Ints, found: Arrays) -> KnownValues:
    """Give numbers to values: combinations of what is seen of visits, and of the number of days if that is known."""
    customers = found["customer"].astype(np.int64) - 1
    days = np.zeros(history.customers, np.int64)
    if knowledge.customer_parts:
        days = _column(history, f"SELECT days FROM {history.table('calendar')} ORDER BY customer")
    stacked = np.column_stack([days[customers], visits])
    different, values = np.unique(stacked, axis=0, return_inverse=True)
    known = _known_visits(history, knowledge, seen, different[:, 1:].copy(), different[:, 0].copy())
    weights = found["occurrences"].astype(np.int64), found["records"].astype(np.int64)
    return KnownValues(known, values.reshape(-1).astype(np.int64), customers, *weights)


def _known_visits(history: History, knowledge: Knowledge, seen: Arrays, visits: Ints, days_known: Ints) -> KnownVisits:
    size = len(next(iter(seen.values()))) if seen else 0
    day_list, day_starts, days = _possible_days(visit_days(history), seen, size)
    demand_list, demand_starts, items, values = _demands(history, knowledge, seen, size)
    groups = _groups(history, visits, demand_list, demand_starts, items)
    count = seen.get(PARTS["count"].key, np.zeros(size, np.int64)).astype(np.int64)
    return KnownVisits(
        visits, days_known, day_list, count, demand_list, day_starts, days, demand_starts,
        # One demand more, which every row covers.
        np.append(items, -1), np.vstack([values, np.full((1, values.shape[1]), NO_VALUE, np.int64)]),
        "items" in knowledge.visit_parts, *groups,
    )  # fmt: skip


def visit_days(history: History) -> Ints:
    """Return the days on which anybody came, since 1970 and in order."""
    table = history.table("visit")
    return _column(history, f"SELECT DISTINCT day - DATE '1970-01-01' AS number FROM {table} ORDER BY number")


def _column(history: History, query: str) -> Ints:
    return next(iter(history.engine.people_columns(query, PEOPLE).values())).astype(np.int64)


def _possible_days(days: Ints, seen: Arrays, size: int) -> tuple[Ints, Ints, Ints]:
    """Return the list of days that each observation can be of, where the lists begin, and the places of their days."""
    told = [(part.of_days, _as_numbers(seen[part.key])) for part in PARTS.values() if part.of_days and part.key in seen]
    if not told:
        return np.zeros(size, np.int64), np.array([0, len(days)]), np.arange(len(days))
    different, lists = np.unique(np.column_stack([values for _, values in told]), axis=0, return_inverse=True)
    known = np.column_stack([of_days(days) for of_days, _ in told])
    places = [np.flatnonzero((known == values).all(axis=1)) for values in different]
    starts = np.cumsum([0, *map(len, places)])
    listed = np.concatenate([*places, np.zeros(0, np.int64)])
    return lists.reshape(-1).astype(np.int64), starts.astype(np.int64), listed


def _as_numbers(values: NDArray[Any]) -> Ints:
    if values.dtype.kind == "M":
        values = values.astype("datetime64[D]")
    return values.astype(np.int64)


def _demands(history: History, knowledge: Knowledge, seen: Arrays, size: int) -> tuple[Ints, Ints, Ints, Ints]:
    """Return the list of demands of each observation, where the lists begin, and the demands: item and other values."""
    ordered = [part for part in ORDERED_PARTS if part in knowledge.row_parts]
    if not knowledge.row_parts and "items" not in knowledge.visit_parts:
        return np.zeros(size, np.int64), np.zeros(2, np.int64), np.zeros(0, np.int64), np.zeros((0, 0), np.int64)
    if not knowledge.row_parts:
        starts, items = _item_sets(history)
        return _as_numbers(seen[PARTS["items"].key]) - 1, starts, items, np.zeros((len(items), 0), np.int64)
    items, values = _row_demands(history, knowledge, seen, ordered)
    if "items" in knowledge.visit_parts:
        return _with_sets(history, _as_numbers(seen[PARTS["items"].key]) - 1, items, values)
    starts = np.arange(0, items.size + 1, knowledge.rows)
    return np.arange(size), starts, items.reshape(-1), values.reshape(items.size, len(ordered))


def _row_demands(history: History, knowledge: Knowledge, seen: Arrays, ordered: list[str]) -> tuple[Ints, Ints]:
    """Return the items and other values that are known of the rows of each observation."""
    numbers = np.column_stack([_as_numbers(seen[f"value{number}"]) for number in range(1, knowledge.rows + 1)])
    if knowledge.row_parts == ("item",):
        return numbers, np.zeros((*numbers.shape, 0), np.int64)
    query = f"SELECT * FROM {value_table(history, knowledge.row_parts)} ORDER BY value"
    table = history.engine.people_columns(query, PEOPLE)
    places = np.searchsorted(table["value"], numbers)
    items = _as_numbers(table["item"])[places] if "item" in table else np.full(numbers.shape, -1, np.int64)
    columns = [np.rint(table[part] * HUNDREDTHS).astype(np.int64)[places] for part in ordered]
    return items, np.stack(columns, axis=-1)


def _item_sets(history: History) -> tuple[Ints, Ints]:
    """Return where each set of items begins, and the items."""
    table = history.table("item_set")
    found = history.engine.people_columns(
        f"SELECT item_set, item FROM (SELECT item_set, unnest(items) AS item FROM {table}) ORDER BY item_set, item",
        PEOPLE,
    )
    sizes = np.bincount(found["item_set"])[1:]
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), found["item"].astype(np.int64)


def _with_sets(history: History, sets: Ints, items: Ints, values: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Return the known rows of each observation as demands, with the items of its set that are none of theirs."""
    starts, members = _item_sets(history)
    lists, others = [], []
    for number, own, told in zip(sets.tolist(), items, values, strict=True):
        rest = np.setdiff1d(members[starts[number] : starts[number + 1]], own)
        lists.append(np.concatenate([own, rest]))
        others.append(np.concatenate([told, np.full((len(rest), told.shape[1]), NO_VALUE, np.int64)]))
    sizes = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    return np.arange(len(sets)), sizes, np.concatenate(lists), np.concatenate(others)


def _groups(
    history: History, visits: Ints, demand_list: Ints, demand_starts: Ints, items: Ints
) -> tuple[Ints, Ints, Ints]:
    """Return values in groups by the rarest of their items: the items, where the groups begin, and the values."""
    if not len(items) or items.min() < 0:
        return np.array([-1]), np.array([0, len(visits)]), np.arange(len(visits))
    bought = _column(history, f"SELECT item FROM {history.table('purchase')}")
    rarest_first = np.argsort(np.bincount(bought), kind="stable")
    rank = np.argsort(rarest_first)
    of_list = np.minimum.reduceat(rank[items], demand_starts[:-1])
    rarest = rarest_first[of_list[demand_list[visits]].min(axis=1)]
    grouped = np.argsort(rarest, kind="stable")
    different, starts = np.unique(rarest[grouped], return_index=True)
    return different, np.append(starts, len(grouped)), grouped
