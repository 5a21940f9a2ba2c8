"""The levels of generalization that make a table safe with the least loss.

Algorithm 7 of "Risk analysis of k-anonymized personal data by attack simulation", with a share of records that may be
suppressed, and without its trial of every combination: see `sudare.anonymize.level_search`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from sudare.anonymize.level_search import LOSSES, Levels, Search
from sudare.data.hierarchy import Hierarchy
from sudare.data.table import Table
from sudare.data.writing import whole_file
from sudare.engine import quote_name
from sudare.errors import OptionNotUsable
from sudare.progress import Progress, silent
from sudare.risk.subsets import class_size_within

# Two bytes a node, and hours of work: beyond this the question is too large.
MOST_NODES = 50_000_000

_numbers = itertools.count(1)


@dataclass(frozen=True)
class LevelsFound:
    """The level vectors that make a table safe, and the one among them with the least loss.

    `minimal` are the safe vectors of which no attribute can go one level down. `best` and its numbers are None if not
    even the highest levels are safe. `evaluated` of the `nodes` level vectors were looked at, the others followed.
    """

    source: str
    known: tuple[str, ...]
    limit: float
    k: int
    suppress: float
    loss_name: str
    records: int
    nodes: int
    evaluated: int
    safe: int
    highest: Levels
    minimal: tuple[Levels, ...] = field(repr=False)
    best: Levels | None
    loss: float | None
    suppressed: int | None
    classes: int | None
    smallest: int | None

    @property
    def max_risk(self) -> float | None:
        """The highest risk of a record that is left: one divided by the smallest class."""
        return 1 / self.smallest if self.smallest else None

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {**asdict(self), "known": list(self.known), "minimal": list(self.minimal), "max_risk": self.max_risk}


def find_levels(
    table: Table,
    hierarchies: Mapping[str, Hierarchy],
    *,
    known: Sequence[str] | None = None,
    limit: float,
    suppress: float = 0.0,
    loss: str = "entropy",
    progress: Progress = silent,
) -> LevelsFound:
    """Find the levels of generalization at which no record has a risk above `limit`, and those with the least loss.

    The attacker knows the attributes `known` (None: all that have a hierarchy); one without a hierarchy has level 0
    only. At most the share `suppress` of the records, those in classes that are too small, may be left out. Ties go to
    the vector that suppresses fewer records.
    """
    chosen = _choose(table, hierarchies, known)
    size, allowed = class_size_within(limit), _most_suppressed(suppress, table.records)
    if loss not in LOSSES:
        raise OptionNotUsable(f"There is no loss {loss!r}.\nHint: {', '.join(LOSSES)}.")
    search = Search(table, hierarchies, chosen, size=size, allowed=allowed, loss=loss)
    search.run(progress)
    return LevelsFound(
        source=table.reading.source,
        known=tuple(chosen),
        limit=limit,
        k=size,
        suppress=suppress,
        loss_name=loss,
        records=table.records,
        **search.answer(),
    )


def _most_suppressed(share: float, records: int) -> int:
    if not 0 <= share < 1:
        raise OptionNotUsable(
            f"The share of records that may be suppressed is from 0 to below 1, not {share}.\nHint: 0.04 is 4 percent."
        )
    # As the share is written: 0.29 of 100 are 29, although 0.29 * 100 is a little less in binary.
    return math.floor(Fraction(repr(float(share))) * records)


def _choose(table: Table, hierarchies: Mapping[str, Hierarchy], known: Sequence[str] | None) -> list[str]:
    chosen = [name for name in table.attributes if name in hierarchies] if known is None else list(known)
    table.positions(chosen)
    if not chosen or len(set(chosen)) < len(chosen):
        raise OptionNotUsable(
            "No attribute is known to the attacker, or one is named twice.\n"
            f"Hint: name some of {', '.join(table.attributes)}, or give hierarchies."
        )
    nodes = math.prod(hierarchies[name].levels for name in chosen if name in hierarchies)
    if nodes > MOST_NODES:
        raise OptionNotUsable(
            f"The hierarchies allow {nodes:,} combinations of levels; {MOST_NODES:,} can be searched.\n"
            "Hint: name fewer known attributes, or leave out levels."
        )
    return chosen


def write_levels(table: Table, hierarchies: Mapping[str, Hierarchy], found: LevelsFound, path: str | Path) -> None:
    """Write the table at the best levels found as CSV or Parquet, in the order of its records.

    Records that are suppressed are left out; attributes at level 0 and those that are not known stay as they are.
    """
    if found.best is None:
        raise OptionNotUsable(
            f"No levels are safe: even at the highest ones more than {found.suppress:.2%} of the records "
            f"have a risk above {found.limit:g}.\n"
            "Hint: allow more suppression, a higher limit, or fewer known attributes."
        )
    with (
        apply_levels(table, hierarchies, found.best, known=found.known, k=found.k) as query,
        whole_file(Path(path)) as temporary,
    ):
        table.engine.write(query, temporary)


@contextmanager
def apply_levels(
    table: Table, hierarchies: Mapping[str, Hierarchy], levels: Mapping[str, int], *, known: Sequence[str], k: int = 1
) -> Iterator[str]:
    """Yield a query for the table at some levels, without the records of which fewer than `k` are equal on `known`.

    The query can be used within the block only: it reads tables that are dropped at its end.
    """
    prefix = f"{table.rows}_levels{next(_numbers)}_"
    raised = [name for name in table.attributes if levels.get(name)]
    for name in raised:
        if name not in hierarchies or not 0 <= levels[name] < hierarchies[name].levels:
            raise OptionNotUsable(
                f"There is no level {levels[name]} of {name!r}.\nHint: give a hierarchy that has it, or a lower level."
            )
    try:
        for number, name in enumerate(raised):
            values = table.values[table.positions([name])[0]]
            general = hierarchies[name].generalize(values, levels[name])
            columns = {"value": np.array(values, object), "general": np.array(general, object)}
            table.engine.attach_columns(f"{prefix}{number}", columns)
        yield _query(table, raised, prefix, known, k)
    finally:
        for number in range(len(raised)):
            table.engine.run(f"DROP TABLE IF EXISTS {prefix}{number}")


def _query(table: Table, raised: Sequence[str], prefix: str, known: Sequence[str], k: int) -> str:
    general = {name: f"g{number}.general" for number, name in enumerate(raised)}
    cells = {name: general.get(name, f"r.{quote_name(name)}") for name in table.attributes}
    joins = [
        f"JOIN {prefix}{number} AS g{number} ON g{number}.value IS NOT DISTINCT FROM r.{quote_name(name)}"
        for number, name in enumerate(raised)
    ]
    same = ", ".join(cells[name] for name in known)
    selected = ", ".join(f"{cell} AS {quote_name(name)}" for name, cell in cells.items())
    inner = (
        f"SELECT r.record AS record_number_, count(*) OVER (PARTITION BY {same}) AS class_records_, {selected} "
        f"FROM {table.rows} AS r {' '.join(joins)}"
    )
    names = ", ".join(quote_name(name) for name in table.attributes)
    return f"SELECT {names} FROM ({inner}) WHERE class_records_ >= {k} ORDER BY record_number_"
