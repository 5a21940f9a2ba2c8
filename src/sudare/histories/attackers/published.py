"""Attackers on generalized histories: how successful they still are after anonymization.

The attackers of Ito, Kikuchi, Nakagawa: Evaluation of some attacker models with distinct background knowledge of
de-identified dataset, who look into the published cells of Hamada et al.: Report on the anonymization and
re-identification contest PWSCUP 2018. What is known matches a cell that covers it;
docs/explanation/attackers-generalized.md has the rules. Of the pseudonyms that fit, one is picked: right with
probability 1/number if the true one fits, else never.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field, replace
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.histories.attackers.assessment import AttackerRisk, assess_knowledge, check_weighting
from sudare.histories.attackers.crowds import Weighting
from sudare.histories.attackers.knowledge import TEN_ATTACKERS, Knowledge, parse_knowledge
from sudare.histories.attackers.published_knowledge import (
    ORDERED_PARTS,
    KnownValues,
    check_comparable,
    drawn_values,
    known_values,
    visit_days,
)
from sudare.histories.attackers.published_rows import PublishedCells, pack_cells
from sudare.histories.attackers.sampling import combinations
from sudare.histories.generalized.model import CellHistory
from sudare.histories.generalized.purchases import purchases_of_cells
from sudare.kernels.cells.matches import count_matches
from sudare.kernels.common.arrays import Ints
from sudare.limits import MOST_PUBLISHED_COMBINATIONS, SAMPLES
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass
from sudare.statistics.intervals import mean_interval


@dataclass(frozen=True, slots=True)
class PublishedRisk(Result):
    """How well an attacker recognizes customers before and after anonymization.

    `before` and `after` are mean identification probabilities, `unique_before` and `unique_after` the weights of
    knowledge that fits only the right one. `misled` is the weight of knowledge that fits others but not the right
    pseudonym, `nobody` that of knowledge that fits none. A mean says nothing about single people: `unique_customers`
    are those about whom something can be known that fits nobody else after anonymization, `highest` is the highest
    probability with which anybody is picked by something that can be known about them. Estimates from a `sample` have
    intervals, and these two are None.
    """

    knowledge: Knowledge
    before: float
    after: float
    unique_before: float
    unique_after: float
    misled: float
    nobody: float
    unique_customers: int | None = None
    highest: float | None = None
    attacker: int | None = None
    interval_before: tuple[float, float] | None = None
    interval_after: tuple[float, float] | None = None
    sample: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        ends = {name: getattr(self, name) for name in ("interval_before", "interval_after")}
        return {
            "attacker": self.attacker,
            "knowledge": str(self.knowledge),
            **{name: getattr(self, name) for name in self.__slots__ if name not in ("knowledge", "attacker", *ends)},
            **{name: list(interval) if interval else None for name, interval in ends.items()},
        }


@dataclass(frozen=True, slots=True)
class PublishedAssessment(Result):
    """The ten attackers, and attackers with further knowledge, on a history before and after anonymization.

    `digests` identify the histories, the original and the anonymized one; `purchases` identifies the original as a
    purchase history.
    """

    _hidden = ("digests", "purchases")
    _rows = ("attackers", "knowledge")
    _row = PublishedRisk

    records: int
    customers: int
    pseudonyms: int
    deleted_rows: int
    weighting: Weighting
    seed: int
    attackers: tuple[PublishedRisk, ...]
    knowledge: tuple[PublishedRisk, ...]
    digests: tuple[str, str] = field(repr=False)
    purchases: str = field(repr=False)


@checked
def measure_published(
    original: CellHistory,
    anonymized: CellHistory,
    *,
    weighting: Weighting = "occurrence",
    knowledge: Sequence[str | Knowledge] = (),
    seed: int = 0,
    most_combinations: int = MOST_PUBLISHED_COMBINATIONS,
    samples: int = SAMPLES,
    threads: int | None = None,
    progress: Progress = silent,
) -> PublishedAssessment:
    """Measure the ten attackers, and further knowledge, on a history before and after anonymization.

    Row i of the anonymized history belongs to row i of the original. Knowledge with more than `most_combinations`
    combinations is estimated from `samples` draws, the same before and after.
    """
    further = [parse_knowledge(text) if isinstance(text, str) else text for text in knowledge]
    total = len(TEN_ATTACKERS) + len(further)
    with PublishedAttackers(original, weighting=weighting, threads=threads) as attackers:
        for known in further:
            check_comparable(attackers.history, known)
        cells = attackers.pack(anonymized)
        ten = []
        for number, known in enumerate(TEN_ATTACKERS):
            progress(message("progress.attacker", number=number), number, total)
            ten.append(replace(attackers.measure(cells, known), attacker=number))
        others = []
        for number, known in enumerate(further, start=len(ten)):
            progress(message("progress.knowledge", knowledge=known), number, total)
            limits = {"most_combinations": most_combinations, "samples": samples}
            others.append(attackers.measure(cells, known, seed=seed, **limits))
        progress(message("progress.attackers"), total, total)
        history = attackers.history
        purchases = history.digest()
    counts = history.records, history.customers, cells.pseudonyms, cells.deleted_rows
    digests = original.digest(), anonymized.digest()
    return PublishedAssessment(*counts, weighting, seed, tuple(ten), tuple(others), digests, purchases)


class PublishedAttackers:
    """Attackers who know one original history and examine anonymized ones; use it in a `with` block.

    Intermediate results for the original are kept, so that further anonymized histories cost less.
    """

    @checked
    def __init__(
        self, original: CellHistory, *, weighting: Weighting = "occurrence", threads: int | None = None
    ) -> None:
        check_weighting(weighting)
        self.history = purchases_of_cells(original)
        self._original = original
        self._weighting: Weighting = weighting
        self._threads = threads or os.cpu_count() or 1
        self._known: dict[tuple[Knowledge, int | None, int], tuple[AttackerRisk, KnownValues]] = {}

    def __enter__(self) -> PublishedAttackers:
        return self

    def __exit__(self, *_: object) -> None:
        self.history.close()

    @checked
    def pack(self, anonymized: CellHistory) -> PublishedCells:
        """Return an anonymized history, whose row i belongs to row i of the original, prepared for measuring."""
        query = f"SELECT name FROM {self.history.table('customer')} ORDER BY code"
        names = self.history.engine.people_columns(query, message("errors.people.customers"))["name"]
        return pack_cells(self._original, anonymized, names.astype(np.int64), visit_days(self.history))

    @checked
    def measure(
        self,
        cells: PublishedCells,
        knowledge: str | Knowledge,
        *,
        seed: int = 0,
        most_combinations: int = MOST_PUBLISHED_COMBINATIONS,
        samples: int = SAMPLES,
    ) -> PublishedRisk:
        """Measure one kind of knowledge, from a sample if it has more than `most_combinations` combinations."""
        known = parse_knowledge(knowledge) if isinstance(knowledge, str) else knowledge
        check_comparable(self.history, known)
        # Single rows of single visits are never too many: each is a row of the history.
        several = known.rows > 1 or known.visits > 1
        sampled = several and combinations(self.history, known) > most_combinations
        before, values = self._worked_out(known, samples if sampled else None, seed)
        crowds, own = self._look_into(cells, known, values)
        return self._risk(known, before, values, crowds, own)

    def _worked_out(self, knowledge: Knowledge, samples: int | None, seed: int) -> tuple[AttackerRisk, KnownValues]:
        """Return the risk before anonymization and what can be known, all of it or a sample."""
        key = knowledge, samples, seed
        if key in self._known:
            return self._known[key]
        history, weighting = self.history, self._weighting
        if samples is None:
            before = assess_knowledge(history, knowledge, weighting=weighting, most_combinations=sys.maxsize)
            values = known_values(history, knowledge)
        else:
            before = assess_knowledge(
                history, knowledge, weighting=weighting, seed=seed, most_combinations=0, samples=samples
            )
            values = drawn_values(history, knowledge, samples=samples, seed=seed)
        self._known[key] = before, values
        return before, values

    def _look_into(
        self, cells: PublishedCells, knowledge: Knowledge, values: KnownValues
    ) -> tuple[Ints, NDArray[np.bool_]]:
        """Return how many pseudonyms fit each value, and whether the true one fits each fact."""
        own = np.zeros(len(values.values), np.bool_)
        starts = np.searchsorted(values.customers, np.arange(self.history.customers + 1))
        rows = cells.rows([part for part in ORDERED_PARTS if part in knowledge.row_parts])

        def count(first: int) -> Ints:
            pids = np.arange(first, cells.pseudonyms, parts)
            crowds = np.zeros(len(values), np.int64)
            count_matches(rows, values.visits, len(cells.days), pids, cells.owners, starts, values.values, crowds, own)
            return crowds

        parts = min(self._threads, cells.pseudonyms) if len(values) else 0
        with ThreadPoolExecutor(max(parts, 1)) as pool:
            return sum(pool.map(count, range(parts)), np.zeros(len(values), np.int64)), own

    def _risk(
        self,
        knowledge: Knowledge,
        before: AttackerRisk,
        values: KnownValues,
        crowds: Ints,
        own: NDArray[np.bool_],
    ) -> PublishedRisk:
        weights = values.occurrences if self._weighting == "occurrence" else values.records
        crowd = crowds[values.values]
        total = int(weights.sum())
        # Whole numbers until the last step, as the crowds of the original are added up.
        by_size = np.zeros(int(crowd.max(initial=0)) + 1, np.int64)
        np.add.at(by_size, crowd[own], weights[own])
        sizes = np.flatnonzero(by_size)

        def share(chosen: NDArray[np.bool_]) -> float:
            return int(weights[chosen].sum()) / total if total else 0.0

        after = fsum(int(by_size[size]) / size for size in sizes.tolist()) / total if total else 0.0
        interval = None
        if before.sample:
            _, *ends = mean_interval(np.where(own, 1 / np.maximum(crowd, 1), 0.0))
            interval = ends[0], ends[1]
        return PublishedRisk(
            knowledge,
            before=before.measured,
            after=after,
            unique_before=before.unique_share,
            unique_after=share(own & (crowd == 1)),
            misled=share(~own & (crowd > 0)),
            nobody=share(crowd == 0),
            unique_customers=None if before.sample else len(np.unique(values.customers[own & (crowd == 1)])),
            highest=None if before.sample else 1 / int(crowd[own].min()) if own.any() else 0.0,
            interval_before=before.interval,
            interval_after=interval,
            sample=before.sample,
        )
