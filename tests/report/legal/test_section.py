"""The section of reports that puts measured values beside the criteria of laws and standards."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import sudare
from sudare.cli.app import app
from sudare.errors import InputError
from sudare.messages import LANGUAGES, Texts
from sudare.report.baskets.report import write_baskets_report
from sudare.report.history.report import write_history_report
from sudare.report.legal.criteria import legal_frames, legal_questions
from sudare.report.legal.map import LegalValue
from sudare.report.legal.section import legal_values, section_title, usual_text, value_text
from sudare.report.page import environment
from sudare.report.table.report import write_table_report
from tests.conftest import TOY
from tests.report.pages import Nesting, shown_text

MADE = dt.datetime(2025, 1, 31, 9, 30)
PEOPLE = "sex,age,town\nm,30,x\nm,30,x\nm,40,x\nf,40,x\nf,40,y\nf,50,y\n"
EVIL = "<script>alert(1)</script>&'x'"
Write = Callable[..., str]


def section(values: list[LegalValue], language: Any = "en", **options: Any) -> str:
    """Return the section alone, as HTML."""
    texts = Texts(language)
    shown = legal_values(values, texts, **options)
    return environment(texts).get_template("legal/section.html").render(**shown)


def cells(page: str, clause: str) -> list[str]:
    """Return the texts of the cells of a criterion: what was measured, the number, and the result."""
    row = next(row for row in re.findall(r"(?s)<tr>.*?</tr>", page) if f"<b>{clause}</b>" in row)
    return [shown_text(cell) for cell in re.findall(r"(?s)<td.*?</td>", re.sub("</?(?:bdi|data)[^>]*>", "", row))]


def answers(page: str) -> dict[str, str]:
    """Return the answers on a page by the beginnings of their questions."""
    told = re.findall(r"(?s)<dt>(.*?) <span.*?<dd>(.*?)</dd>", page)
    return {unescape(question): shown_text(answer) for question, answer in told}


def write_table(folder: Path, language: Any, **options: Any) -> str:
    (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
    with sudare.read_table(folder / "people.csv") as table:
        write_table_report(table, folder / "r.html", known=["sex"], language=language, made=MADE, **options)
    return (folder / "r.html").read_text(encoding="utf-8")


def write_history(folder: Path, language: Any, **options: Any) -> str:
    (folder / "toy.csv").write_text(TOY, encoding="utf-8")
    with sudare.read_history(folder / "toy.csv") as history:
        found = sudare.histories.assess_attackers(history)
        write_history_report(history, found, folder / "r.html", language=language, made=MADE, **options)
    return (folder / "r.html").read_text(encoding="utf-8")


def write_baskets(folder: Path, language: Any, **options: Any) -> str:
    (folder / "b.txt").write_text("milk,medicine\nmilk,medicine\nmilk,bread\n\n", encoding="utf-8")
    (folder / "secrets.csv").write_text("user,item\n1,medicine\n3,medicine\n", encoding="utf-8")
    original = sudare.read_baskets(folder / "b.txt", form="commas")
    sensitive = sudare.baskets.read_sensitive(str(folder / "secrets.csv"), original)
    found = sudare.baskets.suppress_baskets(original, sensitive, rho="0.5")
    write_baskets_report(found, folder / "r.html", language=language, made=MADE, **options)
    return (folder / "r.html").read_text(encoding="utf-8")


WRITERS = {"table": write_table, "history": write_history, "baskets": write_baskets}
# A criterion that a value of each report speaks to, and how the value is told.
SPOKEN: dict[str, tuple[tuple[str, str], tuple[str, str]]] = {
    "table": (
        ("WP216: singling out", "WP216：選別（singling out）"), ("Smallest class (sex): 3", "最小の同値類（sex）：3"),
    ),
    "history": (
        ("GDPR, recital 26", "GDPR前文26項"),
        ("Strongest of the ten attackers (the data as they are): ", "10種の攻撃者のうち最強の者（元のデータ）："),
    ),
    "baskets": (
        ("WP216: inference", "WP216：推論（inference）"),
        ("Adversaries surer than rho (rho 50 %): 0", "rhoより確信する攻撃者（確信度の上限 50%）：0"),
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("language", "legal"), [("en", []), ("ja", ["gdpr", "appi"])])
@pytest.mark.parametrize("kind", WRITERS)
def test_reports_have_the_section_with_the_frames_that_are_asked_for(
    kind: str, language: Any, legal: list[str], tmp_path: Path
) -> None:
    page = WRITERS[kind](tmp_path, language, legal=legal)
    place = list(LANGUAGES).index(language)
    assert '<section id="legal">\n<h2>' in page
    assert section_title(kind, "legal", Texts(language)) in shown_text(page)
    # All frames are folded; those that are asked for are unfolded, and the others left out.
    shown = re.findall(r'<details class="legal"(.*?) id="legal-([\w-]+)"', page)
    frames = [("", frame.id) for frame in legal_frames()]
    assert shown == ([(" open", "appi"), (" open", "gdpr")] if legal else frames)
    measured, _, verdict = cells(page, SPOKEN[kind][0][place])
    assert SPOKEN[kind][1][place] in measured
    assert verdict == ("no number in the source", "出典に数値なし")[place]
    assert set(answers(page).values()) == {("not answered", "未回答")[place]}
    nesting = Nesting()
    nesting.feed(page)
    assert nesting.open == []


@pytest.mark.parametrize("kind", WRITERS)
def test_an_unknown_frame_is_refused_before_a_page_is_written(kind: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'gdrp'"):
        WRITERS[kind](tmp_path, "en", legal=["gdrp"])
    assert not (tmp_path / "r.html").exists()


def test_the_command_line_takes_frames_and_refuses_unknown_ones(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    words = ["table", "report", str(tmp_path / "people.csv"), "-o", str(tmp_path / "r.html"), "--legal"]
    refused = CliRunner().invoke(app, [*words, "appi, gdrp"])
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr.count("'gdrp'") == 1
    assert "gdpr" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert not (tmp_path / "r.html").exists()
    taken = CliRunner().invoke(app, [*words, "appi, hipaa"])
    assert taken.exit_code == 0, taken.output
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert re.findall(r'id="legal-([\w-]+)"', page) == ["appi", "hipaa"]


def test_a_value_its_number_and_the_result_stand_side_by_side() -> None:
    page = section([LegalValue("highest-risk", 0.2, "share", "low", "age, sex")], frames=["ema"])
    measured, number, verdict = cells(page, "EMA guidance, chapter 3")
    assert measured == "Highest risk (age, sex): 20.00 %"
    assert number.startswith("at most 9 % 0.09.")
    assert verdict == "above the usual number"
    assert "(1 of 3" not in shown_text(page)
    assert "(2 of 3 criteria have measured values)" in shown_text(page)


def test_several_numbers_have_a_result_each() -> None:
    page = section([LegalValue("smallest-class", 7, "count", "high", "age")], frames=["cell-sizes"])
    _, number, verdict = cells(page, "Cell size precedents (El Emam)")
    assert "at least 5 (the long-standing rule (risk 0.2)) at least 11 (public release, USA)" in number
    assert verdict == ("Smallest class: above the usual number (3, 5); Smallest class: below the usual number (11, 20)")


def test_several_measures_have_a_result_each() -> None:
    values = [LegalValue("highest-risk", 1 / 11, "share", "low"), LegalValue("smallest-class", 12, "count", "high")]
    assert cells(section(values, frames=["ema"]), "Health Canada, section 6")[2] == (
        "Highest risk: at the usual number (9 %); Smallest class: above the usual number (11)"
    )


def test_a_result_names_its_measure_where_others_stand_beside_it() -> None:
    values = [LegalValue("highest-risk", 0.01, "share", "low"), LegalValue("uniques", 0.5, "share", "low")]
    assert cells(section(values, frames=["ema"]), "EMA guidance, chapter 3")[2] == (
        "Highest risk: below the usual number (9 %)"
    )


def test_what_was_not_measured_is_said_and_never_good() -> None:
    page = section([], frames=["cms"])
    assert cells(page, "Cells of 1 to 10")[::2] == ["Not measured here.", "yours to answer"]
    assert cells(page, "Derived cells")[::2] == ["Nothing to measure.", "yours to answer"]
    assert "(0 of 2 criteria have measured values)" in shown_text(page)


@pytest.mark.parametrize(
    ("basis", "said"),
    [("counted", ""), ("estimated", " (estimated)"), ("attacked", " (by the attacks that were tried)")],
)
def test_estimates_and_attacks_are_called_so(basis: Any, said: str) -> None:
    page = section([LegalValue("uniques", 0.25, "share", "low", "age", basis)], frames=["gdpr"])
    assert cells(page, "WP216: singling out")[0] == f"Unique (age): 25.00 %{said}"


def test_names_from_the_data_are_escaped() -> None:
    page = section([LegalValue("uniques", 0.25, "share", "low", EVIL)], frames=["gdpr"], answers={"recipients": EVIL})
    assert "<script" not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") == 2
    assert answers(page)["Who receives the data?"] == EVIL


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_questionnaire_is_printed_empty(language: Any) -> None:
    page = section([], language)
    assert list(answers(page)) == [question.text[language] for question in legal_questions().values()]
    assert set(answers(page).values()) == {Texts(language)("legal.unanswered")}


def test_the_questionnaire_is_printed_filled() -> None:
    given = {"recipients": "株式会社パートナー", "contract": True, "reidentification-ban": False}
    told = answers(section([], answers=given))
    assert told["Who receives the data?"] == "株式会社パートナー"
    assert told["Does a contract bind the recipients to the purpose and forbid passing the data on?"] == "yes"
    assert told["Are the recipients, and you yourselves, forbidden to re-identify people?"] == "no"
    assert list(told.values()).count("not answered") == len(legal_questions()) - 3


def test_only_questions_of_the_frames_that_are_shown_are_asked() -> None:
    (cms,) = (frame for frame in legal_frames() if frame.id == "cms")
    asked = {name for one in cms.criteria for name in one.questions}
    assert list(answers(section([], frames=["cms"]))) == [legal_questions()[name].text["en"] for name in asked]


@pytest.mark.parametrize("language", LANGUAGES)
def test_sources_are_named_with_publisher_date_and_address(language: Any) -> None:
    text = shown_text(section([], language))
    for frame in legal_frames():
        for source in frame.sources:
            assert source.publisher[language] in text
            assert source.title[language] in text
            assert source.date in text
            assert source.address is None or source.address.removeprefix("https://") in text


def test_criteria_that_were_not_read_in_their_source_say_so() -> None:
    page = section([], frames=["ema"])
    assert page.count("not compared with the text itself") == 2
    assert section([], frames=["iso-27559"]).count("not compared with the text itself") == 8


def test_the_section_loads_nothing() -> None:
    assert re.findall(r"""(?:https?:)?//[^\s"'<>]+|\bsrc=|\bhref=""", section([])) == []


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (0.0909, "share", "9.09 %"),
        (0.0, "share", "0 %"),
        (1234.0, "count", "1,234"),
        (0.123456, "number", "0.1235"),
        (0.00001234, "number", "0.00001234"),
        (1990.0, "number", "1,990"),
        (123456.0, "number", "123,456"),
        (0.0, "number", "0"),
    ],
)
def test_values_are_written_by_their_units(value: float, unit: Any, shown: str) -> None:
    assert value_text(value, unit, Texts("en")).replace("\N{NO-BREAK SPACE}", " ") == shown


def test_numbers_of_sources_are_limits() -> None:
    texts = Texts("en")
    risk, size = LegalValue("a", 1, "share", "low"), LegalValue("b", 1, "count", "high")
    assert usual_text(0.09, risk, texts).replace("\N{NO-BREAK SPACE}", " ") == "at most 9 %"
    assert usual_text(11, size, texts) == "at least 11"
