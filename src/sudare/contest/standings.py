"""The outcome of a contest: which anonymized histories are safe, and how those rank.

Hamada et al.: Report on the anonymization and re-identification contest PWSCUP 2018, sections 2.3 and 2.4: a history
that one attack re-identifies effectively is not safe; among the safe ones the least U wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sudare.contest.judge import Judgement


@dataclass(frozen=True, slots=True)
class Attack:
    """One attack on one history, by the names of attacker and target, and how it was judged."""

    attacker: str
    target: str
    judgement: Judgement

    def to_dict(self) -> dict[str, Any]:
        """Return all as plain values."""
        return {"attacker": self.attacker, "target": self.target, **self.judgement.to_dict()}


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a history stands: `rank` is None if it is not safe, `tied` names the others of the same rank.

    `attacks` were tried, `effective` of them succeeded; without any attack a history counts as safe.
    """

    name: str
    utility: float
    attacks: int
    effective: int
    rank: int | None
    tied: tuple[str, ...]

    @property
    def safe(self) -> bool:
        """Whether no attack was effective."""
        return self.effective == 0

    def to_dict(self) -> dict[str, Any]:
        """Return the fields and what follows from them as plain values."""
        return {
            "name": self.name,
            "utility": self.utility,
            "attacks": self.attacks,
            "effective": self.effective,
            "safe": self.safe,
            "rank": self.rank,
            "tied": list(self.tied),
        }


def rank_histories(utilities: dict[str, float], attacks: Sequence[Attack]) -> tuple[Standing, ...]:
    """Return the standings: the safe histories by U, the least first, then the others by U; equal ones by name.

    Histories of the same U share a rank, and the next rank is as much higher as they are many.
    """
    tried = {name: sum(a.target == name and a.judgement.tried for a in attacks) for name in utilities}
    broken = {name: sum(a.target == name and a.judgement.effective for a in attacks) for name in utilities}
    safe = {name: utility for name, utility in utilities.items() if not broken[name]}
    order = sorted(utilities, key=lambda name: (name not in safe, utilities[name], name))
    return tuple(
        Standing(
            name=name,
            utility=utilities[name],
            attacks=tried[name],
            effective=broken[name],
            rank=1 + sum(utility < safe[name] for utility in safe.values()) if name in safe else None,
            tied=tuple(sorted(other for other in safe if other != name and safe[other] == safe[name]))
            if name in safe
            else (),
        )
        for name in order
    )
