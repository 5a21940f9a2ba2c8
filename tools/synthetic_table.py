"""Measures how close generated histories come to Online Retail: the table of docs/reference/synthetic.md.

`python tools/synthetic_table.py` generates the histories, reads the real ones from `../shared/data` (or `SUDARE_DATA`),
and writes the lines of the table. With `--check` nothing is written, and the exit code is 1 if a line is out of date.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

import duckdb

import sudare

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "synthetic.md"
DATA = Path(os.environ.get("SUDARE_DATA", ROOT.parent / "shared" / "data"))
# Customers and seeds of the generated histories.
SMALL, LARGE = (400, range(10)), (4_338, range(3))
T = (
    "SELECT column0 AS customer, column1 AS invoice, strptime(column2, '%Y/%m/%d')::DATE AS day, column4 AS item,"
    " column5::DOUBLE AS price, column6::BIGINT AS quantity FROM read_csv('{}', header=false, all_varchar=true)"
)
ALL = (
    "SELECT CustomerID::BIGINT AS customer, InvoiceNo AS invoice, InvoiceDate[:10]::DATE AS day, StockCode AS item,"
    " UnitPrice AS price, Quantity AS quantity FROM '{}' WHERE CustomerID > 0 AND UnitPrice > 0 AND Quantity > 0"
)
MADE = "SELECT customer, invoice, day, item, price::DOUBLE AS price, quantity FROM '{}'"
VISITS = "SELECT customer, day, count(*) AS n, list_sort(list(DISTINCT item)) AS items FROM rows GROUP BY ALL"
FULL = "SELECT * FROM rows JOIN visits USING (customer, day)"
ATTACKERS = (
    ("attacker 1 (one item)", "full_rows", "item"), ("attacker 2 (row count)", "visits", "n"),
    ("attacker 3 (row count, one item)", "full_rows", "n, item"), ("attacker 4 (all items)", "visits", "items"),
    ("attacker 5 (day)", "visits", "day"), ("attacker 6 (day, one item)", "full_rows", "day, item"),
    ("attacker 7 (day, row count)", "visits", "day, n"),
    ("attacker 8 (day, row count, one item)", "full_rows", "day, n, item"),
    ("attacker 9 (day, all items)", "visits", "day, items"),
)  # fmt: skip


def per(table: str, known: str) -> str:
    return f"(SELECT count(*) AS often, count(DISTINCT customer) AS people FROM {table} GROUP BY {known})"


QUERIES: dict[str, str] = {
    "rows": "SELECT count(*) FROM rows",
    "visits (customer and day)": "SELECT count(*) FROM visits",
    "invoices": "SELECT count(DISTINCT invoice) FROM rows",
    "days with purchases": "SELECT count(DISTINCT day) FROM rows",
    "distinct items": "SELECT count(DISTINCT item) FROM rows",
    "distinct row counts of a visit": "SELECT count(DISTINCT n) FROM visits",
    "distinct item sets of a visit": "SELECT count(DISTINCT items) FROM visits",
    **{
        name: f"SELECT avg(often), max(often), mode(often ORDER BY often) FROM {per(table, known)}"
        for name, table, known in (
            ("visits per day: mean / most / mode", "visits", "day"),
            ("visits per row count: mean / most / mode", "visits", "n"),
            ("rows per item: mean / most / mode", "rows", "item"),
        )
    },
    **{
        name: f"SELECT corr(often, people) FROM {per(table, known)}"
        for name, table, known in (
            ("correlation of occurrences and customers: day", "visits", "day"),
            ("row count", "visits", "n"),
            ("item", "rows", "item"),
        )
    },
    **{
        name: f"SELECT sum(often / people) / sum(often) FROM {per(table, known)}" for name, table, known in ATTACKERS
    },
    "customers with one visit": (
        "SELECT 100 * avg((v = 1)::INT) FROM (SELECT count(*) AS v FROM visits GROUP BY customer)"
    ),
    "most visits of a customer": "SELECT max(v) FROM (SELECT count(*) AS v FROM visits GROUP BY customer)",
    "rows of a customer: median / most": (
        "SELECT median(n), max(n) FROM (SELECT count(*) AS n FROM rows GROUP BY customer)"
    ),
    "rows of a visit: median / 99 % / most": "SELECT median(n), quantile_cont(n, 0.99), max(n) FROM visits",
    "rows after a first visit, bought before": (
        "SELECT 100 * avg((day > first_of_item)::INT) FROM (SELECT day, min(day) OVER (PARTITION BY customer, item) AS"
        " first_of_item, min(day) OVER (PARTITION BY customer) AS first FROM rows) WHERE day > first"
    ),
    "rows that repeat an item of their visit": "SELECT 100 * (1 - sum(len(items)) / sum(n)) FROM visits",
    "visits with several invoices": (
        "SELECT 100 * avg((i > 1)::INT) FROM (SELECT count(DISTINCT invoice) AS i FROM rows GROUP BY customer, day)"
    ),
    "prices of an item with ten rows or more": (
        "SELECT avg(p) FROM (SELECT count(DISTINCT price) AS p FROM rows GROUP BY item HAVING count(*) >= 10)"
    ),
    "price: quartiles": "SELECT quantile_cont(price, 0.25), median(price), quantile_cont(price, 0.75) FROM rows",
    "quantity: median / mean / 99 %": "SELECT median(quantity), avg(quantity), quantile_cont(quantity, 0.99) FROM rows",
}  # fmt: skip
# Attacks by profiles: the history split in the middle, in a closed world, untrained.
PROFILES = "identified from the other half of the period"


def figures(path: Path, select: str) -> dict[str, list[float]]:
    """Return the figures of a history by name."""
    with duckdb.connect() as database:
        database.execute(f"CREATE TABLE rows AS {select.format(path)}")
        database.execute(f"CREATE TABLE visits AS {VISITS}")
        database.execute(f"CREATE TABLE full_rows AS {FULL}")
        found = {
            name: [float(value) for value in database.execute(query).fetchone()] for name, query in QUERIES.items()
        }
    columns = {"customer": "customer", "item": "item", "day": "day", "price": "price", "quantity": "quantity"}
    with duckdb.connect() as database, tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.parquet"
        database.execute(f"COPY ({select.format(path)}) TO '{plain}' (FORMAT parquet)")
        with sudare.read_history(plain, columns=columns) as history:
            attacked = history.profiles(split="half", trained=False)
    return found | {PROFILES: [100 * attacked.one_to_one]}


def made(customers: int, seeds: range) -> dict[str, list[float]]:
    """Return the means of the figures of several generated histories."""
    with tempfile.TemporaryDirectory() as folder:
        found = []
        for seed in seeds:
            path = Path(folder) / f"{seed}.parquet"
            sudare.generate_history(path, customers=customers, seed=seed)
            found.append(figures(path, MADE))
    return {name: [fmean(values) for values in zip(*(one[name] for one in found), strict=True)] for name in found[0]}


def lines(columns: list[dict[str, list[float]]]) -> Iterator[str]:
    for name in columns[0]:
        cells = [" / ".join(written(name, value) for value in column[name]) for column in columns]
        unit = " %" if name in PERCENT else ""
        yield f"| {name} | {' | '.join(cell + unit for cell in cells)} |"


PERCENT = {
    PROFILES, "customers with one visit", "rows after a first visit, bought before",
    "rows that repeat an item of their visit", "visits with several invoices",
}  # fmt: skip


def written(name: str, value: float) -> str:
    """Write a figure with three digits or so."""
    if name.startswith("attacker"):
        return f"{value:.4f}"
    if name.startswith(("correlation", "row count", "item")):
        return f"{value:.3f}"
    if value == round(value) or value >= 100:
        return f"{value:,.0f}"
    if name in PERCENT or (value >= 5 and not name.startswith("price")):
        return f"{value:.1f}"
    return f"{value:.2f}"


def main(words: list[str]) -> int:
    columns = [
        made(*SMALL), figures(DATA / "online-retail-400.csv", T),
        made(*LARGE), figures(DATA / "online-retail.parquet", ALL),
    ]  # fmt: skip
    page = PAGE.read_text(encoding="utf-8")
    head = "| figure | generated, 400 | T | generated, 4,338 | all |\n|---|---:|---:|---:|---:|\n"
    start = page.index(head) + len(head)
    end = page.index("\n\n", start)
    changed = page[:start] + "\n".join(lines(columns)) + page[end:]
    if "--check" in words:
        return int(changed != page)
    PAGE.write_text(changed, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
