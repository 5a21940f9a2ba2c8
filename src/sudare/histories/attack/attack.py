"""Attacking a published history: who is behind each pseudonym, with what confidence, and how many guesses to submit."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.errors import OptionNotUsable
from sudare.histories.attack.guess_choice import choose_guesses
from sudare.histories.attack.known import KnownHistory
from sudare.histories.attack.linkage import Linkage
from sudare.histories.attack.methods import DEFAULT_METHOD, Attacks, Links, check_method
from sudare.histories.generalized.model import CellHistory
from sudare.histories.safety.thresholds import CONTEST_ALPHA, CONTEST_P, success_thresholds
from sudare.kernels.common.arrays import Ints
from sudare.progress import Progress, silent
from sudare.results import Result, Row
from sudare.showing import dataclass
from sudare.statistics.shares import Share


@dataclass(frozen=True, slots=True, eq=False)
class Attack(Result):
    """The guesses of an attack, most confident first, and what the attacker expects of them.

    Guess i says that the pseudonym `pids[i]` is the customer `customers[i]`, with probability `confidence[i]`. `needed`
    is the number of hits that makes the attack effective, `chance` the attacker's own estimate of reaching it. Of
    `pseudonyms` in total, `tried` were precise enough to look up, and `linked` had a candidate.
    """

    _row = ("pid", "customer", "confidence")

    method: str
    pids: Ints
    customers: Ints
    confidence: NDArray[np.float64]
    needed: int
    expected: float
    chance: float
    pseudonyms: int
    linked: int
    tried: int
    known: dict[str, Any]

    def __len__(self) -> int:
        return len(self.pids)

    def to_dict(self) -> dict[str, Any]:
        """Return everything except the guesses as plain values."""
        return {
            "method": self.method,
            "known": self.known,
            "pseudonyms": self.pseudonyms,
            "tried": self.tried,
            "linked": self.linked,
            "guesses": len(self),
            "needed": self.needed,
            "expected_hits": self.expected,
            "chance": self.chance,
            "confidence": {
                "greatest": float(self.confidence[0]) if len(self) else None,
                "median": float(np.median(self.confidence)) if len(self) else None,
                "least": float(self.confidence[-1]) if len(self) else None,
            },
        }

    def to_rows(self) -> list[Row]:
        """Return one row per guess, most confident first."""
        guesses = zip(self.pids.tolist(), self.customers.tolist(), self.confidence.tolist(), strict=True)
        return [{"pid": pid, "customer": customer, "confidence": sure} for pid, customer, sure in guesses]


@checked
def attack_history(
    known: KnownHistory,
    published: CellHistory,
    *,
    method: str = DEFAULT_METHOD,
    guesses: int | None = None,
    p: Share = CONTEST_P,
    alpha: Share = CONTEST_ALPHA,
    seed: int = 0,
    progress: Progress = silent,
) -> Attack:
    """Attack a published history and choose `guesses` guesses (None: the number most likely to be effective)."""
    check_method(method)
    attacks = Attacks(Linkage(known, published, seed=seed), progress=progress)
    return make_attack(attacks, method, guesses=guesses, p=p, alpha=alpha)


def make_attack(
    attacks: Attacks,
    method: str,
    *,
    guesses: int | None = None,
    p: Share = CONTEST_P,
    alpha: Share = CONTEST_ALPHA,
) -> Attack:
    """Run one method of several on the same published history."""
    if guesses is not None and guesses < 0:
        raise OptionNotUsable("errors.attack.guesses", guesses=guesses)
    linkage = attacks.linkage
    links = attacks.run(method)
    there = np.flatnonzero(links.customers >= 0)
    thresholds = success_thresholds(len(linkage.pids), p, alpha)
    chosen = choose_guesses(links.confidence[there], linkage.groups[there], linkage.multiplicity, thresholds, guesses)
    places = there[chosen.places]
    return _attack(method, linkage, links, places, chosen.needed, chosen.expected, chosen.chance)


def _attack(
    method: str, linkage: Linkage, links: Links, places: Ints, needed: int, expected: float, chance: float
) -> Attack:
    return Attack(
        method=method,
        pids=linkage.pids[places],
        customers=linkage.customers[links.customers[places]],
        confidence=links.confidence[places],
        needed=needed,
        expected=expected,
        chance=chance,
        pseudonyms=len(linkage.pids),
        linked=int((links.customers >= 0).sum()),
        tried=links.tried,
        known=linkage.knowledge.to_dict(),
    )
