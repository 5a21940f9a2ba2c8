import math
from collections import Counter, defaultdict

import polars
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import sudare
from sudare.engine import DuckDBEngine


def test_hand_worked_diversity(people: sudare.Table) -> None:
    # By sex: m has town x three times, f has x once and y twice; of all, x four and y two of six.
    found = sudare.tables.sensitive_diversity(people, "town", ["sex"])
    assert (found.k, found.l, found.revealed) == (3, 1, 3)
    assert found.entropy_l == pytest.approx(1)
    assert found.t == pytest.approx(1 / 3)


def test_all_other_attributes_are_known_by_default(people: sudare.Table) -> None:
    assert sudare.tables.sensitive_diversity(people, "town").known == ("sex", "age")


def test_nothing_known_is_one_class_like_the_whole(people: sudare.Table) -> None:
    found = sudare.tables.sensitive_diversity(people, "town", [])
    assert (found.k, found.l, found.t, found.revealed) == (6, 2, pytest.approx(0), 0)


def test_a_sensitive_attribute_cannot_be_known(people: sudare.Table) -> None:
    with pytest.raises(sudare.OptionNotUsable, match="known and sensitive"):
        sudare.tables.sensitive_diversity(people, "town", ["town"])
    with pytest.raises(sudare.ColumnNotFound, match="no attribute 'twon'"):
        sudare.tables.sensitive_diversity(people, "twon")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from("xy"), st.sampled_from(["1", "2", "3", None])),
        min_size=1,
        max_size=12,
    )
)
def test_diversity_equals_counting(engine: DuckDBEngine, rows: list[tuple[str, str, str | None]]) -> None:
    frame = polars.DataFrame(rows, schema={"a": polars.String, "b": polars.String, "s": polars.String}, orient="row")
    with sudare.read_table(frame, engine=engine) as table:
        found = sudare.tables.sensitive_diversity(table, "s", ["a", "b"])
    classes: dict[tuple[str, str], Counter[str | None]] = defaultdict(Counter)
    for a, b, s in rows:
        classes[a, b][s] += 1
    whole = Counter(s for _, _, s in rows)

    def distance(values: Counter[str | None]) -> float:
        return sum(abs(values[v] / values.total() - whole[v] / len(rows)) for v in whole) / 2

    def entropy(values: Counter[str | None]) -> float:
        return -sum(n / values.total() * math.log(n / values.total()) for n in values.values())

    assert found.k == min(values.total() for values in classes.values())
    assert found.l == min(len(values) for values in classes.values())
    assert found.t == pytest.approx(max(map(distance, classes.values())), abs=1e-12)
    assert found.entropy_l == pytest.approx(math.exp(min(map(entropy, classes.values()))))
    assert found.revealed == sum(values.total() for values in classes.values() if len(values) == 1)
