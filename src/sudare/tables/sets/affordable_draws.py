"""Uniform sampling of the maximal attribute sets within a budget, where there are too many to list.

A maximal set of attributes that are sold one by one is determined by the cheapest offer that is not taken: all cheaper
ones are taken, and enough of the others that less than its price is left. How many choices of the last offers cost
how much is counted once, from the last offer on; then a choice is drawn offer by offer. Where prices are too fine for
this table, they are rounded down, and draws that are not maximal sets within the true budget are left out. So
are, where there are bundles, sets that other bundles can extend; a set that several choices of bundles reveal is kept
as often as the others, by chance.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from sudare.errors import OptionNotUsable
from sudare.showing import dataclass
from sudare.tables.sets.costs import Cashier, Offers

# Steps of the budget in the tables of counts, of which there is one for each choice of bundles: some 30 MB.
MOST_STEPS = 5000
# Choices of bundles that are told apart.
MOST_CHOICES = 100
# Draws in a row of which none is a maximal set, after which there are taken to be none.
MOST_MISSES = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class _Filling:
    """The choices of single offers, cheapest first, that fill what some bundles leave of the budget.

    `firsts` are (how many choices, the first offer not taken, the least that the later ones cost).
    """

    revealed: int
    left: int
    offers: Sequence[tuple[int, int]]
    steps: Sequence[int]
    counts: Sequence[Sequence[int]]
    firsts: Sequence[tuple[int, int, int]]

    @property
    def total(self) -> int:
        """How many choices there are, some of which may not be maximal where prices were rounded."""
        return sum(count for count, *_ in self.firsts)

    def draw(self, dice: random.Random) -> int:
        """Draw one of the choices, all alike, and return what it reveals."""
        number = dice.randrange(self.total)
        for count, first, low in self.firsts:
            if number < count:
                return self.revealed | self._taken(first) | self._later(first + 1, low, number)
            number -= count
        raise RuntimeError("A number below the total belongs to one of the parts")

    def _taken(self, first: int) -> int:
        return sum(mask for _, mask in self.offers[:first])

    def _later(self, offer: int, low: int, number: int) -> int:
        """Return what the choice with a number, of the later offers that cost `low` or more, reveals."""
        if offer > len(self.offers):
            return 0
        cost = low
        while number >= self.counts[offer][cost]:
            number -= self.counts[offer][cost]
            cost += 1
        mask = 0
        for at in range(offer, len(self.offers)):
            without = self.counts[at + 1][cost]
            if number >= without:
                number -= without
                cost -= self.steps[at]
                mask |= self.offers[at][1]
        return mask


def _filling(offers: Offers, revealed: int, left: int, most_steps: int) -> _Filling:
    """Count the choices of single offers that fill what some bundles leave of the budget."""
    single = sorted(
        (cost, 1 << bit) for bit, cost in enumerate(offers.single) if cost is not None and not revealed >> bit & 1
    )
    step = max(1, -(-left // most_steps))
    steps, most = [cost // step for cost, _ in single], left // step
    counts = [[0] * (most + 1) for _ in range(len(single) + 1)]
    counts[-1][0] = 1
    for at in range(len(single) - 1, -1, -1):
        later, mine, price = counts[at + 1], counts[at], steps[at]
        for cost in range(most + 1):
            mine[cost] = later[cost] + (later[cost - price] if cost >= price else 0)
    return _Filling(revealed, left, single, steps, counts, tuple(_firsts(single, left, step, counts)))


def _firsts(
    single: Sequence[tuple[int, int]], left: int, step: int, counts: Sequence[Sequence[int]]
) -> Iterator[tuple[int, int, int]]:
    """Yield how many choices there are for each first offer that is not taken, and the least their later ones cost."""
    for first, (cost, _) in enumerate(single):
        # True costs are from left - cost + 1 to left; rounded ones are less by at most a step for each later offer.
        slack = len(single) - 1 - first if step > 1 else 0
        low = max(0, (left - cost + 1) // step - slack) if cost <= left else 0
        count = sum(counts[first + 1][low : left // step + 1]) if cost else 0
        if count:
            yield count, first, low
        if cost > left:
            return
        left -= cost
    # All are taken: there is no offer whose place could be told.
    yield 1, len(single), 0


def _different(bundles: Iterator[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the different choices of bundles, what they reveal and leave of the budget; too many are refused."""
    found: dict[tuple[int, int], None] = {}
    for choice in bundles:
        found[choice] = None
        if len(found) > MOST_CHOICES:
            raise OptionNotUsable("errors.sets.too_many_choices", most=MOST_CHOICES)
    return list(found)


class Draws:
    """Draws of maximal sets within a budget.

    `maximal` is how many there are, None if that is not known: where prices are rounded or there are bundles.
    """

    def __init__(self, offers: Offers, bundles: Iterator[tuple[int, int]], seed: int) -> None:
        self._offers, self._cashier = offers, Cashier(offers)
        self._choices = _different(bundles)
        steps = max(1, MOST_STEPS // len(self._choices))
        self._fillings = [_filling(offers, *choice, steps) for choice in self._choices]
        self._ends = list(accumulate(filling.total for filling in self._fillings))
        self._dice = random.Random(seed)  # noqa: S311
        exact = not offers.bundles and offers.budget <= MOST_STEPS
        self.maximal = self._ends[-1] if exact else None

    def __iter__(self) -> Iterator[int]:
        """Yield maximal sets, each as likely as every other, for ever, or until none is found for long."""
        misses = 0
        while misses < MOST_MISSES:
            place = bisect_right(self._ends, self._dice.randrange(self._ends[-1]))
            mask = self._fillings[place].draw(self._dice)
            if self.maximal is None and not self._kept(mask, self._fillings[place]):
                misses += 1
                continue
            misses = 0
            yield mask

    def _kept(self, mask: int, filling: _Filling) -> bool:
        """Keep maximal sets that their filling has, one that several fillings have with the chance of one of them."""
        if not self._fills(mask, filling.revealed, filling.left) or not self._is_maximal(mask):
            return False
        ways = sum(self._fills(mask, *choice) for choice in self._choices)
        return ways == 1 or self._dice.randrange(ways) == 0

    def _fills(self, mask: int, revealed: int, left: int) -> bool:
        """Say whether some bundles and single offers for what they leave of the budget reveal a set and no more."""
        if revealed & ~mask:
            return False
        for bit, cost in enumerate(self._offers.single):
            if mask >> bit & 1 and not revealed >> bit & 1:
                if cost is None:
                    return False
                left -= cost
        others = [
            cost
            for bit, cost in enumerate(self._offers.single)
            if cost is not None and not (mask | revealed) >> bit & 1
        ]
        return left >= 0 and all(cost > left for cost in others)

    def _is_maximal(self, mask: int) -> bool:
        every = (1 << len(self._offers.single)) - 1
        missing = (bit for bit in range(every.bit_length()) if not mask >> bit & 1)
        return all(self._cashier.cost(mask | 1 << bit) > self._offers.budget for bit in missing)


__all__ = ["Draws"]
