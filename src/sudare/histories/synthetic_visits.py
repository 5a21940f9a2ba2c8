"""The synthetic customers of a shop: when they come, and how much they buy.

The figures of "the shop" are those that `sudare.histories.synthetic` names.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import numpy as np

from sudare.errors import OptionNotUsable
from sudare.kernels.common.arrays import Bools, Floats, Ints
from sudare.showing import dataclass
from sudare.statistics.random_streams import stream

ROWS_PER_CHUNK = 500_000
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
# 289 of the 400 customers of T pay postage, on most visits, sometimes on nothing else; it is T's top item.
ABROAD_SHARE, POSTAGE_SHARE, POSTAGE_ALONE_SHARE = 0.72, 0.87, 0.6
RETAIL_SHARE, RETAIL_FEW_SHARE, TRADE_FEW_SHARE, FEW_SCALE = 0.18, 0.8, 0.1, 1.5
# Loyal customers are recognized by what they buy at another time, whether they buy little or much; of the others, only
# those who buy much. In the shop, an attack by profiles identifies 40 % of those with 10 to 19 rows, 79 % from 100 on.
LOYAL_SHARE = 0.4


@dataclass(frozen=True, slots=True)
class Customers:
    """The customers of the shop, one element a customer."""

    visits: Ints
    basket: Floats
    abroad: Bools
    few_share: Floats
    loyal: Bools
    # How dear the items are that a customer likes, in standard deviations from the usual price.
    price_level: Floats


@dataclass(frozen=True, slots=True)
class Invoices:
    """Invoices in the order of the log, one element an invoice."""

    customer: Ints
    day: Ints
    minute: Ints
    rows: Ints
    postage: Bools


@dataclass(frozen=True, slots=True)
class Chunk:
    """Rows of whole invoices, one element a row."""

    seed: int
    first_row: int
    invoice: Ints
    customer: Ints
    day: Ints
    minute: Ints
    month: Ints
    postage: Bools

    def draw(self, purpose: str) -> Floats:
        """Return the number from 0 to 1 that every row has for a purpose, however the rows are cut."""
        return stream(self.seed, purpose, self.first_row).random(len(self.invoice))


def months(first_day: date, day: Ints) -> Ints:
    """Return the month of each day, 0 for January."""
    since_1970: Ints = (np.datetime64(first_day, "D") + day).astype("datetime64[M]").astype(np.int64)
    return since_1970 % 12


def weigh_days(seed: int, first_day: date, days: int) -> Floats:
    """Return how busy each day is; closed, that is 0, are Saturdays and 24 December to 3 January."""
    day = np.arange(days)
    dates = np.datetime64(first_day, "D") + day
    month, weekday = months(first_day, day), (first_day.weekday() + day) % 7
    of_month = (dates - dates.astype("datetime64[M]")).astype(np.int64) + 1
    holiday = ((month == 11) & (of_month >= 24)) | ((month == 0) & (of_month <= 3))
    noise = np.exp(DAY_NOISE * stream(seed, "days").standard_normal(days))
    weights: Floats = np.where(holiday, 0.0, MONTH_WEIGHTS[month] * WEEKDAY_WEIGHTS[weekday] * noise)
    if not weights.any():
        raise OptionNotUsable("errors.generated_history.closed", days=days, first_day=first_day)
    return weights


def make_customers(seed: int, customers: int, weights: Floats) -> Customers:
    """Make up the customers of the shop."""
    random = stream(seed, "customers")
    # One draw from each of as many equal parts of the tail: few customers are then as unequal as many.
    beyond = (random.permutation(customers) + 1 - random.random(customers)) / customers
    more_visits = VISIT_SCALE * (beyond ** (-1 / VISIT_TAIL) - 1) * len(weights) / VISIT_SPAN_DAYS
    most_visits = max(1.0, BUSIEST_SHARE * np.count_nonzero(weights))
    basket = BASKET_SCALE * np.exp(random.logistic(scale=BASKET_SPREAD, size=customers))
    habits = stream(seed, "habits")
    return Customers(
        visits=np.minimum(1 + more_visits, most_visits).astype(np.int64),
        basket=np.minimum(basket, LARGEST_BASKET),
        abroad=random.random(customers) < ABROAD_SHARE,
        few_share=np.where(random.random(customers) < RETAIL_SHARE, RETAIL_FEW_SHARE, TRADE_FEW_SHARE),
        loyal=habits.random(customers) < LOYAL_SHARE,
        price_level=habits.standard_normal(customers),
    )


def make_visits(seed: int, people: Customers, weights: Floats) -> tuple[Ints, Ints]:
    """Return customer and day of every visit; draws of a customer that meet on a day are one visit."""
    open_days = np.count_nonzero(weights) + 1
    # This number of draws from D days hit v of them on average: -D ln(1 - v / D).
    draws = np.maximum(1, np.rint(-open_days * np.log1p(-people.visits / open_days))).astype(np.int64)
    customer = np.repeat(np.arange(len(draws)), draws)
    cumulated = np.cumsum(weights) / np.cumsum(weights)[-1]
    day = np.searchsorted(cumulated, stream(seed, "visits").random(len(customer)), side="right")
    pairs = np.unique(customer * len(weights) + day)
    return pairs // len(weights), pairs % len(weights)


def make_invoices(seed: int, people: Customers, customer: Ints, day: Ints, month: Ints) -> Invoices:
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
    return Invoices(customer[visit], day[visit], at[order], share[order], postage[visit] & (part == 0))


def _draw_minutes(random: np.random.Generator, visits: int) -> Ints:
    hour = random.choice(len(HOUR_WEIGHTS), visits, p=HOUR_WEIGHTS / HOUR_WEIGHTS.sum())
    return hour * 60 + random.integers(60, size=visits)


def _draw_row_counts(random: np.random.Generator, basket: Floats) -> Ints:
    rows = np.maximum(1, np.ceil(basket * random.weibull(BASKET_SHAPE, len(basket))))
    return np.where(random.random(len(basket)) < SINGLE_ROW_SHARE, 1, rows).astype(np.int64)


def cut_into_chunks(seed: int, invoices: Invoices, first_day: date) -> Iterator[Chunk]:
    """Cut invoices into chunks of about ROWS_PER_CHUNK rows."""
    end = np.cumsum(invoices.rows)
    start = 0
    while start < len(end):
        first_row = int(end[start] - invoices.rows[start])
        stop = max(start + 1, int(np.searchsorted(end, first_row + ROWS_PER_CHUNK, side="right")))
        of = np.repeat(np.arange(start, stop), invoices.rows[start:stop])
        is_last = np.arange(first_row + 1, first_row + 1 + len(of)) == end[of]
        customer, day, minute = invoices.customer[of], invoices.day[of], invoices.minute[of]
        postage = invoices.postage[of] & is_last
        yield Chunk(seed, first_row, of, customer, day, minute, months(first_day, day), postage)
        start = stop
