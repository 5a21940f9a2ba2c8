from pathlib import Path

import polars
import pytest

import sudare
from sudare.histories.attackers.values import crowd_points


def test_table_8_of_the_paper(toy: sudare.History) -> None:
    found = sorted(
        sudare.histories.most_identifying(toy, "5", weighting="record"), key=lambda value: value.value["day"]
    )
    assert [value.value for value in found] == [{"day": "2010-12-01"}, {"day": "2010-12-02"}, {"day": "2010-12-03"}]
    assert [value.occurrences for value in found] == [2, 2, 1]
    assert [value.probability for value in found] == pytest.approx([0.4, 0.3, 0.3])
    assert [value.customers for value in found] == [2, 2, 1]
    assert [value.identification for value in found] == pytest.approx([0.5, 0.5, 1])
    assert [value.risk for value in found] == pytest.approx([0.2, 0.15, 0.3])


def test_table_9_of_the_paper(toy: sudare.History) -> None:
    found = {(v.value["count"], v.value["item"]): v for v in sudare.histories.most_identifying(toy, "3")}
    assert {key: (v.occurrences, v.customers) for key, v in found.items()} == {
        (1, "パン"): (1, 1),
        (1, "お茶"): (1, 1),
        (2, "パン"): (1, 1),
        (2, "ジュース"): (1, 1),
        (3, "パン"): (1, 1),
        (3, "本"): (2, 2),
        (3, "お茶"): (2, 2),
        (3, "ジュース"): (1, 1),
    }
    assert sum(value.risk for value in found.values()) == pytest.approx(0.8)
    assert found[3, "本"].probability == pytest.approx(0.2)


def test_baskets_and_times_are_shown_by_name(toy: sudare.History) -> None:
    baskets = {value.value["items"] for value in sudare.histories.most_identifying(toy, "9")}
    assert " | ".join(sorted(["パン", "本", "お茶"])) in baskets
    times = {
        (v.value["month"], v.value["time"]) for v in sudare.histories.most_identifying(toy, "month + time", most=None)
    }
    assert ("2010-12", "08:45") in times


def test_several_visits_are_shown_one_after_another(toy: sudare.History) -> None:
    found = sudare.histories.most_identifying(toy, "(day + item)*2", most=1)[0].value
    assert list(found) == ["visit1_day", "visit1_item", "visit2_day", "visit2_item"]


def test_smallest_crowd_comes_first_then_the_most_frequent(toy: sudare.History) -> None:
    found = sudare.histories.most_identifying(toy, "item", most=None)
    order = [(value.customers, -value.occurrences) for value in found]
    assert order == sorted(order)


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_all_values_are_written(toy: sudare.History, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"values{ending}"
    assert sudare.histories.write_values(toy, "count + item", path) == 8
    table = polars.read_csv(path) if ending == ".csv" else polars.read_parquet(path)
    assert table.columns == ["count", "item", "occurrences", "probability", "customers", "identification", "risk"]
    assert table["risk"].sum() == pytest.approx(0.8)
    assert [entry.name for entry in tmp_path.iterdir() if entry.name.startswith(".")] == []


def test_a_table_needs_a_known_ending(toy: sudare.History, tmp_path: Path) -> None:
    with pytest.raises(sudare.OptionNotUsable, match=r"\.csv or \.parquet"):
        sudare.histories.write_values(toy, "day", tmp_path / "values.xlsx")


def test_too_many_values_are_not_listed(toy: sudare.History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sudare.histories.attackers.values.MOST_COMBINATIONS", 1)
    with pytest.raises(sudare.OptionNotUsable, match="too many to list"):
        sudare.histories.most_identifying(toy, "item*2")


def test_points_count_the_values_and_can_be_thinned(toy: sudare.History) -> None:
    points, step = crowd_points(toy, "item")
    assert step == 1
    # お茶 3 times at 2 customers, パン 3 at 3, 本 and ジュース 2 at 2 and 1.
    assert {(p.occurrences, p.customers): p.values for p in points} == {(3, 2): 1, (3, 3): 1, (2, 2): 1, (2, 1): 1}
    thinned, step = crowd_points(toy, "item", most=2)
    assert (len(thinned), step) == (2, 2)
    assert (thinned[-1].occurrences, thinned[-1].customers) == (3, 3)
