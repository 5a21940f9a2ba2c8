"""The figures of Online Retail are those of its 400-customer data set T (Ito, Kikuchi, Nakagawa, Tables 4 and 10)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from statistics import fmean

import duckdb
import pytest

from sudare.engine import DuckDBEngine
from sudare.errors import OptionNotUsable, OutputNotWritable
from sudare.histories import synthetic_visits
from sudare.histories.synthetic import GeneratedHistory, generate_history
from sudare.messages import Message

SEEDS = (0, 1, 2, 3)

VISITS = """
    CREATE TABLE visits AS
    SELECT seed, customer, day, count(*) AS n, min(time) AS time, count(DISTINCT invoice) AS invoices,
           list_sort(list_distinct(list(item)))::VARCHAR AS items
    FROM history GROUP BY seed, customer, day
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> list[GeneratedHistory]:
    folder = tmp_path_factory.mktemp("synthetic")
    return [generate_history(folder / f"{seed}.parquet", seed=seed) for seed in SEEDS]


@pytest.fixture(scope="module")
def shop(written: list[GeneratedHistory]) -> Iterator[duckdb.DuckDBPyConnection]:
    """Default histories of several seeds in `history`, their (customer, day) pairs in `visits`."""
    with duckdb.connect() as connection:
        parts = " UNION ALL ".join(f"SELECT {h.seed} AS seed, * FROM '{h.path}'" for h in written)
        connection.execute(f"CREATE TABLE history AS {parts}")
        connection.execute(VISITS)
        connection.execute("CREATE TABLE rows AS FROM history JOIN visits USING (seed, customer, day)")
        yield connection


def ask(shop: duckdb.DuckDBPyConnection, sql: str) -> float:
    row = shop.execute(sql).fetchone()
    assert row is not None
    return float(row[0])


def mean_over_seeds(shop: duckdb.DuckDBPyConnection, expression: str, table: str) -> float:
    return ask(shop, f"SELECT avg(x) FROM (SELECT {expression} AS x FROM {table} GROUP BY seed)")


def count_per(table: str, value: str) -> str:
    """Return a subquery: how often and with how many customers each value occurs."""
    counts = "count(*) AS often, count(DISTINCT customer) AS people"
    return f"(SELECT seed, {value}, {counts} FROM {table} GROUP BY seed, {value})"


def read(path: Path) -> list[tuple[object, ...]]:
    source = f"read_csv('{path}', all_varchar = true)" if path.suffix == ".csv" else f"'{path}'"
    return duckdb.execute(f"SELECT COLUMNS(*)::VARCHAR FROM {source}").fetchall()


def test_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for ending in ("csv", "parquet"):
        first, second = tmp_path / f"first.{ending}", tmp_path / f"second.{ending}"
        generate_history(first, customers=30, seed=7)
        generate_history(second, customers=30, seed=7)
        assert first.read_bytes() == second.read_bytes()


def test_another_seed_gives_other_bytes(tmp_path: Path) -> None:
    generate_history(tmp_path / "a.csv", customers=30, seed=7)
    generate_history(tmp_path / "b.csv", customers=30, seed=8)
    assert (tmp_path / "a.csv").read_bytes() != (tmp_path / "b.csv").read_bytes()


def test_size_of_the_chunks_does_not_change_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    generate_history(tmp_path / "whole.csv", customers=30)
    monkeypatch.setattr(synthetic_visits, "ROWS_PER_CHUNK", 100)
    generate_history(tmp_path / "chunked.csv", customers=30)
    assert (tmp_path / "whole.csv").read_bytes() == (tmp_path / "chunked.csv").read_bytes()


def test_csv_and_parquet_hold_the_same_rows(tmp_path: Path) -> None:
    generate_history(tmp_path / "a.csv", customers=30)
    generate_history(tmp_path / "a.parquet", customers=30)
    assert read(tmp_path / "a.csv") == read(tmp_path / "a.parquet")


def test_csv_has_a_header_iso_days_padded_times_and_two_decimals(tmp_path: Path) -> None:
    generate_history(tmp_path / "a.csv", customers=3)
    header, *lines = (tmp_path / "a.csv").read_text().splitlines()
    assert header == "customer,invoice,day,time,item,price,quantity"
    for line in lines:
        _, _, day, time, _, price, quantity = line.split(",")
        assert date.fromisoformat(day).isoformat() == day
        assert len(time) == 5
        assert time[2] == ":"
        assert len(price.partition(".")[2]) == 2
        assert int(quantity) >= 1


def test_parquet_has_typed_columns(tmp_path: Path) -> None:
    generate_history(tmp_path / "a.parquet", customers=3)
    described = duckdb.execute(f"DESCRIBE FROM '{tmp_path / 'a.parquet'}'").fetchall()
    assert {name: kind for name, kind, *_ in described} == {
        "customer": "BIGINT",
        "invoice": "BIGINT",
        "day": "DATE",
        "time": "VARCHAR",
        "item": "VARCHAR",
        "price": "DECIMAL(10,2)",
        "quantity": "BIGINT",
    }


def test_result_counts_what_was_written(written: list[GeneratedHistory], shop: duckdb.DuckDBPyConnection) -> None:
    for history in written:
        counted = shop.execute(
            "SELECT count(DISTINCT customer), count(*), count(DISTINCT (customer, day)), count(DISTINCT item), "
            f"min(day), max(day) FROM history WHERE seed = {history.seed}"
        ).fetchone()
        assert counted == (400, history.rows, history.visits, history.items, history.first_day, history.last_day)


def test_result_becomes_plain_json(tmp_path: Path) -> None:
    history = generate_history(tmp_path / "a.csv", customers=2, seed=5)
    plain = json.loads(json.dumps(history.to_dict()))
    assert plain["path"] == str(tmp_path / "a.csv")
    assert plain["first_day"] == history.first_day.isoformat()
    assert (plain["customers"], plain["seed"]) == (2, 5)


def test_progress_goes_up_to_its_total_in_each_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synthetic_visits, "ROWS_PER_CHUNK", 500)
    calls: list[tuple[Message, int, int]] = []
    history = generate_history(tmp_path / "a.csv", customers=30, progress=lambda *call: calls.append(call))
    for step in ("progress.making_rows", "progress.writing"):
        done = [(part, whole) for said, part, whole in calls if said.key == step]
        assert done == sorted(done)
        assert done[-1] == (history.rows, history.rows)
    assert len([said for said, *_ in calls if said.key == "progress.making_rows"]) > 3


@pytest.mark.parametrize("option", ["customers", "items", "days"])
def test_counts_below_one_are_refused(tmp_path: Path, option: str) -> None:
    with pytest.raises(OptionNotUsable, match=rf"{option} must be 1 or more, not 0"):
        generate_history(tmp_path / "a.csv", **{option: 0})  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_negative_seed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionNotUsable, match="seed must be 0 or more, not -1"):
        generate_history(tmp_path / "a.csv", seed=-1)


def test_days_beyond_the_calendar_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionNotUsable, match="9999"):
        generate_history(tmp_path / "a.csv", days=10_000_000)


def test_days_on_which_the_shop_is_always_closed_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionNotUsable, match="closed"):
        generate_history(tmp_path / "a.csv", first_day=date(2024, 12, 24), days=11)


@pytest.mark.parametrize("name", ["a.txt", "a", "a.xlsx"])
def test_unknown_ending_is_refused_with_the_known_ones(tmp_path: Path, name: str) -> None:
    with pytest.raises(OptionNotUsable, match=r"its name must end in \.csv or \.parquet"):
        generate_history(tmp_path / name)


def test_nothing_is_left_behind_when_it_fails(tmp_path: Path) -> None:
    def fail(step: Message, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generate_history(tmp_path / "a.csv", customers=3, progress=fail)
    assert list(tmp_path.iterdir()) == []


def test_failure_keeps_the_earlier_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fill_the_disk(*_: object) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "a.csv").write_text("earlier")
    monkeypatch.setattr(DuckDBEngine, "write", fill_the_disk)
    with pytest.raises(OutputNotWritable, match="No space left"):
        generate_history(tmp_path / "a.csv", customers=3)
    assert [path.read_text() for path in tmp_path.iterdir()] == ["earlier"]


def test_one_customer_one_item_one_day_is_enough(tmp_path: Path) -> None:
    history = generate_history(tmp_path / "a.csv", customers=1, items=1, days=1)
    assert (history.customers, history.visits) == (1, 1)
    assert history.first_day == history.last_day == date(2024, 12, 1)


def test_ten_customers_make_hundreds_of_rows(tmp_path: Path) -> None:
    rows = [generate_history(tmp_path / "a.parquet", customers=10, seed=seed).rows for seed in range(8)]
    assert 400 < fmean(rows) < 2_000


def test_twice_the_days_bring_about_twice_the_visits(tmp_path: Path) -> None:
    one = generate_history(tmp_path / "a.parquet", customers=100)
    two = generate_history(tmp_path / "b.parquet", customers=100, days=748)
    assert one.visits * 1.5 < two.visits < one.visits * 2.1


@pytest.mark.parametrize(
    ("expression", "table", "in_online_retail"),
    [
        ("count(*)", "history", 38_087),
        ("count(*)", "visits", 1_567),
        ("count(DISTINCT day)", "visits", 290),
        ("count(DISTINCT item)", "history", 2_781),
        ("count(DISTINCT n)", "visits", 114),
        ("count(DISTINCT items)", "visits", 1_518),
        ("avg(often)", count_per("visits", "day"), 5.4),
        ("avg(often)", count_per("visits", "n"), 13.75),
        ("max(often)", count_per("visits", "n"), 71),
        ("avg(often)", count_per("history", "item"), 13.7),
        ("max(often)", count_per("history", "item"), 1_012),
        ("corr(often, people)", count_per("visits", "day"), 1.0),
        ("corr(often, people)", count_per("visits", "n"), 0.985),
        ("corr(often, people)", count_per("history", "item"), 0.924),
    ],
)
def test_sizes_are_within_fifteen_percent_of_online_retail(
    shop: duckdb.DuckDBPyConnection, expression: str, table: str, in_online_retail: float
) -> None:
    assert mean_over_seeds(shop, expression, table) == pytest.approx(in_online_retail, rel=0.15)


@pytest.mark.parametrize(
    ("table", "known", "in_online_retail"),
    [
        ("rows", "item", 0.0965),
        ("visits", "n", 0.0807),
        ("rows", "n, item", 0.7974),
        ("visits", "items", 0.9788),
        ("visits", "day", 0.1851),
        ("rows", "day, item", 0.8945),
        ("visits", "day, n", 0.9400),
        ("rows", "day, n, item", 0.9972),
        ("visits", "day, items", 0.9994),
    ],
)
def test_attackers_identify_within_fifteen_percent_of_online_retail(
    shop: duckdb.DuckDBPyConnection, table: str, known: str, in_online_retail: float
) -> None:
    identified = mean_over_seeds(shop, "sum(often / people) / sum(often)", count_per(table, known))
    assert identified == pytest.approx(in_online_retail, rel=0.15)


def test_the_busiest_day_has_at_least_twice_the_usual_visits(shop: duckdb.DuckDBPyConnection) -> None:
    assert 12 <= mean_over_seeds(shop, "max(often)", count_per("visits", "day")) <= 25  # 21 in T


def test_one_row_is_the_most_frequent_visit_and_one_sale_the_most_frequent_item(
    shop: duckdb.DuckDBPyConnection,
) -> None:
    assert mean_over_seeds(shop, "mode(often)", count_per("history", "item")) == 1
    assert mean_over_seeds(shop, "mode(often)", count_per("visits", "n")) == 1


def test_a_few_customers_dominate(shop: duckdb.DuckDBPyConnection) -> None:
    per_customer = count_per("history", "customer")
    assert mean_over_seeds(shop, "max(often) / median(often)", per_customer) > 20
    once = "avg((often = 1)::INT)"
    assert mean_over_seeds(shop, once, count_per("visits", "customer")) == pytest.approx(0.365, rel=0.15)


def test_prices_and_quantities_are_positive(shop: duckdb.DuckDBPyConnection) -> None:
    assert ask(shop, "SELECT min(price) FROM history") > 0
    assert ask(shop, "SELECT min(quantity) FROM history") >= 1


def test_rows_are_in_the_order_of_day_time_and_invoice(tmp_path: Path) -> None:
    generate_history(tmp_path / "a.csv", customers=100)
    keys = [(day, time, int(str(invoice))) for _, invoice, day, time, *_ in read(tmp_path / "a.csv")]
    assert keys == sorted(keys)


def test_an_invoice_has_one_customer_one_day_and_one_time(shop: duckdb.DuckDBPyConnection) -> None:
    same = "SELECT count(DISTINCT (customer, day, time)) AS moments FROM history GROUP BY seed, invoice"
    assert ask(shop, f"SELECT max(moments) FROM ({same})") == 1


def test_shop_is_closed_on_saturdays_and_at_new_year(shop: duckdb.DuckDBPyConnection) -> None:
    assert ask(shop, "SELECT count(*) FROM history WHERE isodow(day) = 6") == 0
    assert ask(shop, "SELECT count(*) FROM history WHERE day BETWEEN '2024-12-24' AND '2025-01-03'") == 0


def test_november_is_the_busiest_and_thursday_is_busier_than_sunday(shop: duckdb.DuckDBPyConnection) -> None:
    by_month = "SELECT month(day) AS part, count(*) AS often FROM visits WHERE day >= '2025-01-01' GROUP BY part"
    assert ask(shop, f"SELECT arg_max(part, often) FROM ({by_month})") == 11
    by_weekday = "SELECT isodow(day) AS part, count(*) AS often FROM visits GROUP BY part"
    assert ask(shop, f"SELECT arg_max(part, often) FROM ({by_weekday})") == 4
    assert ask(shop, f"SELECT arg_min(part, often) FROM ({by_weekday})") == 7


def test_visits_begin_in_shop_hours_mostly_around_noon(shop: duckdb.DuckDBPyConnection) -> None:
    assert ask(shop, "SELECT count(*) FROM history WHERE time NOT BETWEEN '07:00' AND '20:59'") == 0
    assert ask(shop, "SELECT avg((time BETWEEN '10:00' AND '14:59')::INT) FROM visits") > 0.6


def test_some_items_sell_only_towards_christmas(shop: duckdb.DuckDBPyConnection) -> None:
    late = "SELECT avg((month(day) >= 9)::INT) AS share FROM history GROUP BY seed, item HAVING count(*) >= 40"
    assert ask(shop, f"SELECT quantile_cont(share, 0.95) FROM ({late})") > 0.8
    assert ask(shop, f"SELECT quantile_cont(share, 0.05) FROM ({late})") < 0.3
    assert 0.3 < ask(shop, f"SELECT median(share) FROM ({late})") < 0.55


def test_items_have_several_prices_and_large_quantities_the_lower_one(shop: duckdb.DuckDBPyConnection) -> None:
    prices = "SELECT count(DISTINCT price) AS prices FROM history GROUP BY seed, item HAVING count(*) >= 10"
    assert ask(shop, f"SELECT avg((prices > 1)::INT) FROM ({prices})") == pytest.approx(0.65, abs=0.1)
    reduced = """
        SELECT avg((price < usual)::INT) FROM history
        JOIN (SELECT seed, item, max(price) AS usual FROM history GROUP BY seed, item) USING (seed, item)
    """
    assert ask(shop, f"{reduced} WHERE quantity < 24 AND item <> 'POST'") < 0.1
    assert ask(shop, f"{reduced} WHERE quantity >= 96") > 0.7


def test_trade_customers_take_packs_and_retail_customers_a_few(shop: duckdb.DuckDBPyConnection) -> None:
    usual = """
        SELECT median(quantity) AS usual FROM history WHERE item <> 'POST'
        GROUP BY seed, customer HAVING count(*) >= 50
    """
    assert ask(shop, f"SELECT quantile_cont(usual, 0.1) FROM ({usual})") <= 3
    assert ask(shop, f"SELECT quantile_cont(usual, 0.6) FROM ({usual})") >= 6
    assert ask(shop, "SELECT avg((quantity IN (6, 12, 24))::INT) FROM history") > 0.3


def test_customers_come_back_to_their_favourites(shop: duckdb.DuckDBPyConnection) -> None:
    bought_before = ask(
        shop,
        """
        WITH first_time AS (SELECT seed, customer, item, min(day) AS met FROM history GROUP BY ALL),
             first_visit AS (SELECT seed, customer, min(day) AS came FROM history GROUP BY ALL)
        SELECT avg((day > met)::INT) FROM history
        JOIN first_time USING (seed, customer, item) JOIN first_visit USING (seed, customer) WHERE day > came
        """,
    )
    assert bought_before == pytest.approx(0.4275, rel=0.15)


def test_a_day_may_have_several_invoices_and_an_invoice_an_item_twice(shop: duckdb.DuckDBPyConnection) -> None:
    assert ask(shop, "SELECT avg((invoices > 1)::INT) FROM visits") == pytest.approx(0.09, rel=0.3)
    again = "SELECT count(*) AS often, count(DISTINCT item) AS kinds FROM history GROUP BY seed, customer, day"
    assert 0.01 < ask(shop, f"SELECT 1 - sum(kinds) / sum(often) FROM ({again})") < 0.05
