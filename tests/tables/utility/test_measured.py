"""All measures of what is left of the use of a table."""

from __future__ import annotations

import json

import pytest

from sudare.tables.utility import classifier
from sudare.tables.utility.measured import table_utility
from sudare.tables.utility.model import PairMoved
from tests.tables.recoded.small import starred, unchanged
from tests.tables.small_tables import table_of

TABLE = table_of([(n % 6, n % 5, int(n % 6 > 3)) for n in range(300)])


def test_an_unchanged_table_is_as_useful_as_before() -> None:
    found = table_utility(unchanged(TABLE, roles={"c": "sensitive"}), queries=50)
    assert (found.records, found.published) == (300, 300)
    assert (found.mean_marginal, found.mean_pair) == (0.0, 0.0)
    assert [(errors.attributes, errors.ninety) for errors in found.queries] == [(2, 0.0), (3, 0.0)]
    assert found.classifier is not None
    assert found.classifier.before == found.classifier.after
    assert found.classifier_not_measured is None


def test_a_hidden_table_keeps_what_is_even() -> None:
    # a and b are even, and hidden: only what they have to do with c is lost. Of c = 0 and 1, each sixth of a has 1/9 or
    # 1/18 of the records, where 1/6 or nothing, and nothing or 1/6 are: (4 * 1/18 + 2 * 1/9 + 4 * 1/18 + 2 * 1/9) / 2.
    found = table_utility(starred(TABLE, roles={"c": "sensitive"}), queries=10)
    assert [moved.distance for moved in found.marginals] == pytest.approx([0, 0, 0], abs=1e-12)
    distances = {(moved.first, moved.second): moved.distance for moved in found.pairs}
    assert distances == pytest.approx({("a", "b"): 0, ("a", "c"): 4 / 9, ("b", "c"): 0}, abs=1e-12)
    assert found.worst_pair is not None
    assert (found.worst_pair.first, found.worst_pair.second) == ("a", "c")
    assert found.mean_pair == pytest.approx(4 / 27)


def test_plain_values_say_why_a_classifier_was_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classifier, "find_spec", lambda _: None)
    plain = table_utility(unchanged(TABLE), queries=10).to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert (plain["classifier"], plain["classifier_not_measured"]) == (None, "not_installed")
    assert plain["worst_pair"] == PairMoved("a", "b", 0.0).to_dict()


def test_one_column_has_no_pairs_and_no_queries() -> None:
    found = table_utility(starred(table_of([(0,), (0,), (1,)])))
    assert [moved.to_dict() for moved in found.marginals] == [
        {"attribute": "a", "distance": pytest.approx(1 / 6), "groups": None}
    ]
    assert (found.pairs, found.queries, found.worst_pair, found.mean_pair) == ((), (), None, None)
    assert found.classifier_not_measured == "no_target"


def test_progress_is_reported() -> None:
    seen: dict[str, list[tuple[int, int]]] = {}
    table_utility(unchanged(TABLE), queries=5, progress=lambda step, *done: seen.setdefault(str(step), []).append(done))
    assert seen == {
        "training classifiers": [(0, 2), (1, 2), (2, 2)],
        "comparing distributions": [(1, 3), (2, 3), (3, 3)],
        "comparing counts of queries": [(n, 10) for n in range(1, 11)],
    }
