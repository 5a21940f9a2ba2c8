"""The report of a purchase history: what it says, that it says what was measured, and that it is written whole."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sudare
from sudare.messages import LANGUAGES, Texts, catalogue
from sudare.progress import silent
from sudare.report.history.findings import gather_findings
from sudare.report.history.report import basket_text, write_history_report
from sudare.sources.purchases.rules import RULES
from sudare.sources.rejects import BROKEN_LINE
from tests.conftest import TOY
from tests.report.pages import numbers_of, shown_text

# Whole pages, half a second each.
pytestmark = pytest.mark.slow

MADE = dt.datetime(2025, 1, 31, 9, 30)
EVIL = "<script>alert(1)</script> & \"q\" 'x'"
EVIL_ROWS = f"""\
"<b>who</b>",day,item,price
"{EVIL.replace('"', '""')}",2024-05-01,"{EVIL.replace('"', '""')}",1
<img src=x onerror=alert(2)>,2024-05-02,</style></svg><script>alert(3)</script>,2
plain,,x,3
"""

EVIL_READING = {"bad_rows": "drop", "columns": {"customer": "<b>who</b>"}}

FREQUENCIES = ("Visits by day", "Visits by number of rows", "Occurrences of items by rank")

Make = Callable[..., str]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Return a function from the text of a history to its report."""

    def report(
        text: str = TOY, *, name: str = "toy.csv", language: str = "en", read: Any = None, **options: Any
    ) -> str:
        source, target = tmp_path / name, tmp_path / "report.html"
        source.write_text(text, encoding="utf-8")
        with sudare.read_history(source, **(read or {})) as history:
            found = sudare.histories.assess_attackers(history, **options)
            write_history_report(history, found, target, language=language, made=MADE)
        return target.read_text(encoding="utf-8")

    return report


def test_the_numbers_are_those_of_the_assessment(toy: sudare.History, tmp_path: Path) -> None:
    found = sudare.histories.assess_attackers(toy)
    write_history_report(toy, found, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for risk in found.attackers:
        assert numbers_of(page, f"attacker-{risk.attacker}") == [risk.measured, risk.unique_share, risk.theory]


def test_the_answer_comes_first_and_names_equally_dangerous_facts(make: Make) -> None:
    text = shown_text(make())
    assert "The data hold 10 rows of 3 customers, recorded on 3 days between 2010-12-01 and 2010-12-03." in text
    assert "the number of rows in a visit and the day of a visit are equally the most dangerous" in text
    assert "one day and one item bought that day picks the right customer in 90.00 % of cases" in text
    assert "2 of 3 customers (66.67 %) can be singled out by a day and one item" in text
    assert text.index("can be singled out") < text.index("Assumptions", text.index("can be singled out"))


def test_the_japanese_report_says_the_same(make: Make) -> None:
    page = make(language="ja", knowledge=["day*2"])
    assert '<html lang="ja">' in page
    text = shown_text(page)
    assert "「ある来店の行数」、「ある来店の日」が同程度に最も危険である" in text
    assert "90.00%の確率で正しい顧客を選ぶ" in text
    assert "顧客3人のうち2人（66.67%）" in text
    assert all(item in text for item in ("パン", "お茶", "ジュース", "購買日×2"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_of_another_language_is_left(make: Make, language: str) -> None:
    """Each text of the other language would show as a whole sentence; data and proper names are the same in both."""
    other = catalogue("ja" if language == "en" else "en")
    mine = catalogue(language)
    page = shown_text(make(language=language, knowledge=["day*2", "item*4"]))
    sentences = [text for key, text in other.items() if "{" not in text and len(text) > 20 and text != mine.get(key)]
    assert [text for text in sentences if text in page] == []


def test_theory_beyond_one_has_its_remark(make: Make) -> None:
    page = make()
    assert "1.20<" in page
    assert "Above 1, so not a probability" in page
    assert "Above 1, so not a probability" not in make("customer,day,item\n1,2010-12-01,a\n2,2010-12-01,a\n")


def test_figures_carry_the_correlation_and_the_statistics(make: Make) -> None:
    text = shown_text(make())
    assert "day: correlation 1.000" in text
    assert "item: correlation 0.707" in text
    assert "3 1.67 2 2" in text


def test_figures_1_to_3_are_drawn_of_what_the_history_has(make: Make) -> None:
    page = make()
    assert [f'aria-label="{title}"' in page for title in FREQUENCIES] == [True] * 3
    assert "4 items; the most common has 3 occurrences." in page
    one_day = make("customer,day,item\n1,2010-12-01,a\n2,2010-12-01,b\n")
    assert [f'aria-label="{title}"' in one_day for title in FREQUENCIES] == [False, False, True]


def test_figures_of_online_retail_have_the_papers_peaks(online_retail: sudare.History) -> None:
    found = gather_findings(online_retail, sudare.histories.assess_attackers(online_retail), silent).frequencies
    assert (len(found.days.counts), max(found.days.counts), found.days.step) == (374, 21, 1)  # Figure 1
    assert (found.rows.first, found.rows.counts[0], max(found.rows.counts)) == (1, 71, 71)  # Figure 2
    assert (sum(found.days.counts), sum(found.rows.counts)) == (1567, 1567)
    assert (found.ranks[0], found.ranks[-1]) == ((1, 1012), (2781, 1))  # Figure 3


def test_visits_are_listed_as_in_table_6(make: Make) -> None:
    text = shown_text(make())
    assert "The first 5 of 5 visits." in text
    assert "1 2010-12-01 お茶 | パン | 本 3 3 1 2010-12-02 お茶 1 1 2 2010-12-01 パン 1 1" in text


def test_theories_stand_beside_the_measurement(toy: sudare.History, tmp_path: Path) -> None:
    found = sudare.histories.assess_attackers(toy, knowledge=["kinds"])
    write_history_report(toy, found, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for place, risk in enumerate((*found.attackers, *found.knowledge)):
        expected = [risk.measured, risk.theory, risk.theory_occurring, risk.theory_marginal]
        assert numbers_of(page, f"theories-{place}") == expected
    assert "5 · day 60.00 % 30.00 % 60.00 % 60.00 % 0 of 3" in shown_text(page)  # example 4.2


def test_several_persons_have_a_section_if_they_were_asked_for(toy: sudare.History, tmp_path: Path) -> None:
    found = sudare.histories.assess_attackers(toy)
    several = [
        sudare.histories.assess_persons(toy, "day"),
        sudare.histories.assess_persons(toy, "item", most_combinations=1, samples=500),
    ]
    write_history_report(toy, found, tmp_path / "report.html", persons=several)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for place, risk in enumerate(several):
        assert numbers_of(page, f"persons-{place}") == [risk.alone, risk.measured, risk.together, risk.certain]
    assert "an estimate from 500 drawn at random (seed 0)" in shown_text(page)
    write_history_report(toy, found, tmp_path / "report.html")
    assert 'id="persons"' not in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_occurring_and_possible_values_are_set_against_each_other(make: Make) -> None:
    assert "7 · day + number of rows 5 9 55.56 %" in shown_text(make())


def test_further_knowledge_has_its_own_section_only_if_there_is_some(make: Make) -> None:
    assert 'id="further"' not in make()
    assert 'id="further"' in make(knowledge=["day*2"])


def test_estimates_are_shown_with_their_range_sample_and_seed(make: Make) -> None:
    text = shown_text(make(knowledge=["(day + item)*2"], most_combinations=1, samples=2000, seed=7))
    assert re.search(r"100 % \(99\.\d\d % to 100 %\)", text)
    assert "an estimate from 2,000 combinations drawn at random (seed 7)" in text
    assert "with 95 % confidence" in text


def test_knowledge_that_nobody_has_is_said_to_be_absent(make: Make) -> None:
    text = shown_text(make(knowledge=["item*4"]))
    assert "Knows 4 different items of a visit. does not occur" in text


def test_customers_without_such_knowledge_are_counted(make: Make) -> None:
    assert "“2 × day”: nothing of this kind can be known about 1 customer" in shown_text(make(knowledge=["day*2"]))


def test_the_other_weighting_is_named_and_used(make: Make) -> None:
    page = make(weighting="record")
    assert numbers_of(page, "attacker-5")[0] == pytest.approx(0.65)
    assert "number of rows that carry it" in shown_text(page)


def test_how_the_file_was_read_is_told(make: Make) -> None:
    text = shown_text(make(EVIL_ROWS, read=EVIL_READING))
    assert "encoding utf-8, delimiter comma, header yes" in text
    assert "the day is missing day 1" in text
    assert "Rows read 3" in text
    assert "Rows left out 1" in text
    assert "receipt (not used) column 2" in shown_text(make())


def test_names_from_the_data_are_escaped_everywhere(make: Make) -> None:
    page = make(EVIL_ROWS, name="a&b'<i>.csv", read=EVIL_READING)
    assert "<script" not in page
    assert "<img" not in page
    assert "<i>" not in page
    assert "<b>who" not in page
    assert page.count("</style>") == 1
    text = shown_text(page)
    assert text.count(EVIL) >= 4
    assert "How well customers can be recognized in a&b'<i>.csv" in text


def test_names_from_the_data_are_no_templates_and_no_placeholders(make: Make) -> None:
    text = shown_text(make("customer,day,item\n{{ 7*7 }},2024-05-01,{0} {x}\nb,2024-05-01,{% raw %}\n"))
    assert all(name in text for name in ("{{ 7*7 }}", "{0} {x}", "{% raw %}"))


def test_long_names_and_sets_are_shortened(make: Make) -> None:
    rows = "".join(f"1,2024-05-01,item number {n:03}\n" for n in range(40)) + f"2,2024-05-02,{'x' * 5000}\n"
    text = shown_text(make("customer,day,item\n" + rows))
    assert "(40 items in all)" in text
    assert "x" * 80 + "…" in text
    assert "x" * 121 not in text


def test_the_number_of_items_is_not_guessed_from_names_with_the_divider() -> None:
    many = " | ".join(f"item {n}" for n in range(50))
    assert basket_text(many, Texts("en"), divided=True).endswith(" | … (50 items in all)")
    assert basket_text(many, Texts("en"), divided=False).endswith("…")
    assert basket_text("a | b", Texts("en"), divided=True) == "a | b"


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_row_makes_a_sensible_page_without_figures(make: Make, language: str) -> None:
    page = make("1,100,2010/12/1,8:45,パン,1.45,2\n", language=language, knowledge=["item*2"])
    assert "<figure" not in page
    assert Texts(language)("report.history.answer.one_customer") in shown_text(page)


def test_one_customer_has_nothing_to_be_compared_with(make: Make) -> None:
    page = make("customer,day,item\n" + "".join(f"1,2024-05-0{d},item {d % 3}\n" for d in range(1, 9)))
    assert "<figure" not in page
    assert "1 customer, recorded on 8 days" in shown_text(page)


def test_customers_who_are_all_alike_make_a_sensible_page(make: Make) -> None:
    page = make("customer,day,item\n" + "".join(f"{c},2024-05-01,bread\n" for c in range(5)))
    text = shown_text(page)
    assert "No customer can be singled out by a day and one item" in text
    assert "There are too few values for a chart." in text


def test_the_same_input_and_date_give_the_same_bytes(make: Make) -> None:
    assert make(knowledge=["day*2"]) == make(knowledge=["day*2"])


def test_the_date_is_now_unless_it_is_given(toy: sudare.History, tmp_path: Path) -> None:
    write_history_report(toy, sudare.histories.assess_attackers(toy), tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert f"{dt.datetime.now():%Y-%m-%d}" in page


def test_version_seed_and_hash_stand_at_the_end(make: Make) -> None:
    footer = make(seed=11).split("<footer>")[1]
    assert f"sudare {sudare.__version__}" in footer
    assert "<dd>11</dd>" in footer
    assert re.search(r"<dd>[0-9a-f]{64}</dd>", footer)


def test_the_page_needs_nothing_from_elsewhere(make: Make) -> None:
    page = make()
    assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in page
    addresses = set(re.findall(r"""(?:https?:)?//[^\s"'<>]+""", page))
    assert addresses == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<script|@import|url\(", page)


def test_folders_of_the_source_are_not_shown(make: Make, tmp_path: Path) -> None:
    assert str(tmp_path) not in make()


def test_progress_reaches_its_end(toy: sudare.History, tmp_path: Path) -> None:
    steps: dict[str, list[tuple[int, int]]] = {}
    found = sudare.histories.assess_attackers(toy)
    write_history_report(
        toy, found, tmp_path / "r.html",
        progress=lambda said, done, total: steps.setdefault(said.key, []).append((done, total)),
    )  # fmt: skip
    assert all(own == sorted(own) for own in steps.values())
    drawing = steps["progress.drawing"]
    assert drawing[-1] == (drawing[0][1], drawing[0][1])


def test_a_failure_leaves_nothing_and_keeps_what_was_there(
    toy: sudare.History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    found = sudare.histories.assess_attackers(toy)
    (folder / "old.html").write_text("old", encoding="utf-8")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    for name in ("old.html", "new.html"):
        with pytest.raises(sudare.OutputNotWritable, match="No space left"):
            write_history_report(toy, found, folder / name)
    assert [path.name for path in folder.iterdir()] == ["old.html"]
    assert (folder / "old.html").read_text(encoding="utf-8") == "old"


def test_an_output_that_cannot_be_written_is_refused_before_the_work(toy: sudare.History, tmp_path: Path) -> None:
    steps: list[object] = []
    with pytest.raises(sudare.OutputNotWritable, match="does not exist"):
        write_history_report(
            toy,
            sudare.histories.assess_attackers(toy),
            tmp_path / "no" / "r.html",
            progress=lambda step, *_: steps.append(step),
        )
    assert steps == []


def test_an_unknown_language_is_refused(toy: sudare.History, tmp_path: Path) -> None:
    with pytest.raises(sudare.OptionNotUsable, match="en or ja"):
        write_history_report(toy, sudare.histories.assess_attackers(toy), tmp_path / "r.html", language="fr")


def test_an_assessment_of_another_history_is_refused(toy: sudare.History, tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("customer,day,item\n1,2024-05-01,a\n", encoding="utf-8")
    with sudare.read_history(tmp_path / "other.csv") as other, pytest.raises(sudare.OptionNotUsable, match="10 rows"):
        write_history_report(other, sudare.histories.assess_attackers(toy), tmp_path / "r.html")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reason_to_leave_out_a_row_is_told_in_the_language(language: str) -> None:
    texts = Texts(language)
    said = {texts.say(reason) for reason in (BROKEN_LINE, *(rule.reason for rule in RULES))}
    assert len(said) == 1 + len(RULES)


def test_the_papers_data_make_a_page_of_moderate_size(online_retail: sudare.History, tmp_path: Path) -> None:
    found = sudare.histories.assess_attackers(online_retail)
    write_history_report(online_retail, found, tmp_path / "r.html", made=MADE)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert len(page.encode()) < 1_000_000
    assert numbers_of(page, "attacker-6")[0] == pytest.approx(0.8945, abs=5e-5)
    text = shown_text(page)
    assert "398 of 400 customers (99.50 %)" in text
    assert "7 · day + number of rows 1,473 33,060 4.46 %" in text
    assert "number of rows: correlation 0.985" in text


def test_the_command_line_is_shown_or_the_call(toy: sudare.History, tmp_path: Path) -> None:
    found = sudare.histories.assess_attackers(toy)
    write_history_report(toy, found, tmp_path / "r.html", command="sudare history report 'my toy.csv' -o r.html")
    text = shown_text((tmp_path / "r.html").read_text(encoding="utf-8"))
    assert "The command that made this report: sudare history report 'my toy.csv' -o r.html" in text
    write_history_report(toy, found, tmp_path / "r.html")
    text = shown_text((tmp_path / "r.html").read_text(encoding="utf-8"))
    assert "history.attackers(knowledge=[], weighting='occurrence', seed=0), 'r.html', language='en')" in text
    assert "To lower these risks" in text
    assert "DuckDB" in text


def test_items_are_shown_with_their_names(tmp_path: Path) -> None:
    rows = "1,2011-01-01,85123A,WHITE HANGING HEART\n2,2011-01-02,71053,LANTERN\n"
    (tmp_path / "t.csv").write_text(f"customer,date,item,description\n{rows}", encoding="utf-8")
    with sudare.read_history(tmp_path / "t.csv") as history:
        history.report(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert page.count("85123A WHITE HANGING HEART") == 2
    assert "name of the item" in page
