from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars
import pytest

import sudare
from sudare.engine import DuckDBEngine
from tests.tables.small_tables import table_of

Records = list[tuple[int, ...]]


def records_of(*sizes: int) -> Records:
    """Return records that fall into classes of the given sizes."""
    return [(number, 0) for number, size in enumerate(sizes) for _ in range(size)]


def test_every_model_answers_and_pitman_is_chosen_for_a_small_share() -> None:
    found = sudare.tables.population_risk(table_of(records_of(1, 1, 1, 2, 2, 4)), share=0.05)
    assert (found.records, found.population, found.classes, found.uniques, found.pairs) == (11, 220, 6, 3, 2)
    assert [entry.model for entry in found.estimates] == ["pitman", "zayatz", "snb"]
    assert (found.chosen, found.reason) == ("pitman", "small_share")
    assert found.estimate is found.estimates[0]
    # Data intrusion simulation: 0.05 x 3 / (0.05 x 3 + 2 x 0.95 x 2).
    assert found.simulated_match == pytest.approx(0.15 / 3.95)


def test_the_smaller_of_snb_and_zayatz_is_chosen_for_a_large_share() -> None:
    found = sudare.tables.population_risk(table_of(records_of(*[1] * 9, 2, 2, 2, 3, 5)), share=0.5)
    uniques = {entry.model: entry.population_uniques for entry in found.estimates}
    smaller = min(("snb", "zayatz"), key=lambda model: uniques[model])  # type: ignore[arg-type,return-value,index]
    assert (found.chosen, found.reason) == (smaller, f"{smaller}_smaller")


def test_zayatz_is_chosen_where_snb_has_no_answer() -> None:
    found = sudare.tables.population_risk(table_of(records_of(1, 3)), share=0.5)
    assert (found.chosen, found.reason, found.estimates[2].problem) == ("zayatz", "snb_failed", "no_pairs")
    assert found.simulated_match is None


def test_without_unique_records_there_is_nothing_to_estimate() -> None:
    found = sudare.tables.population_risk(table_of(records_of(2, 3)), share=0.1)
    assert (found.uniques, found.estimates, found.chosen, found.reason) == (0, (), None, "no_uniques")
    assert found.estimate is None


def test_if_all_records_are_unique_the_upper_end_is_given() -> None:
    found = sudare.tables.population_risk(table_of(records_of(1, 1, 1)), population=1000)
    assert (found.chosen, found.reason) == ("zayatz", "all_unique")
    assert found.estimate is not None
    assert found.estimate.sample_uniques == pytest.approx(3)
    assert [entry.problem for entry in found.estimates] == ["all_unique", None, "no_pairs"]


def test_the_known_attributes_make_the_classes() -> None:
    table = table_of([(0, 0), (0, 1), (0, 1), (1, 1)])
    assert sudare.tables.population_risk(table, share=0.5).uniques == 2
    assert sudare.tables.population_risk(table, ["a"], share=0.5).uniques == 1
    assert sudare.tables.population_risk(table, [], share=0.5).uniques == 0


def test_share_and_size_of_the_population_say_the_same() -> None:
    table = table_of(records_of(1, 1, 2, 5))
    assert sudare.tables.population_risk(table, share=0.09) == sudare.tables.population_risk(table, population=100)


def test_plain_values_hold_everything() -> None:
    found = sudare.tables.population_risk(table_of(records_of(1, 1, 2, 5)), share=0.09).to_dict()
    assert found["share"] == 0.09
    assert found["estimates"][0]["model"] == "pitman"
    assert set(found["estimates"][0]["parameters"]) == {"alpha", "theta"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({}, "is unknown"),
        ({"share": 0.1, "population": 50}, "cannot be used together"),
        ({"share": 0.0}, "above 0 and below 1, not 0"),
        ({"share": 1.0}, "above 0 and below 1, not 1"),
        ({"share": float("nan")}, "share must be a finite number, not nan"),
        ({"population": 3}, "A population of 3 is not larger than the table, which has 4 records"),
        ({"population": 4}, "not larger"),
    ],
)
def test_what_does_not_tell_the_population_is_refused(words: dict[str, float], message: str) -> None:
    with pytest.raises(sudare.OptionNotUsable, match=message):
        sudare.tables.population_risk(table_of(records_of(1, 1, 2)), **words)  # type: ignore[arg-type]


def test_classes_that_overlap_are_refused(engine: DuckDBEngine) -> None:
    frame = polars.DataFrame({"a": ["x", None, "y"], "who": ["1", "1", "2"]})
    for options in ({"missing": "any"}, {"person": "who"}):
        with (
            sudare.read_table(frame, engine=engine, **options) as table,  # type: ignore[arg-type]
            pytest.raises(sudare.OptionNotUsable, match="in several classes"),
        ):
            sudare.tables.population_risk(table, share=0.5)


def estimate_and_truth(
    people: list[tuple[str, ...]], share: float, seed: int, engine: DuckDBEngine
) -> tuple[sudare.tables.PopulationRisk, float, float, float]:
    """Draw a sample; return what is said of it, and its true unique records, right matches and population uniques."""
    crowd = Counter(people)
    rng = np.random.default_rng(seed)
    drawn = [people[i] for i in rng.choice(len(people), round(len(people) * share), replace=False)]
    frame = polars.DataFrame(drawn, schema=[f"a{i}" for i in range(len(people[0]))], orient="row")
    with sudare.read_table(frame, engine=engine) as table:
        found = sudare.tables.population_risk(table, population=len(people))
    uniques = [crowd[person] for person, times in Counter(drawn).items() if times == 1]
    alone = sum(size == 1 for size in crowd.values())
    return found, uniques.count(1), sum(1 / size for size in uniques), alone


@pytest.mark.slow
@pytest.mark.parametrize(
    ("columns", "share", "within"),
    [
        ((0, 1, 2, 4), 0.01, 0.8),
        ((0, 1, 2, 4), 0.05, 0.25),
        ((0, 1, 2, 4), 0.10, 0.3),
        (tuple(range(9)), 0.05, 0.25),
        (tuple(range(9)), 0.10, 0.1),
        (tuple(range(9)), 0.50, 0.03),
    ],
)
def test_estimates_are_near_the_truth_on_adult(
    real_data: Callable[[str], Path], engine: DuckDBEngine, columns: tuple[int, ...], share: float, within: float
) -> None:
    with real_data("adult/adult.csv").open(encoding="utf-8") as file:
        people = [tuple(row[c] for c in columns) for row in list(csv.reader(file, delimiter=";"))[1:]]
    errors = []
    for seed in range(5):
        found, _, matches, alone = estimate_and_truth(people, share, seed, engine)
        assert found.estimate is not None
        assert found.estimate.expected_matches is not None
        assert found.estimate.population_uniques is not None
        errors.append((found.estimate.expected_matches / matches - 1, found.estimate.population_uniques / alone - 1))
    by_matches, by_uniques = np.median(np.abs(errors), axis=0)
    assert by_matches < within
    assert by_uniques < within
