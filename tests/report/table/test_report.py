"""The report of a table: what it says, that it says what was measured, and that it is written whole."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import sudare
from sudare.messages import LANGUAGES, Message, Texts, catalogue, message
from sudare.progress import silent
from sudare.report.table import set_findings
from sudare.report.table.figures import set_or_rest
from sudare.report.table.findings import Findings, gather_findings
from sudare.report.table.question import Question, ask
from sudare.report.table.report import write_table_report
from sudare.tables.hierarchies.model import make_hierarchy
from sudare.tables.synthetic import generate_table
from tests.report.pages import Nesting, numbers_of, shown_text

# Whole pages, a third of a second each.
pytestmark = pytest.mark.slow

MADE = dt.datetime(2025, 1, 31, 9, 30)
EVIL = "<script>alert(1)</script> & \"q\" 'x'"
# The six records of the fixture `people`.
PEOPLE = "sex,age,town\nm,30,x\nm,30,x\nm,40,x\nf,40,x\nf,40,y\nf,50,y\n"
AGES = {1: ("30", "30-40", "*"), 2: ("40", "30-40", "*"), 3: ("50", "50", "*")}
SEXES = {1: ("m", "*"), 2: ("f", "*")}
HIERARCHIES = {"age": make_hierarchy("age", AGES), "sex": make_hierarchy("sex", SEXES)}

Make = Callable[..., str]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Return a function from the text of a table to its report."""

    def report(
        text: str = PEOPLE, *, name: str = "people.csv", language: str = "en", read: Any = None, **options: Any
    ) -> str:
        source, target = tmp_path / name, tmp_path / "report.html"
        source.write_text(text, encoding="utf-8")
        with sudare.read_table(source, **(read or {})) as table:
            write_table_report(table, target, language=language, made=MADE, **options)
        return target.read_text(encoding="utf-8")

    return report


def findings_of(table: sudare.Table, **options: Any) -> tuple[Question, Findings]:
    asked: dict[str, Any] = {"known": None, "limit": 0.5, "sensitive": None, "hierarchies": None, "suppress": 0.0}
    question = ask(table, **{**asked, "seed": 0, **options})
    return question, gather_findings(table, question, threads=1, progress=silent)


def test_the_numbers_are_those_of_the_assessments(people: sudare.Table, tmp_path: Path) -> None:
    write_table_report(people, tmp_path / "r.html", limit=0.5)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    found = sudare.tables.assess_records(people)
    expected = [found.max_risk, found.mean_risk, found.uniques, found.share_above(0.5)]
    assert numbers_of(page, "all-known") == pytest.approx(expected)
    subsets = sudare.tables.assess_subsets(people).ranked("size")
    for size in (1, 2, 3):
        group = [risk for risk in subsets if len(risk.attributes) == size]
        mean = sum(risk.mean_risk for risk in group) / len(group)
        most = sum(risk.max_risk for risk in group) / len(group)
        safe = sum(risk.max_risk <= 0.5 for risk in group)
        assert numbers_of(page, f"size-{size}") == pytest.approx([len(group), safe, mean, most])


def test_the_answer_comes_first(make: Make) -> None:
    text = shown_text(make(limit=0.5))
    assert (
        "The table holds 6 records with 3 attributes. It was assessed as it is; nothing was changed. "
        "The attacker is assumed to know of a person: “sex”, “age” and “town”." in text
    )
    assert "4 of 6 records (66.67 %) are unique" in text
    assert "picks the right record in 83.33 % of cases; for the records most at risk, in 100 % of cases" in text
    assert (
        "The limit is a risk of 50 %, that is, at least 2 equal records. 66.67 % of the records are above it." in text
    )
    assert "One attribute can be enough: “age” alone makes records unique (1, 16.67 % of all)." in text
    assert "No two attributes together are within the limit. 2 single ones are, for example “sex”." in text
    assert "“age” contributes most to the risk: without it, the mean risk falls from 83.33 % to 50.00 %" in text


def test_the_japanese_report_says_the_same(make: Make) -> None:
    page = make("性別,年齢\n男,30\n男,30\n女,30\n女,40\n", language="ja", limit=0.5)
    assert '<html lang="ja">' in page
    text = shown_text(page)
    assert "表は2個の属性を持つ4件のレコードからなる。" in text
    assert "4件のうち2件（50.00%）には、ほかに同じレコードがない。" in text
    assert "「年齢」だけで1件（25.00%）のレコードが1件に絞り込まれる。" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_of_another_language_is_left(make: Make, language: str) -> None:
    other = catalogue("ja" if language == "en" else "en")
    mine = catalogue(language)
    page = shown_text(
        make(language=language, limit=0.5, known=["sex", "age"], sensitive="town", hierarchies=HIERARCHIES)
    )
    sentences = [text for key, text in other.items() if "{" not in text and len(text) > 20 and text != mine.get(key)]
    assert [text for text in sentences if text in page] == []


def test_attributes_that_are_not_known_are_left_out_of_every_set(make: Make) -> None:
    page = make(known=["sex", "town"], limit=0.5)
    for section in ("curve", "lattice", "contributions", "disclosable", "dangerous"):
        found = re.search(rf'(?s)<section id="{section}">.*?</section>', page)
        assert found
        assert "age" not in re.sub(r"[a-z]+age|age[a-z]+", "", shown_text(found.group())), section
    assert "age does not know it" in shown_text(page)


def test_findings_are_those_of_a_table_with_the_known_attributes_only(tmp_path: Path) -> None:
    generate_table(tmp_path / "m.csv", records=300, seed=3)
    known = ("sex", "occupation", "household", "education")
    with (
        sudare.read_table(tmp_path / "m.csv") as whole,
        sudare.read_table(tmp_path / "m.csv", attributes=known) as part,
    ):
        _, found = findings_of(whole, known=known, limit=0.2)
        assert list(found.disclosable.sets) == list(sudare.tables.disclosable_sets(part, limit=0.2).maximal)
        assert list(found.disclosable.unsafe) == list(sudare.tables.disclosable_sets(part, limit=0.2).minimal_unsafe)
        for size in (2, 3):
            assert found.dangerous[size] == sudare.tables.dangerous_sets(part, size=size, factor=10.0)
        assert [entry.without for entry in found.attributes] == sudare.tables.attribute_contributions(part)
        assert sum(entry.sets for entry in found.lattice.sizes) == len(sudare.tables.assess_subsets(part)) == 15


def test_sets_are_counted_once_in_the_bands_of_their_risk(people: sudare.Table) -> None:
    _, found = findings_of(people, limit=1 / 3)
    assert found.lattice.bands == (0.01, 0.05, 0.1, 0.2, 1 / 3, 0.5, 1.0)
    one, two, three = found.lattice.sizes
    # sex 1/3, age 1, town 1/2; sex + age 1, sex + town 1, age + town 1.
    assert one.max_bands == (0, 0, 0, 0, 1, 1, 1)
    assert two.max_bands == (0, 0, 0, 0, 0, 0, 3)
    # 2/6, 3/6, 2/6.
    assert one.mean_bands == (0, 0, 0, 0, 2, 1, 0)
    assert (one.safe, two.safe, three.safe) == (1, 0, 0)
    assert three.riskiest.attributes == ("sex", "age", "town")


def test_a_sensitive_attribute_has_its_section_only_if_there_is_one(make: Make) -> None:
    assert 'id="sensitive"' not in make()
    text = shown_text(make(sensitive="town"))
    assert "k (smallest class) 1" in text
    assert "4 records (66.67 %) give away the value of “town”." in text
    assert "town wants to learn it" in text


def test_levels_are_shown_before_and_after(people: sudare.Table, tmp_path: Path) -> None:
    options: dict[str, Any] = {"known": ["sex", "age"], "limit": 0.5, "hierarchies": HIERARCHIES}
    write_table_report(people, tmp_path / "r.html", **options)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    found = sudare.tables.find_levels(people, HIERARCHIES, known=["sex", "age"], limit=0.5)
    assert found.best == {"sex": 0, "age": 2}
    assert numbers_of(page, "levels-records") == [6, 6]
    assert numbers_of(page, "levels-uniques") == [2, 0]
    assert numbers_of(page, "levels-max_risk") == pytest.approx([1, 1 / 3])
    assert numbers_of(page, "levels-mean_risk") == pytest.approx([4 / 6, 2 / 6])
    assert numbers_of(page, "levels-suppressed") == [0, 0]
    assert numbers_of(page, "levels-loss") == [0, found.loss]
    assert "age 2 of 2 3 1 40 *" in shown_text(page)


def test_records_that_generalization_leaves_out_are_not_in_the_risk_after(people: sudare.Table) -> None:
    _, found = findings_of(people, known=["sex", "age"], hierarchies=HIERARCHIES, suppress=0.4)
    assert found.levels is not None
    assert found.levels.after is not None
    assert found.levels.found.suppressed == 2
    assert found.levels.after.records == 4
    assert found.levels.after.max_risk == 0.5


def test_levels_are_searched_for_all_that_the_attacker_knows(make: Make) -> None:
    """The town has no hierarchy, and counts all the same: (m, 30, x) are two, four others are alone."""
    page = make(limit=0.5, hierarchies=HIERARCHIES)
    assert numbers_of(page, "levels-uniques") == [4, 0]
    # Any sex and age leave four in x and two in y.
    assert numbers_of(page, "levels-max_risk") == pytest.approx([1, 1 / 2])
    assert "In the way: “town”." in shown_text(make(limit=0.3, hierarchies=HIERARCHIES))


def test_levels_that_do_not_suffice_are_told(make: Make) -> None:
    text = shown_text(make(limit=0.1, hierarchies=HIERARCHIES))
    assert "Even the highest levels of the hierarchies do not bring every risk within the limit." in text
    assert "There is none: even at the highest levels" in text


def test_the_limit_has_all_its_digits_and_says_nothing_of_permission(make: Make) -> None:
    text = shown_text(make(limit=0.00004))
    assert "The limit is a risk of 0.004 %, that is, at least 25,000 equal records." in text
    # As one types it, and nowhere else.
    assert "25000" not in text.replace("--k 25000", "")
    assert "given out" not in text
    assert "All these attributes together are within the limit." in shown_text(make(limit=1))


def test_many_attributes_are_estimated_and_marked_so(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(set_findings, "MOST_ATTRIBUTES", 2)
    monkeypatch.setattr(set_findings, "LEAST_SAMPLES", 8)
    monkeypatch.setattr(set_findings, "MOST_SAMPLES", 8)
    monkeypatch.setattr(set_findings, "LEAST_SAMPLES_PER_SIZE", 2)
    text = shown_text(make(seed=7))
    assert "These are estimates: " in text
    assert "drawn at random (seed 7)" in text
    assert re.search(r"\d+\.\d\d % \(\d+\.\d\d % to \d", text)
    assert "Sets drawn" in text


def test_levels_of_too_many_choices_are_said_to_be_the_best_found(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    options: dict[str, Any] = {"known": ["sex", "age"], "limit": 0.5, "hierarchies": HIERARCHIES}
    assert "too many to settle all" not in shown_text(make(**options))
    monkeypatch.setattr("sudare.tables.anonymize.levels.MOST_NODES", 0)
    text = shown_text(make(**options))
    assert "too many to settle all. It is proven that at most 0 % of its loss of information could be avoided." in text
    assert "of them are minimal" not in text
    assert "情報の損失のうち減らせるのは最大で0" in make(language="ja", **options)


def test_sets_that_are_too_many_to_compare_are_said_to_be_left_out(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(set_findings, "MOST_WORK", 14)
    text = shown_text(make())
    assert "There are too many sets of 2 attributes to compare here." in text


def test_a_search_that_was_cut_short_is_told(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    def cut_short(*args: Any, **options: Any) -> sudare.tables.DisclosableSets:
        return replace(sudare.tables.disclosable_sets(*args, **options), complete=False)

    monkeypatch.setattr(set_findings, "disclosable_sets", cut_short)
    assert "The search was stopped early" in shown_text(make())


@pytest.mark.parametrize(
    ("function", "change"),
    [("disclosable_sets", {"complete": False, "interrupted": True}), ("sample_subsets", {"complete": False})],
)
def test_an_interruption_interrupts_the_report_though_some_was_found(
    people: sudare.Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str, change: dict[str, Any]
) -> None:
    def interrupted(*args: Any, **options: Any) -> Any:
        return replace(getattr(sudare.tables, function)(*args, **options), **change)

    monkeypatch.setattr(set_findings, "MOST_ATTRIBUTES", 2)
    monkeypatch.setattr(set_findings, function, interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_table_report(people, tmp_path / "r.html")
    assert list(tmp_path.iterdir()) == []


def test_the_next_step_is_to_anonymize_for_the_same_attacker_and_limit(make: Make) -> None:
    made = "-o published.csv --report published.html"
    assert f"sudare table anonymize people.csv --k 2 {made}" in shown_text(make(limit=0.5))
    some = shown_text(make(limit=0.5, known=["sex", "age"]))
    assert f"sudare table anonymize people.csv --k 2 --known sex,age {made}" in some
    private = shown_text(make(limit=0.5, sensitive="town", hierarchies=HIERARCHIES, suppress=0.25))
    options = "--sensitive town --hierarchies DIR --suppress 0.25"
    assert f"sudare table anonymize people.csv --k 2 {options} {made}" in private
    assert "table anonymize" not in shown_text(make(limit=1))


def test_columns_that_are_constant_or_unique_are_pointed_out(make: Make) -> None:
    text = shown_text(make("number,country,sex\n1,jp,m\n2,jp,f\n3,jp,m\n"))
    assert "A different value in every record: “number”." in text
    assert "The same value in every record: “country”." in text


def test_missing_values_are_counted_and_explained(make: Make) -> None:
    text = shown_text(make("a,b\n1,\n2,\n1,x\n"))
    assert "b knows it 2 2 (missing) (66.67 %)" in text
    assert "A missing value counts as a value of its own" in text
    careful = shown_text(make("a,b\n1,\n2,\n1,x\n", read={"missing": "any"}))
    assert "A missing value counts as equal to any value" in careful


def test_persons_are_explained(make: Make) -> None:
    text = shown_text(make("who,a,b\n1,x,y\n1,x,y\n2,x,y\n3,x,z\n", read={"person": "who"}))
    assert "Several records can belong to one person" in text


def test_names_and_values_from_the_data_are_escaped_everywhere(make: Make) -> None:
    quoted = '"' + EVIL.replace('"', '""') + '"'
    page = make(f"{quoted},b\n{quoted},1\n{quoted},2\n<img src=x>,2\n", name="a&b'<i>.csv", sensitive="b")
    assert "<script" not in page
    assert "<img" not in page
    assert "<i>" not in page
    assert page.count("</style>") == 1
    text = shown_text(page)
    assert text.count(EVIL) >= 4
    assert "How well records can be singled out in a&b'<i>.csv" in text


def test_names_from_the_data_are_no_templates_and_no_placeholders(make: Make) -> None:
    text = shown_text(make("{{ 7*7 }},{x}\n{0},{% raw %}\n{0},b\n"))
    assert all(name in text for name in ("{{ 7*7 }}", "{x}", "{0}"))


def test_long_names_and_long_lists_are_shortened(make: Make) -> None:
    names = ["x" * 500, *(f"attribute_{n}" for n in range(12))]
    text = shown_text(make(",".join(names) + "\n" + ",".join("1" * 13) + "\n" + ",".join("2" * 13) + "\n"))
    assert "x" * 80 + "…" in text
    assert "x" * 81 not in text
    assert "and 3 more attributes" in text


def test_large_sets_are_named_by_what_they_lack() -> None:
    known, texts = ("a", "b", "c", "d"), Texts("en")
    assert set_or_rest(("a", "b"), known, texts) == "a + b"
    assert set_or_rest(("a", "b", "c"), ("a", "b", "c", "d", "e"), texts) == "a + b + c"
    assert set_or_rest(("a", "b", "d"), known, texts) == "all but c"
    assert set_or_rest(known, known, texts) == "all"


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_record_makes_a_sensible_page_without_figures(make: Make, language: str) -> None:
    page = make("a,b\nx,y\n", language=language)
    assert "<figure" not in page
    assert Texts(language)("report.table.answer.one_record") in shown_text(page)


def test_records_that_are_all_alike_make_a_sensible_page(make: Make) -> None:
    text = shown_text(make("a,b\n" + "x,y\n" * 7))
    assert "every record is one of at least 7 that are equal" in text
    assert "No record is above it (0 %)." in text
    assert "All these attributes together are within the limit" in text
    assert "Sets of 2 attributes: none of 1 is dangerous" in text


def test_records_of_which_no_attribute_is_within_the_limit_make_a_sensible_page(make: Make) -> None:
    text = shown_text(make("a,b\n1,2\n3,4\n5,6\n"))
    assert "No attribute is within the limit, not even on its own." in text
    assert "None: not even a single attribute is within the limit." in text
    assert "No single attribute makes the difference" in text


def test_one_known_attribute_has_no_combinations(make: Make) -> None:
    text = shown_text(make(known=["sex"]))
    assert "There are no combinations of a single known attribute." in text


def test_the_page_is_well_formed(make: Make) -> None:
    nesting = Nesting()
    nesting.feed(make(limit=0.5, known=["sex", "age"], sensitive="town", hierarchies=HIERARCHIES))
    assert nesting.open == []


def test_the_same_input_and_date_give_the_same_bytes(make: Make) -> None:
    assert make(sensitive="town") == make(sensitive="town")


def test_version_limit_and_hash_stand_at_the_end(make: Make) -> None:
    footer = make(limit=0.25).split("<footer>")[1]
    assert f"sudare {sudare.__version__}" in footer
    assert "<dd>25\u00a0%</dd>" in footer
    assert re.search(r"<dd>[0-9a-f]{64}</dd>", footer)


def test_the_page_needs_nothing_from_elsewhere(make: Make) -> None:
    page = make(hierarchies=HIERARCHIES)
    assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in page
    addresses = set(re.findall(r"""(?:https?:)?//[^\s"'<>]+""", page))
    assert addresses == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<script|@import|url\(", page)


def test_folders_of_the_source_are_not_shown(make: Make, tmp_path: Path) -> None:
    assert str(tmp_path) not in make()


def test_a_failure_leaves_nothing_and_keeps_what_was_there(
    people: sudare.Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "old.html").write_text("old", encoding="utf-8")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    for name in ("old.html", "new.html"):
        with pytest.raises(sudare.OutputNotWritable, match="No space left"):
            write_table_report(people, tmp_path / name)
    assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == {"old.html": "old"}


def test_an_output_that_cannot_be_written_is_refused_before_the_work(people: sudare.Table, tmp_path: Path) -> None:
    steps: list[object] = []
    with pytest.raises(sudare.OutputNotWritable, match="does not exist"):
        write_table_report(people, tmp_path / "no" / "r.html", progress=lambda step, *_: steps.append(step))
    assert steps == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"known": ["aeg"]}, "Did you mean age"),
        ({"known": []}, "at least one attribute"),
        ({"known": ["age", "age"]}, "named twice"),
        ({"known": ["age"], "sensitive": "age"}, "the sensitive one may not be known"),
        ({"sensitive": "twon"}, "Did you mean town"),
        ({"limit": 0}, "above 0 and at most 1"),
        ({"suppress": 1, "hierarchies": HIERARCHIES}, "at least 0 and below 1"),
        ({"known": ["town"], "hierarchies": HIERARCHIES}, "None of the hierarchies"),
        ({"hierarchies": {"town": make_hierarchy("town", {1: ("x", "*")})}}, "no line for 1 value"),
        ({"language": "fr"}, "en or ja"),
    ],
)
def test_questions_that_do_not_fit_are_refused_before_the_work(
    people: sudare.Table, tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    steps: list[object] = []
    with pytest.raises(sudare.InputError, match=message):
        write_table_report(people, tmp_path / "r.html", **options, progress=lambda step, *_: steps.append(step))
    assert steps == []
    assert list(tmp_path.iterdir()) == []


def test_progress_is_told_to_the_end(people: sudare.Table, tmp_path: Path) -> None:
    steps: list[tuple[Message, int, int]] = []
    write_table_report(people, tmp_path / "r.html", progress=lambda *step: steps.append(step))
    assert steps[-1] == (message("progress.drawing"), 1, 1)


def test_real_people_make_a_page_of_moderate_size(real_data: Callable[[str], Path], tmp_path: Path) -> None:
    adult = real_data("adult/adult.csv")
    with sudare.read_table(adult) as table:
        files = sudare.tables.find_hierarchies(adult.parent, table.attributes)
        hierarchies = {name: sudare.tables.read_hierarchy(path, name) for name, path in files.items()}
        write_table_report(table, tmp_path / "r.html", hierarchies=hierarchies, suppress=0.04, made=MADE)
        found = sudare.tables.assess_records(table)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert len(page.encode()) < 400_000
    assert numbers_of(page, "all-known")[:2] == pytest.approx([found.max_risk, found.mean_risk])
    assert numbers_of(page, "levels-max_risk")[1] <= 0.2
