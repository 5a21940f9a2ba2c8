"""How much each known attribute contributes to the risk: what is left of it without the attribute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sudare.arguments import checked
from sudare.data.table import Table
from sudare.risk.records import assess_records
from sudare.showing import dataclass


@dataclass(frozen=True, slots=True)
class Contribution:
    """The risk for an attacker who knows everything but one attribute."""

    attribute: str
    max_risk: float
    mean_risk: float
    uniques: int

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return asdict(self)


@checked
def attribute_contributions(table: Table, known: Sequence[str] | None = None) -> list[Contribution]:
    """Return for each known attribute (all if None) the risk without it, the largest fall of the mean risk first."""
    names = list(known) if known is not None else list(table.attributes)
    table.positions(names)
    found = []
    for name in names:
        left = assess_records(table, [other for other in names if other != name])
        found.append(Contribution(name, left.max_risk, left.mean_risk, left.uniques))
    return sorted(found, key=lambda entry: entry.mean_risk)
