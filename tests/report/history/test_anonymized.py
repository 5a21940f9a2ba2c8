"""The report of a history that was anonymized and attacked here: what was asked, its cost, what attacks reached."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import sudare
from sudare.histories.anonymize.concealment import conceal_history
from sudare.histories.anonymize.levels import anonymize_by_levels
from sudare.histories.anonymize.models import AnonymizedResult
from sudare.histories.attack.duel import Duel
from sudare.histories.attackers.published import measure_published
from sudare.messages import Language, Texts
from sudare.report.contest.findings import Findings
from sudare.report.contest.report import write_contest_report
from tests.histories.attack.histories import anonymize, history, made_rows
from tests.report.contest.test_report import answer_of, numbers_of, shown_text

MADE = dt.datetime(2025, 1, 31, 9, 30)
ROWS = made_rows(3, customers=16, most_rows=6)
ORIGINAL = history(ROWS)
ANONYMIZED = sudare.histories.anonymize_history(ORIGINAL, 4, fast=True, rounds=20)
DUEL = sudare.contest.run_duel(ORIGINAL, ANONYMIZED.history)


def report(
    folder: Path, made: AnonymizedResult = ANONYMIZED, duel: Duel | None = DUEL, **options: Any
) -> tuple[str, Findings]:
    path = folder / "report.html"
    found = write_contest_report(
        ORIGINAL, made.history, path, anonymization=made, duel=duel, draws=1, made=MADE, **options
    )
    return path.read_text(encoding="utf-8"), found


def test_what_was_asked_and_what_it_costs_are_told(tmp_path: Path) -> None:
    page, _ = report(tmp_path, replace(ANONYMIZED, converged=True))
    assert numbers_of(page, "made-k") == [4]
    assert numbers_of(page, "made-utility") == [ANONYMIZED.utility]
    assert numbers_of(page, "made-bound") == [ANONYMIZED.bound]
    assert numbers_of(page, "made-gap") == [ANONYMIZED.gap]
    assert numbers_of(page, "made-deleted") == [ANONYMIZED.deleted_rows]
    assert "found nothing better after" in shown_text(page)
    assert "No history anonymized in the same way has a U below" in shown_text(page)


def test_without_a_bound_none_is_told(tmp_path: Path) -> None:
    page, _ = report(tmp_path, replace(ANONYMIZED, bound=0.0, converged=False))
    text = shown_text(page)
    assert "No such history has a U below not computed" in text
    assert 'id="made-gap"' not in page
    assert "was stopped after" in text
    assert "No history anonymized in the same way" not in text


def test_every_attack_is_shown_with_its_control(tmp_path: Path) -> None:
    page, found = report(tmp_path)
    for attack in DUEL.attacks:
        shown = re.search(rf'(?s)<tr id="duel-{attack.method}" data-outcome="(\w+)">.*?</tr>', page)
        assert shown is not None
        assert shown.group(1) == attack.outcome
        assert attack.judgement is not None
        assert attack.control is not None
        judged, control = attack.judgement, attack.control
        tried = [judged.contest.threshold, judged.contest.margin] if judged.tried else []
        assert numbers_of(page, f"duel-{attack.method}") == [judged.guesses, judged.hits, *tried, control.hits]
    assert answer_of(page) == "not_effective"
    assert (found.given, found.effective, found.holds) == (14, 0, True)
    assert "an attack that fails does not make data safe" in shown_text(page)


def test_a_history_that_is_broken_is_not_safe(tmp_path: Path) -> None:
    bad = anonymize(ROWS, "dates")
    cost = {"utility": sudare.histories.cell_utility(ORIGINAL, bad).utility, "deleted_rows": int(bad.deleted.sum())}
    page, found = report(tmp_path, replace(ANONYMIZED, history=bad, **cost), sudare.contest.run_duel(ORIGINAL, bad))
    assert answer_of(page) == "effective"
    assert 'data-verdict="broken"' in page
    assert not found.holds
    assert "NOT SAFE: broken by" in shown_text(page)


def test_an_attack_on_classes_that_is_effective_had_luck(tmp_path: Path) -> None:
    lucky = next(attack for attack in DUEL.telling if attack.judgement)
    assert lucky.judgement is not None
    judged = replace(lucky.judgement, hits=7, contest=replace(lucky.judgement.contest, threshold=7, margin=0))
    page, found = report(tmp_path, duel=replace(DUEL, attacks=(replace(lucky, judgement=judged),)))
    assert not found.holds
    assert "One attack is that lucky with a probability of at most 0.18" in shown_text(page)
    assert "had luck" not in shown_text(report(tmp_path)[0])


def test_attacks_that_fail_their_control_tried_nothing(tmp_path: Path) -> None:
    nothing = replace(DUEL, attacks=tuple(replace(attack, control=None) for attack in DUEL.attacks))
    page, found = report(tmp_path, duel=nothing)
    assert answer_of(page) == "not_tried"
    assert (found.given, found.tried) == (14, 0)
    assert "crashed: nothing tried" in shown_text(page)


def test_a_history_that_was_not_attacked_has_no_such_section(tmp_path: Path) -> None:
    page, _ = report(tmp_path, duel=None)
    assert 'id="duel"' not in page
    assert "No attack was made" in shown_text(page)


def test_levels_are_named(tmp_path: Path) -> None:
    levels = {"date": "year", "item": "all", "price": "all", "quantity": "all"}
    made = anonymize_by_levels(ORIGINAL, 4, levels=levels, fast=True, rounds=3)
    page, _ = report(tmp_path, made, duel=None)
    assert "date = year, item = all, price = all, quantity = all" in shown_text(page)
    assert "Each column got one level of detail" in shown_text(page)


def test_of_concealment_the_possible_matchings_say_how_safe_it_is(tmp_path: Path) -> None:
    made = conceal_history(ORIGINAL, 3, fast=True, rounds=3, attacks=5)
    tried = sudare.contest.run_duel(ORIGINAL, made.history)
    for duel, answer in ((None, "concealed"), (tried, "not_effective")):
        page, found = report(tmp_path, made, duel, attacks=5)
        assert answer_of(page) == answer
        assert found.safety is None
        assert numbers_of(page, "matchings-found") == [made.safety.probability_found]
        assert numbers_of(page, "matchings-survives") == [made.safety.survives_guesses_found]
        assert 'id="classes"' not in page
        assert "The best guesses found for an attacker who knows who can be whom are effective" in shown_text(page)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_ten_attackers_are_shown_before_and_after(tmp_path: Path, language: str) -> None:
    published = measure_published(ORIGINAL, ANONYMIZED.history)
    page, _ = report(tmp_path, duel=None, published=published, language=language)
    section = page[page.index('<section id="published">') :]
    assert [f'<data value="{risk.after}">' in section for risk in published.attackers] == [True] * 10
    worst = max(risk.after for risk in published.attackers)
    assert f"{100 * worst:.2f}" in shown_text(page[: page.index('<section id="data">')])


def test_customers_have_their_names_where_they_were_numbered(tmp_path: Path) -> None:
    names = [f"Ms {n}" for n in range(1, 200)]
    path = tmp_path / "r.html"
    write_contest_report(ORIGINAL, ANONYMIZED.history, path, customers=names, draws=1, made=MADE)
    assert "<bdi>Ms 1" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_files_are_named_with_their_hashes(tmp_path: Path, language: str) -> None:
    files = (tmp_path / "T.csv", tmp_path / "A.csv")
    for file, cells in zip(files, (ORIGINAL, ANONYMIZED.history), strict=True):
        sudare.histories.write_cells(cells, file)
    path = tmp_path / "r.html"
    original = sudare.histories.read_original(files[0])
    anonymized = ANONYMIZED.history.in_file(files[1])
    write_contest_report(original, anonymized, path, draws=1, made=MADE, language=language)
    text = shown_text(path.read_text(encoding="utf-8"))
    assert "T.csv" in text
    assert "A.csv" in text
    assert set(re.findall(r"\b[0-9a-f]{64}\b", text)) == {sha256(file.read_bytes()).hexdigest() for file in files}
    # What is made of a history, and what has changed since it was read, is no longer what the file holds.
    changed = replace(original, persons=original.persons + 0)
    files[1].write_text("something else")
    write_contest_report(changed, anonymized, path, draws=1, made=MADE, language=language)
    text = shown_text(path.read_text(encoding="utf-8"))
    assert "T.csv" not in text
    assert not re.findall(r"\b[0-9a-f]{64}\b", text)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_history_of_ones_own_is_told_without_the_words_of_contests(tmp_path: Path, language: Language) -> None:
    rows = "".join(f"{c},2011-01-0{1 + c % 3},{i},{c + 1},1\n" for c in range(12) for i in ("milk", "bread"))
    (tmp_path / "t.csv").write_text(f"customer,date,item,price,quantity\n{rows}", encoding="utf-8")
    with sudare.read_history(tmp_path / "t.csv") as history:
        made = history.anonymize(k=2, fast=True)
        made.publish(tmp_path / "published.csv")
        made.report(tmp_path / "r.html", published=tmp_path / "published.csv", language=language)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    text = shown_text(page)
    # Guidelines have titles of their own.
    said = shown_text(re.sub(r'(?s)<section id="legal">.*?</section>', "", page))
    said = said.replace(Texts(language)("report.contest.parameters.citation"), "")
    assert not re.search(r"[Cc]ontest|effective|H0|\bU\b|\bT\b|コンテスト|有効", said)
    assert "publication.report('r.html', seed=0" in text
    assert not re.search(r"contest|effective|H0|\bU\b|\bT\b|コンテスト|有効", made.text(language))
