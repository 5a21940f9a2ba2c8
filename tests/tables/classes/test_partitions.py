"""Missing values that are equal to any value, and classes that count persons: each analysis against plain counting."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import sudare
from sudare.tables.sets import disclosable
from sudare.tables.sets.disclosable import disclosable_sets
from tests.tables.small_tables import Case, cases, names, subsets, table_of

# Four records: the second lacks the age, so it could be the first or the third.
WORKED = Case([(0, 0), (0, None), (0, 1), (1, 1)], None, "any")


def test_a_missing_value_that_is_equal_to_any_worked_by_hand() -> None:
    found = sudare.tables.assess_records(WORKED.table)
    # The first matches itself and the second, the second all of the first three, the fourth itself alone.
    assert [(part.size, part.classes, part.records) for part in found.sizes] == [(1, 1, 1), (2, 2, 2), (3, 1, 1)]
    assert (found.max_risk, found.uniques, found.classes) == (1.0, 1, 4)
    assert found.mean_risk == pytest.approx((1 / 2 + 1 / 3 + 1 / 2 + 1) / 4)
    as_a_value = sudare.tables.assess_records(table_of(WORKED.records))
    assert (as_a_value.uniques, as_a_value.mean_risk) == (4, 1.0)


def test_a_class_counts_persons_worked_by_hand() -> None:
    """Five records of two persons: three records with a = 0, all of person 7, two with a = 1 of both."""
    table = table_of([(0,), (0,), (0,), (1,), (1,)], persons=[7, 7, 7, 7, 8])
    found = sudare.tables.assess_records(table)
    assert [(part.size, part.classes, part.records) for part in found.sizes] == [(1, 1, 3), (2, 1, 2)]
    assert (found.uniques, found.mean_risk) == (3, (3 * 1 + 2 * 0.5) / 5)


@given(cases())
def test_records(case: Case) -> None:
    for chosen in subsets(range(case.width)):
        found = sudare.tables.assess_records(case.table, names(chosen))
        sizes = case.sizes(chosen)
        assert found.max_risk == 1 / min(sizes)
        assert found.mean_risk == pytest.approx(sum(1 / n for n in sizes) / len(sizes))
        assert found.uniques == sizes.count(1)
        assert found.classes == case.classes(sorted(chosen))
        assert {part.size: part.records for part in found.sizes} == {n: sizes.count(n) for n in sizes}


@given(cases(), st.integers(1, 4), st.booleans())
def test_subsets(case: Case, most: int, class_sizes: bool) -> None:
    found = sudare.tables.assess_subsets(case.table, max_size=min(most, case.width), limit=0.4, class_sizes=class_sizes)
    for size in range(1, min(most, case.width) + 1):
        for chosen in combinations(range(case.width), size):
            risk, sizes = found.subset(names(chosen)), case.sizes(chosen)
            assert (risk.classes, risk.max_risk, risk.uniques) == (case.classes(chosen), 1 / min(sizes), sizes.count(1))
            assert risk.mean_risk == pytest.approx(sum(1 / n for n in sizes) / len(sizes))
            assert risk.share_above == sum(1 / n > 0.4 for n in sizes) / len(sizes)
            if class_sizes:
                assert risk.class_sizes is not None
                assert {s.size: s.records for s in risk.class_sizes} == {n: sizes.count(n) for n in sizes}
            else:
                assert risk.class_sizes is None


@given(
    cases(), st.sampled_from([1.0, 0.5, 1 / 3, 0.25]), st.sampled_from([None, 0.8]), st.integers(0, 1), st.booleans()
)
@settings(max_examples=200)
def test_disclosable_sets(case: Case, limit: float, quantile: float | None, known: int, walked: bool) -> None:
    fixed = set(range(known))
    over = {s: sum(1 / n > limit for n in case.sizes(s)) for s in subsets(range(case.width)) if fixed <= s}
    allowed = 0 if quantile is None else int((1 - quantile) * len(case.records) + 1e-9)
    safe = {s for s, count in over.items() if count <= allowed}
    with pytest.MonkeyPatch.context() as patch:
        if not walked:
            patch.setattr(disclosable, "MOST_WALKED", -1)
        found = disclosable_sets(case.table, limit=limit, known=names(fixed), quantile=quantile, every=True)
    assert {entry.attributes for entry in found.sets or ()} == set(map(names, safe))
    assert {entry.attributes for entry in found.maximal} == {names(s) for s in safe if not any(s < t for t in safe)}
    for entry in found.maximal:
        sizes = case.sizes(ord(name) - ord("a") for name in entry.attributes)
        assert entry.mean_risk == pytest.approx(sum(1 / n for n in sizes) / len(sizes))
        assert entry.max_risk == 1 / min(sizes)


@given(cases(), st.integers(2, 3), st.sampled_from([1.0, 1.5, 2.0]))
def test_dangerous_sets(case: Case, size: int, factor: float) -> None:
    size = min(size, case.width)
    expected = {}
    for chosen in combinations(range(case.width), size):
        together, alone = case.sizes(chosen), [case.sizes([a]) for a in chosen]
        rises = [max(column[i] for column in alone) / n for i, n in enumerate(together)]
        if max(rises) > factor:
            expected[names(chosen)] = (sum(z > factor for z in rises), pytest.approx(max(rises)))
        shown = sudare.tables.dangerous_records(case.table, names(chosen), factor)
        assert sum(entry.records for entry in shown) == sum(z > factor for z in rises)
        assert all(entry.risk == pytest.approx(1 / entry.size) for entry in shown)
    found = sudare.tables.dangerous_sets(case.table, size=size, factor=factor)
    assert {entry.attributes: (entry.records, entry.max_factor) for entry in found.sets} == expected


@given(cases(), st.integers(0, 3))
def test_affordable_sets_have_the_risks_of_matches(case: Case, budget: int) -> None:
    found = sudare.tables.affordable_sets(case.table, dict.fromkeys(names(range(case.width)), 1), budget=budget)
    assert {entry.attributes for entry in found.maximal} == {
        names(chosen) for chosen in combinations(range(case.width), min(budget, case.width))
    }
    for entry in found.maximal:
        sizes = case.sizes(ord(name) - ord("a") for name in entry.attributes)
        assert entry.max_risk == 1 / min(sizes)
        assert entry.mean_risk == pytest.approx(sum(1 / n for n in sizes) / len(sizes))


@given(cases())
def test_drawn_sets_that_are_all_sets_give_the_exact_means(case: Case) -> None:
    found = sudare.tables.sample_subsets(case.table, samples=100, seed=1, limit=0.4)
    for entry in found.sizes:
        assert entry.exact
        sizes = [case.sizes(chosen) for chosen in combinations(range(case.width), entry.size or 0)]
        assert entry.max_risk.value == pytest.approx(np.mean([1 / min(s) for s in sizes]))
        assert entry.mean_risk.value == pytest.approx(np.mean([np.mean([1 / n for n in s]) for s in sizes]))
        assert entry.unique_share.value == pytest.approx(np.mean([s.count(1) / len(s) for s in sizes]))


@given(cases())
def test_diversity(case: Case) -> None:
    known = range(case.width - 1)
    found = sudare.tables.sensitive_diversity(case.table, case.table.attributes[-1])
    held = [[case.records[i][-1] for i in case.matches(record, known)] for record in case.records]
    assert found.k == min(case.sizes(known))
    assert found.l == min(len(set(values)) for values in held)
    assert found.revealed == sum(len(set(values)) == 1 for values in held)
    overall = [record[-1] for record in case.records]
    distances = [
        sum(abs(v.count(x) / len(v) - overall.count(x) / len(overall)) for x in set(overall)) / 2 for v in held
    ]
    assert found.t == pytest.approx(max(distances))


def test_too_many_matches_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sudare.tables.classes.match_partitions.MOST_MATCHES", 5)
    with pytest.raises(sudare.OptionNotUsable, match="pairs of records match"):
        sudare.tables.assess_records(WORKED.table)
