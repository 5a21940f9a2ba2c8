"""The findings of the report on an anonymized history, from the original, the anonymized rows and attacks."""

from __future__ import annotations

from collections.abc import Sequence
from math import isclose
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sudare.contest.check import Source
from sudare.contest.description import AnonymizationDescription, describe_anonymization
from sudare.errors import OptionNotUsable
from sudare.histories.anonymize.models import AnonymizedResult
from sudare.histories.another_time import ProfileChange, profiles_before_and_after
from sudare.histories.attack.duel import Duel
from sudare.histories.attack.guesses import Guesses, read_guesses
from sudare.histories.attackers.published import PublishedAssessment
from sudare.histories.generalized.model import CellHistory, ItemColumn
from sudare.histories.generalized.rule_sets import RuleSet
from sudare.histories.generalized.text import read_original, read_valid_anonymized
from sudare.histories.safety.classes import ClassSafety, class_safety
from sudare.histories.safety.judgement import Judgement, judge_guesses
from sudare.histories.safety.matching_safety import MatchingSafety
from sudare.histories.safety.published_classes import published_classes
from sudare.histories.safety.thresholds import AttackRule, read_thresholds
from sudare.histories.utility.cost import CellUtility, cell_utility
from sudare.histories.utility.use_cases import UseCases, check_draws, has_uses, measure_use_cases
from sudare.messages import Message, message
from sudare.progress import Progress
from sudare.report.numbers import NOISE
from sudare.showing import dataclass
from sudare.sources.text import file_hash
from sudare.statistics.class_sizes import ClassSize

MOST_CUSTOMERS = MOST_CELLS = 10
# Sizes of classes that have a row of their own.
MOST_SIZES = 15
# Widths of ranges and sizes of sets that have a row of their own: 1, 2, 3 to 4, ... up to this.
MOST_VALUES = 512


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file without the folders it lies in, and its hash."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Question:
    """What the report is asked: by which rules, how many attacks are to be survived, and how rows are drawn."""

    rules: RuleSet
    attacks: int
    draws: int
    seed: int
    thresholds: NDArray[np.int64] | None
    thresholds_file: InputFile | None

    @property
    def rule(self) -> AttackRule:
        """What an attack has to reach."""
        return AttackRule.of(self.rules.p, self.rules.alpha, self.thresholds)


@dataclass(frozen=True, slots=True, eq=False)
class Histories:
    """The original and the anonymized history, with the files that hold them, if such are known."""

    original: CellHistory
    anonymized: CellHistory
    original_file: InputFile | None
    anonymized_file: InputFile | None


@dataclass(frozen=True, slots=True)
class JudgedAttack:
    """An attack, and the file of its guesses if there is one."""

    file: InputFile | None
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class SizeRow:
    """Classes of `first` to `last` persons; `last` is None for all larger ones."""

    first: int
    last: int | None
    classes: int
    persons: int


@dataclass(frozen=True, slots=True)
class WidthRow:
    """Cells of each column that stand for `least` to `most` values; `most` is None for all more."""

    least: int
    most: int | None
    cells: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """All that the report shows; `uses` is None if the rules have other columns.

    `safety` is that of the classes, None if nothing is published or if it is another design that makes it safe. `made`
    is how the history was anonymized, `duel` are the built-in attacks on it and `published` the ten attackers before
    and after, where that is known. `profiles` says how well people are recognized from another time, or why that could
    not be measured; None if the rules have other columns.
    """

    description: AnonymizationDescription
    items: int
    utility: CellUtility
    safety: ClassSafety | None
    attacks: tuple[JudgedAttack, ...]
    uses: UseCases | None
    made: AnonymizedResult | None = None
    duel: Duel | None = None
    published: PublishedAssessment | None = None
    profiles: ProfileChange | Message | None = None

    @property
    def matchings(self) -> MatchingSafety | None:
        """How safe it is that many can be behind each pseudonym, where that is the design."""
        return self.made.safety if self.made else None

    @property
    def given(self) -> int:
        """How many attacks were made, by files of guesses and built-in ones."""
        return len(self.attacks) + (len(self.duel.attacks) if self.duel else 0)

    @property
    def effective(self) -> int:
        """How many attacks were effective by the rules of the contest."""
        built_in = len(self.duel.broken_by) if self.duel else 0
        return built_in + sum(attack.judgement.effective for attack in self.attacks)

    @property
    def tried(self) -> int:
        """How many attacks have a guess; built-in ones that failed their control tried nothing."""
        built_in = len(self.duel.telling) if self.duel else 0
        return built_in + sum(attack.judgement.tried for attack in self.attacks)

    @property
    def chance_bound(self) -> float:
        """No attacker who knows only the classes is effective by the contest's test with a higher probability."""
        return self.safety.tests[0].bound if self.safety else 0.0

    @property
    def exposed(self) -> bool:
        """Whether the best plan found is certain to be effective."""
        return self.safety is not None and self.safety.tests[0].plan_found.probability >= 1 - NOISE

    @property
    def holds(self) -> bool:
        """Whether nothing was found unsafe, and every attack that was given tried something."""
        tried = all(attack.judgement.tried for attack in self.attacks)
        return not self.effective and not self.exposed and tried


def ask(rules: RuleSet, *, attacks: int | None, draws: int, seed: int, thresholds: str | Path | None) -> Question:
    """Return what is asked; options that cannot be used are refused before any work."""
    check_draws(draws, seed)
    if attacks is not None and attacks < 1:
        raise OptionNotUsable("errors.report.attacks", attacks=attacks)
    own = None if thresholds is None else read_thresholds(thresholds)
    return Question(rules, attacks or rules.attacks, draws, seed, own, _file(thresholds))


def read_histories(original: Source, anonymized: Source, rules: RuleSet, progress: Progress) -> Histories:
    """Read what is given as a file; an anonymized file that breaks the rules is refused."""
    truth = original if isinstance(original, CellHistory) else read_original(original, rules, progress=progress)
    found = anonymized
    if not isinstance(found, CellHistory):
        found = read_valid_anonymized(found, truth, rules, progress=progress)
    return Histories(truth, found, _file_of(truth), _file_of(found))


def gather_findings(
    histories: Histories,
    guesses: Sequence[str | Path | Guesses],
    question: Question,
    progress: Progress,
    *,
    made: AnonymizedResult | None = None,
    duel: Duel | None = None,
    published: PublishedAssessment | None = None,
) -> Findings:
    """Compute all that the report shows."""
    original, anonymized, rules = histories.original, histories.anonymized, question.rules
    refuse_others(histories, question, made=made, duel=duel, published=published)
    # Guesses first: a file that cannot be read should not cost a long computation.
    attacks = tuple(_judged(guess, histories, question) for guess in guesses)
    progress(message("progress.utility"), 0, 1)
    return Findings(
        description=describe_anonymization(original, anonymized),
        items=sum(len(column.names) for column in original.columns if isinstance(column, ItemColumn)),
        utility=_utility(histories, rules, made),
        safety=None if made and made.safety else _safety(anonymized, question, progress),
        attacks=attacks,
        uses=_uses(original, anonymized, question, progress),
        made=made,
        duel=duel,
        published=published,
        profiles=_profiles(original, anonymized, question, progress),
    )


def _profiles(
    original: CellHistory, anonymized: CellHistory, question: Question, progress: Progress
) -> ProfileChange | Message | None:
    if not {"date", "item"} <= {column.form for column in question.rules.columns}:
        return None
    progress(message("progress.attack", method="profiles"), 0, 1)
    try:
        return profiles_before_and_after(original, anonymized, seed=question.seed)
    except OptionNotUsable as error:
        return Message(error.key, error.values)


def refuse_others(
    histories: Histories,
    question: Question,
    *,
    made: AnonymizedResult | None,
    duel: Duel | None,
    published: PublishedAssessment | None,
) -> None:
    """Refuse results of other histories than those of the report, or of attacks that were judged otherwise."""
    digests = histories.original.digest(), histories.anonymized.digest()
    for name, result in (("duel", duel), ("published", published)):
        if result is not None and result.digests != digests:
            raise OptionNotUsable("errors.report.result_of_other", result=name)
    if made is not None and made.history.digest() != digests[1]:
        raise OptionNotUsable("errors.report.result_of_other", result="anonymization")
    safety = made.safety if made else None
    for name, judged in (("duel", duel), ("anonymization", safety)):
        if judged is not None and judged.rule != question.rule:
            raise OptionNotUsable(
                "errors.report.judged_otherwise", result=name, judged=_rule(judged.rule), asked=_rule(question.rule)
            )
    if safety is not None and safety.attacks != question.attacks:
        raise OptionNotUsable("errors.report.other_attacks", made=safety.attacks, asked=question.attacks)


def _rule(rule: AttackRule) -> Message:
    name = "rule" if rule.thresholds is None else "rule_with_thresholds"
    return message(f"errors.report.{name}", p=rule.p, alpha=rule.alpha)


def _utility(histories: Histories, rules: RuleSet, made: AnonymizedResult | None) -> CellUtility:
    """Measure U; a result that says something else of itself is that of another original."""
    original, anonymized = histories.original, histories.anonymized
    found = cell_utility(original, anonymized, rules=rules, most=max(MOST_CUSTOMERS, MOST_CELLS))
    if made is not None:
        customers, deleted = len(np.unique(original.persons)), int(np.count_nonzero(anonymized.deleted))
        same = (made.rows, made.customers, made.deleted_rows) == (len(original), customers, deleted)
        if not same or not isclose(made.utility, found.utility, rel_tol=1e-6, abs_tol=1e-9):
            raise OptionNotUsable("errors.report.result_of_other", result="anonymization")
    return found


def size_rows(sizes: Sequence[ClassSize]) -> tuple[SizeRow, ...]:
    """Return the sizes of classes, rising; the largest are one row if there are many."""
    listed = sizes if len(sizes) <= MOST_SIZES else sizes[: MOST_SIZES - 1]
    rows = [SizeRow(size.size, size.size, size.classes, size.records) for size in listed]
    larger = sizes[len(listed) :]
    if larger:
        classes, persons = sum(size.classes for size in larger), sum(size.records for size in larger)
        rows.append(SizeRow(larger[0].size, None, classes, persons))
    return tuple(rows)


def width_rows(description: AnonymizationDescription) -> tuple[WidthRow, ...]:
    """Return how many ranges and sets of each column stand for how many values, in steps of powers of two.

    Steps without a cell are left out, and very wide ones are one row.
    """
    columns = [column.sizes for column in description.cells.columns]
    steps = sorted({(size.least, size.most) for sizes in columns for size in sizes if size.most <= MOST_VALUES})
    rows = [
        WidthRow(least, most, tuple(sum(s.cells for s in sizes if s.most == most) for sizes in columns))
        for least, most in steps
    ]
    wide = tuple(sum(size.cells for size in sizes if size.most > MOST_VALUES) for sizes in columns)
    return tuple(row for row in (*rows, WidthRow(MOST_VALUES + 1, None, wide)) if any(row.cells))


def _file_of(history: CellHistory) -> InputFile | None:
    """Return the file that holds a history; one that has changed since does not."""
    digest = history.file.sha256() if history.file else None
    return InputFile(history.file.path.name, digest) if history.file and digest else None


def _file(source: object) -> InputFile | None:
    if not isinstance(source, str | Path) or Path(source).is_dir():
        return None
    return InputFile(Path(source).name, file_hash(Path(source)))


def _judged(guess: str | Path | Guesses, histories: Histories, question: Question) -> JudgedAttack:
    original, anonymized, rules = histories.original, histories.anonymized, question.rules
    read = guess if isinstance(guess, Guesses) else read_guesses(guess, original, anonymized)
    found = judge_guesses(read, original, anonymized, p=rules.p, alpha=rules.alpha, thresholds=question.thresholds)
    return JudgedAttack(_file(guess), found)


def _safety(anonymized: CellHistory, question: Question, progress: Progress) -> ClassSafety | None:
    sizes = published_classes(anonymized).sizes.tolist()
    if not sizes:
        return None
    progress(message("progress.best_guesses"), 0, 1)
    rules = question.rules
    return class_safety(sizes, p=rules.p, alpha=rules.alpha, attacks=question.attacks, thresholds=question.thresholds)


def _uses(original: CellHistory, anonymized: CellHistory, question: Question, progress: Progress) -> UseCases | None:
    """Measure what is left, where the rules have the columns for it."""
    if not has_uses(question.rules):
        return None
    return measure_use_cases(
        original, anonymized, draws=question.draws, seed=question.seed, first_day=question.rules.first_day,
        progress=progress,
    )  # fmt: skip
