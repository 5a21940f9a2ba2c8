"""A duel: every built-in attack on the published form of an anonymized history, judged against the truth.

Each attack has a control: the same attack on the original itself under pseudonyms, which it must break. An attack that
fails its control proves nothing by failing here, and one that crashed or made no guess tried nothing. So the verdict is
that the history is broken, that it was not broken by these attacks, or that nothing was tried; never that it is safe.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import Any, Literal, TypedDict, get_args

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.errors import OptionNotUsable
from sudare.histories.attack.attack import Attack, make_attack
from sudare.histories.attack.guesses import Guesses
from sudare.histories.attack.known import KnownHistory, know_history
from sudare.histories.attack.linkage import Linkage
from sudare.histories.attack.methods import METHODS, Attacks, check_method
from sudare.histories.attack.truth import true_customers
from sudare.histories.generalized.model import CellHistory
from sudare.histories.safety.classes import ClassSafety, class_safety
from sudare.histories.safety.judgement import Judgement, judge_guesses
from sudare.histories.safety.published_classes import published_classes
from sudare.histories.safety.thresholds import CONTEST_ALPHA, CONTEST_P, AttackRule, check_thresholds
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass
from sudare.statistics.shares import Share

Outcome = Literal["broke", "failed", "proves_nothing", "nothing_tried", "not_possible", "crashed"]
DuelVerdict = Literal["broken", "not_broken", "not_tried"]
VERDICTS: tuple[DuelVerdict, ...] = get_args(DuelVerdict)


class _Rule(TypedDict):
    """The words for what an attack has to reach."""

    p: Share
    alpha: Share
    thresholds: NDArray[np.int64] | None


@dataclass(frozen=True, slots=True, eq=False)
class DuelAttack(Result):
    """One attack, with the judgement of its guesses and of its control.

    A missing judgement means that the attack crashed, as `error` says, or is not `possible` because the history lacks a
    column it needs.
    """

    method: str
    attack: Attack | None = None
    judgement: Judgement | None = None
    control: Judgement | None = None
    error: str | None = None
    possible: bool = True

    @property
    def outcome(self) -> Outcome:
        """The outcome of the attack."""
        if self.judgement is not None and self.judgement.effective:
            return "broke"
        if not self.possible:
            return "not_possible"
        if self.judgement is None or self.control is None:
            return "crashed"
        if not self.control.effective:
            return "proves_nothing"
        return "failed" if self.judgement.tried else "nothing_tried"

    def to_dict(self) -> dict[str, Any]:
        """Return the attack and its outcome as plain values."""
        return {
            "method": self.method,
            "outcome": self.outcome,
            "judgement": self.judgement.to_dict() if self.judgement else None,
            "control": self.control.to_dict() if self.control else None,
            "expected_hits": self.attack.expected if self.attack else None,
            "chance": self.attack.chance if self.attack else None,
            "error": self.error,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Duel(Result):
    """All attacks on an anonymized history, and what its classes alone give an attacker.

    `same_numbers` are the pseudonyms that equal the customer's own number, which no attack here considers. `rule` is
    what an attack has to reach; `digests` identify the histories, the original and the anonymized one.
    """

    _rows = ("attacks",)
    _row = DuelAttack

    attacks: tuple[DuelAttack, ...]
    classes: ClassSafety | None
    pseudonyms: int
    same_numbers: int
    rule: AttackRule
    digests: tuple[str, str] = field(repr=False)

    @property
    def broken_by(self) -> tuple[str, ...]:
        """The attacks that re-identified effectively."""
        return tuple(attack.method for attack in self.attacks if attack.outcome == "broke")

    @property
    def telling(self) -> tuple[DuelAttack, ...]:
        """The informative attacks: they made guesses and, unless effective, passed their control."""
        return tuple(attack for attack in self.attacks if attack.outcome in ("broke", "failed"))

    @property
    def best(self) -> DuelAttack | None:
        """The informative attack that came closest to success, or exceeded it by most."""
        return max(self.telling, key=_success, default=None)

    @property
    def verdict(self) -> DuelVerdict:
        """Whether the history is broken, withstood attacks that passed their control, or was not tested."""
        if self.broken_by:
            return "broken"
        return "not_broken" if self.telling else "not_tried"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields and derived values as plain values."""
        return {
            "verdict": self.verdict,
            "broken_by": list(self.broken_by),
            "best": self.best.method if self.best else None,
            "pseudonyms": self.pseudonyms,
            "same_numbers": self.same_numbers,
            **self.rule.to_dict(),
            "attacks": [attack.to_dict() for attack in self.attacks],
            "classes": self.classes.to_dict() if self.classes else None,
        }


@checked
def run_duel(
    original: CellHistory,
    anonymized: CellHistory,
    *,
    methods: Sequence[str] = METHODS,
    p: Share = CONTEST_P,
    alpha: Share = CONTEST_ALPHA,
    thresholds: NDArray[np.int64] | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> Duel:
    """Attack an anonymized history by all methods; its row i belongs to row i of the original.

    The published history is made in memory: the rows that are not deleted, in an order drawn with the seed.
    `thresholds` are a contest's own and override the formula.
    """
    for method in methods:
        check_method(method)
    rule: _Rule = {"p": p, "alpha": alpha, "thresholds": thresholds}
    if thresholds is not None:
        check_thresholds(thresholds, len(np.unique(original.persons)))
    known = know_history(original, seed=seed)
    control = with_pseudonyms(original, seed=seed)
    attacked, controlled = (_attacks(known, history, seed, progress) for history in (anonymized, control))
    found = []
    for done, method in enumerate(methods):
        progress(message("progress.attack", method=method), done, len(methods))
        found.append(_attack(method, original, (anonymized, attacked), (control, controlled), rule))
    pids, customers = true_customers(original, anonymized)
    sizes = published_classes(anonymized).sizes.tolist()
    classes = class_safety(sizes, **rule) if sizes else None
    return Duel(
        tuple(found), classes, len(pids), int(np.count_nonzero(pids == customers)), AttackRule.of(**rule),
        (original.digest(), anonymized.digest()),
    )  # fmt: skip


def with_pseudonyms(original: CellHistory, *, seed: int = 0) -> CellHistory:
    """Return a history as it is, but for pseudonyms in place of customers, in an order of the seed."""
    customers, numbers = np.unique(original.persons, return_inverse=True)
    pids = np.random.default_rng(seed).permutation(len(customers)) + 1
    return replace(original, persons=pids[numbers].astype(np.int64))


def _success(attack: DuelAttack) -> tuple[int, int]:
    found = attack.judgement
    return (found.contest.margin, found.hits) if found else (0, 0)


def _attacks(known: KnownHistory, history: CellHistory, seed: int, progress: Progress) -> Attacks:
    rows = np.random.default_rng(seed).permutation(np.flatnonzero(~history.deleted))
    return Attacks(Linkage(known, history.taken(rows), seed=seed), progress=progress)


def _attack(
    method: str,
    original: CellHistory,
    target: tuple[CellHistory, Attacks],
    control: tuple[CellHistory, Attacks],
    rule: _Rule,
) -> DuelAttack:
    """Run an attack and its control; whatever goes wrong with it is told, and the other attacks go on."""
    attack = judgement = checked = error = None
    try:
        attack, judgement = judged_attack(method, original, *target, rule)
        _, checked = judged_attack(method, original, *control, rule)
    except OptionNotUsable:
        return DuelAttack(method, possible=False)
    except Exception as raised:
        error = f"{type(raised).__name__}: {raised}"
    return DuelAttack(method, attack, judgement, checked, error)


def judged_attack(
    method: str, original: CellHistory, history: CellHistory, attacks: Attacks, rule: Any
) -> tuple[Attack, Judgement]:
    """Run an attack on a history whose rows are in the order of the original, and judge its guesses."""
    attack = make_attack(attacks, method, p=rule["p"], alpha=rule["alpha"])
    guesses = Guesses(attack.pids, attack.customers)
    return attack, judge_guesses(guesses, original, history, **rule)
