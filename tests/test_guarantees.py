"""The page on what is claimed names every text, help and key of JSON about safety, and tests that there are."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import sudare
from sudare.cli.app import COMMANDS, GROUPS, group_summary, load_command
from sudare.cli.help import SECTIONS, help_text
from sudare.cli.settings import settle
from sudare.messages import catalogue

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "reference" / "guarantees.md").read_text(encoding="utf-8")
# Words by which a text claims something about safety. A new text that has one of them needs a place on the page, or in
# the list of those that claim nothing.
CLAIM = re.compile(
    r"\bsafe\b|\bsafety\b|unsafe|guarantee|certificate|effective|\bbounds?\b|at most|at least|at best|withst|succe"
    r"|exceed|risk above|is above it|above \{(limit|bound|rho)|within the limit|do not keep|broke|all fail|for certain"
    r"|certainty|proven|proves|never|mean risk of each|highest risk|nobody|anonymous|look alike|looks? like|given out"
    r"|disclosed|may be published|singled out|recogniz|secret|U below|measured on the file|left out, record by record",
    re.IGNORECASE,
)
# Texts with such a word that claim nothing about the safety of data: titles and labels of what is measured, rules of
# the input, passwords, and measures of use. Errors refuse an input; helps are looked at command by command.
NO_CLAIM = {
    "attackers.theory_remark", "attackers.title", "attackers.published.title", "baskets.title", "complaint.person",
    "complaint.decimal", "complaint.range_order", "errors.*", "help.options.rejects", "knowledge.highest",
    "mining.utility.support_errors",
    "notes.column.constant", "notes.demo", "notes.written_secret", "population.reason.small_share", "progress.*",
    "mining.itemsets", "mining.rules",
    "contest.usecases.itemsets", "plain.report.contest.uses.itemsets", "report.contest.uses.itemsets",
    "report.baskets.utility.rules_means", "report.experiment.caption.figure_5", "report.experiment.short_records",
    "report.frontier.seconds", "report.history.assume.theory", "report.history.statistics.scatter_description",
    "report.history.title", "report.table.dangerous.intro", "report.table.data.*", "report.table.lattice.*",
    "report.table.measure.*", "report.table.title", "risk.max_risk", "web.failure.*", "web.field.*", "web.log_in.*",
    "web.reset.*", "server_check.*", "web.rules.cells", "web.rules.line", "web.rules.guesses", "web.rules.person.*",
    "web.correct.disable_about",
}  # fmt: skip
# Options of reading and of engines have the same help in many commands; it is looked at once, as other texts are.
SHARED = {name for section in ("reading", "engine", "general") for name in SECTIONS[section]}
# Commands whose help has such a word and claims nothing.
NO_CLAIM_HELP = {
    "sudare", "sudare baskets", "sudare history knowledge", "sudare history visits", "sudare table affordable",
    "sudare table dangerous", "sudare server services",
}  # fmt: skip
# Names of results, which are keys of JSON, that say something about safety.
KEY = re.compile(
    r"safe|at_least|at_most|survives|effective|holds|unique|proven|anonymous|broken|_found$|claim|above|bound"
)


def helps() -> Iterator[tuple[str, str]]:
    """Return every command with its help and that of its options, but for those that many commands share."""
    settle(["--lang", "en"])
    for group in ("", *GROUPS):
        yield f"sudare {group}".strip(), group_summary(group)
    for words in COMMANDS:
        options = [name for name in inspect.signature(load_command(words)).parameters if name not in SHARED]
        yield f"sudare {words}", "\n".join(help_text(words, name) for name in ("summary", "text", *options))


def result_names() -> set[str]:
    """Return the names of fields and properties of everything that has plain values."""
    found: set[str] = set()
    for module in pkgutil.walk_packages(sudare.__path__, "sudare."):
        if re.match(r"sudare\.(histories|tables|baskets|contest)\.", module.name):
            for kind in vars(importlib.import_module(module.name)).values():
                if inspect.isclass(kind) and is_dataclass(kind) and hasattr(kind, "to_dict"):
                    found |= {field.name for field in fields(kind)}
                    found |= {name for name, value in vars(kind).items() if isinstance(value, property)}
    return found


def named(kind: str) -> list[str]:
    """Return what stands in backquotes on the lines of the page that begin with a word."""
    lines = re.findall(rf"^{kind}: .*(?:\n.+)*", PAGE, re.M)
    return [name for line in lines for name in re.findall(r"`([^`]+)`", line)]


ENGLISH = catalogue("en")
HELPS = dict(helps())


def among(key: str, names: list[str] | set[str]) -> bool:
    return any(fnmatchcase(key, name) for name in names)


def test_every_text_about_safety_has_its_place_on_the_page_or_claims_nothing() -> None:
    texts = [key for key in ENGLISH if not key.startswith("help.") or key.rpartition(".")[2] in SHARED]
    claims = [key for key in texts if CLAIM.search(ENGLISH[key])]
    assert len(claims) > 200
    assert [key for key in claims if not among(key, named("Texts")) and not among(key, NO_CLAIM)] == []


def test_every_help_about_safety_has_its_place_on_the_page() -> None:
    claims = {name for name, text in HELPS.items() if CLAIM.search(text)}
    assert claims - set(named("Help")) == NO_CLAIM_HELP
    assert set(named("Help")) <= claims


def test_every_key_of_a_result_about_safety_has_its_place_on_the_page() -> None:
    there = result_names()
    assert {name for name in there if KEY.search(name)} - set(named("JSON")) == set()
    assert set(named("JSON")) <= there


def test_every_text_that_is_named_is_there() -> None:
    assert [name for name in named("Texts") if not any(fnmatchcase(key, name) for key in ENGLISH)] == []
    idle = {
        name for name in NO_CLAIM if not any(fnmatchcase(key, name) for key in ENGLISH if CLAIM.search(ENGLISH[key]))
    }
    assert idle == set()


def test_every_test_that_the_page_names_is_there() -> None:
    tests = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", PAGE)
    assert len(tests) > 60
    for file, name in tests:
        assert (ROOT / file).is_file(), file
        assert not name or f"def {name}(" in (ROOT / file).read_text(encoding="utf-8"), f"{file}::{name}"


def test_every_statement_has_grounds_and_a_test_of_its_own() -> None:
    lines = [line for line in PAGE.splitlines() if line.count("|") == 5]
    rows = [line for line in lines if "---" not in line and "| claim |" not in line]
    assert len(rows) > 50
    assert [row for row in rows if not all(cell.strip() for cell in row.split("|")[1:-1])] == []
    assert [row for row in rows if not re.search(r"`tests/[\w/]+\.py::test_\w+`", row)] == []
