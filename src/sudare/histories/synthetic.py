"""Made-up purchase histories that look like those of a shop, for trying things out and for measuring.

The constants are summary figures of the UCI Online Retail data ("the shop": a British gift wholesaler from
2010-12-01 to 2011-12-09) and of its 400 customers T in Ito, Kikuchi, Nakagawa: Evaluation of some attacker
models with distinct background knowledge of de-identified dataset. No row, name or code of them is in here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.engine import DuckDBEngine, quote_text
from sudare.errors import OptionNotUsable
from sudare.progress import Progress, silent
from sudare.showing import dataclass
from sudare.sources.writing import check_table_ending, whole_file
from sudare.statistics.random_streams import ENGINE_MEMORY, Integers, Numbers, stream, stream_key

Flags = NDArray[np.bool_]

COLUMNS = ("customer", "invoice", "day", "minute", "item", "cents", "quantity")
ROWS_PER_CHUNK = 500_000
FIRST_CUSTOMER, FIRST_INVOICE, FIRST_ITEM = 100_001, 1_000_001, 20_001

# Visits by month (the shop has 39 a day in January, 92 in November), weekday from Monday, hour from 0 on.
MONTH_WEIGHTS = np.array([42, 42, 45, 50, 54, 48, 46, 46, 61, 66, 92, 66])
WEEKDAY_WEIGHTS = np.array([1.0, 1.0, 1.1, 1.25, 1.05, 0.0, 0.5])
HOUR_WEIGHTS = np.array([0] * 7 + [3, 40, 90, 130, 115, 160, 140, 120, 110, 50, 30, 7, 5])
DAY_NOISE, LAST_MINUTE = 0.2, 21 * 60 - 1

# Visits of a customer in 374 days, a Lomax tail: 36 % have one, 6 % more than ten, 0.07 % more than 100.
VISIT_TAIL, VISIT_SCALE, VISIT_SPAN_DAYS = 2.5, 5.2, 374
BUSIEST_SHARE = 0.43  # the shop's busiest customer came on 132 of 305 open days
# Rows of a visit: quartiles 8, 17, 30 and a hundredth from 124 on, 4.7 % single rows; their logarithm
# deviates by 0.7 between customers (logistic; the largest mean is 301) and by 0.75 within one (Weibull).
BASKET_SCALE, BASKET_SPREAD, BASKET_SHAPE, LARGEST_BASKET = 21.0, 0.36, 1.8, 300.0
SINGLE_ROW_SHARE = 0.035
MONTH_BASKETS = np.array([1, 1, 1, 1, 1, 1, 1, 1, 1.1, 1.25, 1.2, 1])
# 8 % of the visits have several invoices, five in six of them two.
MORE_INVOICES_SHARE, LAST_INVOICE_CHANCE, MOST_MINUTES_BETWEEN = 0.085, 0.8, 60

# Popularity of rank r of R: r^-power exp(-cut (r / R)^bend). The shop's ranks 10, 100, 800 and 2,400 have
# 0.28 %, 0.14 %, 0.04 % and 0.006 % of the rows.
RANK_POWER, RANK_CUT, RANK_BEND = 0.35, 4.7, 1.3
# What sells for Christmas and what in spring, by month; the rest sells all the year. A tenth of the shop's
# common items have 88 % and more of their rows after August.
CHRISTMAS = [0.15, 0.05, 0.05, 0.05, 0.05, 0.1, 0.2, 0.6, 1.5, 2.5, 3.0, 2.6]
SPRING = [0.6, 1.0, 2.0, 2.5, 2.5, 2.0, 1.5, 0.8, 0.4, 0.2, 0.1, 0.1]
SEASONS, SEASON_SHARES = np.array([[1.0] * 12, CHRISTMAS, SPRING]), (0.70, 0.18, 0.12)
IN_SEASON = SEASONS / SEASONS.max(axis=1, keepdims=True)
# Of the rows after a first visit 42 % were bought before (second visit 18 %, tenth 58 %); 3 % repeat in one.
FAVOURITE_SHARE, FAVOURITES_PER_BASKET_ROW, FAVOURITE_SKEW, REPEAT_SHARE = 0.92, 4.5, 1.8, 0.1
# 289 of the 400 customers of T pay postage, on most visits, sometimes on nothing else; it is T's top item.
ABROAD_SHARE, POSTAGE_SHARE, POSTAGE_ALONE_SHARE = 0.72, 0.87, 0.6
POSTAGE_CENTS = np.array([1500] + [1800] * 6 + [2800, 4000])

PRICE_MEDIAN, PRICE_SPREAD = 2.1, 0.78  # quartiles of the rows' prices: 1.25, 1.95, 3.75
# Quantities of T: 12 on 22 % of the rows, 6 on 12 %, 1 on 10 %, 24 on 8 %; a hundredth from 128 on;
# the shop's largest is 80,995.
PACKS = np.array([1, 2, 4, 6, 12, 24])
PACK_VALUE, PACK_SPREAD, PACKS_TAIL, MOST_PACKS = 15.0, 0.3, 0.55, 3_000
RETAIL_SHARE, RETAIL_FEW_SHARE, TRADE_FEW_SHARE, FEW_SCALE = 0.18, 0.8, 0.1, 1.5
# Reduced are 6 % of the shop's rows of 8 to 15 pieces, 38 % of 32 to 63, 75 % of 64 to 127, by about 15 %.
BREAKS = np.array([24] + [48] * 4 + [96] * 4 + [1_000_000])
BREAK_FACTOR, SALE_FACTOR, SALE_WEEKS_SHARE = 0.85, 0.8, 0.04


@dataclass(frozen=True, slots=True)
class GeneratedHistory:
    """A history that was written: where it is and how large it came out; both days have purchases."""

    path: Path
    customers: int
    rows: int
    visits: int
    items: int
    first_day: date
    last_day: date
    seed: int

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain JSON values."""
        days = {"first_day": self.first_day.isoformat(), "last_day": self.last_day.isoformat()}
        return {**asdict(self), "path": str(self.path), **days}


@dataclass(frozen=True, slots=True)
class _Catalogue:
    # Popularity cumulated from m to m + 1 within month m, and from 12 to 13 in a whole year.
    cumulated: Numbers
    season: Integers
    cents: Integers
    pack: Integers
    break_at: Integers

    def pick(self, month: Integers | int, share: Numbers) -> Integers:
        """Return the items at these shares of the cumulated popularity of a month."""
        items = len(self.season)
        found = np.searchsorted(self.cumulated, month + share, side="right") - month * items
        limited: Integers = np.minimum(found, items - 1)  # month + share may round up to the next month
        return limited


@dataclass(frozen=True, slots=True)
class _Customers:
    visits: Integers
    basket: Numbers
    abroad: Flags
    few_share: Numbers


@dataclass(frozen=True, slots=True)
class _Invoices:
    customer: Integers
    day: Integers
    minute: Integers
    rows: Integers
    postage: Flags


@dataclass(frozen=True, slots=True)
class _Chunk:
    """Rows of whole invoices, one element a row."""

    seed: int
    first_row: int
    invoice: Integers
    customer: Integers
    day: Integers
    minute: Integers
    month: Integers
    postage: Flags

    def draw(self, purpose: str) -> Numbers:
        """Return the number from 0 to 1 that every row has for a purpose, however the rows are cut."""
        return stream(self.seed, purpose, self.first_row).random(len(self.invoice))


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
    """Write a made-up purchase history to a .csv or .parquet file; the same options give the same bytes.

    Every customer buys at least once; of `items` wares not all need be sold, and postage is one item more.
    The file is written whole or not at all.
    """
    path = Path(out)
    _check(path, first_day, days=days, customers=customers, seed=seed, items=items)
    weights = _weigh_days(seed, first_day, days)
    people = _make_customers(seed, customers, weights)
    visitor, day = _make_visits(seed, people, weights)
    invoices = _make_invoices(seed, people, visitor, day, _months(first_day, day))
    rows = int(invoices.rows.sum())
    # One thread: the order of the rows and the bytes of a Parquet file then do not depend on the machine.
    with whole_file(path) as temporary, DuckDBEngine(memory=ENGINE_MEMORY, threads=1) as engine:
        engine.run(f"CREATE TEMP TABLE history ({', '.join(f'{name} INTEGER' for name in COLUMNS)})")
        catalogue = _make_catalogue(seed, items)
        for chunk in _cut_into_chunks(seed, invoices, first_day):
            engine.attach_columns("chunk", _make_columns(chunk, people, catalogue))
            engine.run("INSERT INTO history FROM chunk")
            progress("make rows", chunk.first_row + len(chunk.invoice), rows)
        sold = int(engine.rows("SELECT count(DISTINCT item) FROM history")[0][0])
        progress("write the file", 0, rows)
        engine.write(_log_query(first_day), temporary)
    progress("write the file", rows, rows)
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
            raise OptionNotUsable(f"{name} is {value}.\nHint: give a whole number from {least} on.")
    if days - 1 > (date.max - first_day).days:
        raise OptionNotUsable(f"{days} days from {first_day} go beyond the year 9999.\nHint: give fewer days.")


def _hash(seed: int, purpose: str, first: Integers, second: Integers) -> Numbers:
    """Return the number from 0 to 1 that a pair always has (splitmix64), so that it need not be kept."""
    mixed = (first.astype(np.uint64) << np.uint64(32)) + second.astype(np.uint64)
    mixed = mixed * np.uint64(0x9E3779B97F4A7C15) + stream_key(seed, purpose).generate_state(1, np.uint64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _months(first_day: date, day: Integers) -> Integers:
    months: Integers = (np.datetime64(first_day, "D") + day).astype("datetime64[M]").astype(np.int64)
    return months % 12


def _weigh_days(seed: int, first_day: date, days: int) -> Numbers:
    """Return how busy each day is; closed, that is 0, are Saturdays and 24 December to 3 January."""
    day = np.arange(days)
    dates = np.datetime64(first_day, "D") + day
    month, weekday = _months(first_day, day), (first_day.weekday() + day) % 7
    of_month = (dates - dates.astype("datetime64[M]")).astype(np.int64) + 1
    holiday = ((month == 11) & (of_month >= 24)) | ((month == 0) & (of_month <= 3))
    noise = np.exp(DAY_NOISE * stream(seed, "days").standard_normal(days))
    weights: Numbers = np.where(holiday, 0.0, MONTH_WEIGHTS[month] * WEEKDAY_WEIGHTS[weekday] * noise)
    if not weights.any():
        raise OptionNotUsable(
            f"On {days} days from {first_day} on the shop is closed: Saturdays, 24 December to 3 January.\n"
            "Hint: give more days or another first day."
        )
    return weights


def _make_customers(seed: int, customers: int, weights: Numbers) -> _Customers:
    random = stream(seed, "customers")
    # One draw from each of as many equal parts of the tail: few customers are then as unequal as many.
    beyond = (random.permutation(customers) + 1 - random.random(customers)) / customers
    more_visits = VISIT_SCALE * (beyond ** (-1 / VISIT_TAIL) - 1) * len(weights) / VISIT_SPAN_DAYS
    most_visits = max(1.0, BUSIEST_SHARE * np.count_nonzero(weights))
    basket = BASKET_SCALE * np.exp(random.logistic(scale=BASKET_SPREAD, size=customers))
    return _Customers(
        visits=np.minimum(1 + more_visits, most_visits).astype(np.int64),
        basket=np.minimum(basket, LARGEST_BASKET),
        abroad=random.random(customers) < ABROAD_SHARE,
        few_share=np.where(random.random(customers) < RETAIL_SHARE, RETAIL_FEW_SHARE, TRADE_FEW_SHARE),
    )


def _make_visits(seed: int, people: _Customers, weights: Numbers) -> tuple[Integers, Integers]:
    """Return customer and day of every visit; draws of a customer that meet on a day are one visit."""
    open_days = np.count_nonzero(weights) + 1
    # So many draws from D days hit v of them on average: -D ln(1 - v / D).
    draws = np.maximum(1, np.rint(-open_days * np.log1p(-people.visits / open_days))).astype(np.int64)
    customer = np.repeat(np.arange(len(draws)), draws)
    cumulated = np.cumsum(weights) / np.cumsum(weights)[-1]
    day = np.searchsorted(cumulated, stream(seed, "visits").random(len(customer)), side="right")
    pairs = np.unique(customer * len(weights) + day)
    return pairs // len(weights), pairs % len(weights)


def _make_invoices(seed: int, people: _Customers, customer: Integers, day: Integers, month: Integers) -> _Invoices:
    """Return the invoices of the visits in the order of the log; a few visits have several."""
    random = stream(seed, "invoices")
    rows = _draw_row_counts(random, people.basket[customer] * MONTH_BASKETS[month])
    postage_share = np.where(rows > 1, POSTAGE_SHARE, POSTAGE_ALONE_SHARE)
    postage = people.abroad[customer] & (random.random(len(rows)) < postage_share)
    minute = _draw_minutes(random, len(rows))
    several = random.random(len(rows)) < MORE_INVOICES_SHARE
    parts = np.minimum(rows, np.where(several, 1 + random.geometric(LAST_INVOICE_CHANCE, len(rows)), 1))
    visit = np.repeat(np.arange(len(rows)), parts)
    part = np.arange(len(visit)) - np.repeat(np.cumsum(parts) - parts, parts)
    later = part * random.integers(1, MOST_MINUTES_BETWEEN, len(visit))
    at = np.minimum(minute[visit] + later, LAST_MINUTE)
    share = rows[visit] * (part + 1) // parts[visit] - rows[visit] * part // parts[visit]
    order = np.lexsort((part, visit, at, day[visit]))
    visit, part = visit[order], part[order]
    return _Invoices(customer[visit], day[visit], at[order], share[order], postage[visit] & (part == 0))


def _draw_minutes(random: np.random.Generator, visits: int) -> Integers:
    hour = random.choice(len(HOUR_WEIGHTS), visits, p=HOUR_WEIGHTS / HOUR_WEIGHTS.sum())
    return hour * 60 + random.integers(60, size=visits)


def _draw_row_counts(random: np.random.Generator, basket: Numbers) -> Integers:
    rows = np.maximum(1, np.ceil(basket * random.weibull(BASKET_SHAPE, len(basket))))
    return np.where(random.random(len(basket)) < SINGLE_ROW_SHARE, 1, rows).astype(np.int64)


def _make_catalogue(seed: int, items: int) -> _Catalogue:
    random = stream(seed, "catalogue")
    rank = random.permutation(items) + 1.0
    popularity = rank**-RANK_POWER * np.exp(-RANK_CUT * (rank / items) ** RANK_BEND)
    season = random.choice(len(SEASONS), items, p=SEASON_SHARES)
    cumulated = np.cumsum(popularity * np.vstack([SEASONS[season].T, np.ones(items)]), axis=1)
    price = PRICE_MEDIAN * np.exp(PRICE_SPREAD * random.standard_normal(items))
    # Prices end in 5, from five pounds on in .95.
    cents = np.where(price < 5, np.maximum(np.rint(price * 10), 2) * 10 - 5, np.rint(price) * 100 - 5)
    pack = PACK_VALUE / price * np.exp(PACK_SPREAD * random.standard_normal(items))
    return _Catalogue(
        cumulated=(cumulated / cumulated[:, -1:] + np.arange(len(cumulated))[:, None]).ravel(),
        season=season,
        cents=cents.astype(np.int64),
        pack=PACKS[np.abs(np.log(PACKS) - np.log(pack)[:, None]).argmin(axis=1)],
        break_at=BREAKS[random.integers(len(BREAKS), size=items)],
    )


def _cut_into_chunks(seed: int, invoices: _Invoices, first_day: date) -> Iterator[_Chunk]:
    end = np.cumsum(invoices.rows)
    start = 0
    while start < len(end):
        first_row = int(end[start] - invoices.rows[start])
        stop = max(start + 1, int(np.searchsorted(end, first_row + ROWS_PER_CHUNK, side="right")))
        of = np.repeat(np.arange(start, stop), invoices.rows[start:stop])
        is_last = np.arange(first_row + 1, first_row + 1 + len(of)) == end[of]
        customer, day, minute = invoices.customer[of], invoices.day[of], invoices.minute[of]
        postage = invoices.postage[of] & is_last
        yield _Chunk(seed, first_row, of, customer, day, minute, _months(first_day, day), postage)
        start = stop


def _choose_items(chunk: _Chunk, people: _Customers, catalogue: _Catalogue) -> Integers:
    """Return a favourite of the customer if it is in season, else what sells in this month."""
    slots = people.basket[chunk.customer] * FAVOURITES_PER_BASKET_ROW
    slot = (slots * chunk.draw("slot") ** FAVOURITE_SKEW).astype(np.int64)
    favourite = catalogue.pick(len(MONTH_WEIGHTS), _hash(chunk.seed, "favourite", chunk.customer, slot))
    wanted = chunk.draw("wanted") < FAVOURITE_SHARE * IN_SEASON[catalogue.season[favourite], chunk.month]
    item = np.where(wanted, favourite, catalogue.pick(chunk.month, chunk.draw("item")))
    again = _repeats(chunk.invoice * len(catalogue.season) + item) & (chunk.draw("again") >= REPEAT_SHARE)
    return np.where(again, catalogue.pick(chunk.month, chunk.draw("other item")), item)


def _repeats(keys: Integers) -> Flags:
    order = np.argsort(keys, kind="stable")
    repeated = np.zeros(len(keys), dtype=np.bool_)
    repeated[order[1:]] = keys[order[1:]] == keys[order[:-1]]
    return repeated


def _choose_quantities(chunk: _Chunk, people: _Customers, pack: Integers) -> Integers:
    """Return a few pieces or whole packs: mostly a few for retail customers, packs for trade."""
    takes_few = chunk.postage | (chunk.draw("few or packs") < people.few_share[chunk.customer])
    few = 1 + np.floor(-np.log1p(-chunk.draw("few")) * FEW_SCALE).astype(np.int64)
    # 72 % one pack, 15 % two, 1.5 % ten and more.
    packs = np.minimum((1 - chunk.draw("packs")) ** -PACKS_TAIL, MOST_PACKS).astype(np.int64)
    return np.where(takes_few, few, pack * packs)


def _price(chunk: _Chunk, catalogue: _Catalogue, item: Integers, quantity: Integers) -> Integers:
    """Return cents: less in an item's sale weeks and from its break quantity on; postage goes by customer."""
    on_sale = _hash(chunk.seed, "sale", item, chunk.day // 7) < SALE_WEEKS_SHARE
    factor = np.where(quantity >= catalogue.break_at[item], BREAK_FACTOR, 1.0)
    cents = np.rint(catalogue.cents[item] * np.where(on_sale, SALE_FACTOR, factor)).astype(np.int64)
    return np.where(chunk.postage, POSTAGE_CENTS[chunk.customer % len(POSTAGE_CENTS)], cents)


def _make_columns(chunk: _Chunk, people: _Customers, catalogue: _Catalogue) -> dict[str, NDArray[np.int32]]:
    item = _choose_items(chunk, people, catalogue)
    quantity = _choose_quantities(chunk, people, catalogue.pack[item])
    sold = np.where(chunk.postage, 0, item + FIRST_ITEM)
    cents = _price(chunk, catalogue, item, quantity)
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
