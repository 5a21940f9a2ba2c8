"""The report of an anonymized history: what it says, that it says what was measured, and that failure is not safety."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sudare
from sudare.histories.safety.guess_plans import GuessPlan, PlanPart
from sudare.messages import Texts
from sudare.report.contest.findings import size_rows, width_rows
from sudare.report.contest.report import planned, write_contest_report
from sudare.statistics.class_sizes import ClassSize
from tests.report.pages import answer_of, numbers_of, shown_text

MADE = dt.datetime(2025, 1, 31, 9, 30)
ORIGINAL = "1,2011/1/1,a,1,1\n1,2011/1/2,b,2,1\n2,2011/1/2,c,3,3\n2,2011/1/3,d,4,3\n"
ANONYMIZED = "7,2011/1/1,a,1,[1;5]\n7,2011/1/2,{a;b},*,1\n*,*,*,*,*\n8,[2011/1/1;2011/1/3],d,4,3\n"
Make = Callable[..., str]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Return a function from T, A and the texts of guess files to the report."""

    def report(
        original: str = ORIGINAL, anonymized: str = ANONYMIZED, guesses: Sequence[str] = (), **options: Any
    ) -> str:
        (tmp_path / "T.csv").write_text(original, encoding="utf-8")
        (tmp_path / "A.csv").write_text(anonymized, encoding="utf-8")
        files = [tmp_path / f"F{n}.csv" for n in range(1, len(guesses) + 1)]
        for file, text in zip(files, guesses, strict=True):
            file.write_text(text, encoding="utf-8")
        options = {"draws": 2, "made": MADE, **options}
        target = tmp_path / "report.html"
        write_contest_report(tmp_path / "T.csv", tmp_path / "A.csv", target, guesses=files, **options)
        return target.read_text(encoding="utf-8")

    return report


def classes(*sizes: int) -> tuple[str, str]:
    """Return T and A of customers with one row each, who fall into classes of these sizes."""
    original, anonymized, first = [], [], 101
    for size in sizes:
        for customer in range(first, first + size):
            original.append(f"{customer},2011/1/1,a,1,{customer}\n")
            anonymized.append(f"{customer - 100},2011/1/1,a,1,[{first};{first + size - 1}]\n")
        first += size
    return "".join(original), "".join(anonymized)


def guess(right: int, wrong: int = 0) -> str:
    """Return guesses on the pseudonyms from 1, the first ones right and the others not."""
    last = right + wrong
    return "".join(f"{n},{n + 100 if n <= right else 101}\n" for n in range(1, last + 1))


def test_the_numbers_are_those_counted_by_hand(make: Make) -> None:
    page = make()
    assert numbers_of(page, "fact-rows") == [4]
    assert numbers_of(page, "fact-customers") == [2]
    assert numbers_of(page, "fact-items") == [4]
    assert numbers_of(page, "cells-deleted_rows") == [1]
    assert numbers_of(page, "cells-unique") == [2]
    assert numbers_of(page, "cells-untouched") == [0]
    assert numbers_of(page, "cells-k") == [1]
    # Dates: two exact, one range of three days, one of a deleted row.
    assert numbers_of(page, "column-1") == [2, 1, 0, 0, 1, 3]
    assert numbers_of(page, "column-2") == [2, 0, 1, 0, 1, 2]
    # A set of two; then a range of three days; then one of five units.
    assert numbers_of(page, "width-2") == [0, 1, 0, 0]
    assert numbers_of(page, "width-3") == [1, 0, 0, 0]
    assert numbers_of(page, "width-5") == [0, 0, 0, 1]


def test_u_and_where_it_comes_from_are_those_computed_by_hand(make: Make) -> None:
    page = make()
    # A deleted row (4), a deleted cell (1), a set of two (1/2), a quantity 2 and a date sqrt(2) deviations away.
    utility = (4 + 1 + 0.5 + 2 + 2**0.5) / 16
    assert numbers_of(page, "utility-u") == pytest.approx([16, utility])
    assert numbers_of(page, "kind-deleted_row") == pytest.approx([4, 4 / 16, 4 / 16 / utility])
    assert numbers_of(page, "kind-set") == pytest.approx([1, 0.5 / 16, 0.5 / 16 / utility])
    assert numbers_of(page, "cost-4")[0] == pytest.approx((2 + 1) / 4)
    text = shown_text(page)
    assert "1 range of the column quantity costs more than * would" in text
    assert "1 quantity 1 [1;5] 2.0000" in text


def test_untouched_customers_and_their_kind_are_shown(make: Make) -> None:
    original, anonymized = classes(3, 3, 1)
    page = make(original, anonymized.replace("[107;107]", "107"))
    assert numbers_of(page, "cells-untouched") == [1]
    assert numbers_of(page, "cells-untouched_unique") == [1]
    assert numbers_of(page, "size-3") == [2, 6]
    assert "some customers left untouched and unique, the others k-anonymous (k = 3)" in shown_text(page)


@pytest.mark.parametrize(
    ("sizes", "guesses", "answer"),
    [
        ((3, 3, 3, 3), [], "chance"),
        ((7, 7), [], "condition"),
        ((2, 2), [], "too_few"),
        ((1,) * 7, [], "exposed"),
        ((1,) * 7, [guess(3)], "exposed"),
        ((3, 3, 3, 3), [guess(6, 6), guess(7)], "effective"),
        ((3, 3, 3, 3), [guess(6, 6), ""], "not_effective"),
        ((7, 7), ["", ""], "not_tried"),
    ],
)
def test_the_answer_follows_from_classes_and_attacks(
    make: Make, sizes: tuple[int, ...], guesses: list[str], answer: str
) -> None:
    assert answer_of(make(*classes(*sizes), guesses)) == answer


def test_where_too_few_are_left_no_bound_is_called_safety(make: Make) -> None:
    page = make(*classes(2, 2), [])
    text = shown_text(page)
    assert numbers_of(page, "safety-contest") == []
    assert text.count("They may still be recognized.") >= 2
    assert not re.search(r"at most 0\s%|at least 100\s%", text)


def test_a_history_without_rows_is_not_called_safe(make: Make) -> None:
    page = make(ORIGINAL, "*,*,*,*,*\n" * 4)
    assert answer_of(page) == "nothing"
    assert "Every row is deleted: there is nobody to recognize." in shown_text(page)
    assert numbers_of(page, "utility-u") == [16, 1]


def test_a_history_left_as_it_was_costs_nothing(make: Make) -> None:
    page = make(ORIGINAL, ORIGINAL)
    assert "U = 0: nothing was changed except the names of the customers." in shown_text(page)
    assert numbers_of(page, "use-itemsets") == [0, 0]
    assert numbers_of(page, "statistic-sum") == [0] * 6


def test_the_best_ignorant_guesser_is_shown_by_both_tests(make: Make) -> None:
    page = make(*classes(3, 3, 3, 3), attacks=13)
    chance = 1 / 6 / 6 / 3
    for test in ("contest", "tight"):
        found = numbers_of(page, f"safety-{test}")
        assert found == pytest.approx([chance, 7, 7, chance, (1 - chance) ** 13, 1 - 13 * chance])
    assert "Condition H0 (p = 1/3) needs classes of at least 7 customers. The smallest has 3" in shown_text(page)
    assert "2 × class of 3 (pseudonyms for each customer named: 1 + 1 + 1)" in shown_text(page)


def test_each_attack_is_judged_by_both_tests(make: Make) -> None:
    page = make(*classes(*[1] * 50), [guess(34, 16), guess(30, 20), guess(6), ""])
    assert numbers_of(page, "attack-1") == [50, 34, 34, 0, 30, 4]
    assert numbers_of(page, "attack-2") == [50, 30, 34, -4, 30, 0]
    assert numbers_of(page, "attack-3") == [6, 6]
    verdicts = re.findall(r'data-verdict="(\w+)"', page)
    assert verdicts == ["effective", "not_effective", "not_effective", "not_tried"]
    text = shown_text(page)
    assert "F2.csv 50 30 34 -4 30 +0 not effective (effective by the tight test)" in text
    assert "F4.csv 0 0 never – never – nothing was tried" in text
    assert "Attacks made: 4. With guesses that count: 3. Effective: 1." in text


def test_own_thresholds_of_a_contest_win_and_are_named(make: Make, tmp_path: Path) -> None:
    (tmp_path / "R.csv").write_text("".join(f"{n},{min(n, 2)}\n" for n in range(1, 10)))
    page = make(*classes(3, 3, 3), [guess(2, 3)], thresholds=tmp_path / "R.csv")
    assert numbers_of(page, "attack-1")[:4] == [5, 2, 2, 0]
    assert "R.csv" in page


def test_without_attacks_there_is_no_section_about_them(make: Make) -> None:
    assert 'href="#attacks"' not in make()
    assert 'href="#attacks"' in make(guesses=[""])


def test_other_columns_have_no_use_cases(make: Make, tmp_path: Path) -> None:
    rules = (
        'name = "rooms"\nmost_items = 9\nmost_characters = 99\np = "1/3"\nalpha = "0.01"\nattacks = 2\n'
        '[[columns]]\nname = "guest"\nform = "person"\ndigits = 3\n'
        '[[columns]]\nname = "<b>nights</b>"\nform = "integer"\nlow = 1\nhigh = 9\n'
    )
    (tmp_path / "rules.toml").write_text(rules)
    page = make("1,2\n2,3\n", "8,[2;3]\n9,[2;3]\n", rules=sudare.histories.load_rules(tmp_path / "rules.toml"))
    assert "Not measured: the rules do not have one column each" in shown_text(page)
    assert "&lt;b&gt;nights&lt;/b&gt;" in page
    assert "<b>nights" not in page


def test_histories_and_guesses_may_be_given_as_they_were_read(tmp_path: Path) -> None:
    for name, text in zip(("T.csv", "A.csv"), classes(3, 3, 3), strict=True):
        (tmp_path / name).write_text(text)
    original = sudare.histories.read_original(tmp_path / "T.csv")
    anonymized = sudare.histories.read_anonymized(tmp_path / "A.csv", original).history
    guesses = sudare.contest.Guesses(np.arange(1, 8), np.arange(101, 108))
    found = sudare.contest.write_contest_report(original, anonymized, tmp_path / "r.html", guesses=[guesses], draws=1)
    assert (found.effective, found.tried, found.holds) == (1, 1, False)
    page = shown_text((tmp_path / "r.html").read_text(encoding="utf-8"))
    assert "attack 1 7 7 7 +0" in page
    # They know the files that hold them.
    assert "How safe and how useful is A.csv?" in page


def test_a_file_that_breaks_the_rules_is_refused_and_nothing_is_written(make: Make, tmp_path: Path) -> None:
    with pytest.raises(sudare.BadRows, match=r": 1 error\. Nothing was read\.\n  row 2, cell 2: "):
        make(anonymized=ANONYMIZED.replace("7,2011/1/2", "7,2011/1/9"))
    assert not (tmp_path / "report.html").exists()


@pytest.mark.parametrize("options", [{"draws": 0}, {"attacks": 0}, {"seed": -1}])
def test_options_that_cannot_be_used_are_refused_before_reading(tmp_path: Path, options: dict[str, int]) -> None:
    with pytest.raises(sudare.OptionNotUsable, match=r"Hint|seed must be 0 or more"):
        write_contest_report(tmp_path / "no.csv", tmp_path / "no.csv", tmp_path / "r.html", **options)  # type: ignore[arg-type]


def test_the_same_input_gives_the_same_page_in_each_language(make: Make) -> None:
    for language in ("en", "ja"):
        assert make(language=language, seed=3) == make(language=language, seed=3)
    japanese = shown_text(make(*classes(3, 3, 3, 3), [guess(7)], language="ja"))
    assert "安全でない。有効な再識別があった。" in japanese
    assert "NOT SAFE" not in japanese


def test_items_with_markup_stay_text(make: Make) -> None:
    page = make(ORIGINAL.replace(",b,", ",<script>x</script>,"), ANONYMIZED.replace("a;b", "a;<script>x</script>"))
    assert "<script>" not in page
    assert "&lt;script&gt;x" in page


def test_many_sizes_of_classes_end_in_one_row() -> None:
    few = [ClassSize(size, 1, size) for size in range(1, 16)]
    assert [(row.first, row.last) for row in size_rows(few)] == [(size, size) for size in range(1, 16)]
    last = size_rows([*few, ClassSize(20, 2, 40)])[-1]
    assert (last.first, last.last, last.classes, last.persons) == (15, None, 3, 55)


def test_very_wide_ranges_are_one_row(tmp_path: Path) -> None:
    (tmp_path / "T.csv").write_text("1,2011/1/1,a,1,1\n" * 3)
    (tmp_path / "A.csv").write_text("".join(f"1,2011/1/1,a,1,[1;{most}]\n" for most in (512, 513, 5000)))
    original = sudare.histories.read_original(tmp_path / "T.csv")
    found = sudare.contest.describe_anonymization(
        original, sudare.histories.read_anonymized(tmp_path / "A.csv", original).history
    )
    rows = [(row.least, row.most, row.cells) for row in width_rows(found)]
    assert rows == [(257, 512, (0, 0, 0, 1)), (513, None, (0, 0, 0, 2))]


def test_long_claims_are_cut_short() -> None:
    plan = GuessPlan(60, 40, 0.5, (PlanPart(60, 1, (1,) * 60),))
    assert len(planned(plan, Texts("en"))) < 100
