"""The synthetic items of a shop: what sells in which month, in which quantities and at which price.

The figures of "the shop" are those that `sudare.histories.synthetic` names.
"""

from __future__ import annotations

import numpy as np

from sudare.histories.synthetic_visits import FEW_SCALE, MONTH_WEIGHTS, Chunk, Customers
from sudare.kernels.common.arrays import Bools, Floats, Ints
from sudare.showing import dataclass
from sudare.statistics.random_streams import stream, stream_key

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
# Loyal customers have few favourites, rare ones among them, and keep them; the others exchange one after this time.
LOYAL_FAVOURITES_PER_BASKET_ROW, LOYAL_SKEW, FAVOURITE_DAYS, MOST_TURNS = 1.2, 2.5, 300, 1 << 16
# Half of the time, a customer takes an item in the quantity that is usual for them. Between the halves of the year, the
# shop's customers keep the level of their quantities with a correlation of 0.76, and that of prices with 0.48.
USUAL_QUANTITY_SHARE = 0.5
POSTAGE_CENTS = np.array([1500] + [1800] * 6 + [2800, 4000])
PRICE_MEDIAN, PRICE_SPREAD = 2.1, 0.78  # quartiles of the rows' prices: 1.25, 1.95, 3.75
# Quantities of T: 12 on 22 % of the rows, 6 on 12 %, 1 on 10 %, 24 on 8 %; a hundredth from 128 on;
# the shop's largest is 80,995.
PACKS = np.array([1, 2, 4, 6, 12, 24])
PACK_VALUE, PACK_SPREAD, PACKS_TAIL, MOST_PACKS = 15.0, 0.3, 0.55, 3_000
# Reduced are 6 % of the shop's rows of 8 to 15 pieces, 38 % of 32 to 63, 75 % of 64 to 127, by about 15 %.
BREAKS = np.array([24] + [48] * 4 + [96] * 4 + [1_000_000])
BREAK_FACTOR, SALE_FACTOR, SALE_WEEKS_SHARE = 0.85, 0.8, 0.04


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What the shop sells."""

    # Popularity cumulated from m to m + 1 within month m, and from 12 to 13 in a whole year.
    cumulated: Floats
    popularity: Floats
    season: Ints
    cents: Ints
    pack: Ints
    break_at: Ints

    def pick(self, month: Ints | int, share: Floats) -> Ints:
        """Return the items at these shares of the cumulated popularity of a month."""
        items = len(self.season)
        found = np.searchsorted(self.cumulated, month + share, side="right") - month * items
        limited: Ints = np.minimum(found, items - 1)  # month + share may round up to the next month
        return limited


def _hash(seed: int, purpose: str, first: Ints, second: Ints) -> Floats:
    """Return the number from 0 to 1 that a pair always has (splitmix64), so that it need not be kept."""
    mixed = (first.astype(np.uint64) << np.uint64(32)) + second.astype(np.uint64)
    mixed = mixed * np.uint64(0x9E3779B97F4A7C15) + stream_key(seed, purpose).generate_state(1, np.uint64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53


def make_catalogue(seed: int, items: int) -> Catalogue:
    """Make up the items of the shop."""
    random = stream(seed, "catalogue")
    rank = random.permutation(items) + 1.0
    popularity = rank**-RANK_POWER * np.exp(-RANK_CUT * (rank / items) ** RANK_BEND)
    season = random.choice(len(SEASONS), items, p=SEASON_SHARES)
    cumulated = np.cumsum(popularity * np.vstack([SEASONS[season].T, np.ones(items)]), axis=1)
    price = PRICE_MEDIAN * np.exp(PRICE_SPREAD * random.standard_normal(items))
    # Prices end in 5, from five pounds on in .95.
    cents = np.where(price < 5, np.maximum(np.rint(price * 10), 2) * 10 - 5, np.rint(price) * 100 - 5)
    pack = PACK_VALUE / price * np.exp(PACK_SPREAD * random.standard_normal(items))
    return Catalogue(
        cumulated=(cumulated / cumulated[:, -1:] + np.arange(len(cumulated))[:, None]).ravel(),
        popularity=np.asarray(popularity, np.float64),
        season=season,
        cents=cents.astype(np.int64),
        pack=PACKS[np.abs(np.log(PACKS) - np.log(pack)[:, None]).argmin(axis=1)],
        break_at=BREAKS[random.integers(len(BREAKS), size=items)],
    )


def choose_items(chunk: Chunk, people: Customers, catalogue: Catalogue) -> Ints:
    """Return a favourite of the customer if it is in season, else what sells in this month."""
    favourite = _choose_favourites(chunk, people, catalogue)
    wanted = chunk.draw("wanted") < FAVOURITE_SHARE * IN_SEASON[catalogue.season[favourite], chunk.month]
    item = np.where(wanted, favourite, catalogue.pick(chunk.month, chunk.draw("item")))
    again = _repeats(chunk.invoice * len(catalogue.season) + item) & (chunk.draw("again") >= REPEAT_SHARE)
    return np.where(again, catalogue.pick(chunk.month, chunk.draw("other item")), item)


def _choose_favourites(chunk: Chunk, people: Customers, catalogue: Catalogue) -> Ints:
    """Return an item of the customer's list: of two, the one nearer to their price level; loyal ones like rare ones."""
    customer = chunk.customer
    loyal = people.loyal[customer]
    per_row = np.where(loyal, LOYAL_FAVOURITES_PER_BASKET_ROW, FAVOURITES_PER_BASKET_ROW)
    skew = np.where(loyal, LOYAL_SKEW, FAVOURITE_SKEW)
    slot = (people.basket[customer] * per_row * chunk.draw("slot") ** skew).astype(np.int64)
    turns = (chunk.day / FAVOURITE_DAYS + _hash(chunk.seed, "turn", customer, slot)).astype(np.int64)
    place = slot * MOST_TURNS + np.where(loyal, 0, turns % MOST_TURNS)
    first, second, third = (
        catalogue.pick(len(MONTH_WEIGHTS), _hash(chunk.seed, purpose, customer, place))
        for purpose in ("favourite", "other favourite", "rare favourite")
    )
    wanted = np.log(100 * PRICE_MEDIAN) + PRICE_SPREAD * people.price_level[customer]
    apart = [np.abs(np.log(catalogue.cents[item]) - wanted) for item in (first, second)]
    found = np.where(apart[1] < apart[0], second, first)
    return np.where(loyal & (catalogue.popularity[third] < catalogue.popularity[found]), third, found)


def _repeats(keys: Ints) -> Bools:
    order = np.argsort(keys, kind="stable")
    repeated = np.zeros(len(keys), dtype=np.bool_)
    repeated[order[1:]] = keys[order[1:]] == keys[order[:-1]]
    return repeated


def choose_quantities(chunk: Chunk, people: Customers, item: Ints, pack: Ints) -> Ints:
    """Return a few pieces or whole packs: mostly a few for retail customers, packs for trade; often as usual."""
    usual = chunk.draw("as usual") < USUAL_QUANTITY_SHARE

    def drawn(purpose: str) -> Floats:
        return np.where(usual, _hash(chunk.seed, f"usual {purpose}", chunk.customer, item), chunk.draw(purpose))

    takes_few = chunk.postage | (drawn("few or packs") < people.few_share[chunk.customer])
    few = 1 + np.floor(-np.log1p(-drawn("few")) * FEW_SCALE).astype(np.int64)
    # 72 % one pack, 15 % two, 1.5 % ten and more.
    packs = np.minimum((1 - drawn("packs")) ** -PACKS_TAIL, MOST_PACKS).astype(np.int64)
    return np.where(takes_few, few, pack * packs)


def price_rows(chunk: Chunk, catalogue: Catalogue, item: Ints, quantity: Ints) -> Ints:
    """Return cents: less in an item's sale weeks and from its break quantity on; postage goes by customer."""
    on_sale = _hash(chunk.seed, "sale", item, chunk.day // 7) < SALE_WEEKS_SHARE
    factor = np.where(quantity >= catalogue.break_at[item], BREAK_FACTOR, 1.0)
    cents = np.rint(catalogue.cents[item] * np.where(on_sale, SALE_FACTOR, factor)).astype(np.int64)
    return np.where(chunk.postage, POSTAGE_CENTS[chunk.customer % len(POSTAGE_CENTS)], cents)
