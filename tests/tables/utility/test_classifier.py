"""The accuracy of a classifier trained with anonymized records."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sudare.errors import ColumnNotFound, OptionNotUsable
from sudare.tables.recoded.model import RecodedTable
from sudare.tables.roles import Role
from sudare.tables.utility import classifier
from sudare.tables.utility.classifier import choose_target, classifier_accuracy
from sudare.tables.utility.estimates import compared
from sudare.tables.utility.features import draw_values, make_features
from sudare.tables.utility.model import ClassifierAccuracy
from tests.tables.recoded.small import recoded_of, starred, unchanged
from tests.tables.small_tables import table_of

# a decides c, which is 0 in two thirds of the records; b is noise.
DECIDED = table_of([(n % 6, n % 5, int(n % 6 > 3)) for n in range(1_800)])
SENSITIVE: dict[str, Role] = {"c": "sensitive"}


def accuracy(found: RecodedTable, target: str | None = None, seed: int = 0) -> ClassifierAccuracy:
    got = classifier_accuracy(found, compared(found), target=target, seed=seed)
    assert isinstance(got, ClassifierAccuracy)
    return got


def test_unchanged_records_teach_the_same() -> None:
    got = accuracy(unchanged(DECIDED, roles=SENSITIVE))
    assert (got.target, got.chosen) == ("c", "sensitive")
    assert got.before == got.after == 1.0
    assert got.baseline == pytest.approx(2 / 3, abs=0.05)
    assert (got.trained_on, got.trained_on_anonymized, got.tested_on) == (1_200, 1_200, 600)


def test_hidden_records_teach_no_more_than_the_most_common_value() -> None:
    got = accuracy(starred(DECIDED, roles=SENSITIVE))
    assert got.before == 1.0
    assert got.after == pytest.approx(got.baseline, abs=0.02)


def test_cells_that_decide_the_value_teach_it() -> None:
    # a is 0 to 3 or 4 to 5, which is all that c depends on.
    owner = np.repeat(DECIDED.codes[0] > 3, DECIDED.counts).astype(int).tolist()
    classes = [[(0, 1, 2, 3), (0, 1, 2, 3, 4)], [(4, 5), (0, 1, 2, 3, 4)]]
    assert accuracy(recoded_of(DECIDED, classes, owner, roles=SENSITIVE)).after == 1.0


def test_the_same_seed_gives_the_same() -> None:
    found = starred(DECIDED, roles=SENSITIVE)
    assert accuracy(found, seed=3) == accuracy(found, seed=3) != accuracy(found, seed=4)


def test_records_without_a_single_value_to_predict_are_not_learned_from() -> None:
    # c is hidden in the records with an a of 3 or more.
    classes = [[(a,), tuple(range(5)), (0,) if a < 3 else (0, 1)] for a in range(6)]
    owner = np.repeat(DECIDED.codes[0], DECIDED.counts).tolist()
    got = accuracy(recoded_of(DECIDED, classes, owner), target="c")
    assert got.chosen == "given"
    assert got.trained_on == 1_200
    assert 500 < got.trained_on_anonymized < 700
    # All that can be learned from is 0.
    assert got.after == got.baseline
    assert got.before == 1.0


def test_suppressed_records_are_not_learned_from_and_still_asked_about() -> None:
    owner = np.repeat(np.where(DECIDED.codes[0] == 5, 0, -1), DECIDED.counts).tolist()
    got = accuracy(recoded_of(DECIDED, [[(5,), tuple(range(5))]], owner, roles=SENSITIVE))
    assert (got.trained_on, got.tested_on) == (1_200, 600)
    assert got.trained_on_anonymized == pytest.approx(200, abs=30)
    # All that can be learned from is 1.
    assert got.after == pytest.approx(1 - got.baseline)


def test_nothing_is_measured_where_the_value_to_predict_is_always_hidden() -> None:
    found = starred(DECIDED)
    assert classifier_accuracy(found, compared(found), target="c", seed=0) == "too_few_records"


def test_nothing_is_measured_without_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classifier, "find_spec", lambda _: None)
    found = unchanged(DECIDED, roles=SENSITIVE)
    assert classifier_accuracy(found, compared(found), target=None, seed=0) == "not_installed"


def test_nothing_is_measured_without_a_column_to_predict_or_to_predict_from() -> None:
    many = unchanged(table_of([(n, n) for n in range(11)]))
    alone = unchanged(table_of([(0, 0), (1, 1)]), roles={"b": "dropped"})
    for found in (many, alone):
        assert classifier_accuracy(found, compared(found), target=None, seed=0) == "no_target"


def test_many_records_are_drawn_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classifier, "MOST_RECORDS", 300)
    got = accuracy(unchanged(DECIDED, roles=SENSITIVE))
    assert (got.trained_on, got.tested_on) == (200, 100)


def test_records_whose_value_is_missing_are_left_out() -> None:
    table = table_of([(n % 2, n % 2) for n in range(60)] + [(n % 2, None) for n in range(30)])
    got = accuracy(unchanged(table, roles={"b": "sensitive"}))
    assert (got.trained_on, got.tested_on) == (40, 20)


def test_a_value_of_a_single_record_can_be_learned_beside() -> None:
    # Training stops early by a part set aside, on which a value of a single record cannot be too.
    records = [(n % 2, n % 2) for n in range(1_800)] + [(2, 2)]
    assert accuracy(unchanged(table_of(records), roles={"b": "sensitive"})).before > 0.99


def test_a_column_without_numbers_teaches_nothing() -> None:
    # The means of a are not written, as for classes without a number; b decides c alone.
    table = table_of([(n % 6, n % 3, int(n % 3 > 1)) for n in range(1_800)])
    owner = np.repeat(table.codes[1], table.counts).tolist()
    classes = [[tuple(range(6)), (b,)] for b in range(3)]
    found = recoded_of(table, classes, owner, roles=SENSITIVE, means={"a": [" ", " ", " "]})
    assert accuracy(found).after == 1.0


def test_few_records_teach_the_most_common_value() -> None:
    got = accuracy(unchanged(table_of([(n % 2, n % 2) for n in range(9)]), roles={"b": "sensitive"}))
    assert got.before == got.after == got.baseline


def test_all_records_of_a_person_are_on_one_side() -> None:
    persons = [n // 3 for n in range(90)]
    found = unchanged(table_of([(n % 2, n % 3) for n in range(90)], persons=persons))
    records, held_out = classifier._divided(found, np.arange(90), np.random.default_rng(0))
    assert found.table.persons is not None
    person = found.table.persons[found.rows[records]]
    assert held_out.sum() == 30
    assert not set(person[held_out]) & set(person[~held_out])


@pytest.mark.parametrize(
    ("values", "roles", "chosen"),
    [
        ((3, 20, 3), {"b": "sensitive"}, ("b", "sensitive")),
        ((3, 21, 3), {"b": "sensitive"}, ("c", "quasi")),
        ((3, 3, 3), {"a": "kept", "b": "kept"}, ("b", "kept")),
        ((3, 11, 3), {"b": "kept"}, ("c", "quasi")),
        ((3, 3, 11), {}, ("b", "quasi")),
        ((1, 1, 11), {}, None),
    ],
)
def test_the_column_to_predict(values: tuple[int, ...], roles: dict[str, Role], chosen: tuple[str, str] | None) -> None:
    table = table_of([tuple(n % size for size in values) for n in range(40)])
    found = unchanged(table, roles=roles)
    got = choose_target(found, compared(found), None)
    assert (got and (got[0].attribute, got[1])) == chosen


def test_a_column_that_cannot_be_predicted_is_refused() -> None:
    found = unchanged(table_of([(n, n % 2, 0) for n in range(51)]), roles={"b": "dropped"})
    sides = compared(found)
    with pytest.raises(OptionNotUsable, match="Column 'b' is not published"):
        choose_target(found, sides, "b")
    with pytest.raises(OptionNotUsable, match="Column 'a' has 51 different values; a column to predict has 2 to 50"):
        choose_target(found, sides, "a")
    with pytest.raises(OptionNotUsable, match="Column 'c' has only one value"):
        choose_target(found, sides, "c")
    with pytest.raises(ColumnNotFound, match="no attribute 'd'"):
        choose_target(found, sides, "d")


def test_values_are_drawn_from_cells_by_their_weights() -> None:
    # 0 is exact in eight records, so that {0, 1} is drawn 9 : 1; {2} is always 2.
    table = table_of([(0,)] * 8 + [(0,), (1,), (2,)])
    (column,) = compared(recoded_of(table, [[(0,)], [(0, 1)], [(2,)]], [0] * 8 + [1, 1, 2])).columns
    assert column.cells_of is not None
    cells = np.array([column.cells_of.texts.index(text) for text in ["0|1"] * 10_000 + ["2"] * 100], np.int32)
    drawn = np.bincount(draw_values(column, cells, np.random.default_rng(0)))
    assert drawn[2] == 100
    assert drawn[0] == pytest.approx(9_000, abs=150)


def test_features_are_numbers_categories_and_means() -> None:
    # a: means; b: names, of which one cell is open; suppressed records have none.
    table = replace(table_of([(0, 0), (1, 1), (2, 2)]), values=(("10", "20", "40"), ("x", "y", "z")))
    found = recoded_of(table, [[(0, 1), (0,)], [(0, 1), (1,)]], [0, 1, -1], means={"a": ["15", "15"]})
    got = make_features(found, compared(found).columns, np.arange(3), np.random.default_rng(0))
    assert got.categories == (False, True)
    assert got.original.tolist() == [[10, 0], [20, 1], [40, 2]]
    assert got.published[:2].tolist() == [[15, 0], [15, 1]]
    assert np.isnan(got.published[2]).all()
