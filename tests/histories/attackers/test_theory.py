"""The better theories: what they are in small, and how far they are from the measurement on whole histories."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from math import prod
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import sudare
from sudare.histories.attackers import theory
from sudare.histories.attackers.assessment import AttackersAssessment
from sudare.histories.attackers.theory import marginal_probability, occurring_probability

DOCS = Path(__file__).parents[3] / "docs" / "explanation" / "attackers.md"


def lines(counts: list[int]) -> list[tuple[int, int, int]]:
    """Return how often how many values occur, and how often in all."""
    return [(often, counts.count(often), often * counts.count(often)) for often in sorted(set(counts))]


def expected_values(parts: list[list[int]]) -> float:
    """Return the mean number of different combinations over all ways the occurrences can take independent values."""
    occurrences = sum(parts[0])
    combinations = [prod(often / occurrences for often in chosen) for chosen in product(*parts)]
    ways = product(range(len(combinations)), repeat=occurrences)
    return sum(prod(combinations[place] for place in way) * len(set(way)) for way in ways)


@st.composite
def marginals(draw: st.DrawFn) -> list[list[int]]:
    """Return two parts, of which at most two values each occur, of up to five occurrences."""
    occurrences = draw(st.integers(1, 5))
    cuts = [draw(st.integers(0, occurrences - 1)) for _ in range(2)]
    return [[count for count in (cut, occurrences - cut) if count] for cut in cuts]


@given(marginals())
def test_of_two_parts_it_is_the_mean_over_all_ways_to_combine_them(parts: list[list[int]]) -> None:
    found = marginal_probability([lines(part) for part in parts])
    assert found == pytest.approx(expected_values(parts) / sum(parts[0]))


@given(st.lists(st.integers(1, 9), min_size=1))
def test_of_one_part_it_is_occurring_values_by_occurrences(counts: list[int]) -> None:
    expected = occurring_probability(len(counts), sum(counts))
    assert marginal_probability([lines(counts)]) == pytest.approx(expected)


def test_merging_nearly_equal_shares_changes_next_to_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [lines([1 + n * n % 97 for n in range(400)])]
    total = sum(whole for _, _, whole in parts[0])
    parts.append(lines([7] * (total // 7) + [total % 7] * (total % 7 > 0)))
    parts.append(parts[0])
    merged = marginal_probability(parts)
    monkeypatch.setattr(theory, "MOST_SHARES", 10**9)
    assert merged == pytest.approx(marginal_probability(parts), rel=1e-5)


def test_nothing_occurs_of_what_nobody_has() -> None:
    assert occurring_probability(0, 0) is None


def test_they_are_never_above_1_where_the_papers_is(toy: sudare.History) -> None:
    risks = sudare.histories.assess_attackers(toy).attackers
    assert max(risk.theory for risk in risks) > 1
    assert all(0 < (risk.theory_occurring or 0) <= 1 and 0 < (risk.theory_marginal or 0) <= 1 for risk in risks)


def test_online_retail_is_within_the_stated_error(online_retail: sudare.History) -> None:
    risks = sudare.histories.assess_attackers(online_retail).attackers
    assert max(abs((risk.theory_occurring or 0) - risk.measured) for risk in risks) < 0.035
    assert max(abs((risk.theory_marginal or 0) - risk.measured) for risk in risks) < 0.024


@pytest.mark.slow
def test_the_documentation_states_the_errors_as_they_are_measured(
    online_retail: sudare.History, real_data: Callable[[str], Path], tmp_path: Path
) -> None:
    sudare.generate_history(tmp_path / "made.csv", customers=400, seed=0)
    with (
        sudare.read_history(real_data("pwscup2018-T.csv")) as contest,
        sudare.read_history(tmp_path / "made.csv") as made,
    ):
        found = [sudare.histories.assess_attackers(history) for history in (online_retail, contest, made)]
    page = DOCS.read_text(encoding="utf-8")
    missing = [line for line in error_lines(found) if line not in page]
    assert missing == []


def error_lines(found: list[AttackersAssessment]) -> Iterator[str]:
    """Yield a line of the table for each attacker: measured, and the errors of both theories, of each history."""
    for number in range(1, 10):
        cells = []
        for risk in (one.attackers[number] for one in found):
            errors = [(value or 0) - risk.measured for value in (risk.theory_occurring, risk.theory_marginal)]
            cells += [f"{risk.measured:.4f}", *(f"{error:+.4f}".replace("-0.0000", "+0.0000") for error in errors)]
        yield f"| {number} | {' | '.join(cells)} |"
