"""What it costs an attacker to learn attributes, singly or in bundles."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from math import isfinite, lcm
from pathlib import Path
from typing import Any

from sudare.arguments import checked
from sudare.errors import ColumnNotFound, OptionNotUsable, SourceNotReadable
from sudare.messages import Joined, Message, message
from sudare.messages.reasons import reason_of
from sudare.showing import dataclass
from sudare.sources.encodings import read_text
from sudare.sources.local.names import not_found
from sudare.sources.text import csv_rows
from sudare.tables.model import Table

Number = int | float | str
# Where a price stands: a file, a line of one, or the argument that it was given by.
Place = str | Message
THE_BUDGET = message("errors.costs.budget")


@dataclass(frozen=True, slots=True)
class Bundle:
    """Attributes that a single purchase reveals."""

    attributes: tuple[str, ...]
    cost: Number


@dataclass(frozen=True, slots=True)
class Costs:
    """The prices of single attributes and of bundles; `places` says where in a file each price was read."""

    attributes: Mapping[str, Number]
    bundles: tuple[Bundle, ...] = ()
    source: Place = message("errors.costs.given")
    places: Mapping[tuple[str, ...], Place] = field(default_factory=dict, repr=False)

    @checked
    def place(self, attributes: Sequence[str]) -> Place:
        """Return where in the file the price of these attributes was read."""
        return self.places.get(tuple(attributes), self.source)

    @checked
    def with_bundles(self, bundles: Sequence[Bundle | tuple[Sequence[str], Number]]) -> Costs:
        """Return the same costs with further bundles."""
        more = tuple(b if isinstance(b, Bundle) else Bundle(tuple(b[0]), b[1]) for b in bundles)
        return Costs(self.attributes, (*self.bundles, *more), self.source, self.places)

    def offers(self) -> Iterator[tuple[tuple[str, ...], Number]]:
        """Yield each offer and its price, single attributes first."""
        yield from (((name,), cost) for name, cost in self.attributes.items())
        yield from ((bundle.attributes, bundle.cost) for bundle in self.bundles)


@checked
def read_costs(path: str | Path) -> Costs:
    """Read costs from a CSV or TOML file.

    CSV: lines `attribute,cost`, with or without a header; attributes joined by `+` form a bundle. TOML: a table
    `[costs]` with a price per attribute, and `[[bundles]]` with `attributes` and `cost`.
    """
    path = Path(path)
    try:
        text = read_text(path)
    except FileNotFoundError:
        raise not_found(path) from None
    except OSError as error:
        raise SourceNotReadable("errors.costs.unreadable", path=path, problem=reason_of(error)) from None
    return _read_toml(text, path) if path.suffix.lower() == ".toml" else _read_csv(text, path)


def _read_csv(text: str, path: Path) -> Costs:
    single: dict[str, Number] = {}
    bundles: list[Bundle] = []
    places: dict[tuple[str, ...], Place] = {}
    for line, cells in csv_rows(text.splitlines(keepends=True), ","):
        place = message("place.line", source=path, line=line)
        cells = [cell.strip() for cell in cells]
        if not any(cells) or (not places and [cell.lower() for cell in cells] == ["attribute", "cost"]):
            continue
        if len(cells) != 2 or not all(cells):
            raise OptionNotUsable("errors.costs.not_a_pair", place=place, cells=",".join(cells))
        names = tuple(part.strip() for part in cells[0].split("+"))
        if names in places:
            raise OptionNotUsable("errors.costs.twice", place=place, attributes=cells[0])
        places[names] = place
        price(cells[1], place)
        if len(names) == 1:
            single[names[0]] = cells[1]
        else:
            bundles.append(Bundle(names, cells[1]))
    return Costs(single, tuple(bundles), str(path), places)


def _read_toml(text: str, path: Path) -> Costs:
    try:
        document = tomllib.loads(text, parse_float=str)
        single = dict(document.get("costs", {}))
        bundles = tuple(Bundle(tuple(entry["attributes"]), entry["cost"]) for entry in document.get("bundles", []))
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        # In a text, double brackets would be an argument.
        raise OptionNotUsable("errors.costs.not_parsed", path=path, error=str(error), bundles="[[bundles]]") from None
    costs = Costs(single, bundles, str(path), _toml_places(text, path, single))
    for names, cost in costs.offers():
        price(cost, costs.place(names))
    return costs


def _toml_places(text: str, path: Path, single: Mapping[str, Any]) -> dict[tuple[str, ...], Place]:
    """Return the lines on which attributes have their prices; the parser does not tell."""
    places: dict[tuple[str, ...], Place] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        name = line.partition("=")[0].strip().strip("\"'")
        if name in single:
            places.setdefault((name,), message("place.line", source=path, line=number))
    return places


def price(cost: object, place: Place) -> Fraction:
    """Return a price as it is written: 0.1 is a tenth, so that three of them fit into a budget of 0.3."""
    try:
        if isinstance(cost, bool) or (isinstance(cost, float) and not isfinite(cost)):
            raise ValueError
        exact = Fraction(str(cost))
    except (ValueError, ZeroDivisionError):
        raise OptionNotUsable("errors.costs.not_a_number", place=place, cost=cost) from None
    if exact < 0:
        raise OptionNotUsable("errors.costs.negative", place=place, cost=cost)
    return exact


@dataclass(frozen=True, slots=True)
class Offers:
    """Prices as whole numbers: of single attributes by bit (None: not for sale alone), and of bundles as masks.

    A whole number is a price times `scale`.
    """

    single: tuple[int | None, ...]
    bundles: tuple[tuple[int, int], ...]
    budget: int
    scale: int


def price_list(table: Table, free: Sequence[int], costs: Costs, budget: Number) -> Offers:
    """Check costs against the attributes that are not known and return them as whole numbers."""
    single: dict[int, Fraction] = {}
    bundles: list[tuple[int, Fraction]] = []
    bits = {position: bit for bit, position in enumerate(free)}
    for names, cost in costs.offers():
        exact, positions = price(cost, costs.place(names)), _positions(table, names, costs)
        if len(names) == 1 and positions[0] in bits:
            single[bits[positions[0]]] = min(exact, single.get(bits[positions[0]], exact))
        elif mask := sum({1 << bits[position] for position in positions if position in bits}):
            bundles.append((mask, exact))
    _check_all_priced(table, free, single, bundles, costs)
    exact_budget = price(budget, THE_BUDGET)
    scale = lcm(*(p.denominator for p in [*single.values(), *(cost for _, cost in bundles), exact_budget]))
    prices = tuple(int(single[bit] * scale) if bit in single else None for bit in range(len(free)))
    return Offers(prices, tuple((mask, int(cost * scale)) for mask, cost in bundles), int(exact_budget * scale), scale)


def _positions(table: Table, names: Sequence[str], costs: Costs) -> list[int]:
    try:
        return table.positions(names)
    except ColumnNotFound as error:
        raise ColumnNotFound("errors.costs.unknown_attribute", place=costs.place(names), **error.values) from None


def _check_all_priced(
    table: Table, free: Sequence[int], single: Mapping[int, Any], bundles: Sequence[tuple[int, Any]], costs: Costs
) -> None:
    missing = [
        table.attributes[position]
        for bit, position in enumerate(free)
        if bit not in single and not any(mask >> bit & 1 for mask, _ in bundles)
    ]
    if missing:
        raise OptionNotUsable("errors.costs.no_cost", attributes=Joined(missing), source=costs.source)


class Cashier:
    """Finds the cheapest purchases for a set, exactly: some offer has to reveal its first attribute."""

    def __init__(self, offers: Offers) -> None:
        self.budget = offers.budget
        self._single = offers.single
        self._bundles = offers.bundles
        self._bundled = 0
        for mask, _ in offers.bundles:
            self._bundled |= mask
        self._known: dict[int, int] = {0: 0}

    def cost(self, mask: int) -> int:
        """Return the least cost of purchases that reveal a set."""
        alone = sum(self._single[bit] or 0 for bit in _bits(mask & ~self._bundled))
        return alone + self._cover(mask & self._bundled)

    def _cover(self, mask: int) -> int:
        if mask not in self._known:
            first = mask & -mask
            alone = self._single[first.bit_length() - 1]
            ways = [alone + self._cover(mask ^ first)] if alone is not None else []
            ways += [cost + self._cover(mask & ~reveals) for reveals, cost in self._bundles if reveals & first]
            self._known[mask] = min(ways)
        return self._known[mask]


def _bits(mask: int) -> Iterator[int]:
    return (bit for bit in range(mask.bit_length()) if mask >> bit & 1)


class Prices:
    """What sets of attributes of a table cost an attacker who has the `known` ones for nothing.

    Only those of `bought` need a price (None: all others). A set is within the budget if there is none.
    """

    def __init__(
        self,
        table: Table,
        costs: Costs | Mapping[str, Number],
        *,
        known: Sequence[str] = (),
        bought: Sequence[str] | None = None,
        budget: Number | None = None,
    ) -> None:
        names = [name for name in (table.attributes if bought is None else bought) if name not in known]
        free = sorted(set(table.positions(names)))
        self._bits = {table.attributes[position]: 1 << bit for bit, position in enumerate(free)}
        prices = costs if isinstance(costs, Costs) else Costs(dict(costs))
        self._offers = price_list(table, free, prices, 0 if budget is None else budget)
        self._cashier, self._limited = Cashier(self._offers), budget is not None

    def cost(self, names: Sequence[str]) -> float:
        """Return the least cost of purchases that reveal a set."""
        return float(Fraction(self._whole(names), self._offers.scale))

    def within(self, names: Sequence[str]) -> bool:
        """Say whether a set costs no more than the budget."""
        return not self._limited or self._whole(names) <= self._offers.budget

    def _whole(self, names: Sequence[str]) -> int:
        return self._cashier.cost(sum({self._bits.get(name, 0) for name in names}))


def prices_of(
    table: Table, costs: Costs | Mapping[str, Number] | None, budget: Number | None, by_cost: bool, **options: Any
) -> Prices | None:
    """Return what sets cost, None if nobody asks; a budget or an order by cost needs costs."""
    check_by_cost(costs, by_cost or budget is not None)
    return None if costs is None else Prices(table, costs, budget=budget, **options)


def check_by_cost(costs: object, asked: bool) -> None:
    """Refuse a budget or an order by cost where there are no costs."""
    if asked and costs is None:
        raise OptionNotUsable("errors.costs.needed")


def exact_budget(budget: Number | None) -> float | None:
    """Return a budget as a number, None if there is none."""
    return None if budget is None else float(price(budget, THE_BUDGET))


__all__ = [
    "Bundle",
    "Cashier",
    "Costs",
    "Offers",
    "Prices",
    "check_by_cost",
    "exact_budget",
    "price",
    "price_list",
    "prices_of",
    "read_costs",
]
