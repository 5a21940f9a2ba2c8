"""Publishing a recoded table: written, read again and checked before the file gets its name."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from sudare.arguments import checked
from sudare.errors import AnswerIsNo
from sudare.messages import Joined, Message, message
from sudare.results import Result
from sudare.showing import dataclass
from sudare.sources.writing import check_distinct, check_table_ending, keeps_inputs, whole_file
from sudare.tables.classes.closeness import default_distance
from sudare.tables.classes.criteria import Criteria, DistanceKind
from sudare.tables.hierarchies.model import Hierarchy
from sudare.tables.model import Table
from sudare.tables.recoded.check import CellsKind, CheckedProperty, TableCheck, check_key_file, check_recoded_file
from sudare.tables.recoded.model import RecodedTable
from sudare.tables.recoded.write import fill_key_file, fill_recoded_file, published_lines


@dataclass(frozen=True, slots=True)
class PublishedTable(Result):
    """A published table: what is in the file, and the check of the file as read again.

    `aligned` is the secret key, if it was written: it links the lines to the records of the source.
    """

    _optional = ("aligned",)

    path: str
    columns: tuple[str, ...]
    rows: int
    suppressed: int
    check: TableCheck
    aligned: str | None = None


@checked
@keeps_inputs()
def publish_recoded(
    found: RecodedTable,
    path: str | Path,
    *,
    criteria: Criteria,
    hierarchies: Mapping[str, Hierarchy],
    cells: CellsKind,
    seed: int,
    aligned: str | Path | None = None,
    population: Table | None = None,
) -> PublishedTable:
    """Write a recoded table as CSV or Parquet, read it again, and check that it is what was promised.

    A file that fails the check never gets its name: AnswerIsNo says what does not hold. `aligned` names a second file,
    to be kept secret, with the line of each record of the source; both are written, or none.
    """
    outputs = [Path(path), *([] if aligned is None else [Path(aligned)])]
    check_distinct(outputs)
    for output in outputs:
        check_table_ending(output)
    lines = published_lines(found, seed)
    with ExitStack() as files:
        # Files get their names in the reverse order: the secret key first, and then what may be handed on.
        written = files.enter_context(whole_file(Path(path)))
        fill_recoded_file(found, lines, written)
        checked_file = check_recoded_file(
            written, found.table, roles=found.roles, criteria=criteria, hierarchies=hierarchies, cells=cells,
            key=found.rows[lines], seed=seed, means=_means(found), distances=_distances(found, hierarchies),
            population=population,
        )  # fmt: skip
        if aligned is not None:
            secret = files.enter_context(whole_file(Path(aligned), private=True))
            fill_key_file(found, lines, secret, seed=seed)
            linked = check_key_file(secret, found.table, found.rows[lines])
            checked_file = replace(checked_file, checks=(*checked_file.checks, linked))
        _refuse_failed(checked_file, path)
    return PublishedTable(
        path=str(path),
        columns=found.roles.published,
        rows=len(lines),
        suppressed=found.table.records - len(lines),
        check=checked_file,
        aligned=None if aligned is None else str(aligned),
    )


def _means(found: RecodedTable) -> tuple[str, ...]:
    return tuple(column.attribute for column in found.columns if column.mean)


def _distances(found: RecodedTable, hierarchies: Mapping[str, Hierarchy]) -> dict[str, DistanceKind]:
    """Return how far the values of sensitive attributes are from each other, by the rule that t is defined with."""
    values = dict(zip(found.table.attributes, found.table.values, strict=True))
    return {
        name: "hierarchical" if name in hierarchies else default_distance(values[name])
        for name in found.roles.sensitive
    }


def _refuse_failed(check: TableCheck, path: str | Path) -> None:
    if not check.holds:
        failed = Joined([_said(part) for part in check.failed], "semicolon")
        raise AnswerIsNo("errors.recoded.check_failed", path=path, failed=failed)


def _said(part: CheckedProperty) -> Message:
    """Say which property of a file does not hold."""
    name = message(f"table_check.{part.name}")
    if part.attribute is not None:
        name = message("table_check.of_attribute", check=name, attribute=part.attribute)
    return message("table_check.failed", check=name, required=_shown(part.required), measured=_shown(part.measured))


def _shown(number: float) -> float:
    """Return a number as it is said: whole, or with few digits."""
    return int(number) if number == int(number) else round(number, 6)
