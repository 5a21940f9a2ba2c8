"""The report of baskets: what it says, that it says what was measured, and that only a check says safe."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sudare
from sudare.baskets import verification
from sudare.baskets.check import user_confidence
from sudare.messages import LANGUAGES, catalogue
from sudare.report.baskets.report import write_baskets_report
from tests.report.pages import answer_of, numbers_of, shown_text

MADE = dt.datetime(2025, 1, 31, 9, 30)
EVIL = "<script>alert(1)</script>&'x'"
# Of three buyers of milk two have medicine, which the first and the third keep secret.
BASKETS = "milk,medicine\nmilk,medicine\nmilk,bread\n\n"
SECRETS = "user,item\n1,medicine\n3,medicine\n"
Make = Callable[..., str]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Return a function from baskets, secrets and published baskets (None: suppressed here) to the report."""

    def report(
        text: str = BASKETS,
        published: str | None = None,
        *,
        secrets: str = SECRETS,
        change: dict[str, Any] | None = None,
        name: str = "baskets.txt",
        language: str = "en",
        suppress: dict[str, Any] | None = None,
        verify: dict[str, Any] | None = None,
        **options: Any,
    ) -> str:
        (tmp_path / name).write_text(text, encoding="utf-8")
        (tmp_path / "secrets.csv").write_text(secrets, encoding="utf-8")
        original = sudare.read_baskets(tmp_path / name, form="commas")
        sensitive = sudare.baskets.read_sensitive(str(tmp_path / "secrets.csv"), original)
        shown: Any
        if published is None:
            shown = sudare.baskets.suppress_baskets(original, sensitive, rho="0.5", **(suppress or {}))
            shown = replace(shown, **(change or {}))
        else:
            (tmp_path / "published.txt").write_text(published, encoding="utf-8")
            read = sudare.read_baskets(tmp_path / "published.txt", form="commas")
            shown = sudare.baskets.verify_baskets(original, read, sensitive, rho="0.5", **(verify or {}))
        target = tmp_path / "report.html"
        write_baskets_report(shown, target, language=language, made=MADE, **options)
        return target.read_text(encoding="utf-8")

    return report


def test_the_numbers_before_and_after_are_those_counted_by_hand(make: Make) -> None:
    # The first loses milk: of two buyers of milk one has medicine.
    page = make(published="medicine\nmilk,medicine\nmilk,bread\n\n")
    assert answer_of(page) == "safe"
    assert numbers_of(page, "adversaries") == [9, 9]
    assert numbers_of(page, "unsafe") == [2, 0]
    assert numbers_of(page, "users") == [2, 0]
    assert numbers_of(page, "highest") == pytest.approx([2 / 3, 1 / 2])
    assert numbers_of(page, "size-1") == [6, 2, 6, 0]
    assert numbers_of(page, "size-2") == [3, 0, 3, 0]
    assert numbers_of(page, "loss-suppressed") == [1]
    assert numbers_of(page, "loss-changed") == [1]
    assert numbers_of(page, "loss-emptied") == [0]
    assert numbers_of(page, "suppressed-share") == pytest.approx([1 / 6])
    assert "milk 3 2 1 33.33 %" in shown_text(page)
    # Who knows milk of the first or the third record.
    assert "1 milk medicine 66.67 % 3" in shown_text(page)


def test_the_answer_comes_first_and_in_words(make: Make) -> None:
    text = shown_text(make(published="medicine\nmilk,medicine\nmilk,bread\n\n"))
    assert "SAFE. All 9 adversaries were checked, that is, everybody who knows one or more items of the" in text
    assert "Unsafe adversaries before suppression: 2 of 9 (22.22 %). Users with at least one of them: 2 of 4" in text
    assert "What is left: 83.33 % of all items in the records (5 of 6). 75.00 % of the records are unchanged." in text


def test_records_that_became_empty_are_counted_and_those_empty_before_are_not(make: Make) -> None:
    page = make(published="\nmilk,medicine\nmilk,bread\n\n")
    assert numbers_of(page, "loss-emptied") == [1]
    assert "1 record (25.00 %) lost all its items." in shown_text(page)


def test_published_baskets_that_tell_secrets_are_not_safe(make: Make) -> None:
    page = make(published=BASKETS)
    assert answer_of(page) == "not_safe"
    assert "Of 9 adversaries who were checked, 2 can infer" in shown_text(page)
    assert "Nothing was suppressed." in shown_text(page)
    assert "The worst adversaries after suppression." in shown_text(page)


def test_a_suppression_is_shown_with_how_it_was_made(make: Make) -> None:
    page = make(suppress={"seed": 7, "strategy": "best"})
    assert answer_of(page) == "safe"
    assert re.search(r"suppressed with the strategy “best” \(passes: \d+, seed 7\)", shown_text(page))


def test_a_suppression_that_was_stopped_is_never_safe(make: Make) -> None:
    page = make(change={"interrupted": True})
    assert answer_of(page) == "interrupted"
    text = shown_text(page)
    assert "NOT SAFE: the suppression was stopped before its end." in text
    assert "SAFE. All" not in text


def test_the_verdict_of_a_suppression_is_not_believed(make: Make) -> None:
    original = sudare.baskets.make_baskets([["milk", "medicine"], ["milk", "medicine"], ["milk", "bread"], []])
    page = make(change={"published": original})
    assert answer_of(page) == "not_safe"


def test_a_sample_is_safe_by_sample_only(make: Make) -> None:
    options = {"max_known": 2, "epsilon": 0.1, "delta": 0.1}
    page = make(published="medicine\nmilk,medicine\nmilk,bread\n\n", verify=options)
    assert answer_of(page) == "safe_sample"
    text = shown_text(page)
    assert "SAFE BY SAMPLE. 44 adversaries were drawn at random" in text
    assert "With a confidence of 90 %, it follows for each number of known items: averaged over the users" in text
    assert "Drawn for each number: 22, unsafe: 0;" in text
    assert "the average is at most 9.9372 %" in text
    assert "a sample: epsilon 0.1, delta 0.1, seed 0; 22 drawn of each size, 0 unsafe in all" in text


def test_a_sample_that_missed_too_many_is_refuted(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    def lucky(*args: Any, **options: Any) -> sudare.baskets.Verdict:
        found = sudare.baskets.check_baskets(*args, **options)
        return replace(found, safe=True, unsafe_adversaries=0, worst=())

    monkeypatch.setattr(verification, "check_baskets", lucky)
    page = make(published=BASKETS, verify={"epsilon": 0.1, "delta": 0.1})
    assert answer_of(page) == "refuted"
    assert "a second look at all who know few items" in shown_text(page)


@pytest.mark.slow
def test_a_long_record_with_most_adversaries_does_not_refute_an_average_over_users(make: Make) -> None:
    """One of 50 users has 11 of the 109 adversaries, all unsafe: more than a tenth of all, but of few users."""
    text = "a,b\n" * 49 + ",".join(f"s{n}" for n in range(11)) + "\n"
    secrets = "user,item\n" + "".join(f"50,s{n}\n" for n in range(11))
    options = {"max_known": 1, "epsilon": 0.1, "delta": 0.9, "seed": 1}
    page = make(text, published=text, secrets=secrets, verify=options)
    assert answer_of(page) == "safe_sample"
    assert "Users with at least one of them: 1 of 50" in shown_text(page)


def test_sizes_that_were_drawn_bear_a_star(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_confidence, "MOST_ADVERSARIES", 0)
    text = shown_text(make(published=BASKETS))
    assert "2 * 2,000" in text
    assert "* Drawn at random" in text
    assert "Users with at least one who knows no more than 1 items" in text


@pytest.mark.slow
def test_many_sizes_share_a_row(make: Make) -> None:
    items = ",".join(f"i{n:02}" for n in range(15))
    page = make(f"{items}\nmilk\n", f"{items}\nmilk\n", secrets="user,item\n2,i00\n")
    assert numbers_of(page, "size-12") == [455, 0, 455, 0]
    assert numbers_of(page, "size-13") == [105 + 15 + 1, 0, 105 + 15 + 1, 0]
    assert "13 to 15" in shown_text(page)
    # All of its sets are in one record: there are too many rules.
    assert "Not compared" in shown_text(page)


def test_users_are_shown_by_record_numbers_or_not_at_all(tmp_path: Path) -> None:
    original = sudare.baskets.make_baskets([["milk", "medicine"], ["milk", "medicine"]], ["Alice Smith", "Bob Jones"])
    sensitive = sudare.baskets.read_sensitive("item:medicine", original)
    found = sudare.baskets.verify_baskets(original, original, sensitive, rho=0.5)
    for shown in (True, False):
        write_baskets_report(found, tmp_path / "r.html", show_records=shown)
        text = shown_text((tmp_path / "r.html").read_text(encoding="utf-8"))
        assert "Alice Smith" not in text
        assert "Bob" not in text
        assert ("1 milk medicine 100 % 2" in text) == shown
        assert ("and numbers of records" in text) == shown


def test_a_certificate_is_named_and_compared(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text(BASKETS)
    original = sudare.read_baskets(tmp_path / "b.txt", form="commas")
    sensitive = sudare.baskets.read_sensitive("item:medicine", original)
    found = sudare.baskets.suppress_baskets(original, sensitive, rho="0.5")
    sudare.baskets.write_published(found, tmp_path / "p.txt")
    certificate = tmp_path / "p.txt.certificate.json"
    read = sudare.read_baskets(tmp_path / "p.txt", form="commas")
    for published in (found, sudare.baskets.verify_baskets(original, read, sensitive, rho="0.5")):
        shown = write_baskets_report(published, tmp_path / "r.html", certificate=certificate)
        text = shown_text((tmp_path / "r.html").read_text(encoding="utf-8"))
        assert shown.holds
        assert "The certificate agrees" in text
        assert "SHA-256 of the certificate" in text
        assert sudare.baskets.read_certificate(certificate).published.sha256 in text
    unsafe = sudare.baskets.verify_baskets(original, original, sensitive, rho="0.6", max_known=1)
    other = write_baskets_report(unsafe, tmp_path / "r.html", certificate=certificate)
    text = shown_text((tmp_path / "r.html").read_text(encoding="utf-8"))
    assert not other.holds
    assert "THE CERTIFICATE DOES NOT AGREE" in text
    assert "Not as the certificate says: the published file (SHA-256), rho, most items known" in text


def test_a_certificate_of_other_baskets_is_refused(tmp_path: Path) -> None:
    """Two runs with the same files and parameters: only what was published says which run a certificate is about."""
    original = sudare.baskets.make_baskets([["a", "b", "c"], ["a", "b"], ["b", "c"], ["a", "c"]])
    sensitive = sudare.baskets.read_sensitive("all", original)
    runs = [sudare.baskets.suppress_baskets(original, sensitive, rho=0.5, seed=seed) for seed in range(20)]
    one = runs[0]
    other = next(run for run in runs if run.published.items.tolist() != one.published.items.tolist())
    sudare.baskets.write_published(one, tmp_path / "one.txt")
    certificate = tmp_path / "one.txt.certificate.json"
    with pytest.raises(sudare.OptionNotUsable, match="does not hold the records of this suppression"):
        write_baskets_report(other, tmp_path / "r.html", certificate=certificate)
    assert not (tmp_path / "r.html").exists()


def test_what_is_promised_is_not_rounded(tmp_path: Path) -> None:
    original = sudare.baskets.make_baskets([["a"], ["b"]])
    sensitive = sudare.baskets.read_sensitive("item:a", original)
    options = {"epsilon": 0.123456, "delta": 0.000001, "max_known": 1}
    for rho, shown in (("0.4999999999", "49.99999999 %"), ("1/3", "1/3")):
        found = sudare.baskets.verify_baskets(original, original, sensitive, rho=rho, **options)  # type: ignore[arg-type]
        write_baskets_report(found, tmp_path / "r.html")
        text = shown_text((tmp_path / "r.html").read_text(encoding="utf-8"))
        assert f"with a confidence above {shown}" in text
        assert (
            "With a confidence of 99.9999 %, it follows for each number of known items: averaged over the users who "
            "have that many items, less than 12.3456 %" in text
        )


def test_published_baskets_with_something_new_are_refused(make: Make) -> None:
    with pytest.raises(sudare.BadRows, match="is not a suppression"):
        make(published="milk,bread\nmilk\nmilk\n\n")


def test_names_from_the_data_are_escaped_and_cut(make: Make) -> None:
    long = "x" * 500
    text = f"{EVIL},{long}\n{EVIL},{long}\n"
    page = make(text, f"{EVIL}\n{EVIL},{long}\n", secrets=f"user,item\n1,{long}\n", name="a&b'<i>.txt")
    assert "<script" not in page
    assert "<i>" not in page
    assert EVIL in shown_text(page)
    assert "x" * 41 not in page


def test_items_of_equal_beginnings_have_bars_of_their_own(make: Make) -> None:
    names = ["same beginning of a long name " + end for end in "ab"]
    page = make(f"{names[0]},{names[1]}\nmilk\n", "\nmilk\n", secrets="user,item\n1,milk\n")
    assert "1 · same beginning" in page
    assert "2 · same beginning" in page


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_of_another_language_is_left(make: Make, language: str) -> None:
    other, mine = catalogue("ja" if language == "en" else "en"), catalogue(language)
    page = shown_text(make(language=language, suppress={"max_known": 2, "epsilon": 0.1, "delta": 0.1}))
    sentences = [text for key, text in other.items() if "{" not in text and len(text) > 15 and text != mine.get(key)]
    assert [text for text in sentences if text in page] == []


def test_the_japanese_report_says_the_same(make: Make) -> None:
    text = shown_text(make(published="medicine\nmilk,medicine\nmilk,bread\n\n", language="ja"))
    assert "安全である。" in text
    assert "攻撃者9通りをすべて調べた。" in text
    assert "抑圧前の安全でない攻撃者: 9通りのうち2通り（22.22%）。" in text


def test_the_same_input_and_date_give_the_same_page(make: Make) -> None:
    assert make() == make()


def test_baskets_of_which_nothing_is_left_have_a_report(tmp_path: Path) -> None:
    original = sudare.baskets.make_baskets([["milk"], ["bread"]])
    sensitive = sudare.baskets.read_sensitive("item:bread", original)
    nothing = original.only(np.zeros(2, np.bool_))
    write_baskets_report(sudare.baskets.verify_baskets(original, nothing, sensitive, rho=0.5), tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert answer_of(page) == "safe"
    assert numbers_of(page, "loss-emptied") == [2]
    assert "After suppression, no adversary has a confidence above 50 %" in shown_text(page)
