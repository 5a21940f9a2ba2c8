"""The levels of generalization that make a table safe with the least loss.

Algorithm 7 of "Risk analysis of k-anonymized personal data by attack simulation", with a share of records that may be
suppressed, and without its trial of every combination: see `sudare.anonymize.level_search`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from sudare.anonymize.level_search import LOSSES, Levels, Search
from sudare.anonymize.match_levels import MatchSearch
from sudare.data.generalized import generalize_table
from sudare.data.hierarchy import Hierarchy, hierarchy_from
from sudare.data.table import Table
from sudare.data.writing import whole_file
from sudare.engine import quote_name
from sudare.errors import OptionNotUsable
from sudare.progress import Progress, silent
from sudare.risk.partitions import safe_rows
from sudare.risk.rows import table_rows
from sudare.risk.subsets import class_size_within

# Two bytes a node, and hours of work: beyond this the question is too large.
MOST_NODES = 50_000_000


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
    plain = table_rows(table, table.positions(chosen)).plain
    search = (Search if plain else MatchSearch)(table, hierarchies, chosen, size=size, allowed=allowed, loss=loss)
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


def find_levels_from(
    table: Table, hierarchies: Mapping[str, Hierarchy], levels: Mapping[str, int], **options: Any
) -> LevelsFound:
    """Find levels, as `find_levels` does, for a table whose values are at some levels already; none goes below them."""
    above = {name: hierarchy_from(hierarchy, levels.get(name, 0)) for name, hierarchy in hierarchies.items()}
    found = find_levels(table, above, **options)

    def renamed(at: Levels) -> Levels:
        return {name: level + levels.get(name, 0) for name, level in at.items()}

    return replace(
        found,
        highest=renamed(found.highest),
        minimal=tuple(map(renamed, found.minimal)),
        best=None if found.best is None else renamed(found.best),
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
    with generalize_table(table, hierarchies, found.best).table as general:
        write_safe_records(general, found.known, found.k, path)


def write_safe_records(table: Table, known: Sequence[str], k: int, path: str | Path) -> int:
    """Write the records of which at least `k` are alike on what is known, in their order; return how many are not.

    Weights are written too, persons are not.
    """
    places = table.positions(known)
    kept = safe_rows(table_rows(table, places), k)
    names = {f"a{a}": name for a, name in enumerate(table.attributes)}
    if table.weight:
        names["weight"] = table.weight
    cells = ", ".join(f"r.{column} AS {quote_name(name)}" for column, name in names.items())
    with table.marked(places, {"kept": kept}) as rows, whole_file(Path(path)) as temporary:
        table.engine.write(f"SELECT {cells} FROM {rows} WHERE m.kept ORDER BY r.record", temporary)
    return int(table.counts[~kept].sum())
