"""The cost of anonymity: U against k, and how safe each k is.

For every k a history is anonymized so that everybody looks like k - 1 others. The classes say how probable attackers
who know only them are at most to be effective (Hamada et al.: Report on the anonymization and re-identification
contest PWSCUP 2018, sections 4.1.1 and 5.3); the built-in attacks say what they reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from sudare.arguments import checked
from sudare.contest.frontier_points import FrontierFile, FrontierPoint
from sudare.errors import OptionNotUsable
from sudare.histories.anonymize.models import AnonymizedResult, anonymize_by_model
from sudare.histories.anonymize.registry import DEFAULT_MODEL, find_model
from sudare.histories.anonymize.rows import MOST_ITEMS
from sudare.histories.attack.duel import run_duel
from sudare.histories.generalized.model import CellHistory
from sudare.histories.safety.classes import class_safety
from sudare.histories.safety.published_classes import published_classes
from sudare.histories.safety.thresholds import CONTEST_ALPHA, CONTEST_P, read_alpha, read_p
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass
from sudare.statistics.shares import Share
from sudare.version import __version__

KS = tuple(range(2, 21))
ATTACKS = 20


@dataclass(frozen=True, slots=True)
class FrontierSearch:
    """How each history is anonymized, and how it is measured.

    `seconds`, `rounds` and `fast` apply to one search, `most_items` to one set. `duel` says whether the built-in
    attacks are run; `attacks` is the number of attacks to survive.
    """

    model: str = DEFAULT_MODEL
    most_items: int = MOST_ITEMS
    seed: int = 0
    seconds: float | None = None
    rounds: int | None = None
    fast: bool = False
    duel: bool = True
    attacks: int = ATTACKS
    p: Share = CONTEST_P
    alpha: Share = CONTEST_ALPHA

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {**asdict(self), "p": str(read_p(self.p)), "alpha": str(read_alpha(self.alpha))}


@dataclass(frozen=True, slots=True)
class Frontier(Result):
    """U and safety for increasing k, the numbers of customers and rows, and the search behind them."""

    _rows = ("points",)
    _row = FrontierPoint

    customers: int
    rows: int
    search: FrontierSearch
    points: tuple[FrontierPoint, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "customers": self.customers,
            "rows": self.rows,
            **self.search.to_dict(),
            "points": [point.to_dict() for point in self.points],
        }


@checked
def trace_frontier(
    original: CellHistory,
    ks: Sequence[int] = KS,
    *,
    search: FrontierSearch | None = None,
    folder: str | Path | None = None,
    progress: Progress = silent,
) -> Frontier:
    """Anonymize a history for every k and measure the results.

    Finished results are kept in `folder`, if given, and reused; a folder with results for another history or another
    search is an error.
    """
    search = search or FrontierSearch()
    customers = len(np.unique(original.persons))
    wanted = _check(ks, customers, search)
    kept = None
    if folder is not None:
        dependent = {"version": __version__, **search.to_dict(), "original": original.digest()}
        kept = FrontierFile(Path(folder), dependent)
    points = []
    for k in wanted:
        point = kept.find(k) if kept else None
        if point is None:
            point = _measure(original, k, search, _at(progress, k))
            if kept:
                kept.add(point)
        points.append(point)
    return Frontier(customers, len(original), search, tuple(points))


def _check(ks: Sequence[int], customers: int, search: FrontierSearch) -> list[int]:
    """Return the different k in order; what cannot be asked for is refused before any work."""
    if not find_model(search.model).everybody:
        raise OptionNotUsable("errors.frontier.untouched", model=search.model)
    wanted = sorted(set(ks))
    if not wanted or wanted[0] < 2:
        raise OptionNotUsable("errors.frontier.ks")
    if wanted[-1] > customers:
        raise OptionNotUsable("errors.frontier.few_customers", count=customers, k=wanted[-1])
    return wanted


def _at(progress: Progress, k: int) -> Progress:
    return lambda step, done, total: progress(message("progress.frontier", k=k, step=step), done, total)


def _measure(original: CellHistory, k: int, search: FrontierSearch, progress: Progress) -> FrontierPoint:
    shares: dict[str, Any] = {"p": search.p, "alpha": search.alpha}
    made = anonymize_by_model(
        original, k, model=search.model, most_items=search.most_items, seed=search.seed, seconds=search.seconds,
        rounds=search.rounds, fast=search.fast, attacks=search.attacks, progress=progress, **shares,
    )  # fmt: skip
    duel = run_duel(original, made.history, seed=search.seed, progress=progress, **shares) if search.duel else None
    best = duel.best.judgement if duel and duel.best else None
    return FrontierPoint(
        k=k,
        utility=made.utility,
        utility_bound=made.bound,
        deleted_rows=made.deleted_rows,
        **_chances(made, search),
        verdict=duel.verdict if duel else None,
        margin=best.contest.margin if best else None,
        converged=made.converged,
        seconds=made.seconds,
    )


def _chances(made: AnonymizedResult, search: FrontierSearch) -> dict[str, Any]:
    """Return what the classes say or, where the design is another, what it says; only classes can meet condition H0."""
    if (found := made.safety) is not None:
        return {
            "classes": found.parts, "holds": False, "chance_bound": None, "chance_found": found.probability_found,
            "survives_at_least": None,
        }  # fmt: skip
    sizes = published_classes(made.history).sizes.tolist()
    safety = class_safety(sizes, attacks=search.attacks, p=search.p, alpha=search.alpha)
    test = safety.tests[0]
    return {
        "classes": len(sizes), "holds": safety.holds, "chance_bound": test.bound,
        "chance_found": test.plan_found.probability, "survives_at_least": test.survives_at_least,
    }  # fmt: skip
