"""Estimating identification where there are too many combinations to count: draw occurrences, find the crowd of each.

The mean identification probability under occurrence weighting is the expectation of 1/|U_x| over a random occurrence,
so the mean over independent draws estimates it without bias.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import factorial

import numpy as np

from sudare.engine.protocol import Column
from sudare.errors import KnowledgeNotUnderstood
from sudare.histories.attackers.facts import check_parts, row_values, visit_keys, visit_rows, visit_table
from sudare.histories.attackers.knowledge import Knowledge
from sudare.histories.model import History
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.showing import dataclass
from sudare.statistics.intervals import Estimate, summarize

BATCH = 1000
# What an engine that shows no people does not show.
PEOPLE = message("errors.people.visits")
# A batch without one usable draw this often in a row means there is (almost) nothing to draw.
MOST_EMPTY_BATCHES = 100


def combinations(history: History, knowledge: Knowledge) -> float:
    """Return an upper bound of the number of combinations in an exact count.

    A visit with d different row values has comb(d, rows) observations; a customer with p observations in all has at
    most p^visits / visits! combinations of different visits.
    """
    check_parts(history, knowledge)
    if knowledge.rows == 1 and knowledge.visits == 1:
        return float(history.records)
    choices = f"greatest({choose('d', knowledge.rows)}, 0)" if knowledge.row_parts else "1"
    source = _sizes_query(history, knowledge)
    per_customer = (
        f"SELECT customer, CAST(sum({choices}) AS DOUBLE) AS total, count(*) AS n FROM ({source}) GROUP BY customer"
    )
    (found,) = history.engine.total(
        f"SELECT sum(power(total, {knowledge.visits})) FROM ({per_customer}) WHERE n >= {knowledge.visits}"
    )
    return float(found or 0) / factorial(knowledge.visits)


def _sizes_query(history: History, knowledge: Knowledge) -> str:
    if not knowledge.row_parts:
        return f"SELECT customer, 1 AS d FROM {history.table('visit')}"
    values = row_values(history, knowledge.row_parts)
    return f"SELECT customer, CAST(count(*) AS DOUBLE) AS d FROM {values} GROUP BY visit, customer"


def choose(n: str, k: int) -> str:
    """Return an expression for how many subsets of k things n things have."""
    return " * ".join(f"({n} - {j})" for j in range(k)) + f" / {factorial(k)}"


def estimate(
    history: History, knowledge: Knowledge, *, samples: int, seed: int, progress: Progress = silent
) -> Estimate:
    """Estimate the mean identification probability under occurrence weighting from `samples` drawn occurrences."""
    crowds: list[Column] = []
    for draw in draw_occurrences(history, knowledge, samples=samples, seed=seed):
        crowds.append(_crowd_sizes(history, knowledge, draw))
        progress(message("progress.sampling", knowledge=knowledge), sum(map(len, crowds)), samples)
    return summarize(np.concatenate(crowds), customers=history.customers)


def draw_occurrences(history: History, knowledge: Knowledge, *, samples: int, seed: int) -> Iterator[dict[str, Column]]:
    """Yield batches of drawn occurrences as columns: sample, slot (which visit), visit, value1..k."""
    rng = np.random.default_rng(seed)
    visits = _Visits.of(history, knowledge)
    if visits.nothing:
        raise nothing_to_draw(history, knowledge)
    left, empty = samples, 0
    while left:
        draw = _read_values(history, knowledge, visits.draw(BATCH, rng))
        kept = _usable(draw, knowledge, left)
        count = len(np.unique(kept["sample"]))
        left -= count
        empty = 0 if count else empty + 1
        if empty > MOST_EMPTY_BATCHES:
            raise hardly_any(knowledge)
        if count:
            yield kept


def nothing_to_draw(history: History, knowledge: Knowledge) -> KnowledgeNotUnderstood:
    """Return the error of knowledge that nobody can have."""
    return KnowledgeNotUnderstood("errors.attackers.nobody", source=history.reading.source, knowledge=str(knowledge))


def hardly_any(knowledge: Knowledge) -> KnowledgeNotUnderstood:
    """Return the error of knowledge that can almost never be drawn."""
    return KnowledgeNotUnderstood("errors.attackers.hardly_any", rows=knowledge.rows, knowledge=str(knowledge))


@dataclass(frozen=True, slots=True)
class _Visits:
    """The visits of a history as arrays, with the weights to draw them by."""

    visit: Column
    rows: Column
    first: Column
    cumulated: Column
    customer_weights: Column
    knowledge: Knowledge

    @property
    def nothing(self) -> bool:
        return not self.customer_weights.sum() > 0

    @classmethod
    def of(cls, history: History, knowledge: Knowledge) -> _Visits:
        query = f"SELECT visit, customer, rows FROM {history.table('visit')} ORDER BY visit"
        table = history.engine.people_columns(query, PEOPLE)
        rows = table["rows"].astype(np.int64)
        choices = np.ones(len(rows))
        if knowledge.row_parts:
            for j in range(knowledge.rows):
                choices *= np.maximum(rows - j, 0) / (j + 1)
        first = np.flatnonzero(np.r_[True, table["customer"][1:] != table["customer"][:-1]])
        totals = np.add.reduceat(choices, first)
        enough = np.add.reduceat((choices > 0).astype(np.int64), first) >= knowledge.visits
        weights = np.where(enough, (totals / max(totals.max(), 1.0)) ** knowledge.visits, 0.0)
        return cls(table["visit"], rows, np.r_[first, len(rows)], np.r_[0.0, np.cumsum(choices)], weights, knowledge)

    def draw(self, count: int, rng: np.random.Generator) -> dict[str, Column]:
        """Draw combinations of different visits by their number of row choices, and different rows in each.

        A customer is drawn by total^visits and visits independently by their choices; draws of one visit twice are
        thrown away, which leaves every combination of different visits and rows equally likely.
        """
        customer = rng.choice(
            len(self.customer_weights), size=count, p=self.customer_weights / self.customer_weights.sum()
        )
        low, high = self.cumulated[self.first[customer]], self.cumulated[self.first[customer + 1]]
        point = low[:, None] + rng.random((count, self.knowledge.visits)) * (high - low)[:, None]
        index = np.searchsorted(self.cumulated, point, side="right") - 1
        index = np.clip(index, self.first[customer][:, None], self.first[customer + 1][:, None] - 1)
        ordered = np.sort(index, axis=1)
        index = index[(ordered[:, 1:] != ordered[:, :-1]).all(axis=1)]
        sample, slot = np.divmod(np.arange(index.size), self.knowledge.visits)
        flat = index.ravel()
        columns: dict[str, Column] = {"sample": sample, "slot": slot, "visit": self.visit[flat]}
        if self.knowledge.row_parts:
            places = _different_places(self.rows[flat], self.knowledge.rows, rng)
            columns.update({f"place{n}": places[:, n - 1] for n in range(1, self.knowledge.rows + 1)})
        return columns


def _different_places(sizes: Column, k: int, rng: np.random.Generator) -> Column:
    """Draw k different places below each size, by drawing again where two fell together."""
    places = rng.integers(0, sizes[:, None], size=(len(sizes), k))
    while True:
        ordered = np.sort(places, axis=1)
        again = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
        if not again.any():
            return places
        places[again] = rng.integers(0, sizes[again][:, None], size=(int(again.sum()), k))


def _read_values(history: History, knowledge: Knowledge, draw: dict[str, Column]) -> dict[str, Column]:
    """Replace places in visits by the row values found there."""
    if not knowledge.row_parts or not len(draw["sample"]):
        return draw
    history.engine.attach("sudare_draw", draw)
    return history.engine.people_columns(f"{values_query(history, knowledge)} ORDER BY sample, slot", PEOPLE)


def values_query(history: History, knowledge: Knowledge) -> str:
    """Return a query for the row values at the places of `sudare_draw`: sample, slot, visit, value1..k."""
    values = row_values(history, knowledge.row_parts)
    spans = (
        "SELECT visit, value, sum(times) OVER (PARTITION BY visit ORDER BY value) AS past, times "
        f"FROM {values} WHERE visit IN (SELECT visit FROM sudare_draw)"
    )
    history.engine.keep("sudare_spans", spans)
    columns = ", ".join(f"s{n}.value AS value{n}" for n in range(1, knowledge.rows + 1))
    joins = " ".join(
        f"JOIN sudare_spans AS s{n} ON s{n}.visit = d.visit "
        f"AND place{n} >= s{n}.past - s{n}.times AND place{n} < s{n}.past"
        for n in range(1, knowledge.rows + 1)
    )
    return f"SELECT sample, slot, d.visit, {columns} FROM sudare_draw AS d {joins}"


def _usable(draw: dict[str, Column], knowledge: Knowledge, most: int) -> dict[str, Column]:
    """Keep the samples whose rows have different values, at most `most` of them."""
    if not len(draw["sample"]):
        return draw
    good = np.ones(len(draw["sample"]), dtype=bool)
    if knowledge.row_parts:
        values = np.sort(np.column_stack([draw[f"value{n}"] for n in range(1, knowledge.rows + 1)]), axis=1)
        good = (values[:, 1:] != values[:, :-1]).all(axis=1)
    bad_samples = np.unique(draw["sample"][~good])
    chosen = np.setdiff1d(np.unique(draw["sample"]), bad_samples)[:most]
    keep = np.isin(draw["sample"], chosen)
    return {name: column[keep] for name, column in draw.items()}


def _crowd_sizes(history: History, knowledge: Knowledge, draw: dict[str, Column]) -> Column:
    """Return for each sample how many customers have the drawn combination."""
    history.engine.attach("sudare_draw", draw)
    result = history.engine.people_columns(f"{crowds_query(history, knowledge)} ORDER BY sample", PEOPLE)
    return result["customers"].astype(np.float64)


def crowds_query(history: History, knowledge: Knowledge) -> str:
    """Return a query for how many customers have each drawn combination of `sudare_draw`: sample, customers.

    These have visits, all different, that show everything the sample says.
    """
    history.engine.keep("sudare_sample", _samples_query(history, knowledge))
    source = "sudare_sample AS s"
    for slot in range(knowledge.visits):
        for join, conditions in _slot_joins(history, knowledge, slot):
            source += f" JOIN {join} ON {' AND '.join(conditions)}"
    if knowledge.customer_parts:
        source += f" JOIN {history.table('calendar')} AS c ON c.customer = v0.customer AND c.days = s.days"
    return f"SELECT sample, count(DISTINCT v0.customer) AS customers FROM {source} GROUP BY sample"


def _visit_columns(history: History, knowledge: Knowledge) -> tuple[str, str]:
    """Return the table of visits and the select list of their known parts."""
    table = visit_table(history, knowledge)
    return table, "".join(f", {part.column}" for part in visit_keys(knowledge))


def _samples_query(history: History, knowledge: Knowledge) -> str:
    """Return one row per sample: for each slot its keys and values, the rarest value first to keep the joins small."""
    table, keys = _visit_columns(history, knowledge)
    visits = f"(SELECT visit, customer{keys} FROM {table})"
    columns = ["sample"]
    for slot in range(knowledge.visits):
        names = [part.key for part in visit_keys(knowledge)]
        columns += [f"max(CASE WHEN slot = {slot} THEN {name} END) AS slot{slot}_{name}" for name in names]
        columns += [
            f"max(CASE WHEN slot = {slot} AND rank = {n} THEN value END) AS slot{slot}_value{n}"
            for n in range(1, knowledge.rows + 1)
            if knowledge.row_parts
        ]
    columns += [f"max({part}) AS {part}" for part in knowledge.customer_parts]
    values = _ranked_values(history, knowledge)
    calendar = (
        f"JOIN (SELECT customer, days FROM {history.table('calendar')}) USING (customer)"
        if knowledge.customer_parts
        else ""
    )
    return f"SELECT {', '.join(columns)} FROM ({values}) JOIN {visits} USING (visit) {calendar} GROUP BY sample"


def _ranked_values(history: History, knowledge: Knowledge) -> str:
    """Return the drawn values one a row, with the rank of each among those of its slot, the rarest first."""
    if not knowledge.row_parts:
        return "SELECT sample, slot, visit FROM sudare_draw"
    rows = row_values(history, knowledge.row_parts)
    frequency = history.derive(
        "frequency_" + "_".join(knowledge.row_parts),
        f"SELECT value, count(*) AS visits FROM {rows} GROUP BY value",
    )
    flat = " UNION ALL ".join(
        f"SELECT sample, slot, visit, value{n} AS value FROM sudare_draw" for n in range(1, knowledge.rows + 1)
    )
    return (
        "SELECT sample, slot, visit, value, "
        "row_number() OVER (PARTITION BY sample, slot ORDER BY visits, value) AS rank "
        f"FROM ({flat}) JOIN (SELECT value, visits FROM {frequency}) USING (value)"
    )


def _slot_joins(history: History, knowledge: Knowledge, slot: int) -> Iterator[tuple[str, list[str]]]:
    table, keys = _visit_columns(history, knowledge)
    me = f"v{slot}"
    conditions = [f"{me}.{key} IS NOT DISTINCT FROM s.slot{slot}_{key}" for key in _keys(knowledge)]
    conditions += [f"{me}.customer = v0.customer"] if slot else []
    conditions += [f"{me}.visit <> v{earlier}.visit" for earlier in range(slot)]
    if not knowledge.row_parts:
        yield f"(SELECT visit, customer{keys} FROM {table}) AS {me}", conditions or ["true"]
        return
    rows = visit_rows(history, knowledge)
    yield (
        f"(SELECT visit, customer, value{keys} FROM {rows}) AS {me}",
        [f"{me}.value = s.slot{slot}_value1", *conditions],
    )
    for n in range(2, knowledge.rows + 1):
        other = f"{me}_{n}"
        yield (
            f"(SELECT visit, value FROM {row_values(history, knowledge.row_parts)}) AS {other}",
            [f"{other}.visit = {me}.visit", f"{other}.value = s.slot{slot}_value{n}"],
        )


def _keys(knowledge: Knowledge) -> list[str]:
    return [part.key for part in visit_keys(knowledge)]
