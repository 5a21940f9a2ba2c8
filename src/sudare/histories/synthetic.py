"""Synthetic purchase histories that resemble those of a shop, for experiments and benchmarks.

The constants are summary figures of the UCI Online Retail data ("the shop": a British gift wholesaler from
2010-12-01 to 2011-12-09) and of its 400 customers T in Ito, Kikuchi, Nakagawa: Evaluation of some attacker
models with distinct background knowledge of de-identified dataset. No row, name or code of them is in here.
"""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.engine import quote_text, scratch_engine
from sudare.errors import OptionNotUsable
from sudare.histories.synthetic_items import Catalogue, choose_items, choose_quantities, make_catalogue, price_rows
from sudare.histories.synthetic_visits import (
    Chunk,
    Customers,
    cut_into_chunks,
    make_customers,
    make_invoices,
    make_visits,
    months,
    weigh_days,
)
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass
from sudare.sources.writing import check_table_ending, whole_file
from sudare.statistics.random_streams import ENGINE_MEMORY

COLUMNS = ("customer", "invoice", "day", "minute", "item", "cents", "quantity")
FIRST_CUSTOMER, FIRST_INVOICE, FIRST_ITEM = 100_001, 1_000_001, 20_001


@dataclass(frozen=True, slots=True)
class GeneratedHistory(Result):
    """A generated history: its file and its final size; there are purchases on the first and on the last day."""

    path: Path
    customers: int
    rows: int
    visits: int
    items: int
    first_day: date
    last_day: date
    seed: int


@checked
def generate_history(
    out: str | Path,
    *,
    customers: int = 400,
    seed: int = 0,
    items: int = 3_900,
    first_day: date = date(2024, 12, 1),
    days: int = 374,
    progress: Progress = silent,
) -> GeneratedHistory:
    """Write a synthetic purchase history to a .csv or .parquet file; the same options give the same bytes.

    Every customer buys at least once. Not all of the `items` need be sold, and postage is one additional item. The file
    is written whole or not at all.
    """
    path = Path(out)
    _check(path, first_day, days=days, customers=customers, seed=seed, items=items)
    weights = weigh_days(seed, first_day, days)
    people = make_customers(seed, customers, weights)
    visitor, day = make_visits(seed, people, weights)
    invoices = make_invoices(seed, people, visitor, day, months(first_day, day))
    rows = int(invoices.rows.sum())
    # One thread: the order of the rows and the bytes of a Parquet file then do not depend on the machine.
    with whole_file(path) as temporary, scratch_engine(memory=ENGINE_MEMORY, threads=1) as engine:
        engine.run(f"CREATE TEMP TABLE history ({', '.join(f'{name} INTEGER' for name in COLUMNS)})")
        catalogue = make_catalogue(seed, items)
        for chunk in cut_into_chunks(seed, invoices, first_day):
            engine.attach("chunk", _make_columns(chunk, people, catalogue))
            engine.run("INSERT INTO history FROM chunk")
            progress(message("progress.making_rows"), chunk.first_row + len(chunk.invoice), rows)
        sold = int(engine.total("SELECT count(DISTINCT item) FROM history")[0])
        progress(message("progress.writing"), 0, rows)
        engine.write(_log_query(first_day), temporary)
    progress(message("progress.writing"), rows, rows)
    return GeneratedHistory(
        path=path,
        customers=customers,
        rows=rows,
        visits=len(visitor),
        items=sold,
        first_day=first_day + timedelta(days=int(invoices.day[0])),
        last_day=first_day + timedelta(days=int(invoices.day[-1])),
        seed=seed,
    )


def _check(path: Path, first_day: date, *, days: int, **counts: int) -> None:
    check_table_ending(path)
    for name, value in {"days": days, **counts}.items():
        least = 0 if name == "seed" else 1
        if value < least:
            raise OptionNotUsable("errors.generated_history.least", name=name, value=value, least=least)
    if days - 1 > (date.max - first_day).days:
        raise OptionNotUsable("errors.generated_history.too_late", days=days, first_day=first_day)


def _make_columns(chunk: Chunk, people: Customers, catalogue: Catalogue) -> dict[str, NDArray[np.int32]]:
    item = choose_items(chunk, people, catalogue)
    quantity = choose_quantities(chunk, people, item, catalogue.pack[item])
    sold = np.where(chunk.postage, 0, item + FIRST_ITEM)
    cents = price_rows(chunk, catalogue, item, quantity)
    customer, invoice = chunk.customer + FIRST_CUSTOMER, chunk.invoice + FIRST_INVOICE
    columns = (customer, invoice, chunk.day, chunk.minute, sold, cents, quantity)
    return {name: column.astype(np.int32) for name, column in zip(COLUMNS, columns, strict=True)}


def _log_query(first_day: date) -> str:
    return (
        "SELECT customer::BIGINT AS customer, invoice::BIGINT AS invoice, "
        f"DATE {quote_text(first_day.isoformat())} + day AS day, "
        "lpad((minute // 60)::VARCHAR, 2, '0') || ':' || lpad((minute % 60)::VARCHAR, 2, '0') AS time, "
        "CASE item WHEN 0 THEN 'POST' ELSE item::VARCHAR END AS item, "
        "(cents * 0.01)::DECIMAL(10, 2) AS price, quantity::BIGINT AS quantity FROM history"
    )
