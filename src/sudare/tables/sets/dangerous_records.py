"""The single records whose risk a set of attributes raises.

Risk analysis of k-anonymized personal data by attack simulation, Algorithm 5, line 15.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.engine import quote_text
from sudare.errors import OptionNotUsable
from sudare.results import Result
from sudare.showing import dataclass
from sudare.sources.writing import check_table_ending, keeps_inputs, whole_file
from sudare.statistics.distinct import Counts, first_rows, number_rows, sum_by
from sudare.tables.derived import Derived
from sudare.tables.model import Table
from sudare.tables.sets.attribute_sets import row_sizes
from sudare.tables.sets.dangerous import check_factor
from sudare.tables.sets.dangerous_gains import alone_sizes
from sudare.tables.sets.what_if import sizes_in


@dataclass(frozen=True, slots=True)
class DangerousRecords(Result):
    """Records with the same values of some attributes, and how much these together raise their risk."""

    _further = ("risk",)

    values: dict[str, str | None]
    records: int
    size: int
    factor: float

    @property
    def risk(self) -> float:
        """The probability of picking the right record among the `size` records with these values."""
        return 1 / self.size


@checked
def dangerous_records(table: Table, attributes: Sequence[str], factor: float) -> tuple[DangerousRecords, ...]:
    """Return the records whose risk the attributes together raise by more than the factor, largest rise first.

    Records that are equal on the attributes share one entry.
    """
    check_factor(factor)
    positions = _positions(table, attributes)
    numbers, found = number_rows(table.codes[positions])
    firsts = first_rows(numbers, found)
    records = sum_by(numbers, table.counts, found)
    sizes, alone = row_sizes(table, positions)[firsts], alone_sizes(table)
    gains = np.max([alone[a, table.codes[a, firsts]] for a in positions], axis=0) / sizes
    order = [int(c) for c in np.argsort(-gains, kind="stable") if gains[c] > factor]
    return tuple(
        DangerousRecords(
            {table.attributes[a]: table.values[a][table.codes[a, firsts[c]]] for a in positions},
            int(records[c]),
            int(sizes[c]),
            float(gains[c]),
        )
        for c in order
    )


def _positions(table: Table, attributes: Sequence[str]) -> list[int]:
    positions = table.positions(attributes)
    if len(set(positions)) < 2:
        raise OptionNotUsable("errors.sets.two_attributes")
    return positions


@checked
@keeps_inputs()
def write_dangerous_records(table: Table, sets: Sequence[Sequence[str]], factor: float, path: str | Path) -> None:
    """Write the records whose risk some attribute sets raise by more than the factor to a CSV or Parquet file.

    Each line is a set and a record: the record number, its class size, its risk and the rise.
    """
    _write(table, None, sets, factor, path)


@checked
@keeps_inputs()
def write_moved_rises(derived: Derived, sets: Sequence[Sequence[str]], factor: float, path: str | Path) -> None:
    """Write what `write_dangerous_records` writes, the same values in a derived table, and the differences.

    The file contains the records of the first table that are above the factor in either table.
    """
    _write(derived.origin, derived, sets, factor, path)


def _write(
    table: Table, derived: Derived | None, sets: Sequence[Sequence[str]], factor: float, path: str | Path
) -> None:
    check_factor(factor)
    target = Path(path)
    check_table_ending(target)
    columns = ["attributes", "record", "class_size", "risk", "rise"]
    if derived:
        columns += ["class_size_after", "risk_after", "rise_after"]
    with ExitStack() as opened, whole_file(target) as temporary:
        parts = [_records_query(table, place, names, factor, derived, opened) for place, names in enumerate(sets)]
        rest = ", ".join(columns)
        moved = ", risk_after - risk AS risk_difference, rise_after - rise AS rise_difference" if derived else ""
        empty = f"SELECT 0 AS place, {', '.join(f'0 AS {column}' for column in columns)} WHERE false"
        table.engine.write(
            f"SELECT {rest}{moved} FROM ({' UNION ALL '.join(parts) or empty}) AS u ORDER BY place, record", temporary
        )


def _records_query(
    table: Table, place: int, names: Sequence[str], factor: float, derived: Derived | None, opened: ExitStack
) -> str:
    """Return a query of the records that a set endangers; what it needs is on the engine while `opened` is."""
    positions = _positions(table, names)
    sizes, rises = _rises(row_sizes(table, positions), [row_sizes(table, [a]) for a in positions])
    marks: dict[str, NDArray[Any]] = {"class_size": sizes, "rise": rises}
    above, after = f"m.rise > {factor!r}", ""
    if derived:
        later, raised = _rises(sizes_in(derived, positions), [sizes_in(derived, [a]) for a in positions])
        marks |= {"class_size_after": later, "rise_after": raised}
        above += f" OR m.rise_after > {factor!r}"
        after = ", m.class_size_after, 1 / m.class_size_after AS risk_after, m.rise_after"
    rows = opened.enter_context(table.marked(positions, marks))
    shown = f"{place} AS place, {quote_text(' + '.join(names))} AS attributes, r.record"
    risks = f"m.class_size, 1 / m.class_size AS risk, m.rise{after}"
    return f"SELECT {shown}, {risks} FROM {rows} WHERE {above}"


def _rises(sizes: Counts, alone: Sequence[Counts]) -> tuple[Counts, NDArray[np.float64]]:
    return sizes, np.max(alone, axis=0) / sizes


__all__ = ["DangerousRecords", "dangerous_records", "write_dangerous_records", "write_moved_rises"]
