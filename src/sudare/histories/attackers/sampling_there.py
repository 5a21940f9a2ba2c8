"""Estimating identification where there are too many combinations and no visit may leave the engine.

The same estimate as `sudare.histories.attackers.sampling`: only numbers between 0 and 1 are drawn here. The engine
finds the occurrences they stand for and their crowds, and tells how many draws have a crowd of each size.
"""

from __future__ import annotations

import numpy as np

from sudare.engine.protocol import Column
from sudare.engine.small_counts import Merge, Refuse
from sudare.errors import NotOnEngine
from sudare.histories.attackers.knowledge import Knowledge
from sudare.histories.attackers.sampling import (
    MOST_EMPTY_BATCHES,
    choose,
    crowds_query,
    hardly_any,
    nothing_to_draw,
    values_query,
)
from sudare.histories.model import History
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.statistics.intervals import Estimate, summarize

# Customers whose weights are added up together, and whose sum leaves the engine.
GROUP_CUSTOMERS = 10_000
# Draws beyond those that are needed, since some are thrown away.
MORE = 1.3
LEAST_DRAWS = 100
_RARE = Refuse(lambda count, least: NotOnEngine("errors.attackers.rare_groups", count=count, least=least))
_TABLES = ("weights", "choices", "points", "chosen", "draw", "spans", "values", "sample")


def estimate_there(
    history: History, knowledge: Knowledge, *, samples: int, seed: int, progress: Progress = silent
) -> Estimate:
    """Estimate the mean identification probability under occurrence weighting from `samples` occurrences.

    They are drawn as `sudare.histories.attackers.sampling.draw_occurrences` says, of other random numbers. Where so few
    draws have a crowd of a size that the engine may not tell it, they count for a smaller crowd, so that no risk is
    told too low.
    """
    engine, rng = history.engine, np.random.default_rng(seed)
    try:
        groups = _weigh(history, knowledge)
        if not groups.sum() > 0:
            raise nothing_to_draw(history, knowledge)
        found: list[Column] = []
        left, empty = samples, 0
        while left:
            count = _draw(history, knowledge, groups, left, rng)
            empty = 0 if count else empty + 1
            if empty > MOST_EMPTY_BATCHES:
                raise hardly_any(knowledge)
            if count:
                found.append(_crowds(history, knowledge))
            left -= count
            progress(message("progress.sampling", knowledge=knowledge), samples - left, samples)
    finally:
        engine.drop(*(f"sudare_{table}" for table in _TABLES))
    return summarize(np.concatenate(found), customers=history.customers)


def _weigh(history: History, knowledge: Knowledge) -> Column:
    """Weigh visits by their choices of rows and customers by all choices of visits; return the weights of groups."""
    rows, visits = "CAST(rows AS DOUBLE)", knowledge.visits
    choices = f"greatest({choose(rows, knowledge.rows)}, 0)" if knowledge.row_parts else "CAST(1 AS DOUBLE)"
    weighed = f"SELECT visit, customer, rows, {choices} AS choices FROM {history.table('visit')}"
    engine = history.engine
    engine.keep("sudare_choices", _cumulated(f"SELECT * FROM ({weighed}) WHERE choices > 0", "choices", "visit"))
    totals = "SELECT customer, sum(choices) AS total, count(*) AS n FROM sudare_choices GROUP BY customer"
    usable = f"SELECT customer, total FROM ({totals}) WHERE n >= {visits}"
    largest = float(engine.total(f"SELECT coalesce(max(total), 1) FROM ({usable})")[0])
    groups = -(-history.customers // GROUP_CUSTOMERS)
    weights = f"SELECT customer % {groups} AS part, customer, total, power(total / {largest!r}, {visits}) AS weight "
    engine.keep("sudare_weights", _cumulated(f"{weights} FROM ({usable})", "weight", "customer", part="part"))
    found = np.zeros(groups)
    lines = "SELECT part, max(past) AS weight, count(*) AS customers FROM sudare_weights GROUP BY part"
    for part, weight, _ in engine.counts(lines, cell="customers", small=_RARE):
        found[part] = weight
    return found


def _cumulated(query: str, weight: str, order: str, *, part: str = "customer") -> str:
    """Return a query with the sum of the weights up to a row, `past`, and up to the one before, `before`."""
    window = f"PARTITION BY {part} ORDER BY {order}"
    summed = f"SELECT *, sum({weight}) OVER ({window} ROWS UNBOUNDED PRECEDING) AS past FROM ({query})"
    return f"SELECT *, coalesce(lag(past) OVER ({window}), 0) AS before FROM ({summed})"


def _draw(history: History, knowledge: Knowledge, groups: Column, left: int, rng: np.random.Generator) -> int:
    """Draw on the engine, into `sudare_draw`, at most `left` occurrences; return how many there are."""
    engine, visits = history.engine, knowledge.visits
    engine.attach("sudare_points", _points(knowledge, groups, max(LEAST_DRAWS, int(left * MORE)), rng))
    source = "sudare_points AS p JOIN sudare_weights AS w ON w.part = p.part AND point >= w.before AND point < w.past"
    for slot in range(visits):
        here = f"visit{slot} * w.total"
        source += (
            f" JOIN sudare_choices AS c{slot} ON c{slot}.customer = w.customer "
            f"AND {here} >= c{slot}.before AND {here} < c{slot}.past"
        )
    different = [f"c{a}.visit <> c{b}.visit" for a in range(visits) for b in range(a)]
    points = [f"point{slot}_{n}" for slot in range(visits) for n in range(1, knowledge.rows + 1)]
    columns = ["sample", *(f"c{slot}.visit AS v{slot}, c{slot}.rows AS rows{slot}" for slot in range(visits)), *points]
    engine.keep(
        "sudare_chosen",
        f"SELECT {', '.join(columns)} FROM {source} WHERE {' AND '.join(different) or 'true'}",
    )
    slots = " UNION ALL ".join(
        f"SELECT sample, {slot} AS slot, v{slot} AS visit, rows{slot} AS rows"
        + "".join(f", point{slot}_{n} AS point{n}" for n in range(1, knowledge.rows + 1))
        + " FROM sudare_chosen"
        for slot in range(visits)
    )
    engine.keep("sudare_draw", _placed(slots, knowledge.rows) if knowledge.row_parts else slots)
    return _keep_usable(history, knowledge, left)


def _points(knowledge: Knowledge, groups: Column, count: int, rng: np.random.Generator) -> dict[str, Column]:
    """Draw the groups of customers by their weights, and a point for each customer, visit and row."""
    part = rng.choice(len(groups), size=count, p=groups / groups.sum())
    names = [f"visit{slot}" for slot in range(knowledge.visits)]
    names += [f"point{slot}_{n}" for slot in range(knowledge.visits) for n in range(1, knowledge.rows + 1)]
    drawn: dict[str, Column] = {"sample": np.arange(count), "part": part, "point": rng.random(count) * groups[part]}
    return {**drawn, **{name: rng.random(count) for name in names}}


def _placed(slots: str, rows: int) -> str:
    """Return a query of different places in each visit, one a point, every subset of the rows equally likely.

    Floyd's way: for each place from the number of rows - k on, one up to it, or itself if that is taken.
    """
    query = slots
    for n in range(1, rows + 1):
        last = f"rows - {rows} + {n - 1}"
        pick = f"CAST(floor(point{n} * ({last} + 1)) AS INTEGER)"
        taken = f"{pick} IN ({', '.join(f'place{earlier}' for earlier in range(1, n))})" if n > 1 else "false"
        query = f"SELECT *, CASE WHEN {taken} THEN {last} ELSE {pick} END AS place{n} FROM ({query})"
    return query


def _keep_usable(history: History, knowledge: Knowledge, left: int) -> int:
    """Keep in `sudare_draw` the values of at most `left` samples whose rows have different values."""
    engine, numbers = history.engine, range(1, knowledge.rows + 1)
    values, equal = "SELECT sample, slot, visit FROM sudare_draw", []
    if knowledge.row_parts:
        values = values_query(history, knowledge)
        equal = [f"value{a} = value{b}" for a in numbers for b in range(1, a)]
    engine.keep("sudare_values", values)
    bad = f"SELECT sample FROM sudare_values WHERE {' OR '.join(equal) or 'false'}"
    good = f"SELECT DISTINCT sample FROM sudare_values WHERE sample NOT IN ({bad}) ORDER BY sample LIMIT {left}"
    engine.keep("sudare_draw", f"SELECT v.* FROM sudare_values AS v JOIN ({good}) AS g ON g.sample = v.sample")
    return int(engine.total("SELECT count(DISTINCT sample) FROM sudare_draw")[0])


def _crowds(history: History, knowledge: Knowledge) -> Column:
    """Return the crowds of the samples in `sudare_draw`, the smallest first."""
    lines = f"SELECT customers, count(*) AS samples FROM ({crowds_query(history, knowledge)}) GROUP BY customers"
    found = history.engine.counts(lines, cell="samples", small=Merge("customers", ("samples",)))
    customers, samples = (np.array([row[place] for row in found], np.int64) for place in (0, 1))
    return np.repeat(customers.astype(np.float64), samples)
