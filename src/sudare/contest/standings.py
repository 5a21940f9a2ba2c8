"""The outcome of a contest: which anonymized histories withstood all attacks, and their ranking.

Hamada et al.: Report on the anonymization and re-identification contest PWSCUP 2018, sections 2.3 and 2.4: a history
that one attack re-identifies effectively is out; among the others the least U wins. That a history was not broken, or
not even attacked, is all that is said of it: weak attackers do not make it safe.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from sudare.histories.safety.judgement import Judgement
from sudare.results import Result
from sudare.showing import dataclass

Outcome = Literal["broken", "withstood", "not_attacked"]


@dataclass(frozen=True, slots=True)
class Attack(Result):
    """One attack on one history, by the names of attacker and target, and how it was judged."""

    attacker: str
    target: str
    judgement: Judgement

    def to_dict(self) -> dict[str, Any]:
        """Return all as plain values."""
        return {"attacker": self.attacker, "target": self.target, **self.judgement.to_dict()}


@dataclass(frozen=True, slots=True)
class Standing(Result):
    """Where a history stands: `rank` is None if it is broken, `tied` names the others of the same rank.

    `attacks` had enough guesses to be effective, `effective` of them were.
    """

    name: str
    utility: float
    attacks: int
    effective: int
    rank: int | None
    tied: tuple[str, ...]

    @property
    def outcome(self) -> Outcome:
        """What the attacks showed."""
        if self.effective:
            return "broken"
        return "withstood" if self.attacks else "not_attacked"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields and what follows from them as plain values."""
        return {
            "name": self.name,
            "utility": self.utility,
            "attacks": self.attacks,
            "effective": self.effective,
            "outcome": self.outcome,
            "rank": self.rank,
            "tied": list(self.tied),
        }


def rank_histories(utilities: dict[str, float], attacks: Sequence[Attack]) -> tuple[Standing, ...]:
    """Return the standings: the histories that are not broken by U, the least first, then the others, ties by name.

    Histories of the same U share a rank, and the next rank is as much higher as they are many.
    """
    able = {name: sum(a.target == name and a.judgement.could_be_effective for a in attacks) for name in utilities}
    broken = {name: sum(a.target == name and a.judgement.effective for a in attacks) for name in utilities}
    left = {name: utility for name, utility in utilities.items() if not broken[name]}
    order = sorted(utilities, key=lambda name: (name not in left, utilities[name], name))
    return tuple(
        Standing(
            name=name,
            utility=utilities[name],
            attacks=able[name],
            effective=broken[name],
            rank=1 + sum(utility < left[name] for utility in left.values()) if name in left else None,
            tied=tuple(sorted(other for other in left if other != name and left[other] == left[name]))
            if name in left
            else (),
        )
        for name in order
    )
