"""How well given knowledge singles out the records of a table.

Risk analysis of k-anonymized personal data by attack simulation, Algorithms 1 (indexRepeats), 2 (the distribution of
the risk) and 3 (the risk of each record).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sudare.arguments import checked
from sudare.engine import quote_name
from sudare.results import Result
from sudare.showing import dataclass
from sudare.sources.writing import check_table_ending, keeps_inputs, whole_file
from sudare.statistics.class_sizes import ClassSize
from sudare.tables.derived import Derived
from sudare.tables.model import Table
from sudare.tables.sets.attribute_sets import class_sizes, row_sizes
from sudare.tables.sets.costs import Costs, Number, prices_of
from sudare.tables.sets.subsets import class_size_within


@dataclass(frozen=True, slots=True)
class RecordsAssessment(Result):
    """The risk of a table's records for an attacker who knows some attributes; smallest classes first.

    `cost` is what these attributes cost the attacker, if costs were given, and `affordable` whether that is within the
    budget, if there is one.
    """

    _rows = ("sizes",)
    _row = ClassSize

    attributes: tuple[str, ...]
    records: int
    sizes: tuple[ClassSize, ...]
    cost: float | None = None
    affordable: bool | None = None

    @property
    def classes(self) -> int:
        """The number of equivalence classes."""
        return sum(part.classes for part in self.sizes)

    @property
    def max_risk(self) -> float:
        """The risk of the records in the smallest class."""
        return 1 / self.sizes[0].size

    @property
    def mean_risk(self) -> float:
        """The mean risk over the records: classes / records, unless classes overlap or count persons."""
        return sum(part.records / part.size for part in self.sizes) / self.records

    @property
    def uniques(self) -> int:
        """The number of unique records."""
        return sum(part.records for part in self.sizes if part.size == 1)

    @checked
    def share_above(self, bound: float) -> float:
        """Return the share of the records whose risk is above a limit."""
        enough = class_size_within(bound)
        return sum(part.records for part in self.sizes if part.size < enough) / self.records

    def curve(self) -> list[tuple[float, float]]:
        """Return the distribution of Algorithm 2: each risk, and the share of the records with at most this risk."""
        points, below = [], 0
        for part in reversed(self.sizes):
            below += part.records
            points.append((1 / part.size, below / self.records))
        return points

    def to_dict(self) -> dict[str, Any]:
        """Return the summary and the class sizes as plain values; the cost only if there is one."""
        costs = {"cost": self.cost, "affordable": self.affordable} if self.cost is not None else {}
        return {
            "attributes": list(self.attributes),
            "records": self.records,
            "classes": self.classes,
            "max_risk": self.max_risk,
            "mean_risk": self.mean_risk,
            "uniques": self.uniques,
            "class_sizes": [part.to_dict() for part in self.sizes],
            **costs,
        }


@checked
def assess_records(
    table: Table,
    known: Sequence[str] | None = None,
    *,
    costs: Costs | Mapping[str, Number] | None = None,
    budget: Number | None = None,
) -> RecordsAssessment:
    """Measure the risk of all records for an attacker who knows some attributes (None: all; an empty list: one class).

    With `costs`, the result has the least cost of purchases that reveal the known attributes; only these need prices.
    """
    names = tuple(known) if known is not None else table.attributes
    prices = prices_of(table, costs, budget, False, bought=names)
    sizes = class_sizes(table, table.positions(names)).listed()
    if prices is None:
        return RecordsAssessment(names, table.records, sizes)
    affordable = None if budget is None else prices.within(names)
    return RecordsAssessment(names, table.records, sizes, prices.cost(names), affordable)


@checked
@keeps_inputs()
def write_record_risks(table: Table, known: Sequence[str] | None, path: str | Path) -> int:
    """Write every record's number, known attributes, class size and risk to a CSV or Parquet file, in record order."""
    places = table.positions(list(known) if known is not None else table.attributes)
    target = Path(path)
    check_table_ending(target)
    cells = "".join(f"r.a{a} AS {quote_name(table.attributes[a])}, " for a in places)
    with table.marked(places, {"class_size": row_sizes(table, places)}) as rows, whole_file(target) as temporary:
        table.engine.write(
            f"SELECT r.record, {cells}m.class_size, 1 / m.class_size AS risk FROM {rows} ORDER BY r.record", temporary
        )
    return table.reading.rows


@checked
@keeps_inputs()
def write_moved_records(derived: Derived, known: Sequence[str] | None, path: str | Path) -> int:
    """Write every record's risk in a table and in a derived table, and the difference, to a CSV or Parquet file.

    Added records come last and have no risk before. Returns the number of records.
    """
    table, made = derived.origin, derived.table
    places = table.positions(list(known) if known is not None else table.attributes)
    target = Path(path)
    check_table_ending(target)
    with (
        table.marked(places, {"class_size": row_sizes(table, places)}) as rows,
        made.marked(places, {"class_size": row_sizes(made, places)}) as later,
        whole_file(target) as temporary,
    ):
        table.engine.write(_moved_query(table, places, rows, later), temporary)
    return made.reading.rows


def _moved_query(table: Table, places: Sequence[int], rows: str, later: str) -> str:
    """Return a query of the risk of every record before and after; values are those before, of added records after."""
    columns = "".join(f", r.a{a}" for a in places)
    cells = "".join(
        f"CASE WHEN old.record IS NULL THEN new.a{a} ELSE old.a{a} END AS {quote_name(table.attributes[a])}, "
        for a in places
    )
    return (
        f"SELECT new.record, {cells}old.class_size, 1 / old.class_size AS risk, "
        "new.class_size AS class_size_after, 1 / new.class_size AS risk_after, "
        "1 / new.class_size - 1 / old.class_size AS risk_difference "
        f"FROM (SELECT r.record{columns}, m.class_size FROM {later}) AS new "
        f"LEFT JOIN (SELECT r.record{columns}, m.class_size FROM {rows}) AS old ON old.record = new.record "
        "ORDER BY new.record"
    )
