"""A result carries its parameters and inputs; what belongs to other data is refused, never believed."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sudare
from sudare.baskets.suppress.suppression import Suppression
from sudare.histories.generalized.purchases import purchases_of_cells
from sudare.sources.readings import Reading
from tests.histories.attack.histories import Row, history, made_rows
from tests.public import public

# What is read or made and not computed of something else.
DATA = {
    "Baskets", "Bundle", "CellHistory", "Circumstances", "CollapsedTable", "Costs", "EarlierRelease", "FinalFiles",
    "FrontierSearch", "Guesses", "HeldBaskets", "HeldCells", "Hierarchy", "HistoryRows", "Knowledge", "KnownHistory",
    "History", "RuleSet", "Table", "Walk",
}  # fmt: skip
# Functions that take a result beside data; each refuses, or compares, what does not belong together.
CHECKED = {
    "check_baskets", "check_held_baskets", "confidence_by_user", "suppress_baskets", "verify_baskets",
    "write_contest_report", "write_history_report",
}  # fmt: skip
# Its results are labels and numbers of a contest to compare with, not inputs; levels write what they were found for;
# costs are prices of attributes by their names, whatever the tables.
ALLOWED = {"compare_dangerous", "write_frontier_page", "write_levels"}


def results() -> set[str]:
    kinds = {name for name, found in public().items() if dataclasses.is_dataclass(found)}
    return kinds - DATA | {"AnonymizedResult"}


def named(annotation: object) -> set[str]:
    return set(re.findall(r"\w+", str(annotation)))


def test_no_public_function_takes_a_result_and_what_it_was_made_of() -> None:
    kinds, found = results(), set()
    for name, function in public().items():
        if not inspect.isfunction(function):
            continue
        given = [named(parameter.annotation) for parameter in inspect.signature(function).parameters.values()]
        takes_result = any(words & kinds for words in given)
        takes_data = any(words & (DATA | {"Source"}) for words in given)
        repeats = {"rho", "seed", "strategy"} & set(inspect.signature(function).parameters)
        if takes_result and (takes_data or repeats):
            found.add(name)
    assert found - ALLOWED == CHECKED


def result_arguments(function: str) -> set[str]:
    given = inspect.signature(public()[function]).parameters
    return {name for name, parameter in given.items() if named(parameter.annotation) & results()}


@dataclass(frozen=True)
class Side:
    """A history, its anonymization, and all results of the two, by the words of `rule`."""

    rows: list[Row]
    rule: dict[str, Any] = field(default_factory=dict)
    weighting: Any = "occurrence"

    @cached_property
    def original(self) -> sudare.histories.CellHistory:
        return history(self.rows)

    @cached_property
    def anonymization(self) -> sudare.histories.AnonymizedHistory:
        return sudare.histories.anonymize_history(self.original, 4, fast=True, rounds=5)

    @cached_property
    def concealed(self) -> sudare.histories.ConcealedHistory:
        return sudare.histories.conceal_history(self.original, 3, fast=True, rounds=3, attacks=20, **self.rule)

    @cached_property
    def duel(self) -> sudare.contest.Duel:
        return sudare.contest.run_duel(self.original, self.anonymization.history, methods=[], **self.rule)

    @cached_property
    def published(self) -> sudare.histories.PublishedAssessment:
        return sudare.histories.measure_published(self.original, self.anonymization.history, weighting=self.weighting)


ROWS = made_rows(3, customers=12, most_rows=4)
MINE = Side(ROWS)
# As many rows and customers: one purchase was on another day.
THEIRS = Side([(ROWS[0][0], ROWS[0][1] + 1, *ROWS[0][2:]), *ROWS[1:]])
# The same data, judged or weighted otherwise.
LENIENT = Side(ROWS, {"p": Fraction(9, 10), "alpha": Fraction(1, 2)})
STRICT = Side(ROWS, {"thresholds": np.full(len(ROWS), 2)})
WEIGHTED = Side(ROWS, weighting="record")
OTHERS = "another history than those of the report"


def contest_report(folder: Path, **results: Any) -> object:
    return sudare.contest.write_contest_report(
        MINE.original, MINE.anonymization.history, folder / "r.html", draws=1, **results
    )


def concealment_report(folder: Path, side: Side = MINE, **options: Any) -> object:
    made = side.concealed
    return sudare.contest.write_contest_report(
        side.original, made.history, folder / "r.html", anonymization=made, draws=1, **options
    )


def history_report(folder: Path, assessed: Side, published: Side) -> None:
    with purchases_of_cells(MINE.original) as mine, purchases_of_cells(assessed.original) as other:
        assessment = sudare.histories.assess_attackers(mine if assessed is MINE else other)
        sudare.histories.write_history_report(mine, assessment, folder / "r.html", published=published.published)


def persons_report(folder: Path, known: Side, *counts: int) -> None:
    with purchases_of_cells(MINE.original) as mine, purchases_of_cells(known.original) as other:
        of = other if known is THEIRS else mine
        several = [sudare.histories.assess_persons(of, "day", persons=n, weighting=known.weighting) for n in counts]
        sudare.histories.write_history_report(
            mine, sudare.histories.assess_attackers(mine), folder / "r.html", persons=several
        )


def profiles_report(folder: Path, known: Side) -> None:
    with purchases_of_cells(MINE.original) as mine, purchases_of_cells(known.original) as other:
        found = (mine if known is MINE else other).profiles(split="half", trained=False)
        assessment = sudare.histories.assess_attackers(mine)
        sudare.histories.write_history_report(mine, assessment, folder / "r.html", profiles=found)  # type: ignore[arg-type]


def own_thresholds(folder: Path) -> Path:
    sudare.histories.write_thresholds(np.ones(len(ROWS), np.int64), folder / "R.csv")
    return folder / "R.csv"


# What each result argument must not be: a call that is refused, and with which words.
REFUSED: dict[tuple[str, str], list[tuple[Callable[[Path], object], str]]] = {
    ("write_contest_report", "anonymization"): [
        (lambda folder: contest_report(folder, anonymization=THEIRS.anonymization), OTHERS),
        (lambda folder: contest_report(folder, anonymization=MINE.concealed), OTHERS),
        (lambda folder: contest_report(folder, anonymization=replace(MINE.anonymization, utility=0.0)), OTHERS),
        (
            lambda folder: concealment_report(folder, LENIENT),
            "anonymization was judged by p = 9/10, alpha = 1/2, but the report uses p = 1/3, alpha = 1/2000",
        ),
        (
            lambda folder: concealment_report(folder, attacks=1),
            "anonymization was made to survive 20 attacks, but the report is about 1",
        ),
        (
            lambda folder: concealment_report(folder, thresholds=own_thresholds(folder)),
            "but the report uses p = 1/3, alpha = 1/2000 and the contest's own thresholds",
        ),
    ],
    ("write_contest_report", "duel"): [
        (lambda folder: contest_report(folder, duel=THEIRS.duel), OTHERS),
        (lambda folder: contest_report(folder, duel=LENIENT.duel), "duel was judged by p = 9/10, alpha = 1/2"),
        (lambda folder: contest_report(folder, duel=MINE.duel, thresholds=own_thresholds(folder)), "duel was judged"),
        (lambda folder: contest_report(folder, duel=STRICT.duel, thresholds=own_thresholds(folder)), "duel was judged"),
        (lambda folder: contest_report(folder, duel=STRICT.duel), "duel was judged"),
    ],
    ("write_contest_report", "published"): [
        (lambda folder: contest_report(folder, published=THEIRS.published), OTHERS),
        (
            lambda folder: contest_report(
                folder, published=sudare.histories.measure_published(MINE.original, MINE.concealed.history)
            ),
            OTHERS,
        ),
    ],
    ("write_contest_report", "reading"): [
        (
            lambda folder: contest_report(folder, reading=Reading("other.csv", "CSV", {}, {}, len(MINE.original))),
            "reading is about other.csv, but the report is about another history",
        ),
    ],
    ("write_history_report", "assessment"): [
        (lambda folder: history_report(folder, THEIRS, MINE), "Assess the history of the report"),
    ],
    ("write_history_report", "published"): [
        (lambda folder: history_report(folder, MINE, THEIRS), "published is about another history than the report"),
        (
            lambda folder: history_report(folder, MINE, WEIGHTED),
            "published has the weighting 'record', but the assessment has 'occurrence'",
        ),
    ],
    ("write_history_report", "profiles"): [
        (lambda folder: profiles_report(folder, THEIRS), "profiles is about another history than the report"),
    ],
    ("write_history_report", "persons"): [
        (lambda folder: persons_report(folder, THEIRS, 2), "persons are about another history than the report"),
        (lambda folder: persons_report(folder, WEIGHTED, 2), "All persons must have the weighting 'occurrence'"),
        (lambda folder: persons_report(folder, MINE, 2, 3), "and the same number of persons"),
    ],
}
# These have tests of their own: below, in tests/baskets/test_certificate.py and tests/baskets/check/test_held.py.
CHECKED_ELSEWHERE = {"sensitive", "certificate"}


def test_every_result_argument_is_tried_with_results_of_others() -> None:
    taken = {(name, given) for name in CHECKED for given in result_arguments(name) - CHECKED_ELSEWHERE}
    assert taken == set(REFUSED)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        pytest.param(*case, id=f"{name}-{given}-{number}")
        for (name, given), cases in REFUSED.items()
        for number, case in enumerate(cases)
    ],
)
def test_results_of_other_data_or_by_other_rules_are_refused(
    call: Callable[[Path], object], words: str, tmp_path: Path
) -> None:
    with pytest.raises(sudare.OptionNotUsable, match=re.escape(words)):
        call(tmp_path)
    assert not (tmp_path / "r.html").exists()


@pytest.mark.slow
def test_results_of_the_same_data_by_the_same_rules_are_taken(tmp_path: Path) -> None:
    mine = {name: getattr(MINE, name) for name in ("anonymization", "duel", "published")}
    contest_report(tmp_path, **mine)
    concealment_report(tmp_path)
    history_report(tmp_path, MINE, MINE)
    profiles_report(tmp_path, MINE)
    # Read again from files, in which sets of items are numbered anew.
    sudare.histories.write_cells(MINE.original, tmp_path / "T.csv")
    sudare.histories.write_cells(MINE.anonymization.history, tmp_path / "A.csv")
    sudare.contest.write_contest_report(tmp_path / "T.csv", tmp_path / "A.csv", tmp_path / "r.html", draws=1, **mine)
    sudare.histories.write_thresholds(STRICT.rule["thresholds"], tmp_path / "R.csv")
    contest_report(tmp_path, duel=STRICT.duel, thresholds=tmp_path / "R.csv")


@pytest.fixture
def found() -> Suppression:
    baskets = sudare.baskets.make_baskets([["a", "b"], ["a", "b"], ["a", "c"], ["b"]])
    return sudare.baskets.suppress_baskets(baskets, sudare.baskets.read_sensitive("item:b", baskets), rho=0.5)


def other_baskets() -> sudare.Baskets:
    """Return baskets of as many users, in which other items have the same numbers."""
    return sudare.baskets.make_baskets([["x", "y"], ["x", "y"], ["x", "z"], ["y"]])


@pytest.mark.parametrize(
    "function",
    [
        lambda original, sensitive: sudare.baskets.check_baskets(original, sensitive, rho=0.5),
        lambda original, sensitive: sudare.baskets.suppress_baskets(original, sensitive, rho=0.5),
        lambda original, sensitive: sudare.baskets.confidence_by_user(original, sensitive, rho=0.5),
        lambda original, sensitive: sudare.baskets.verify_baskets(original, original, sensitive, rho=0.5),
    ],
)
def test_sensitive_items_of_other_baskets_are_refused(function: Callable[..., object], found: Suppression) -> None:
    function(found.original, found.sensitive)
    with pytest.raises(sudare.OptionNotUsable, match="were read for other baskets"):
        function(other_baskets(), found.sensitive)


@pytest.mark.parametrize("knowledge", ["original", "published"])
def test_published_baskets_of_others_are_refused(knowledge: str, found: Suppression) -> None:
    for check in (sudare.baskets.check_baskets, sudare.baskets.confidence_by_user):
        with pytest.raises(sudare.OptionNotUsable, match="do not belong to the original"):
            check(found.original, found.sensitive, rho=0.5, published=other_baskets(), knowledge=knowledge)  # type: ignore[operator]
    # What is published may lose items and get none, whoever is feared.
    more = sudare.baskets.make_baskets([["a", "b"], ["a", "b"], ["a", "b", "c"], ["b"]])
    with pytest.raises(sudare.OptionNotUsable, match="has an item that the original record does not have"):
        sudare.baskets.check_baskets(found.original, found.sensitive, rho=0.5, published=more, knowledge=knowledge)  # type: ignore[arg-type]


def test_a_certificate_states_the_rho_and_the_verdict_of_its_own_file(found: Suppression, tmp_path: Path) -> None:
    made = sudare.baskets.write_published(found, tmp_path / "out.txt")
    assert (made.rho, made.safe) == ("0.5", True)
    assert made.claim.startswith("SAFE: nobody who knows one or more items")
    assert list(inspect.signature(sudare.baskets.write_published).parameters) == ["found", "path", "certificate"]


def test_a_result_that_lies_about_its_records_is_not_written(found: Suppression, tmp_path: Path) -> None:
    """The records of another run beside the verdict of this one."""
    lying = replace(found, published=found.original)
    assert lying.safe
    with pytest.raises(sudare.OutputNotWritable, match="its records are not safe"):
        sudare.baskets.write_published(lying, tmp_path / "out.txt")
    stricter = replace(found, verdict=replace(found.verdict, rho=sudare.baskets.check_baskets(
        found.original, found.sensitive, rho="0.1").rho))  # fmt: skip
    with pytest.raises(sudare.OutputNotWritable, match="its records are not safe"):
        sudare.baskets.write_published(stricter, tmp_path / "out.txt")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_would_not_hold_the_records_is_not_written(
    found: Suppression, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever goes wrong while writing: the file is read again before it gets its name."""

    def careless(baskets: sudare.Baskets, target: Path, form: str) -> None:
        target.write_text("a b\n" * len(baskets))

    monkeypatch.setattr("sudare.baskets.certificate.fill_basket_file", careless)
    with pytest.raises(sudare.OutputNotWritable, match="would not hold the records that were checked"):
        sudare.baskets.write_published(found, tmp_path / "out.txt")
    assert list(tmp_path.iterdir()) == []


def test_use_is_measured_of_a_suppression_of_the_original_only(found: Suppression) -> None:
    more = found.original.only(np.ones(len(found.original.items), np.bool_))
    assert sudare.baskets.basket_utility(found.original, more).suppressed_share == 0
    shuffled = sudare.baskets.make_baskets([["b"], ["a", "c"], ["a", "b"], ["a", "b"]])
    with pytest.raises(sudare.BadRows, match="is not a suppression"):
        sudare.baskets.basket_utility(found.original, shuffled)


def test_a_report_refuses_the_assessment_of_another_history(
    toy: sudare.History, toy_file: Path, tmp_path: Path
) -> None:
    with sudare.read_history(toy_file) as same_rows:
        assessment = sudare.histories.assess_attackers(toy)
        with pytest.raises(sudare.OptionNotUsable, match="Assess the history of the report"):
            sudare.histories.write_history_report(same_rows, assessment, tmp_path / "r.html")
