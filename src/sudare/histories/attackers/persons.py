"""Knowledge about several persons at once (Ito, Kikuchi, Nakagawa, section 4.4.2).

The attacker knows something of the same kind, x_1 to x_p, about each of p different customers. Alone, each would be one
of |U_x| pseudonyms. Together they are p different pseudonyms, one of each U_x: the attacker picks one of all such
assignments, each with the same probability. For one person this is the paper's measure. Which values are known of which
customers is left to chance as there: the weight of p facts about different customers is the product of their weights.

Assignments are counted by inversion over the partitions of the persons (Rota): a block b of persons who would have the
same pseudonym has |intersection of U_x| choices, and the factor (-1)^(|b| - 1) (|b| - 1)!.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from functools import partial
from itertools import chain, combinations, islice
from math import comb, factorial, perm, prod
from typing import Any

import numpy as np

from sudare.arguments import checked
from sudare.errors import OptionNotUsable
from sudare.histories.attackers.assessment import check_weighting
from sudare.histories.attackers.crowds import Weighting
from sudare.histories.attackers.facts import facts
from sudare.histories.attackers.knowledge import Knowledge, parse_knowledge
from sudare.histories.attackers.sampling import MOST_EMPTY_BATCHES
from sudare.histories.attackers.values import check_countable
from sudare.histories.model import History
from sudare.kernels.common.arrays import Floats, Ints
from sudare.limits import MOST_PERSON_COMBINATIONS, SAMPLES
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass
from sudare.statistics.intervals import mean_interval

Measures = dict[str, Any]
Step = Callable[[int, int], None]

# There are 52 partitions of five persons; beyond, nearly every knowledge identifies everybody or is too much to know.
MOST_PERSONS = 5
# What an engine that shows no people does not show.
PEOPLE = message("errors.people.several")
# Combinations that are looked at together, and how many members of crowds they may have.
BATCH = 10_000
MOST_MEMBERS = 4_000_000


@dataclass(frozen=True, slots=True)
class PersonsRisk(Result):
    """How well an attacker who knows something about each of several persons recognizes them.

    `measured` is the mean probability that one of them is identified, `alone` the same if each is searched for without
    the others, `together` the probability that all of them are. `certain` is the weight of knowledge that fits a single
    assignment only. If there were too many combinations to count, these are estimates from a `sample`, and `interval`
    and `interval_together` contain the true values with 95 % confidence.
    """

    _hidden = ("history",)

    knowledge: Knowledge
    persons: int
    weighting: Weighting
    seed: int
    measured: float
    alone: float
    together: float
    certain: float
    history: History = field(repr=False, compare=False)
    interval: tuple[float, float] | None = None
    interval_together: tuple[float, float] | None = None
    sample: int | None = None


@checked
def assess_persons(
    history: History,
    knowledge: str | Knowledge,
    *,
    persons: int = 2,
    weighting: Weighting = "occurrence",
    seed: int = 0,
    most_combinations: int = MOST_PERSON_COMBINATIONS,
    samples: int = SAMPLES,
    progress: Progress = silent,
) -> PersonsRisk:
    """Measure what one kind of knowledge about each of `persons` different customers gives away.

    Up to `most_combinations` combinations are counted exactly; beyond that, `samples` are drawn.
    """
    check_weighting(weighting)
    check_persons(history, persons)
    known = parse_knowledge(knowledge) if isinstance(knowledge, str) else knowledge
    check_countable(history, known)
    measures = _nothing_known(persons, history.customers)
    if known.parts:
        found = _KnownFacts(history, known, weighting)
        step = partial(progress, message("progress.persons", persons=persons, knowledge=known))
        if np.count_nonzero(np.bincount(found.customers)) < persons:
            measures = _named(np.zeros(4))
        elif comb(len(found.values), persons) <= most_combinations:
            measures = _counted(found, persons, step)
        else:
            measures = _drawn(found, persons, samples, np.random.default_rng(seed), step)
    return PersonsRisk(known, persons, weighting, seed, history=history, **measures)


def check_persons(history: History, persons: int) -> None:
    """Raise OptionNotUsable unless the number of persons is possible, and the engine shows people."""
    history.engine.check_people(PEOPLE)
    most = min(MOST_PERSONS, history.customers)
    if not 1 <= persons <= most:
        raise OptionNotUsable("errors.attackers.persons", most=most, persons=persons)


def _nothing_known(persons: int, customers: int) -> Measures:
    together = 1 / perm(customers, persons)
    return _named(np.array([1 / customers, 1 / customers, together, together == 1]))


class _KnownFacts:
    """What can be known of whom, in the order of the values: fact i is that `customers[i]` has `values[i]`."""

    def __init__(self, history: History, knowledge: Knowledge, weighting: Weighting) -> None:
        found = facts(history, knowledge)
        weight = "occurrences" if weighting == "occurrence" else "records"
        value = f"dense_rank() OVER (ORDER BY {', '.join(found.keys)}) - 1"
        query = f"SELECT {value} AS value, customer, CAST({weight} AS DOUBLE) AS weight FROM ({found.query})"
        columns = history.engine.people_columns(f"SELECT * FROM ({query}) ORDER BY value, customer", PEOPLE)
        self.values, self.customers = (columns[name].astype(np.int64) for name in ("value", "customer"))
        self.weights: Floats = columns["weight"].astype(np.float64)
        self.sizes = np.bincount(self.values)
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)])

    def chances(self, chosen: Ints) -> Floats:
        """Return for combinations of facts: chance of one person, the same alone, chance of all, is it certain."""
        if not len(chosen):
            return np.zeros((0, 4))
        members = np.cumsum(self.sizes[self.values[chosen]].sum(axis=1))
        cuts = np.flatnonzero(np.diff(members // MOST_MEMBERS)) + 1
        return np.concatenate([self._chances(part) for part in np.split(chosen, cuts)])

    def _chances(self, chosen: Ints) -> Floats:
        values, persons = self.values[chosen], chosen.shape[1]
        shared, masks = self._shared(values, self.customers[chosen])
        ways = _assignments(shared, tuple(range(persons)))
        right = np.zeros(len(chosen))
        for person in range(persons):
            others = tuple(other for other in range(persons) if other != person)
            # Whoever is identified is nobody else.
            taken = (np.arange(shared.shape[1]) & ~masks[:, person, None]) == 0
            right += _assignments(shared - taken, others) / ways
        alone = (1 / self.sizes[values]).mean(axis=1)
        return np.column_stack([right / persons, alone, 1 / ways, ways == 1])

    def _shared(self, values: Ints, customers: Ints) -> tuple[Floats, Ints]:
        """Return how many customers have all values of each set of persons (a mask), and which each person has."""
        rows, persons = values.shape
        sizes = self.sizes[values].ravel()
        firsts = np.repeat(self.starts[values].ravel() - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes)
        members = self.customers[firsts + np.arange(len(firsts))]
        width = int(self.customers.max()) + 1
        keys = np.repeat(np.repeat(np.arange(rows), persons), sizes) * width + members
        bits = np.repeat(np.tile(1 << np.arange(persons), rows), sizes)
        order = np.argsort(keys, kind="stable")
        keys, bits = keys[order], bits[order]
        first = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
        keys, masks = keys[first], np.bitwise_or.reduceat(bits, first)
        shared = np.bincount((keys // width << persons) + masks, minlength=rows << persons).reshape(rows, -1)
        for bit in (1 << np.arange(persons)).tolist():
            without = np.flatnonzero(np.arange(1 << persons) & bit == 0)
            shared[:, without] += shared[:, without | bit]
        own = masks[np.searchsorted(keys, np.arange(rows)[:, None] * width + customers)]
        return shared.astype(np.float64), own


def _assignments(shared: Floats, persons: tuple[int, ...]) -> Floats:
    """Count the ways to give each person a pseudonym that fits, no two the same.

    The truth is one of them, and then there are at least the product of |U_i| - i + 1, the smallest crowds first
    (Rado): what rounding takes off the product of the crowds stays far below the count.
    """
    found = np.zeros(len(shared))
    for blocks in _partitions(persons):
        sign = prod((-1) ** (len(block) - 1) * factorial(len(block) - 1) for block in blocks)
        masks = [sum(1 << person for person in block) for block in blocks]
        found += sign * np.prod(shared[:, masks], axis=1)
    return found


def _partitions(persons: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
    if not persons:
        yield []
        return
    first, *rest = persons
    for blocks in _partitions(tuple(rest)):
        yield [(first,), *blocks]
        for place, block in enumerate(blocks):
            yield [*blocks[:place], (first, *block), *blocks[place + 1 :]]


def _counted(found: _KnownFacts, persons: int, progress: Step) -> Measures:
    """Enumerate all combinations of facts about different customers."""
    total, done = comb(len(found.values), persons), 0
    choices, sums, weight = combinations(range(len(found.values)), persons), np.zeros(4), 0.0
    while done < total:
        size = min(BATCH, total - done)
        flat = chain.from_iterable(islice(choices, size))
        chosen = _different(found, np.fromiter(flat, np.int64, size * persons).reshape(size, persons))
        weights = found.weights[chosen].prod(axis=1)
        sums, weight = sums + weights @ found.chances(chosen), weight + float(weights.sum())
        done += size
        progress(done, total)
    return _named(sums / weight)


def _drawn(found: _KnownFacts, persons: int, samples: int, rng: np.random.Generator, progress: Step) -> Measures:
    """Draw facts by their weights; those about the same customer are drawn again, which leaves the others as likely."""
    parts: list[Floats] = []
    past, left, empty = np.cumsum(found.weights), samples, 0
    while left:
        points = rng.random((BATCH, persons)) * past[-1]
        chosen = _different(found, np.minimum(np.searchsorted(past, points, side="right"), len(past) - 1))[:left]
        empty = 0 if len(chosen) else empty + 1
        if empty > MOST_EMPTY_BATCHES:
            raise OptionNotUsable("errors.attackers.persons_rare", persons=persons)
        parts += [found.chances(chosen)] if len(chosen) else []
        left -= len(chosen)
        progress(samples - left, samples)
    chances = np.concatenate(parts)
    # The chance of one and of all.
    ends = [mean_interval(chances[:, column])[1:] for column in (0, 2)]
    return {**_named(chances.mean(axis=0)), "interval": ends[0], "interval_together": ends[1], "sample": samples}


def _named(means: Floats) -> Measures:
    return dict(zip(("measured", "alone", "together", "certain"), means.tolist(), strict=True))


def _different(found: _KnownFacts, chosen: Ints) -> Ints:
    """Keep the combinations of facts about different customers."""
    customers = np.sort(found.customers[chosen], axis=1)
    different: Ints = chosen[(customers[:, 1:] != customers[:, :-1]).all(axis=1)]
    return different
