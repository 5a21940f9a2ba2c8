"""The evaluation of a round: the value of each final submission, the verdict on each attack, and the ranking.

Hamada et al.: Report on the anonymization and re-identification contest PWSCUP 2018, sections 2.3, 2.4 and 6.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sudare.arguments import checked
from sudare.contest.standings import Attack, Standing, rank_histories
from sudare.histories.attack.guesses import read_guesses
from sudare.histories.generalized.model import CellHistory
from sudare.histories.generalized.rule_sets import RuleSet
from sudare.histories.generalized.text import read_valid_anonymized
from sudare.histories.safety.classes import ClassSafety, class_safety
from sudare.histories.safety.judgement import judge_guesses
from sudare.histories.safety.published_classes import published_classes
from sudare.histories.utility.cost import CellUtility, cell_utility
from sudare.histories.utility.use_cases import UseCaseMeasures, UseCases, has_uses
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass


@dataclass(frozen=True, slots=True)
class FinalFiles:
    """A final submission: its team, the file of its A, and the files of guesses on it by attacker name."""

    name: str
    anonymized: Path
    guesses: Mapping[str, Path]


@dataclass(frozen=True, slots=True)
class EvaluatedFinal(Result):
    """U of a final submission with its breakdown, its classes (None if everything is deleted), and its use cases."""

    name: str
    utility: CellUtility
    classes: ClassSafety | None
    uses: UseCases | None


@dataclass(frozen=True, slots=True)
class EvaluatedRound(Result):
    """All final submissions in the given order, all attacks, and the standings; `p` and `alpha` belong to the test."""

    _rows = ("standings",)
    _row = Standing

    finals: tuple[EvaluatedFinal, ...]
    attacks: tuple[Attack, ...]
    standings: tuple[Standing, ...]
    p: str
    alpha: str

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "standings": [standing.to_dict() for standing in self.standings],
            "attacks": [attack.to_dict() for attack in self.attacks],
            "finals": [final.to_dict() for final in self.finals],
            "p": self.p,
            "alpha": self.alpha,
        }


@checked
def evaluate_finals(
    original: CellHistory,
    finals: Sequence[FinalFiles],
    rules: RuleSet,
    *,
    draws: int = 0,
    seed: int = 0,
    progress: Progress = silent,
) -> EvaluatedRound:
    """Measure all final submissions and judge all guesses on them.

    `draws` is how often rows are drawn from each submission for the use cases. They are not measured if it is 0, or if
    the rules have other columns.
    """
    wanted = draws and finals and has_uses(rules)
    measures = UseCaseMeasures(original, first_day=rules.first_day) if wanted else None
    found: list[EvaluatedFinal] = []
    attacks: list[Attack] = []
    for done, final in enumerate(finals):
        progress(message("progress.evaluating"), done, len(finals))
        history = read_valid_anonymized(final.anonymized, original, rules)
        found.append(_evaluated(final.name, original, history, rules, measures, draws, seed))
        attacks += _attacks(final, original, history, rules)
    standings = rank_histories({final.name: final.utility.utility for final in found}, attacks)
    return EvaluatedRound(tuple(found), tuple(attacks), standings, str(rules.p), str(rules.alpha))


def _evaluated(
    name: str,
    original: CellHistory,
    history: CellHistory,
    rules: RuleSet,
    measures: UseCaseMeasures | None,
    draws: int,
    seed: int,
) -> EvaluatedFinal:
    sizes = published_classes(history).sizes.tolist()
    return EvaluatedFinal(
        name,
        cell_utility(original, history, rules=rules, most=0),
        class_safety(sizes, p=rules.p, alpha=rules.alpha, attacks=rules.attacks) if sizes else None,
        measures.measure(history, draws=draws, seed=seed) if measures else None,
    )


def _attacks(final: FinalFiles, original: CellHistory, history: CellHistory, rules: RuleSet) -> list[Attack]:
    return [
        Attack(
            attacker,
            final.name,
            judge_guesses(read_guesses(path, original, history), original, history, p=rules.p, alpha=rules.alpha),
        )
        for attacker, path in final.guesses.items()
    ]
