"""A result carries its parameters and inputs; what belongs to other data is refused, never believed."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import sudare
from sudare.anonymize.suppression import Suppression

# What is read or made and not computed of something else.
DATA = {
    "Baskets", "Bundle", "CellHistory", "CollapsedTable", "Costs", "FinalFiles", "FrontierSearch", "Guesses",
    "HeldBaskets", "HeldCells", "Hierarchy", "HistoryFile", "Knowledge", "KnownHistory", "PurchaseHistory", "RuleSet",
    "Table", "Walk",
}  # fmt: skip
# Functions that take a result beside data; each refuses, or compares, what does not belong together.
CHECKED = {
    "check_baskets", "check_held_baskets", "confidence_by_user", "suppress_baskets", "verify_baskets",
    "write_contest_report", "write_history_report",
}  # fmt: skip
# Its results are labels and numbers of a contest to compare with, not inputs; levels write what they were found for.
ALLOWED = {"write_frontier_page", "write_levels"}


def results() -> set[str]:
    kinds = {name for name in sudare.__all__ if dataclasses.is_dataclass(getattr(sudare, name))}
    return kinds - DATA


def named(annotation: object) -> set[str]:
    return set(re.findall(r"\w+", str(annotation)))


def test_no_public_function_takes_a_result_and_what_it_was_made_of() -> None:
    kinds, found = results(), set()
    for name in sudare.__all__:
        function = getattr(sudare, name)
        if not inspect.isfunction(function):
            continue
        given = [named(parameter.annotation) for parameter in inspect.signature(function).parameters.values()]
        takes_result = any(words & kinds for words in given)
        takes_data = any(words & (DATA | {"Source"}) for words in given)
        repeats = {"rho", "seed", "strategy"} & set(inspect.signature(function).parameters)
        if takes_result and (takes_data or repeats):
            found.add(name)
    assert found - ALLOWED == CHECKED


@pytest.fixture
def found() -> Suppression:
    baskets = sudare.make_baskets([["a", "b"], ["a", "b"], ["a", "c"], ["b"]])
    return sudare.suppress_baskets(baskets, sudare.read_sensitive("item:b", baskets), rho=0.5)


def other_baskets() -> sudare.Baskets:
    """Return baskets of as many users, in which other items have the same numbers."""
    return sudare.make_baskets([["x", "y"], ["x", "y"], ["x", "z"], ["y"]])


@pytest.mark.parametrize(
    "function",
    [
        lambda original, sensitive: sudare.check_baskets(original, sensitive, rho=0.5),
        lambda original, sensitive: sudare.suppress_baskets(original, sensitive, rho=0.5),
        lambda original, sensitive: sudare.confidence_by_user(original, sensitive, rho=0.5),
        lambda original, sensitive: sudare.verify_baskets(original, original, sensitive, rho=0.5),
    ],
)
def test_sensitive_items_of_other_baskets_are_refused(function: Callable[..., object], found: Suppression) -> None:
    function(found.original, found.sensitive)
    with pytest.raises(sudare.OptionNotUsable, match="were read for other baskets"):
        function(other_baskets(), found.sensitive)


@pytest.mark.parametrize("knowledge", ["original", "published"])
def test_published_baskets_of_others_are_refused(knowledge: str, found: Suppression) -> None:
    for check in (sudare.check_baskets, sudare.confidence_by_user):
        with pytest.raises(sudare.OptionNotUsable, match="do not belong to the original"):
            check(found.original, found.sensitive, rho=0.5, published=other_baskets(), knowledge=knowledge)  # type: ignore[operator]
    # What is published may lose items and get none, whoever is feared.
    more = sudare.make_baskets([["a", "b"], ["a", "b"], ["a", "b", "c"], ["b"]])
    with pytest.raises(sudare.OptionNotUsable, match="has an item that the original has not"):
        sudare.check_baskets(found.original, found.sensitive, rho=0.5, published=more, knowledge=knowledge)  # type: ignore[arg-type]


def test_a_certificate_states_the_rho_and_the_verdict_of_its_own_file(found: Suppression, tmp_path: Path) -> None:
    made = sudare.write_published(found, tmp_path / "out.txt")
    assert (made.rho, made.safe) == ("0.5", True)
    assert made.claim.startswith("SAFE: nobody who knows any number of items")
    assert list(inspect.signature(sudare.write_published).parameters) == ["found", "path", "certificate"]


def test_a_result_that_lies_about_its_records_is_not_written(found: Suppression, tmp_path: Path) -> None:
    """The records of another run beside the verdict of this one."""
    lying = replace(found, published=found.original)
    assert lying.safe
    with pytest.raises(sudare.OutputNotWritable, match="its records are not safe"):
        sudare.write_published(lying, tmp_path / "out.txt")
    stricter = replace(found, verdict=replace(found.verdict, rho=sudare.check_baskets(
        found.original, found.sensitive, rho="0.1").rho))  # fmt: skip
    with pytest.raises(sudare.OutputNotWritable, match="its records are not safe"):
        sudare.write_published(stricter, tmp_path / "out.txt")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_would_not_hold_the_records_is_not_written(
    found: Suppression, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever goes wrong while writing: the file is read again before it gets its name."""

    def careless(baskets: sudare.Baskets, target: Path, form: str) -> None:
        target.write_text("a b\n" * len(baskets))

    monkeypatch.setattr("sudare.anonymize.certificate.fill_basket_file", careless)
    with pytest.raises(sudare.OutputNotWritable, match="would not hold the records that were checked"):
        sudare.write_published(found, tmp_path / "out.txt")
    assert list(tmp_path.iterdir()) == []


def test_use_is_measured_of_a_suppression_of_the_original_only(found: Suppression) -> None:
    more = found.original.only(np.ones(len(found.original.items), np.bool_))
    assert sudare.basket_utility(found.original, more).suppressed_share == 0
    shuffled = sudare.make_baskets([["b"], ["a", "c"], ["a", "b"], ["a", "b"]])
    with pytest.raises(sudare.BadRows, match="is no suppression"):
        sudare.basket_utility(found.original, shuffled)


def test_a_report_refuses_the_assessment_of_another_history(
    toy: sudare.PurchaseHistory, toy_file: Path, tmp_path: Path
) -> None:
    with sudare.read_history(toy_file) as same_rows:
        assessment = sudare.assess_attackers(toy)
        with pytest.raises(sudare.OptionNotUsable, match="assess the history that the report is about"):
            sudare.write_history_report(tmp_path / "r.html", same_rows, assessment)
