"""The best guesses of an attacker who knows the classes and nothing else.

A plan says how many classes of each size get which claims (`guess_patterns`). Its hits are a sum of independent
numbers, one for each class, so their distribution is a convolution of non-negative numbers: no digit is lost.

Three steps, proved in `docs/explanation/contest-safety.md`:

1. Plain plans: different customers are claimed in the smallest classes, and each of the classes after them is claimed
   to be one customer, one sure hit for as many guesses as it has persons. All of these are tried.
2. For each number of guesses, a bound (Chernoff's) on what any guesses at all can reach.
3. Where the bound is above the best plan found, all plans are tried, as far as they are not too many. If that was done
   everywhere, the best plan is the best of all guesses; else the largest bound that is left is stated.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.errors import OptionNotUsable
from sudare.histories.safety.guess_plans import GuessPlan, best_plain_plan
from sudare.histories.safety.plan_search import PlanSearch, TooMany, reach_bounds
from sudare.histories.safety.thresholds import check_thresholds
from sudare.results import Result
from sudare.showing import dataclass

# Guesses beyond are not planned, only bounded; r(n) / n hardly changes there.
MOST_GUESSES = 3000
# Steps of the search through all plans: a few seconds.
MOST_STEPS = 100_000


@dataclass(frozen=True, slots=True)
class BestGuesses(Result):
    """The best plan found, and a `bound`: a probability that no guesses can exceed.

    Both are equal if the plan is `proven` to be the best of all.
    """

    plan_found: GuessPlan
    bound: float
    proven: bool


@checked
def find_best_guesses(
    classes: Mapping[int, int], thresholds: NDArray[np.int64], *, most_steps: int = MOST_STEPS
) -> BestGuesses:
    """Return the best guesses found for classes, given as size -> number, against the thresholds r(0), r(1), ...

    Guessing a customer of another class is a certain miss; it never helps where thresholds do not decrease.
    """
    if not classes or min(classes) < 1 or min(classes.values()) < 1:
        raise OptionNotUsable("errors.safety.no_class")
    sizes = np.repeat(*(np.array(part, np.int64) for part in zip(*sorted(classes.items()), strict=True)))
    thresholds = check_thresholds(thresholds, int(sizes.sum()))
    bounds, weights = reach_bounds(classes, thresholds)
    plan = best_plain_plan(sizes, thresholds[: MOST_GUESSES + 1])
    search = PlanSearch(classes, thresholds, most_steps)
    left = 0.0
    for n in np.argsort(-bounds, kind="stable").tolist():
        if bounds[n] <= plan.probability:
            break
        try:
            plan = search.better(n, weights[n], plan.probability) or plan
        except TooMany:
            left = max(left, float(bounds[n]))
    bound = max(plan.probability, left)
    return BestGuesses(plan, bound, proven=bound <= plan.probability)
