"""Whether an attack re-identified persons effectively.

Hamada et al.: Report on the anonymization and re-identification contest PWSCUP 2018, sections 2.3.2 and 4.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.errors import OptionNotUsable
from sudare.histories.attack.guesses import Guesses
from sudare.histories.attack.truth import true_customers
from sudare.histories.generalized.model import CellHistory
from sudare.histories.safety.thresholds import (
    CONTEST_ALPHA,
    CONTEST_P,
    TESTS,
    Test,
    check_thresholds,
    success_threshold,
)
from sudare.results import Result
from sudare.showing import dataclass
from sudare.statistics.shares import Share


@dataclass(frozen=True, slots=True)
class AttackVerdict(Result):
    """What one test says about an attack: the hits needed, and how many more (or, if negative, fewer) there were."""

    test: Test
    threshold: int
    margin: int

    @property
    def effective(self) -> bool:
        """Whether there were enough hits."""
        return self.margin >= 0

    def to_dict(self) -> dict[str, Any]:
        """Return the fields and derived values as plain values."""
        return {"threshold": self.threshold, "margin": self.margin, "effective": self.effective}


@dataclass(frozen=True, slots=True)
class Judgement(Result):
    """An attack's guesses n' and hits s, and what the contest's test and the tight test say about them.

    Without a guess nothing was `tried`: the data are neither found unsafe nor shown to resist anything.
    """

    guesses: int
    hits: int
    contest: AttackVerdict
    tight: AttackVerdict

    @property
    def tried(self) -> bool:
        """Whether there was any guess."""
        return self.guesses > 0

    @property
    def could_be_effective(self) -> bool:
        """Whether this number of guesses would be effective if all were right; otherwise failing proves nothing."""
        return self.contest.threshold <= self.guesses

    @property
    def effective(self) -> bool:
        """Whether the attack was effective by the rules of the contest: the data are not safe."""
        return self.contest.effective

    def to_dict(self) -> dict[str, Any]:
        """Return the fields and derived values as plain values."""
        return {
            "tried": self.tried,
            "guesses": self.guesses,
            "hits": self.hits,
            **self.contest.to_dict(),
            "tight": self.tight.to_dict(),
        }


@checked
def judge_guesses(
    guesses: Guesses,
    original: CellHistory,
    anonymized: CellHistory,
    *,
    p: Share = CONTEST_P,
    alpha: Share = CONTEST_ALPHA,
    thresholds: NDArray[np.int64] | None = None,
) -> Judgement:
    """Judge guesses on the published part of an anonymized history; its row i belongs to row i of the original.

    `thresholds` are a contest's own and override the formula; they must cover every published pseudonym. A guess for an
    unpublished pseudonym is a miss.
    """
    pids, customers = true_customers(original, anonymized)
    if thresholds is not None:
        check_thresholds(thresholds, max(len(pids), len(guesses)))
    places = np.searchsorted(pids, guesses.pids)
    known = places < len(pids)
    known[known] = pids[places[known]] == guesses.pids[known]
    hits = int(np.count_nonzero(customers[places[known]] == guesses.customers[known]))
    return judge_hits(len(guesses), hits, p=p, alpha=alpha, thresholds=thresholds)


@checked
def judge_hits(
    guesses: int,
    hits: int,
    *,
    p: Share = CONTEST_P,
    alpha: Share = CONTEST_ALPHA,
    thresholds: NDArray[np.int64] | None = None,
) -> Judgement:
    """Judge an attack by its numbers of guesses and hits."""
    if not 0 <= hits <= guesses:
        raise OptionNotUsable("errors.safety.hits", guesses=guesses, hits=hits)
    needed = {test: success_threshold(guesses, p, alpha, test=test) for test in TESTS}
    if thresholds is not None:
        needed["contest"] = int(check_thresholds(thresholds, guesses)[guesses])
    contest, tight = (AttackVerdict(test, needed[test], hits - needed[test]) for test in TESTS)
    return Judgement(guesses, hits, contest, tight)
