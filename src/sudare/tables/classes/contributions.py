"""The contribution of each known attribute to the risk: what remains without it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sudare.arguments import checked
from sudare.results import Result
from sudare.showing import dataclass
from sudare.tables.classes.records import assess_records
from sudare.tables.model import Table
from sudare.tables.sets.costs import Costs, Number, check_by_cost


@dataclass(frozen=True, slots=True)
class Contribution(Result):
    """The risk for an attacker who knows all attributes but one, and their cost if costs were given."""

    _optional = ("cost",)

    attribute: str
    max_risk: float
    mean_risk: float
    uniques: int
    cost: float | None = None


@checked
def attribute_contributions(
    table: Table,
    known: Sequence[str] | None = None,
    *,
    costs: Costs | Mapping[str, Number] | None = None,
    by_cost: bool = False,
) -> list[Contribution]:
    """Return the risk without each known attribute (None: all attributes), largest drop in mean risk first.

    With `costs`, each entry has the cost of the other attributes; `by_cost` puts the lowest first.
    """
    check_by_cost(costs, by_cost)
    names = list(known) if known is not None else list(table.attributes)
    table.positions(names)
    found = []
    for name in names:
        left = assess_records(table, [other for other in names if other != name], costs=costs)
        found.append(Contribution(name, left.max_risk, left.mean_risk, left.uniques, left.cost))
    return sorted(found, key=lambda entry: (entry.cost if by_cost else 0, entry.mean_risk))
