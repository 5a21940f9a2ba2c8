"""The page about a gate: what it says, in which order, and that it is whole and loads nothing."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from sudare.errors import InputError
from sudare.gate.baseline import Baseline
from sudare.gate.run import GateRun, run_gate
from sudare.messages import LANGUAGES, Texts, message
from sudare.report.gate.report import gate_page, write_gate_report
from tests.gate.small_gates import PEOPLE, write, write_policy
from tests.report.pages import Nesting, shown_text

MADE = dt.datetime(2025, 1, 31, 9, 30)
EVIL = "<script>alert(1)</script>&'x'"
SOURCE = {"s": {"kind": "table", "file": "people.csv"}}
FINE = {"name": "fine", "source": "s", "measure": "identifiers", "fail": 0}
NEAR = {"name": "near", "source": "s", "measure": "mean-risk", "known": ["sex"], "warn": 0.1}
BAD = {"name": "bad", "source": "s", "measure": "uniques", "known": ["sex", "age"], "warn": 0, "fail": 0.05}
WORSE = {"name": "worse", "source": "s", "measure": "smallest-class", "known": ["sex", "age"], "fail": 11}

Run = Callable[..., GateRun]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return a function from checks on six people to what became of them."""

    def ran(*checks: Mapping[str, Any], day: dt.date | None = None, baseline: Any = None, **gate: Any) -> GateRun:
        write(tmp_path, people_csv=PEOPLE)
        policy = write_policy(tmp_path, SOURCE, *(checks or (FINE, NEAR, BAD)), **{"title": "Members", **gate})
        return run_gate(policy, day=day, baseline=baseline)

    return ran


def page_of(found: GateRun, language: Any = "en", **options: Any) -> str:
    return gate_page(found, Texts(language), MADE, **options)


def rows(page: str) -> list[list[str]]:
    """Return the rows of the table of checks: verdict, name with measure, value, limits."""
    table = page[page.index('<section id="checks">') :]
    table = re.sub("</?(?:bdi|data)[^>]*>", "", table[: table.index("</table>")])
    return [
        [shown_text(cell) for cell in re.findall(r"(?s)<t[dh] ?[^>]*>.*?</t[dh]>", row)]
        for row in re.findall(r"(?s)<tr>.*?</tr>", table[table.index("<tbody>") :])
    ]


def headings(page: str) -> list[str]:
    return [shown_text(text) for text in re.findall(r"<h3>.*?</h3>", page)]


def sections(page: str) -> list[str]:
    return re.findall(r'<section id="(\w+)">', page)


def test_the_page_says_title_verdict_and_the_worst_first(run: Run) -> None:
    page = page_of(run())
    text = shown_text(page)
    assert "<title>Members</title>" in page
    assert 'class="verdict fail">The gate is closed: 1 of 3 checks do not pass.</p>' in page
    assert rows(page) == [
        ["fails", "bad Unique (sex, age)", "33.33 %", "at most 5 %; at most 0 % (warning)"],
        ["warns", "near Mean risk (sex)", "33.33 %", "at most 10 % (warning)"],
        ["passes", "fine Identifying columns", "0", "at most 0"],
    ]
    assert "Beyond its limit: bad." in text
    assert "Warns: near." in text
    assert "Whether the data may be handed over is a decision of people." in text
    assert sections(page) == ["summary", "checks", "legal", "files", "parameters"]


def test_numbers_keep_their_exact_values(run: Run) -> None:
    assert f'<data value="{2 / 6}">' in page_of(run(BAD))


def test_checks_that_do_not_pass_say_what_was_found_and_the_command_that_tells_more(run: Run) -> None:
    page = page_of(run(FINE, NEAR, BAD, WORSE))
    assert headings(page)[:3] == ["bad", "worse", "near"]
    details = shown_text(page[page.index("<h3><bdi>bad") : page.index("<h3><bdi>worse")])
    assert "The share that nobody else is like" in details
    assert "2 of 6 records" in details
    assert re.search(r"sudare table risk \S*people\.csv --known sex,age", details)


@pytest.mark.parametrize(
    ("checks", "verdict", "sentence"),
    [
        ([FINE], "pass", "The gate is open: the policy's check passes."),
        ([FINE, NEAR], "warn", "The gate is open, with warnings: none of 2 checks fails."),
        ([BAD], "fail", "The gate is closed: the policy's check does not pass."),
        ([BAD, WORSE, FINE], "fail", "The gate is closed: 2 of 3 checks do not pass."),
    ],
)
def test_the_answer_is_that_of_the_run(run: Run, checks: list[Mapping[str, Any]], verdict: str, sentence: str) -> None:
    found = run(*checks)
    assert found.verdict == verdict
    assert f'<p class="verdict {verdict}">{sentence}</p>' in page_of(found).replace("&#39;", "'")


def test_exceptions_are_shown_with_reason_and_end(run: Run) -> None:
    waived = {**BAD, "except": {"reason": EVIL, "until": "2026-12-31"}}
    page = page_of(run(waived, day=dt.date(2026, 12, 31)))
    assert rows(page)[0][0] == "excepted"
    assert "The gate is open" in shown_text(page)
    assert f"Does not count until 2026-12-31: {EVIL}" in shown_text(page)
    expired = page_of(run(waived, day=dt.date(2027, 1, 1)))
    assert rows(expired)[0][0] == "fails"


def test_a_baseline_is_named_with_what_was_then(run: Run) -> None:
    first = run(NEAR)
    from sudare.gate.run import baseline_of

    before = baseline_of(first)
    assert isinstance(before, Baseline)
    page = page_of(run(NEAR, baseline=before))
    assert "Baseline: 33.33 %; may be worse by" in shown_text(page)


def test_a_check_that_proves_nothing_says_nothing_to_the_legal_map(run: Run) -> None:
    from dataclasses import replace

    check = {"name": "known", "source": "s", "measure": "highest-risk", "known": ["sex"], "warn": 0.01}
    found = run(check)
    told = page_of(found, legal=["ema"])
    assert "above the usual number" in shown_text(told)
    unproven = replace(found.checks[0], unproven=message("gate.unproven.no_model"), verdict="unproven")
    silent = page_of(replace(found, checks=(unproven,)), legal=["ema"])
    assert "(0 of 3 criteria have measured values)" in shown_text(silent)
    assert "usual number" not in shown_text(silent).split("Result", 1)[1]


def test_frames_are_those_of_the_call_else_of_the_policy_else_all(run: Run) -> None:
    named = run(FINE, legal=["gdpr", "appi"])
    frames = [re.findall(r'id="legal-([\w-]+)"', page_of(named, legal=legal)) for legal in ([], ["cms"])]
    assert frames == [["appi", "gdpr"], ["cms"]]
    assert len(re.findall(r'id="legal-', page_of(run(FINE)))) == 12


def test_the_map_alone_has_no_checks_and_is_unfolded(run: Run) -> None:
    page = page_of(run(), only_legal=True)
    assert sections(page) == ["legal", "files", "parameters"]
    assert page.count('<details class="legal" open') == 12
    assert "The gate is closed" not in page


def test_answers_come_from_the_file_that_the_policy_names(run: Run, tmp_path: Path) -> None:
    (tmp_path / "answers.toml").write_text(f'recipients = "{EVIL}"\ncontract = true\n', encoding="utf-8")
    text = shown_text(page_of(run(FINE, answers="answers.toml")))
    assert EVIL in text
    assert "passing the data on?" in text
    assert text.count("not answered") == 13


def test_files_are_named_with_rows_and_hashes(run: Run) -> None:
    found = run()
    text = shown_text(page_of(found))
    (source,) = found.inputs
    assert source.sha256 is not None
    assert f"s people.csv 6 {source.sha256}" in text
    assert text.count(found.sha256) == 2


def test_the_page_is_self_contained(run: Run) -> None:
    page = page_of(run())
    assert re.findall(r"""(?:https?:)?//[^\s"'<>]+""", page) == []
    assert re.findall(r"<(?:script|img|iframe|object)\b|\bsrc=|@import|url\(", page) == []
    assert set(re.findall(r'href="(.*?)"', page)) == {"data:,", *(f"#{name}" for name in sections(page))}
    nesting = Nesting()
    nesting.feed(page)
    assert nesting.open == []


def test_hostile_names_are_shown_as_they_are_written(run: Run, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("x", encoding="utf-8")
    found = run({**BAD, "name": EVIL}, {**NEAR, "name": "</title></style><b>"}, title=EVIL)
    page = page_of(found, command=f"sudare gate run '{EVIL}'")
    assert "<script" not in page
    assert "</style><b>" not in page
    assert rows(page)[0][1] == f"{EVIL} Unique (sex, age)"
    assert page.count("</title>") == 1
    assert EVIL in shown_text(page)


def test_values_of_the_data_are_shown_only_where_the_policy_allows_them(run: Run, tmp_path: Path) -> None:
    text = PEOPLE.replace("f,50", f'"{EVIL}",50').replace("m,40", "secret,40")
    rare = {"name": "rare", "source": "s", "measure": "rare-values", "people": 2, "attributes": ["sex"], "warn": 0}

    def page(**gate: Any) -> str:
        policy = write_policy(tmp_path, SOURCE, rare, **gate)
        (tmp_path / "people.csv").write_text(text, encoding="utf-8")
        return page_of(run_gate(policy))

    assert "secret" not in page(title="T")
    allowed = page(title="T", examples=["rare"])
    assert "Example from the data: " in allowed or "rare-values" not in allowed
    assert "<script" not in allowed


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_is_in_the_language_that_is_asked_for(run: Run, language: Any) -> None:
    texts = Texts(language)
    page = page_of(run(), language)
    assert f'<html lang="{language}">' in page
    assert rows(page)[0][0] == texts("gate.verdict.fail")
    assert texts("report.gate.answer.limits") in shown_text(page)
    # Reports say である.
    assert re.findall("です|ます[。、]", shown_text(page)) == []


def test_it_is_written_whole_or_not_at_all(run: Run, tmp_path: Path) -> None:
    found = run()
    with pytest.raises(InputError, match="'gdrp'"):
        write_gate_report(found, tmp_path / "r.html", legal=["gdrp"])
    with pytest.raises(InputError):
        write_gate_report(found, tmp_path / "r.pdf")
    assert not list(tmp_path.glob("r.*"))
    write_gate_report(found, tmp_path / "r.html", made=MADE)
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == page_of(found)


def test_a_run_in_a_notebook_shows_its_checks(run: Run) -> None:
    shown = run({**BAD, "name": EVIL})._repr_html_()
    assert "The gate is closed" in shown
    assert "<script" not in shown
