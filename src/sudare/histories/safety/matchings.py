"""How safe a published history is whose pseudonyms can each be one of several customers.

An attacker who knows for every pseudonym the customers it can be, and that all ways to give every pseudonym a customer
of its own (perfect matchings) are equally probable, chooses guesses that are often right together. In parts of the
graph with few matchings all are listed; in others matchings are drawn by a chain of changes along alternating paths
(the directed loops of Sandvik, Moessner: Correlations and confinement in nonplanar two-dimensional dimer models, 2006,
for any bipartite graph), in which all ways are equally probable. Guesses are chosen from some drawings and judged by
others. Whether they are the best of all guesses is not proven: the probability is one that attackers reach, and no
bound above it is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

from sudare.arguments import checked
from sudare.deadline import Deadline
from sudare.errors import OptionNotUsable
from sudare.histories.safety.thresholds import (
    CONTEST_ALPHA,
    CONTEST_P,
    AttackRule,
    check_thresholds,
    success_thresholds,
)
from sudare.kernels.histories import matchings as kernels
from sudare.progress import Progress, silent
from sudare.showing import dataclass

Integers = NDArray[np.int64]
Numbers = NDArray[np.float64]

# For what is drawn whatever the time.
_NEVER = np.zeros(1, np.bool_)
# The shares of the time for the drawings to choose guesses from, for the choice, and for those to compare by.
_DRAWING_SHARE = 0.25
_CHOOSING_SHARE = 0.5
_COMPARING_SHARE = 0.3
# The types of compiled functions hide what they take.
_draw_matchings: Any = kernels.draw_matchings
_grow_guesses: Any = kernels.grow_guesses

# Parts with at most so many pseudonyms and matchings are listed.
_MOST_LISTED_PIDS = 10
_MOST_LISTED = 10_000
# Matchings that are drawn each time: to choose guesses, to compare the best, to judge. And cells of memory for them.
SAMPLES = 40_000
_MOST_DRAWN_CELLS = 50_000_000
# Choices between two drawings and before the first, for each pseudonym of a part.
_CHOICES_BETWEEN = 2
_CHOICES_BEFORE = 200
# First guesses of each kind that are tried, and guesses that are added to them.
_STARTS = 100
_MOST_TOGETHER = 24
# Plans that are compared before the last drawings.
_FINALISTS = 30
# Parts of the last drawings whose spread gives the interval, and the quantile of Student's distribution for it.
_BATCHES = 20
_QUANTILE = 2.093


@dataclass(frozen=True, slots=True)
class MatchingSafety:
    """What the best guesses found reach against the graph of who can be whom; better ones may exist.

    `guesses_found` guesses need `needed` hits and have them with `probability_found`; the interval of 95 % of that
    number is `low_found` to `high_found`, without width if all was counted (`exact`). None of them is a bound on what
    attackers can reach: none is proven. `rule` is what an attack has to reach. `least` and `greatest` are how many
    customers a pseudonym can be, `parts` the parts of the graph without a connection, `largest` the pseudonyms of the
    largest.
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
        """The probability that so many attacks with the guesses found, independent of each other, all fail."""
        return float((1 - self.probability_found) ** self.attacks)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields and what follows from them as plain values."""
        fields = {name: getattr(self, name) for name in self.__slots__ if name != "rule"}
        return {**fields, **self.rule.to_dict(), "survives_guesses_found": self.survives_guesses_found}


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Pseudonyms and customers that nothing joins to others; `listed` has all matchings if they are few."""

    pids: Integers
    listed: Integers | None


class Matchings:
    """All ways to give each pseudonym one of the customers it can be, no customer twice, equally probable.

    Pseudonyms are 0, 1, ...; `candidates[p]` are the numbers of the customers that p can be.
    """

    @checked
    def __init__(self, candidates: Sequence[Sequence[int]]) -> None:
        chosen = [sorted(set(line)) for line in candidates]
        self.starts: Integers = np.concatenate([[0], np.cumsum([len(line) for line in chosen])]).astype(np.int64)
        self.edges: Integers = np.array([j for line in chosen for j in line], np.int64)
        if not len(self.edges):
            raise OptionNotUsable("No pseudonym can be any customer.\nHint: give the customers that each can be.")
        self.customers = int(self.edges.max()) + 1
        self.pids: Integers = np.repeat(np.arange(len(self)), np.diff(self.starts))
        shape = (len(self), self.customers)
        self._graph = csr_array((np.ones(len(self.edges)), (self.pids, self.edges)), shape=shape)
        self._match: Integers = maximum_bipartite_matching(self._graph, perm_type="column").astype(np.int64)
        if (self._match < 0).any():
            raise OptionNotUsable(
                "There is no way to give every pseudonym a customer of its own.\n"
                "Hint: each pseudonym needs its true customer among those it can be."
            )
        self._owner: Integers = np.full(self.customers, -1, np.int64)
        self._owner[self._match] = np.arange(len(self))
        self._changes: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def degrees(self) -> Integers:
        """How many customers each pseudonym can be."""
        return np.diff(self.starts)

    @cached_property
    def parts(self) -> list[_Part]:
        """The parts of the graph without a connection."""
        count = len(self) + self.customers
        joined = csr_array((np.ones(len(self.edges)), (self.pids, len(self) + self.edges)), shape=(count, count))
        _, part_of = connected_components(joined, directed=False)
        order = np.argsort(part_of[: len(self)], kind="stable")
        cuts = np.flatnonzero(np.diff(part_of[order])) + 1
        return [_Part(pids, self._listed(pids)) for pids in np.split(order, cuts)]

    @cached_property
    def part_of(self) -> Integers:
        """The part of each pseudonym."""
        found = np.empty(len(self), np.int64)
        for number, part in enumerate(self.parts):
            found[part.pids] = number
        return found

    def _listed(self, pids: Integers) -> Integers | None:
        """Return all matchings of a part, a line each; None if there are too many."""
        if len(pids) > _MOST_LISTED_PIDS:
            return None
        candidates = [self.edges[self.starts[p] : self.starts[p + 1]].tolist() for p in pids]
        found = []
        for way in _ways(candidates, 0, frozenset()):
            found.append(way)
            if len(found) > _MOST_LISTED:
                return None
        return np.array(found, np.int64)

    def _draw(self, part: _Part, count: int, rng: np.random.Generator, halt: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Draw matchings of a part, a line each with the customers of its pseudonyms; fewer if halted."""
        if part.listed is not None:
            return part.listed[rng.integers(0, len(part.listed), count)].astype(np.int32)
        first = int(part.pids[0])
        if first not in self._changes:
            self._changes[first] = self._settle(part, rng)
        found = np.empty((count, len(part.pids)), np.int32)
        arguments = self.starts, self.edges, part.pids, self._match, self._owner
        drawn, _ = _draw_matchings(*arguments, self._changes[first], rng, found, halt)
        return found[:drawn]

    def _settle(self, part: _Part, rng: np.random.Generator) -> int:
        """Change the matching of a part until it does not depend on the first; return the changes for a new one."""
        size, changes, choices = len(part.pids), 0, 0
        one = np.empty((1, size), np.int32)
        while choices < _CHOICES_BEFORE * size:
            _, more = _draw_matchings(
                self.starts, self.edges, part.pids, self._match, self._owner, size, rng, one, _NEVER
            )
            choices += more
            changes += size
        return -(-_CHOICES_BETWEEN * size * changes // choices)

    @checked
    def draw_all(self, count: int, rng: np.random.Generator) -> NDArray[np.int32]:
        """Draw matchings of the whole graph, a line each with the customer of each pseudonym."""
        if count < 0:
            raise OptionNotUsable(f"count must be 0 or more, not {count}.")
        return self._draw_until(count, rng, Deadline(None))

    def _draw_until(self, count: int, rng: np.random.Generator, deadline: Deadline) -> NDArray[np.int32]:
        """Draw so many matchings, or those that there is time for, but as many as there are batches at least."""
        found = np.empty((count, len(self)), np.int32)
        drawn = count
        for part in self.parts:
            if deadline.over:
                drawn = min(drawn, _BATCHES)
            lines = self._draw(part, drawn, rng, deadline.halt)
            if len(lines) < min(_BATCHES, drawn):
                lines = np.concatenate([lines, self._draw(part, min(_BATCHES, drawn) - len(lines), rng, _NEVER)])
            drawn = len(lines)
            found[:drawn, part.pids] = lines
        return found[:drawn]

    @checked
    def hits(self, guesses: Integers, drawn: NDArray[np.int32]) -> tuple[Numbers, bool]:
        """Return the probabilities of 0, 1, ... hits, a line for each batch of drawings, and whether they are exact.

        Parts are independent of each other: of each the hits are counted apart, where all is listed without drawing.
        """
        if guesses.ndim != 2 or guesses.shape[1] != 2 or not np.isin(guesses[:, 0], np.arange(len(self))).all():
            raise OptionNotUsable("guesses must be lines of a pseudonym that there is and a customer.")
        if drawn.ndim != 2 or drawn.shape[1] != len(self):
            raise OptionNotUsable(f"drawn must be lines of {len(self)} customers.")
        found = np.ones((_BATCHES, 1))
        exact = True
        for number in np.unique(self.part_of[guesses[:, 0]]).tolist():
            part = self.parts[number]
            inside = guesses[self.part_of[guesses[:, 0]] == number]
            if part.listed is None:
                exact = False
                batches = np.array_split((drawn[:, inside[:, 0]] == inside[:, 1]).sum(axis=1), _BATCHES)
            else:
                places = np.searchsorted(part.pids, inside[:, 0])
                batches = [(part.listed[:, places] == inside[:, 1]).sum(axis=1)]
            counted = [np.bincount(batch, minlength=len(inside) + 1) / len(batch) for batch in batches]
            counted *= _BATCHES // len(counted)
            found = np.array([np.convolve(one, other) for one, other in zip(found, counted, strict=True)])
        return found, exact


def _ways(candidates: Sequence[Sequence[int]], place: int, taken: frozenset[int]) -> Iterator[tuple[int, ...]]:
    """Yield all ways to take a different number from each list."""
    if place == len(candidates):
        yield ()
        return
    for chosen in candidates[place]:
        if chosen not in taken:
            for others in _ways(candidates, place + 1, taken | {chosen}):
                yield (chosen, *others)


@checked
def matching_safety(
    matchings: Matchings,
    *,
    p: Fraction = CONTEST_P,
    alpha: Fraction = CONTEST_ALPHA,
    attacks: int = 1,
    thresholds: Integers | None = None,
    samples: int = SAMPLES,
    seconds: float | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> MatchingSafety:
    """Return how probably the best guesses found are effective if all matchings are equally probable.

    After `seconds` the answer comes from those of the `samples` that are drawn and the guesses that are tried by then.
    """
    if attacks < 1:
        raise OptionNotUsable(f"The number of attacks is 1 or more, not {attacks}.\nHint: --attacks 20")
    if samples < _BATCHES:
        raise OptionNotUsable(f"At least {_BATCHES} matchings are drawn, not {samples}.\nHint: {SAMPLES}")
    most = len(matchings)
    needed = success_thresholds(most, p, alpha) if thresholds is None else check_thresholds(thresholds, most)
    rng = np.random.default_rng(seed)
    count = max(_BATCHES, min(samples, _MOST_DRAWN_CELLS // len(matchings)))
    whole = Deadline(seconds)
    with whole.part(_DRAWING_SHARE) as deadline:
        drawn = matchings._draw_until(count, rng, deadline)
    with whole.part(_CHOOSING_SHARE) as deadline:
        plans = _best_plans(matchings, needed, drawn, rng, deadline, progress)
    progress("judging guesses", 0, 1)
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


def _tail(distributions: Numbers, needed: Integers) -> Numbers:
    """Return the probability of enough hits in each batch."""
    guesses = distributions.shape[1] - 1
    found: Numbers = distributions[:, min(int(needed[guesses]), guesses + 1) :].sum(axis=1)
    return found


def _interval(reached: Numbers, count: int, *, exact: bool) -> tuple[float, float]:
    """Return the interval of 95 % around the mean of the batches; with no success at all the rule of three."""
    mean = float(reached.mean())
    if exact:
        return mean, mean
    half = _QUANTILE * float(reached.std(ddof=1)) / len(reached) ** 0.5
    return max(0.0, mean - half), min(1.0, max(mean + half, 3 / count))


def _best_plans(
    matchings: Matchings,
    needed: Integers,
    drawn: NDArray[np.int32],
    rng: np.random.Generator,
    deadline: Deadline,
    progress: Progress,
) -> list[Integers]:
    """Return the guesses that are most often effective in drawn matchings, at most some plans.

    They are made from one half of the drawings and compared on the other; what is listed is compared exactly.
    """
    own, others = np.array_split(drawn, 2)
    order = _likely_edges(matchings, own)
    by_pid = order[np.sort(np.unique(order[:, 0], return_index=True)[1])]
    holders = np.argsort(matchings.edges, kind="stable")
    holder_starts = np.searchsorted(matchings.edges[holders], np.arange(matchings.customers + 1))
    graph = matchings.starts, matchings.edges, holder_starts, matchings.pids[holders], by_pid
    scored: list[tuple[float, int, Integers]] = []

    def score(guesses: Integers) -> None:
        chances = _chances(own, guesses, needed)
        plans = [guesses[:n] for n in np.argsort(-chances)[:3].tolist() if chances[n] > 0]
        scored.extend((_chance(matchings, plan, others, needed), len(plan), plan) for plan in plans)

    score(by_pid)
    chosen = _first_guesses(matchings, order, rng)
    for done, (place, stay) in enumerate(product(chosen, (False, True))):
        progress("choosing guesses", done, 2 * len(chosen))
        if deadline.over:
            break
        found = np.empty((min(_MOST_TOGETHER, len(matchings)), 2), np.int64)
        found[0] = order[place]
        score(found[: _grow_guesses(own, *graph, stay, found)])
    scored.sort(key=lambda found: (-found[0], found[1]))
    return [plan for _, _, plan in scored[:_FINALISTS]]


def _chance(matchings: Matchings, guesses: Integers, drawn: NDArray[np.int32], needed: Integers) -> float:
    """Return how often guesses have enough hits, exactly if all of them are in parts that are listed."""
    listed = [matchings.parts[number].listed is not None for number in set(matchings.part_of[guesses[:, 0]].tolist())]
    if all(listed):
        return float(_tail(matchings.hits(guesses, drawn)[0], needed)[0])
    right = (drawn[:, guesses[:, 0]] == guesses[:, 1]).sum(axis=1)
    return float((right >= needed[len(guesses)]).mean())


def _first_guesses(matchings: Matchings, order: Integers, rng: np.random.Generator) -> list[int]:
    """Return places of guesses to begin with: the first of the smallest parts, the first of all, and any."""
    parts, first = np.unique(matchings.part_of[order[:, 0]], return_index=True)
    sizes = np.array([len(matchings.parts[number].pids) for number in parts.tolist()])
    smallest = first[np.argsort(sizes, kind="stable")][:_STARTS].tolist()
    likely = range(min(_STARTS, len(order)))
    return list(dict.fromkeys([*smallest, *likely, *rng.permutation(len(order))[:_STARTS].tolist()]))


def _likely_edges(matchings: Matchings, drawn: NDArray[np.int32]) -> Integers:
    """Return pseudonyms and customers, those that are most often together first."""
    counts = [
        np.bincount(drawn[:, p], minlength=matchings.customers)[
            matchings.edges[matchings.starts[p] : matchings.starts[p + 1]]
        ]
        for p in range(len(matchings))
    ]
    order = np.argsort(-np.concatenate(counts), kind="stable")
    return np.stack([matchings.pids, matchings.edges], axis=1)[order]


def _chances(drawn: NDArray[np.int32], guesses: Integers, needed: Integers) -> Numbers:
    """Return how often the first n guesses have enough hits, for n = 0, 1, ..."""
    hits = np.zeros(len(drawn), np.int64)
    found = np.zeros(len(guesses) + 1)
    for n, (pid, customer) in enumerate(guesses.tolist(), start=1):
        hits += drawn[:, pid] == customer
        found[n] = np.count_nonzero(hits >= needed[n]) / len(drawn)
    return found
