"""Personalized rho-uncertainty of baskets on an engine: a sample of adversaries is checked there.

The definitions are those of `sudare.baskets.check.uncertainty`. Users are drawn here by their rank, what adversaries
know of them is drawn on the engine, and every part of the records counts, by the compiled kernel, how many have what is
known and each further item; the engine adds up and compares. Only numbers of users and of unsafe adversaries leave it,
and how many users have the most frequent sensitive item.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import ExitStack
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.baskets.check.adversaries import check_max_known
from sudare.baskets.check.draws import chosen_places, draw_points, sampling_generator
from sudare.baskets.check.rho import comparable_rho, exact_rho
from sudare.baskets.check.sample_sizes import refuse_large_sample, sample_size
from sudare.baskets.check.uncertainty import FrequentItem, Verdict
from sudare.baskets.held import HeldBaskets
from sudare.baskets.held_sensitive import EVERYBODY, HeldSensitive
from sudare.engine import fresh_name
from sudare.engine.protocol import Column
from sudare.engine.small_counts import Refuse
from sudare.errors import NotOnEngine, OptionNotUsable
from sudare.kernels.baskets.adversaries import count_known
from sudare.kernels.baskets.records import Records
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.statistics.shares import Share

# Records that one part counts at a time, some hundred bytes each.
PART_RECORDS = 200_000
# Adversaries whose items one part draws at a time.
PART_ADVERSARIES = 20_000
# What the rows of a part are: occurrences of records, or items that an adversary knows.
_RECORD, _KNOWN = 0, 1


@checked
def check_held_baskets(
    baskets: HeldBaskets,
    sensitive: HeldSensitive,
    *,
    rho: Share,
    epsilon: float | None,
    delta: float | None,
    max_known: int | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> Verdict:
    """Check a sample of the adversaries of each size against baskets on an engine, as `check_baskets` does.

    The verdict equals that of `check_baskets` with the same seed, provided its users are in name order; it names no
    adversaries. An exhaustive check, without epsilon and delta, is not available on an engine.
    """
    started = time.perf_counter()
    exact = exact_rho(rho)
    if sensitive.baskets is not baskets:
        raise OptionNotUsable("errors.sensitive.held_for_others", described=sensitive.described)
    if epsilon is None or delta is None:
        raise NotOnEngine("errors.adversaries.samples_only", engine=baskets.engine.name)
    check_max_known(max_known)
    size = sample_size(epsilon, delta)
    most = baskets.longest if max_known is None else min(max_known, baskets.longest)
    name, engine = fresh_name("sample"), baskets.engine
    with ExitStack() as cleanup:
        cleanup.callback(engine.drop, *(f"{name}_{table}" for table in ("points", "ranks", "users", "known", "counts")))
        progress(message("progress.adversaries"), 0, 3)
        drawn = _draw(baskets, name, most, size, sampling_generator(seed))
        progress(message("progress.adversaries"), 1, 3)
        _count(baskets, name)
        progress(message("progress.adversaries"), 2, 3)
        unsafe = _unsafe(baskets, name, sensitive.table, comparable_rho(exact, baskets.users))
        progress(message("progress.adversaries"), 3, 3)
    frequent = _most_frequent(baskets, sensitive.table, exact)
    return Verdict(
        rho=exact, max_known=max_known, knowledge="original", exact=False, epsilon=epsilon, delta=delta, seed=seed,
        look=None, looks=None, draws=size, safe=unsafe == 0, adversaries=drawn, unsafe_adversaries=unsafe, worst=(),
        seconds=time.perf_counter() - started, most_frequent_sensitive=frequent,
    )  # fmt: skip


def _most_frequent(baskets: HeldBaskets, sensitive: str, rho: Fraction) -> FrequentItem | None:
    """Return how many records have the sensitive item that most have; a count that may not leave is not told."""
    (records,) = baskets.engine.total(
        f"SELECT coalesce(max(records), 0) FROM (SELECT count(*) AS records FROM {baskets.table('occurrence')} "
        f"WHERE item IN (SELECT item FROM {sensitive}) GROUP BY item)"
    )
    most = FrequentItem(None, int(records), baskets.users)
    if most.records >= max(baskets.engine.min_cell, 1):
        return most
    if most.share > rho:
        raise NotOnEngine("errors.adversaries.few_users", users=baskets.users)
    return None


def _draw(baskets: HeldBaskets, name: str, most: int, size: int, rng: np.random.Generator) -> int:
    """Draw the adversaries of each size and, on the engine, what they know; return how many they are."""
    # Those of all sizes go to the engine together.
    refuse_large_sample(size, most * (most + 1) // 2)
    drawn = [draw_points(able, known, size, rng) for known, able in enumerate(_able(baskets, most), start=1)]
    ranks = np.concatenate([ranks for ranks, _ in drawn])
    lengths = np.concatenate([np.full(len(ranks), points.shape[1]) for ranks, points in drawn])
    engine, adversaries = baskets.engine, np.arange(len(ranks))
    engine.attach(f"{name}_users", {"adversary": adversaries, "rank": ranks + 1})
    places = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    points = np.concatenate([points.ravel() for _, points in drawn])
    engine.attach(f"{name}_points", {"adversary": np.repeat(adversaries, lengths), "number": places, "point": points})
    owners = f"SELECT code - 1 AS owner, length FROM {baskets.table('owner')} WHERE length > 0"
    engine.keep(f"{name}_ranks", owners, number="rank", order="length DESC, owner")
    part = f"adversary % {-(-len(ranks) // PART_ADVERSARIES)} AS part"
    records = (
        f"SELECT adversary, CAST(item AS BIGINT) AS number, CAST(-1 AS DOUBLE) AS point FROM {name}_users "
        f"JOIN {name}_ranks USING (rank) JOIN {baskets.table('occurrence')} USING (owner)"
    )
    every = f"{records} UNION ALL SELECT adversary, number, point FROM {name}_points"
    engine.keep_mapped(
        f"{name}_known", f"SELECT {part}, adversary, number, point FROM ({every})", part="part",
        columns="adversary BIGINT, item BIGINT", function=choose_known,
    )  # fmt: skip
    return len(ranks)


def _able(baskets: HeldBaskets, most: int) -> list[int]:
    """Return how many users have at least 1, 2, ... `most` items."""
    lines = f"SELECT least(length, {most}) AS length, count(*) AS users FROM {baskets.table('owner')} GROUP BY 1"
    rare = Refuse(lambda count, least: NotOnEngine("errors.adversaries.rare_lengths", count=count, least=least))
    found = np.zeros(most + 1, np.int64)
    for length, users in baskets.engine.counts(lines, cell="users", small=rare):
        found[length] = users
    return [int(number) for number in np.cumsum(found[::-1])[::-1][1:]]


def choose_known(rows: Mapping[str, Column]) -> dict[str, Column]:
    """Return what drawn adversaries know: of rows with the items of their users' records, and with the points drawn.

    Both are numbered; a row of a record, whose number is the item, has the point -1.
    """
    order = np.lexsort((rows["number"], rows["adversary"]))
    adversary, number, point = (rows[name][order] for name in ("adversary", "number", "point"))
    of_record = point < 0
    items, points = number[of_record], point[~of_record]
    there, firsts, lengths = np.unique(adversary[of_record], return_index=True, return_counts=True)
    _, begins, sizes = np.unique(adversary[~of_record], return_index=True, return_counts=True)
    known, who = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for size in np.unique(sizes).tolist():
        chosen = np.flatnonzero(sizes == size)
        drawn = chosen_places(lengths[chosen], points[begins[chosen][:, None] + np.arange(size)])
        known.append(items[firsts[chosen][:, None] + drawn].ravel().astype(np.int64))
        who.append(np.repeat(there[chosen], size).astype(np.int64))
    return {"adversary": np.concatenate(who), "item": np.concatenate(known)}


def _count(baskets: HeldBaskets, name: str) -> None:
    """Count on the engine, part of the records by part, who has what is known and what else they have."""
    parts = -(-baskets.users // PART_RECORDS)
    listed = ", ".join(f"({part})" for part in range(parts))
    every = (
        f"SELECT owner % {parts} AS part, {_RECORD} AS kind, CAST(owner AS BIGINT) AS number, "
        f"CAST(item AS BIGINT) AS item FROM {baskets.table('occurrence')} UNION ALL "
        f"SELECT part, {_KNOWN} AS kind, adversary AS number, item FROM {name}_known "
        f"CROSS JOIN (VALUES {listed}) AS p(part)"
    )
    baskets.engine.keep_mapped(
        f"{name}_counts", every, part="part", columns="adversary BIGINT, item BIGINT, records BIGINT",
        function=count_part,
    )  # fmt: skip


def count_part(rows: Mapping[str, Column]) -> dict[str, Column]:
    """Count in one part of the records how many have what each adversary knows, and what else these have.

    Rows of records are of the kind 0, rows of what adversaries know of the kind 1. The item -1 stands for the records
    that have all that is known; adversaries of whom there are none are left out.
    """
    order = np.lexsort((rows["item"], rows["number"], rows["kind"]))
    kind, number, item = (rows[name][order].astype(np.int64) for name in ("kind", "number", "item"))
    split = int(np.searchsorted(kind, _KNOWN))
    width = int(item.max(initial=0)) + 1
    starts, owner = _runs(number[:split])
    bounds, _ = _runs(number[split:])
    own = item[:split]
    begins, places = np.append(0, np.cumsum(np.bincount(own, minlength=width))), np.argsort(own, kind="stable")
    records = Records(starts, own, np.ones(len(own), np.bool_), owner, begins, places, owner[places])
    found = count_known(records, bounds, item[split:])
    return {"adversary": number[split:][bounds[:-1]][found.sets], "item": found.items, "records": found.records}


def _runs(numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where runs of equal numbers begin, with the end of all, and the place of each number's run."""
    first = np.append(True, numbers[1:] != numbers[:-1]) if len(numbers) else np.zeros(0, np.bool_)
    return np.append(np.flatnonzero(first), len(numbers)).astype(np.int64), np.cumsum(first) - 1


def _unsafe(baskets: HeldBaskets, name: str, sensitive: str, rho: Fraction) -> int:
    """Return how many adversaries are surer than rho of an item that is sensitive to their user."""
    totals = f"SELECT adversary, item, sum(records) AS records FROM {name}_counts GROUP BY adversary, item"
    hits, support = (
        f"CAST({side}.records AS DECIMAL(18, 0)) * CAST({factor} AS DECIMAL(10, 0))"
        for side, factor in (("h", rho.denominator), ("s", rho.numerator))
    )
    (found,) = baskets.engine.total(
        f"SELECT count(DISTINCT adversary) FROM ({totals}) AS h JOIN ({totals}) AS s USING (adversary) "
        f"JOIN {name}_users AS u USING (adversary) JOIN {name}_ranks AS r ON r.rank = u.rank "
        f"JOIN {sensitive} AS x ON x.item = h.item AND (x.owner = {EVERYBODY} OR x.owner = r.owner) "
        f"WHERE h.item >= 0 AND s.item = -1 AND {hits} > {support}"
    )
    return int(found)
