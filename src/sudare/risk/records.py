"""How well given knowledge singles out the records of a table.

Risk analysis of k-anonymized personal data by attack simulation, Algorithms 1 (indexRepeats), 2 (the distribution of
the risk) and 3 (the risk of each record).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sudare.arguments import checked
from sudare.data.table import Table
from sudare.data.writing import check_table_ending, keeps_inputs, whole_file
from sudare.engine import quote_name
from sudare.risk.attribute_sets import class_sizes, row_sizes
from sudare.risk.sizes import ClassSize
from sudare.risk.subsets import class_size_within
from sudare.showing import dataclass


@dataclass(frozen=True, slots=True)
class RecordsAssessment:
    """The risk of the records of a table for an attacker who knows some attributes; smallest classes first."""

    attributes: tuple[str, ...]
    records: int
    sizes: tuple[ClassSize, ...]

    @property
    def classes(self) -> int:
        """The number of classes of equal records."""
        return sum(part.classes for part in self.sizes)

    @property
    def max_risk(self) -> float:
        """The risk of the records in the smallest class."""
        return 1 / self.sizes[0].size

    @property
    def mean_risk(self) -> float:
        """The mean risk over the records: classes / records, where a class counts its own records only."""
        return sum(part.records / part.size for part in self.sizes) / self.records

    @property
    def uniques(self) -> int:
        """The number of records that are like no other."""
        return sum(part.records for part in self.sizes if part.size == 1)

    @checked
    def share_above(self, bound: float) -> float:
        """Return the share of the records whose risk is above a bound."""
        enough = class_size_within(bound)
        return sum(part.records for part in self.sizes if part.size < enough) / self.records

    def curve(self) -> list[tuple[float, float]]:
        """Return the distribution of Algorithm 2: risk, and the share of the records with at most this risk."""
        points, below = [], 0
        for part in reversed(self.sizes):
            below += part.records
            points.append((1 / part.size, below / self.records))
        return points

    def to_dict(self) -> dict[str, Any]:
        """Return the summary and the class sizes as plain values."""
        return {
            "attributes": list(self.attributes),
            "records": self.records,
            "classes": self.classes,
            "max_risk": self.max_risk,
            "mean_risk": self.mean_risk,
            "uniques": self.uniques,
            "class_sizes": [part.to_dict() for part in self.sizes],
        }


@checked
def assess_records(table: Table, known: Sequence[str] | None = None) -> RecordsAssessment:
    """Measure the risk of all records for an attacker who knows some attributes (all if None; none: one class)."""
    names = tuple(known) if known is not None else table.attributes
    return RecordsAssessment(names, table.records, class_sizes(table, table.positions(names)).listed())


@checked
@keeps_inputs()
def write_record_risks(table: Table, known: Sequence[str] | None, path: str | Path) -> int:
    """Write every record's number, known attributes, class size and risk to a CSV or Parquet file, in their order."""
    places = table.positions(list(known) if known is not None else table.attributes)
    target = Path(path)
    check_table_ending(target)
    cells = "".join(f"r.a{a} AS {quote_name(table.attributes[a])}, " for a in places)
    with table.marked(places, {"class_size": row_sizes(table, places)}) as rows, whole_file(target) as temporary:
        table.engine.write(
            f"SELECT r.record, {cells}m.class_size, 1 / m.class_size AS risk FROM {rows} ORDER BY r.record", temporary
        )
    return table.reading.rows
