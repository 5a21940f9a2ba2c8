"""What it costs an attacker to learn attributes, one by one or several at once."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from math import isfinite, lcm
from pathlib import Path
from typing import Any

from sudare.arguments import checked
from sudare.data.encodings import read_text
from sudare.data.table import Table
from sudare.data.text import csv_rows
from sudare.errors import ColumnNotFound, OptionNotUsable, SourceNotReadable
from sudare.showing import dataclass

Number = int | float | str


@dataclass(frozen=True, slots=True)
class Bundle:
    """Attributes that one purchase reveals together."""

    attributes: tuple[str, ...]
    cost: Number


@dataclass(frozen=True, slots=True)
class Costs:
    """The prices of single attributes and of bundles; `places` says where in a file a price was read."""

    attributes: Mapping[str, Number]
    bundles: tuple[Bundle, ...] = ()
    source: str = "the costs"
    places: Mapping[tuple[str, ...], str] = field(default_factory=dict, repr=False)

    @checked
    def place(self, attributes: Sequence[str]) -> str:
        """Return where the price of these attributes stands."""
        return self.places.get(tuple(attributes), self.source)

    @checked
    def with_bundles(self, bundles: Sequence[Bundle | tuple[Sequence[str], Number]]) -> Costs:
        """Return the same costs with further bundles."""
        more = tuple(b if isinstance(b, Bundle) else Bundle(tuple(b[0]), b[1]) for b in bundles)
        return Costs(self.attributes, (*self.bundles, *more), self.source, self.places)

    def offers(self) -> Iterator[tuple[tuple[str, ...], Number]]:
        """Yield what can be bought and its price, single attributes first."""
        yield from (((name,), cost) for name, cost in self.attributes.items())
        yield from ((bundle.attributes, bundle.cost) for bundle in self.bundles)


@checked
def read_costs(path: str | Path) -> Costs:
    """Read costs from a CSV or a TOML file.

    CSV: lines `attribute,cost`, with or without a header; attributes joined by `+` are a bundle. TOML: a table
    `[costs]` with a price for each attribute, and `[[bundles]]` with `attributes` and `cost`.
    """
    path = Path(path)
    try:
        text = read_text(path)
    except OSError as error:
        raise SourceNotReadable(
            f"The costs in {path} cannot be read: {error}.\nHint: give a CSV or TOML file."
        ) from None
    return _read_toml(text, path) if path.suffix.lower() == ".toml" else _read_csv(text, path)


def _read_csv(text: str, path: Path) -> Costs:
    single: dict[str, Number] = {}
    bundles: list[Bundle] = []
    places: dict[tuple[str, ...], str] = {}
    for line, cells in csv_rows(text.splitlines(keepends=True), ","):
        place = f"{path}, line {line}"
        cells = [cell.strip() for cell in cells]
        if not any(cells) or (not places and [cell.lower() for cell in cells] == ["attribute", "cost"]):
            continue
        if len(cells) != 2 or not all(cells):
            raise OptionNotUsable(f"{place}: {','.join(cells)!r} is no attribute and its cost.\nHint: write age,2.5.")
        names = tuple(part.strip() for part in cells[0].split("+"))
        if names in places:
            raise OptionNotUsable(f"{place}: {cells[0]!r} has a cost already.\nHint: remove one of the lines.")
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
        raise OptionNotUsable(
            f"{path}: the costs cannot be understood: {error}.\n"
            'Hint: write [costs] with lines age = 2.5, and [[bundles]] with attributes = ["age", "sex"] and cost = 3.'
        ) from None
    costs = Costs(single, bundles, str(path), _toml_places(text, path, single))
    for names, cost in costs.offers():
        price(cost, costs.place(names))
    return costs


def _toml_places(text: str, path: Path, single: Mapping[str, Any]) -> dict[tuple[str, ...], str]:
    """Return the lines on which attributes have their prices; the parser does not tell."""
    places: dict[tuple[str, ...], str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        name = line.partition("=")[0].strip().strip("\"'")
        if name in single:
            places.setdefault((name,), f"{path}, line {number}")
    return places


def price(cost: object, place: str) -> Fraction:
    """Return a price as it is written: 0.1 is a tenth, so that three of them fit into a budget of 0.3."""
    try:
        if isinstance(cost, bool) or (isinstance(cost, float) and not isfinite(cost)):
            raise ValueError
        exact = Fraction(str(cost))
    except (ValueError, ZeroDivisionError):
        raise OptionNotUsable(f"{place}: the cost {cost!r} is no number.\nHint: write it as in 2.5.") from None
    if exact < 0:
        raise OptionNotUsable(f"{place}: the cost {cost} is negative.\nHint: give costs from 0 on.")
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
    exact_budget = price(budget, "the budget")
    scale = lcm(*(p.denominator for p in [*single.values(), *(cost for _, cost in bundles), exact_budget]))
    prices = tuple(int(single[bit] * scale) if bit in single else None for bit in range(len(free)))
    return Offers(prices, tuple((mask, int(cost * scale)) for mask, cost in bundles), int(exact_budget * scale), scale)


def _positions(table: Table, names: Sequence[str], costs: Costs) -> list[int]:
    try:
        return table.positions(names)
    except ColumnNotFound as error:
        raise ColumnNotFound(f"{costs.place(names)}: {error}") from None


def _check_all_priced(
    table: Table, free: Sequence[int], single: Mapping[int, Any], bundles: Sequence[tuple[int, Any]], costs: Costs
) -> None:
    missing = [
        table.attributes[position]
        for bit, position in enumerate(free)
        if bit not in single and not any(mask >> bit & 1 for mask, _ in bundles)
    ]
    if missing:
        raise OptionNotUsable(
            f"{costs.source}: no cost for {', '.join(missing)}.\n"
            "Hint: give each attribute a cost, or say that it is known."
        )


__all__ = ["Bundle", "Costs", "Offers", "price", "price_list", "read_costs"]
