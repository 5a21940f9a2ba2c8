"""Levels by the risk of the ten attackers: by hand, by trying all levels, and measured again in other ways."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars
import pytest
from hypothesis import given, settings, strategies as st

from sudare.errors import OptionNotUsable
from sudare.histories.anonymize.level_cells import ColumnLevel, different_levels
from sudare.histories.anonymize.level_risk import levels_for_risk
from sudare.histories.anonymize.levels import publish_levels
from sudare.histories.attackers.assessment import assess_attackers
from sudare.histories.attackers.knowledge import TEN_ATTACKERS
from sudare.histories.attackers.published import PublishedAttackers, measure_published
from sudare.histories.generalized.model import CellHistory, Kind
from sudare.histories.read import read_history
from sudare.histories.utility.cost import cell_text, cell_utility
from tests.histories.anonymize.small_histories import Row, histories, history

# Everybody has one row; who knows a day or an item is left with two, who knows both with one.
SQUARE: list[list[Row]] = [[(1, "a", 1, 1)], [(1, "b", 1, 1)], [(2, "a", 1, 1)], [(2, "b", 1, 1)]]


def test_levels_stay_exact_if_any_risk_is_allowed() -> None:
    found = levels_for_risk(history(SQUARE), 1.0)
    assert found.levels == {"date": "day", "item": "full", "price": "exact", "quantity": "exact"}
    assert (found.utility, found.k, found.customers, found.deleted_rows) == (0, 1, 4, 0)
    assert [risk.after for risk in found.risks] == [0.25, 0.5, 0.25, 0.5, 0.5, 0.5, 1, 0.5, 1, 1]


def test_one_column_is_given_up_where_two_must_be_left() -> None:
    found = levels_for_risk(history(SQUARE), 0.5)
    assert found.levels == {"date": "day", "item": "all", "price": "exact", "quantity": "exact"}
    assert (found.utility, found.k, found.model) == (0.25, 2, "levels")
    assert (found.customers, found.sizes) == (4, (2, 2))
    assert max(risk.after for risk in found.risks) == 0.5


def test_both_columns_are_given_up_where_all_must_be_left() -> None:
    found = levels_for_risk(history(SQUARE), 0.25)
    assert (found.utility, found.levels["item"]) == (0.5, "all")
    assert {risk.after for risk in found.risks} == {0.25}
    assert found.to_dict()["mean_limit"] == 0.25
    assert len(found.to_dict()["risks"]) == 10


def test_what_cannot_be_reached_is_refused_with_what_can() -> None:
    with pytest.raises(OptionNotUsable) as refused:
        levels_for_risk(history(SQUARE), 0.2)
    assert "attacker 0 has 0.25" in str(refused.value)
    assert "Hint: Raise mean_limit above that." in str(refused.value)


def test_given_levels_are_kept() -> None:
    found = levels_for_risk(history(SQUARE), 0.5, levels={"item": "full", "price": "all"})
    assert (found.levels["item"], found.levels["price"], found.levels["date"] != "day") == ("full", "all", True)
    with pytest.raises(OptionNotUsable, match="at date=day, item=full"):
        levels_for_risk(history(SQUARE), 0.5, levels={"date": "day", "item": "full"})


# Three visits for milk that everybody makes, and one for something that nobody else buys.
REGULARS: list[list[Row]] = [[*((day, "milk", 1, 1) for day in (1, 2, 3)), (4, item, 1, 1)] for item in "abcdefgh"]


def test_a_mean_within_its_limit_says_how_many_customers_are_unique_all_the_same() -> None:
    found = levels_for_risk(history(REGULARS), 0.5)
    assert found.utility == 0
    # Who knows the item of a row knows nobody by milk, in 3 of 4 cases, and everybody by the other, in 1 of 4.
    assert found.risks[6].after == pytest.approx(3 / 4 / 8 + 1 / 4)
    assert (found.risks[6].unique_customers, found.risks[6].highest) == (8, 1.0)
    assert found.highest_mean == max(risk.after for risk in found.risks) <= 0.5
    assert (found.unique_customers, found.highest_risk) == (8, 1.0)
    first = dict(list(found.to_dict().items())[:5])
    assert first == {
        "alone": 8, "unique_customers": 8, "highest_risk": 1.0, "highest_mean": found.highest_mean, "mean_limit": 0.5,
    }  # fmt: skip


@pytest.mark.parametrize("risk", [0, -0.1, 1.5, float("nan")])
def test_a_risk_is_a_probability_above_zero(risk: float) -> None:
    with pytest.raises(OptionNotUsable, match=r"Hint: Try mean_limit|mean_limit must be a finite number"):
        levels_for_risk(history(SQUARE), risk)


def test_the_same_seed_gives_the_same_pseudonyms() -> None:
    one, two, other = (levels_for_risk(history(SQUARE * 3), 0.5, seed=seed) for seed in (1, 1, 2))
    assert one.history.persons.tolist() == two.history.persons.tolist()
    assert one.history.persons.tolist() != other.history.persons.tolist()


def all_levels(original: CellHistory) -> list[tuple[ColumnLevel, ...]]:
    return list(product(different_levels(original, "date"), different_levels(original, "item")))


def at(original: CellHistory, levels: tuple[ColumnLevel, ...]) -> CellHistory:
    date, item = levels
    _, _, price, quantity = original.columns
    return CellHistory(original.persons, (date.published, item.published, price, quantity))


def highest_risk(attackers: PublishedAttackers, anonymized: CellHistory) -> float:
    cells = attackers.pack(anonymized)
    return max(attackers.measure(cells, known).after for known in TEN_ATTACKERS)


@pytest.mark.slow
@settings(deadline=None, max_examples=6)
@given(histories(4, 3), st.sampled_from([0.3, 0.5, 0.8]))
def test_no_levels_that_suffice_cost_less(people: list[list[Row]], mean_limit: float) -> None:
    original = history(people)
    with PublishedAttackers(original) as attackers:
        sufficient = [
            cell_utility(original, at(original, levels), most=0).utility
            for levels in all_levels(original)
            if highest_risk(attackers, at(original, levels)) <= mean_limit
        ]
    if not sufficient:
        with pytest.raises(OptionNotUsable, match="No levels keep"):
            levels_for_risk(original, mean_limit)
        return
    found = levels_for_risk(original, mean_limit)
    measured = measure_published(original, found.history)
    assert max(risk.after for risk in measured.attackers) <= mean_limit
    assert [risk.after for risk in measured.attackers] == [risk.after for risk in found.risks]
    assert found.utility == pytest.approx(min(sufficient))


def recoded(original: CellHistory, anonymized: CellHistory) -> polars.DataFrame:
    """Return the rows with a day for each period and a name for each set."""
    date, item = anonymized.columns[:2]
    periods = [cell_text(date, row) for row in range(len(original))]
    days = {text: 1 + number for number, text in enumerate(sorted(set(periods)))}
    return polars.DataFrame(
        {
            "customer": original.persons,
            "day": [f"2011-01-{days[text]:02}" for text in periods],
            "item": [cell_text(item, row) for row in range(len(original))],
        }
    )


@pytest.mark.slow
@settings(deadline=None, max_examples=10)
@given(histories(4, 3), st.data())
def test_single_rows_are_as_recognizable_as_recoded_ones(people: list[list[Row]], data: st.DataObject) -> None:
    original = history(people)
    levels = data.draw(st.sampled_from(all_levels(original)))
    anonymized = publish_levels(
        original,
        {column.name: next(different_levels(original, column.name)) for column in original.columns}
        | {"date": levels[0], "item": levels[1]},
        np.arange(len(original)),
        np.random.default_rng(0),
    )
    # A deleted cell stands for the values of others, too, unless all are deleted.
    if any(0 < (column.kinds == Kind.DELETED).mean() < 1 for column in anonymized.columns[:2]):
        return
    after = measure_published(original, anonymized).attackers
    with read_history(recoded(original, anonymized)) as other:
        before = assess_attackers(other).attackers
    for attacker in (0, 1, 5, 6) if levels[0].name == "day" else (0, 1):
        assert after[attacker].after == pytest.approx(before[attacker].measured)
