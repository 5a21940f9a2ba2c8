"""Every built-in attack on a published history whose true customers are unknown.

Hits cannot be counted then; what is known is what each attacker expects, and whether the attack works at all: its
control is the same attack on the original itself under pseudonyms, where the truth is known.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from sudare.arguments import checked
from sudare.errors import OptionNotUsable
from sudare.histories.attack.attack import Attack, make_attack
from sudare.histories.attack.duel import judged_attack, with_pseudonyms
from sudare.histories.attack.known import know_history
from sudare.histories.attack.linkage import Linkage
from sudare.histories.attack.methods import METHODS, Attacks
from sudare.histories.generalized.model import CellHistory
from sudare.histories.safety.judgement import Judgement
from sudare.histories.safety.thresholds import CONTEST_ALPHA, CONTEST_P
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.showing import dataclass
from sudare.statistics.shares import Share

# An attacker who gives the attack at least this chance expects it to succeed.
LIKELY = 0.5
ExpectedVerdict = Literal["expected", "not_expected", "not_tried"]


class _Rule(TypedDict):
    p: Share
    alpha: Share
    thresholds: None


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedAttack:
    """What an attacker expects of one attack, and its control; None where it crashed, as `error` says."""

    method: str
    attack: Attack | None = None
    control: Judgement | None = None
    error: str | None = None
    possible: bool = True

    @property
    def telling(self) -> bool:
        """Whether the attack made guesses and works on the original."""
        return self.attack is not None and bool(len(self.attack)) and bool(self.control and self.control.effective)

    @property
    def likely(self) -> bool:
        """Whether the attacker expects it to succeed."""
        return self.telling and self.attack is not None and self.attack.chance >= LIKELY

    def to_dict(self) -> dict[str, Any]:
        """Return what is expected as plain values."""
        return {
            "method": self.method,
            "guesses": len(self.attack) if self.attack is not None else None,
            "expected_hits": self.attack.expected if self.attack is not None else None,
            "needed": self.attack.needed if self.attack is not None else None,
            "chance": self.attack.chance if self.attack is not None else None,
            "control": self.control.to_dict() if self.control else None,
            "telling": self.telling,
            "error": self.error,
        }


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedAttacks:
    """All attacks on a published history, as their attackers expect them to end."""

    attacks: tuple[ExpectedAttack, ...]
    pseudonyms: int

    @property
    def verdict(self) -> ExpectedVerdict:
        """Whether somebody expects to succeed, nobody does, or nothing was tried that works at all."""
        if any(attack.likely for attack in self.attacks):
            return "expected"
        return "not_expected" if any(attack.telling for attack in self.attacks) else "not_tried"

    def to_dict(self) -> dict[str, Any]:
        """Return the attacks and the verdict as plain values."""
        return {
            "verdict": self.verdict,
            "pseudonyms": self.pseudonyms,
            "attacks": [attack.to_dict() for attack in self.attacks],
        }


@checked
def expect_attacks(
    original: CellHistory,
    published: CellHistory,
    *,
    p: Share = CONTEST_P,
    alpha: Share = CONTEST_ALPHA,
    seed: int = 0,
    progress: Progress = silent,
) -> ExpectedAttacks:
    """Attack a published history by all methods, as one who knows the whole original."""
    known = know_history(original, seed=seed)
    control = with_pseudonyms(original, seed=seed)
    rule: _Rule = {"p": p, "alpha": alpha, "thresholds": None}
    attacked = Attacks(Linkage(known, published, seed=seed), progress=progress)
    controlled = Attacks(Linkage(known, control, seed=seed), progress=progress)
    found = []
    for done, method in enumerate(METHODS):
        progress(message("progress.attack", method=method), done, len(METHODS))
        attack = judgement = error = None
        try:
            attack = make_attack(attacked, method, p=p, alpha=alpha)
            _, judgement = judged_attack(method, original, control, controlled, rule)
        except OptionNotUsable:
            found.append(ExpectedAttack(method, possible=False))
            continue
        except Exception as raised:
            error = f"{type(raised).__name__}: {raised}"
        found.append(ExpectedAttack(method, attack, judgement, error))
    return ExpectedAttacks(tuple(found), len(attacked.linkage.pids))
