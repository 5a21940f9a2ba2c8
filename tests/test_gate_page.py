"""The pages about the gate have the whole language of policies, and nothing that is not in it.

What there is, is taken from the registry of measures, the reader of policies and the questions of the legal map.
"""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path

import pytest

import sudare
from sudare.gate import policy as language, read_policy, run_gate
from sudare.gate.arguments import Argument
from sudare.gate.evidence import ANSWERS, BASELINE, INPUTS, MANIFEST, POLICY, REPORT, RESULTS, SIGNATURE
from sudare.gate.measures.model import Measure
from sudare.gate.measures.registry import KINDS, MEASURES, SOURCE_OPTIONS
from sudare.gate.verdicts import FAILING, VERDICTS
from sudare.messages import Texts
from sudare.report.gate.report import SECTIONS
from sudare.report.legal.criteria import UsualNumber, legal_frames, legal_questions, read_answers
from sudare.report.legal.map import relation
from sudare.report.legal.section import section_title
from tests.pages import DOCS, blocks, page_name

PAGE = DOCS / "reference" / "gate.md"
HOW_TO = [DOCS / "how-to" / "gate-a-pipeline.md", DOCS / "ja" / "how-to" / "gate-a-pipeline.md"]
PAGES = [PAGE, *HOW_TO, DOCS / "explanation" / "legal-map.md"]
ENGLISH = Texts("en")
HEADINGS = {
    "table": "## Measures of a table", "history": "## Measures of a purchase history",
    "baskets": "## Measures of baskets",
}  # fmt: skip
# How the page calls what an argument must be.
VALUES = {
    "text": "text", "file": "file", "source": "file or rule", "names": "list of names",
    "sets": "list of lists of names", "count": "whole number", "number": "number", "share": "share",
    "flag": "true or false",
}  # fmt: skip


def tables(page: Path, heading: str) -> list[list[list[str]]]:
    """Return the tables below a heading, up to the next one that is not lower: rows of cells, without the head."""
    level = heading.split()[0]
    text = page.read_text(encoding="utf-8").partition(f"{heading}\n")[2]
    text = re.split(rf"^#{{1,{len(level)}}} ", text, maxsplit=1, flags=re.M)[0]
    found: list[list[list[str]]] = []
    before = ""
    for line in text.splitlines():
        if line.startswith("|"):
            if not before.startswith("|"):
                found.append([])
            found[-1].append([cell.strip() for cell in line.strip("|").split("|")])
        before = line
    return [table[2:] for table in found]


def names(cell: str) -> list[str]:
    """Return what stands in backquotes in a cell."""
    return re.findall(r"`([^`]+)`", cell)


def value_of(argument: Argument) -> str:
    """Return how the page says what an argument must be."""
    if argument.choices:
        quoted = [f"`{choice}`" for choice in argument.choices]
        return " or ".join([", ".join(quoted[:-1]), quoted[-1]])
    return VALUES[argument.kind]


def row_of(measure: Measure) -> list[str]:
    needed = [name for name, argument in measure.arguments.items() if argument.needed]
    taken = [name for name, argument in measure.arguments.items() if not argument.needed]
    quoted = [", ".join(f"`{name}`" for name in part) for part in (needed, taken)]
    return [f"`{measure.name}`", ENGLISH(f"gate.about.{measure.name}"), measure.better, measure.unit, *quoted]


@pytest.mark.parametrize("kind", KINDS)
def test_every_measure_is_on_the_page_and_no_other(kind: str) -> None:
    measures, _ = tables(PAGE, HEADINGS[kind])
    assert measures == [row_of(measure) for measure in MEASURES[kind].values()]


@pytest.mark.parametrize("kind", KINDS)
def test_every_argument_is_on_the_page_and_no_other(kind: str) -> None:
    _, told = tables(PAGE, HEADINGS[kind])
    there = {
        name: value_of(argument) for measure in MEASURES[kind].values() for name, argument in measure.arguments.items()
    }
    assert {name: value for cell, value, *_ in told for name in names(cell)} == there
    assert len(told) == len(there)


def test_every_option_of_a_source_is_on_the_page_and_no_other() -> None:
    _, told = tables(PAGE, "### `[sources.NAME]`")
    there = {}
    for name in dict.fromkeys(name for options in SOURCE_OPTIONS.values() for name in options):
        kinds = [kind for kind in KINDS if name in SOURCE_OPTIONS[kind]]
        values = {value_of(SOURCE_OPTIONS[kind][name]) for kind in kinds}
        assert len(values) == 1
        there[name] = ("all" if len(kinds) == len(KINDS) else ", ".join(kinds), values.pop())
    assert {names(option)[0]: (kinds, value) for option, kinds, value, _ in told} == there
    assert len(told) == len(there)


@pytest.mark.parametrize(
    ("heading", "keys"),
    [
        ("### `[gate]`", language._GATE),
        ("### `[sources.NAME]`", language._SOURCE),
        ("### `[[checks]]`", language._CHECK),
    ],
)
def test_every_key_of_a_policy_is_on_the_page_and_no_other(heading: str, keys: tuple[str, ...]) -> None:
    told = [names(row[0])[0] for row in tables(PAGE, heading)[0]]
    assert sorted(told) == sorted(keys)


def test_every_verdict_is_on_the_page_and_what_it_does_to_the_gate() -> None:
    told, _ = tables(PAGE, "## Verdicts")
    assert [(word, names(key)[0], gate) for word, key, _, gate in told] == [
        (ENGLISH(f"gate.verdict.{verdict}"), verdict, "closed" if verdict in FAILING else "open")
        for verdict in VERDICTS
    ]


def test_every_file_of_evidence_is_on_the_page_and_no_other() -> None:
    (told,) = tables(PAGE, "## The evidence")
    assert [names(row[0])[0] for row in told] == [
        POLICY, RESULTS, REPORT, INPUTS, BASELINE, ANSWERS, MANIFEST, SIGNATURE,
    ]  # fmt: skip


def test_every_question_is_on_the_page_and_what_answers_it() -> None:
    (told,) = tables(PAGE, "## Answers")
    assert told == [
        [f"`{name}`", "true or false" if one.yes_no else "text", one.text["en"]]
        for name, one in legal_questions().items()
    ]


def test_every_frame_is_on_the_page_about_the_map() -> None:
    (told,) = tables(DOCS / "explanation" / "legal-map.md", "## The frames")
    assert [names(row[0])[0] for row in told] == [frame.id for frame in legal_frames()]


def test_the_page_on_reports_has_the_sections_of_a_gate() -> None:
    (told,) = tables(DOCS / "reference" / "report.md", "## The report of a gate")
    assert [row[0] for row in told] == [section_title("gate", name, ENGLISH) for name in SECTIONS]


@pytest.mark.parametrize(
    ("value", "told"),
    [(1 / 12, "below"), (0.0899, "below"), (0.09, "at"), (1 / 11, "at"), (0.0911, "above"), (0.1, "above")],
)
def test_a_risk_is_at_a_number_from_there_to_the_class_size_it_is_equated_with(value: float, told: str) -> None:
    assert relation(value, UsualNumber("highest-risk", 0.09, None, 11)) == told


def policies() -> list[tuple[Path, int, str]]:
    """Return the TOML on the pages that is not a file of answers."""
    found = [(page, block) for page in PAGES for block in blocks(page) if block.language == "toml"]
    return [(page, block.line, block.text) for page, block in found if "[[checks]]" in block.text]


@pytest.mark.parametrize(
    ("page", "line", "text"), policies(), ids=lambda value: page_name(value) if isinstance(value, Path) else ""
)
def test_policies_on_the_pages_are_policies(page: Path, line: int, text: str, tmp_path: Path) -> None:
    (tmp_path / "policy.toml").write_text(text, encoding="utf-8")
    assert read_policy(tmp_path / "policy.toml").checks, f"{page_name(page)}:{line}"


def test_other_toml_on_the_pages_is_answers(tmp_path: Path) -> None:
    found = [
        block for page in PAGES for block in blocks(page) if block.language == "toml" and "[[checks]]" not in block.text
    ]
    assert found
    for block in found:
        (tmp_path / "answers.toml").write_text(block.text, encoding="utf-8")
        assert read_answers(tmp_path / "answers.toml")


def test_the_page_and_its_translation_have_the_same_policies_but_for_words() -> None:
    english, japanese = ([text for page, _, text in policies() if page == how_to] for how_to in HOW_TO)
    assert len(english) == len(japanese) > 1
    assert [_without_words(text) for text in english] == [_without_words(text) for text in japanese]


def _without_words(text: str) -> str:
    return re.sub(r'(title|name|reason) = "[^"]*"|#.*', r"\1", text)


@pytest.mark.slow
def test_the_policy_of_the_how_to_page_runs_on_generated_data(tmp_path: Path) -> None:
    sudare.generate_table(tmp_path / "members.csv", records=400, seed=1)
    sudare.generate_history(tmp_path / "purchases.csv", customers=40, seed=1)
    (tmp_path / "answers.toml").write_text("")
    text = next(text for page, _, text in policies() if page == HOW_TO[0])
    (tmp_path / "policy.toml").write_text(text, encoding="utf-8")
    found = run_gate(tmp_path / "policy.toml", day=dt.date(2026, 11, 1))
    assert {check.source for check in found.checks} == {"members", "sales"}
    assert {check.verdict for check in found.checks} >= {"fail", "waived", "pass"}
