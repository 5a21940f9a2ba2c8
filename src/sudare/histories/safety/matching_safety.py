"""How safe a published history is in which each pseudonym can be one of several customers.

An attacker who knows for every pseudonym the customers it can be, and that all ways to give every pseudonym a customer
of its own are equally probable, chooses guesses that are often right together. Guesses are chosen from some drawings
and judged by others. Whether they are the best of all guesses is not proven: the probability is one that attackers
reach, and no bound above it is known.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.deadline import Deadline
from sudare.errors import OptionNotUsable
from sudare.histories.safety.matchings import BATCHES, MOST_DRAWN_CELLS, SAMPLES, Matchings
from sudare.histories.safety.thresholds import (
    CONTEST_ALPHA,
    CONTEST_P,
    AttackRule,
    check_thresholds,
    success_thresholds,
)
from sudare.kernels.common.arrays import Floats, Ints
from sudare.kernels.histories import matchings as kernels
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass
from sudare.statistics.shares import Share

# The shares of the time for the drawings to choose guesses from, for the choice, and for those to compare by.
_DRAWING_SHARE = 0.25
_CHOOSING_SHARE = 0.5
_COMPARING_SHARE = 0.3
# First guesses of each kind that are tried, and guesses that are added to them.
_STARTS = 100
_MOST_TOGETHER = 24
# Plans that are compared before the last drawings.
_FINALISTS = 30
# The quantile of Student's distribution for the interval from the spread of BATCHES parts.
_QUANTILE = 2.093


@dataclass(frozen=True, slots=True)
class MatchingSafety(Result):
    """What the best guesses found reach against the graph of who can be whom; better ones may exist.

    `guesses_found` guesses need `needed` hits and reach them with `probability_found`; the 95 % interval of that
    probability is `low_found` to `high_found`, of zero width if everything was counted (`exact`). None of these bounds
    what attackers can reach. `rule` is what an attack has to reach. `least` and `greatest` are the minimum and maximum
    number of customers a pseudonym can be, `parts` the number of connected components of the graph, `largest` the
    number of pseudonyms in the largest.
    """

    pseudonyms: int
    pairs: int
    least: int
    greatest: int
    parts: int
    largest: int
    guesses_found: int
    needed: int
    probability_found: float
    low_found: float
    high_found: float
    exact: bool
    samples: int
    attacks: int
    rule: AttackRule

    @property
    def survives_guesses_found(self) -> float:
        """The probability that all attacks with the guesses found fail, if they are independent of each other."""
        return float((1 - self.probability_found) ** self.attacks)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields and derived values as plain values."""
        fields = {name: getattr(self, name) for name in self.__slots__ if name != "rule"}
        return {**fields, **self.rule.to_dict(), "survives_guesses_found": self.survives_guesses_found}


@checked
def matching_safety(
    matchings: Matchings,
    *,
    p: Share = CONTEST_P,
    alpha: Share = CONTEST_ALPHA,
    attacks: int = 1,
    thresholds: Ints | None = None,
    samples: int = SAMPLES,
    seconds: float | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> MatchingSafety:
    """Return how likely the best guesses found are to be effective if all matchings are equally probable.

    After `seconds` the result uses the samples drawn and the guesses tried so far.
    """
    if attacks < 1:
        raise OptionNotUsable("errors.safety.attacks", attacks=attacks)
    if samples < BATCHES:
        raise OptionNotUsable("errors.safety.samples", least=BATCHES, samples=samples, default=SAMPLES)
    most = len(matchings)
    needed = success_thresholds(most, p, alpha) if thresholds is None else check_thresholds(thresholds, most)
    rng = np.random.default_rng(seed)
    count = max(BATCHES, min(samples, MOST_DRAWN_CELLS // len(matchings)))
    whole = Deadline(seconds)
    with whole.part(_DRAWING_SHARE) as deadline:
        drawn = matchings._draw_until(count, rng, deadline)
    with whole.part(_CHOOSING_SHARE) as deadline:
        plans = _best_plans(matchings, needed, drawn, rng, deadline, progress)
    progress(message("progress.judging_guesses"), 0, 1)
    with whole.part(_COMPARING_SHARE) as deadline:
        drawn = matchings._draw_until(count, rng, deadline)
    judged = [_tail(matchings.hits(plan, drawn)[0], needed).mean() for plan in plans]
    best = plans[int(np.argmax(judged))] if plans else np.empty((0, 2), np.int64)
    with whole:
        drawn = matchings._draw_until(count, rng, whole)
    distributions, exact = matchings.hits(best, drawn)
    reached = _tail(distributions, needed)
    degrees = matchings.degrees
    return MatchingSafety(
        len(matchings), len(matchings.edges), int(degrees.min()), int(degrees.max()), len(matchings.parts),
        max(len(part.pids) for part in matchings.parts), len(best), int(needed[len(best)]), float(reached.mean()),
        *_interval(reached, len(drawn), exact=exact), exact, 0 if exact else len(drawn), attacks,
        AttackRule.of(p, alpha, thresholds),
    )  # fmt: skip


def _tail(distributions: Floats, needed: Ints) -> Floats:
    """Return the probability of enough hits in each batch."""
    guesses = distributions.shape[1] - 1
    found: Floats = distributions[:, min(int(needed[guesses]), guesses + 1) :].sum(axis=1)
    return found


def _interval(reached: Floats, count: int, *, exact: bool) -> tuple[float, float]:
    """Return the interval of 95 % around the mean of the batches; with no success at all the rule of three."""
    mean = float(reached.mean())
    if exact:
        return mean, mean
    half = _QUANTILE * float(reached.std(ddof=1)) / len(reached) ** 0.5
    return max(0.0, mean - half), min(1.0, max(mean + half, 3 / count))


def _best_plans(
    matchings: Matchings,
    needed: Ints,
    drawn: NDArray[np.int32],
    rng: np.random.Generator,
    deadline: Deadline,
    progress: Progress,
) -> list[Ints]:
    """Return the guesses that are most often effective in drawn matchings, at most some plans.

    They are made from one half of the drawings and compared on the other; what is listed is compared exactly.
    """
    own, others = np.array_split(drawn, 2)
    order = _likely_edges(matchings, own)
    by_pid = order[np.sort(np.unique(order[:, 0], return_index=True)[1])]
    holders = np.argsort(matchings.edges, kind="stable")
    holder_starts = np.searchsorted(matchings.edges[holders], np.arange(matchings.customers + 1))
    graph = matchings.starts, matchings.edges, holder_starts, matchings.pids[holders], by_pid
    scored: list[tuple[float, int, Ints]] = []

    def score(guesses: Ints) -> None:
        chances = _chances(own, guesses, needed)
        plans = [guesses[:n] for n in np.argsort(-chances)[:3].tolist() if chances[n] > 0]
        scored.extend((_chance(matchings, plan, others, needed), len(plan), plan) for plan in plans)

    score(by_pid)
    chosen = _first_guesses(matchings, order, rng)
    for done, (place, stay) in enumerate(product(chosen, (False, True))):
        progress(message("progress.choosing_guesses"), done, 2 * len(chosen))
        if deadline.over:
            break
        found = np.empty((min(_MOST_TOGETHER, len(matchings)), 2), np.int64)
        found[0] = order[place]
        score(found[: kernels.grow_guesses(own, *graph, stay, found)])
    scored.sort(key=lambda found: (-found[0], found[1]))
    return [plan for _, _, plan in scored[:_FINALISTS]]


def _chance(matchings: Matchings, guesses: Ints, drawn: NDArray[np.int32], needed: Ints) -> float:
    """Return how often guesses have enough hits, exactly if all of them are in parts that are listed."""
    listed = [matchings.parts[number].listed is not None for number in set(matchings.part_of[guesses[:, 0]].tolist())]
    if all(listed):
        return float(_tail(matchings.hits(guesses, drawn)[0], needed)[0])
    right = (drawn[:, guesses[:, 0]] == guesses[:, 1]).sum(axis=1)
    return float((right >= needed[len(guesses)]).mean())


def _first_guesses(matchings: Matchings, order: Ints, rng: np.random.Generator) -> list[int]:
    """Return places of guesses to begin with: the first of the smallest parts, the first of all, and any."""
    parts, first = np.unique(matchings.part_of[order[:, 0]], return_index=True)
    sizes = np.array([len(matchings.parts[number].pids) for number in parts.tolist()])
    smallest = first[np.argsort(sizes, kind="stable")][:_STARTS].tolist()
    likely = range(min(_STARTS, len(order)))
    return list(dict.fromkeys([*smallest, *likely, *rng.permutation(len(order))[:_STARTS].tolist()]))


def _likely_edges(matchings: Matchings, drawn: NDArray[np.int32]) -> Ints:
    """Return pseudonyms and customers, those that are most often together first."""
    counts = [
        np.bincount(drawn[:, p], minlength=matchings.customers)[
            matchings.edges[matchings.starts[p] : matchings.starts[p + 1]]
        ]
        for p in range(len(matchings))
    ]
    order = np.argsort(-np.concatenate(counts), kind="stable")
    return np.stack([matchings.pids, matchings.edges], axis=1)[order]


def _chances(drawn: NDArray[np.int32], guesses: Ints, needed: Ints) -> Floats:
    """Return how often the first n guesses have enough hits, for n = 0, 1, ..."""
    hits = np.zeros(len(drawn), np.int64)
    found = np.zeros(len(guesses) + 1)
    for n, (pid, customer) in enumerate(guesses.tolist(), start=1):
        hits += drawn[:, pid] == customer
        found[n] = np.count_nonzero(hits >= needed[n]) / len(drawn)
    return found
