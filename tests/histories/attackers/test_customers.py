from pathlib import Path

import polars
import pytest

import sudare


def test_customers_by_day_in_the_toy_history(toy: sudare.History) -> None:
    # 1 came on days of 2 and 2 customers, 2 on one of 2, 3 on one of 2 and one alone.
    found = sudare.histories.customer_risks(toy, "day")
    assert {risk.customer: risk.probability for risk in found.highest} == {"3": 0.75, "1": 0.5, "2": 0.5}
    assert [risk.customer for risk in found.highest] == ["3", "1", "2"]
    assert (found.unique, found.certain, found.untouched, found.customers) == (1, 0, 0, 3)
    assert found.unique_rate == pytest.approx(1 / 3)


def test_quantiles_are_nearest_ranks(toy: sudare.History) -> None:
    quantiles = sudare.histories.customer_risks(toy, "day").quantiles
    assert len(quantiles) == 101
    assert (quantiles[0], quantiles[66], quantiles[67], quantiles[100]) == (0.5, 0.5, 0.75, 0.75)


def test_customers_of_whom_nothing_can_be_known_are_counted_apart(toy: sudare.History) -> None:
    found = sudare.histories.customer_risks(toy, "day*2")
    assert (found.untouched, found.certain) == (1, 2)
    nobody = sudare.histories.customer_risks(toy, "item*4")
    assert (nobody.untouched, nobody.quantiles, nobody.highest) == (3, (), ())


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_every_customer_is_written_with_every_attacker(toy: sudare.History, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"customers{ending}"
    steps: list[tuple[int, int]] = []
    count = sudare.histories.write_customer_risks(
        toy, path, knowledge=["day*2"], progress=lambda _, done, total: steps.append((done, total))
    )
    table = polars.read_csv(path) if ending == ".csv" else polars.read_parquet(path)
    assert count == 3
    assert table.columns == ["customer", *(f"attacker_{n}" for n in range(10)), "day*2"]
    assert table["attacker_5"].to_list() == [0.5, 0.5, 0.75]
    assert table["attacker_0"].to_list() == pytest.approx([1 / 3] * 3)
    assert table["day*2"].to_list() == [1.0, None, 1.0]
    assert steps[-1] == (11, 11)
