"""Writing a table at the levels found, and measuring the written file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.engine import quote_name
from sudare.errors import AnswerIsNo, OptionNotUsable, OutputNotWritable
from sudare.messages import Joined, message
from sudare.results import Result
from sudare.showing import dataclass
from sudare.sources.writing import check_table_ending, keeps_inputs, whole_file
from sudare.statistics.distinct import collapse
from sudare.tables.anonymize.levels import LevelsFound, kept_rows, most_suppressed, none_safe, placed
from sudare.tables.anonymize.search import Levels
from sudare.tables.classes.class_criteria import class_criteria
from sudare.tables.classes.partitions import safe_rows
from sudare.tables.classes.records import assess_records
from sudare.tables.classes.rows import table_rows
from sudare.tables.generalized import generalize_table
from sudare.tables.model import Table


@dataclass(frozen=True, slots=True)
class WrittenLevels(Result):
    """The contents of a written generalized table, and its risk, measured on the file as read back.

    `columns` are written, `kept` of them unchanged because it was asked for; sensitive ones are unchanged too.
    `left_out` are source columns that are not. Where the table has a `weight`, that column is written too, and a row
    can stand for many records. The risk is for an attacker who knows every column of the file that is not sensitive.
    Class sizes count persons where the table has a person column, although the file does not contain it. The file is at
    `levels`, for which `suppressed` records were left out.
    """

    path: str
    columns: tuple[str, ...]
    weight: str | None
    kept: tuple[str, ...]
    left_out: tuple[str, ...]
    rows: int
    records: int
    uniques: int
    max_risk: float
    mean_risk: float
    levels: Levels
    suppressed: int


@checked
@keeps_inputs()
def write_levels(
    found: LevelsFound, path: str | Path, *, keep: Sequence[str] = (), levels: Mapping[str, int] | None = None
) -> WrittenLevels:
    """Write the table at the best levels found, or at other safe levels, as CSV or Parquet, and measure the file.

    Only what was made safe is written: the known attributes and, unchanged, the sensitive ones, without the suppressed
    records. Rows are sorted by their written values, since the record order could reveal what was left out. `keep`
    names further attributes to write unchanged; the limit then need not hold for the whole file. The person column is
    never written; in a table with weights, records that have become equal share one row. The file is read back before
    it gets its name: a file that differs or breaks the limit or the criteria is never left behind. Known attributes
    that `levels` does not name stay unchanged. Levels that are not safe are refused.
    """
    check_table_ending(Path(path))
    if found.best is None:
        raise none_safe(found)
    _check_keep(found, keep)
    at = found.best if levels is None else _whole_levels(found, levels)
    columns = [name for name in found.table.attributes if name in (*found.known, *found.sensitive, *keep)]
    with generalize_table(found.table, found.hierarchies, at).table as general:
        kept = kept_rows(found, general)
        suppressed = int(general.counts[~kept].sum())
        _check_safe(found, suppressed)
        meant = _part(general, columns, kept)
        with whole_file(Path(path)) as temporary:
            _write_rows(general, columns, found.known, kept, temporary)
            written = _read_back(temporary, meant)
            risk = assess_records(written, [name for name in columns if name not in found.sensitive])
            if (not keep and risk.max_risk > found.limit) or not _satisfies(found, written):
                raise RuntimeError(f"What was to be written to {path} breaks the limit; it was removed")
    weight, every = found.table.weight, (*found.table.attributes, *found.table.reading.others)
    return WrittenLevels(
        path=str(path),
        columns=tuple(columns),
        weight=weight,
        kept=tuple(name for name in keep if name not in found.sensitive),
        left_out=tuple(name for name in every if name not in (*columns, weight)),
        rows=len(_contents(meant)) if weight else risk.records,
        records=risk.records,
        uniques=risk.uniques,
        max_risk=risk.max_risk,
        mean_risk=risk.mean_risk,
        levels=at,
        suppressed=suppressed,
    )


def _whole_levels(found: LevelsFound, levels: Mapping[str, int]) -> Levels:
    """Check levels that were asked for, and return them with those of the other known attributes."""
    for name, level in levels.items():
        if not 0 <= level <= found.highest.get(name, -1):
            ranges = [message("errors.levels.range", attribute=a, highest=most) for a, most in found.highest.items()]
            raise OptionNotUsable("errors.levels.unknown", attribute=name, level=level, levels=Joined(ranges, "comma"))
    return {name: levels.get(name, 0) for name in found.known}


def _check_safe(found: LevelsFound, suppressed: int) -> None:
    allowed = most_suppressed(found.suppress, found.records)
    if suppressed > allowed:
        if found.criteria.looks_at_values:
            raise AnswerIsNo("errors.criteria.not_safe", count=suppressed, allowed=allowed)
        raise AnswerIsNo("errors.levels.not_safe", count=suppressed, limit=found.limit, allowed=allowed)


def _check_keep(found: LevelsFound, keep: Sequence[str]) -> None:
    found.table.positions(keep)
    for name in keep:
        if name in found.known:
            raise OptionNotUsable("errors.levels.kept_known", attribute=name)
        if list(keep).count(name) > 1:
            raise OptionNotUsable("errors.levels.kept_twice", attribute=name)


def _part(general: Table, columns: Sequence[str], kept: NDArray[np.bool_]) -> Table:
    """Return some columns of some distinct rows of a table."""
    places = general.positions(columns)
    stacked = [general.codes[places], *([] if general.persons is None else [general.persons[None, :]])]
    rows, counts = collapse(np.ascontiguousarray(np.vstack(stacked)[:, kept]), general.counts[kept])
    return replace(
        general,
        attributes=tuple(columns),
        codes=np.ascontiguousarray(rows[: len(places)]),
        counts=counts,
        values=tuple(general.values[place] for place in places),
        persons=None if general.persons is None else rows[-1],
    )


def _write_rows(
    general: Table, columns: Sequence[str], known: Sequence[str], kept: NDArray[np.bool_], path: Path
) -> None:
    names = {f"r.a{place}": name for name, place in placed(general, columns)}
    cells = ", ".join(f"{column} AS {quote_name(name)}" for column, name in names.items())
    keys = ", ".join(names)
    order = f"ORDER BY {keys}"
    if general.weight:
        cells += f", CAST(sum(r.weight) AS BIGINT) AS {quote_name(general.weight)}"
        order = f"GROUP BY {keys} {order}"
    with general.marked(general.positions(known), {"kept": kept}) as rows:
        general.engine.write(f"SELECT {cells} FROM {rows} WHERE m.kept {order}", path)


def _read_back(path: Path, meant: Table) -> Table:
    """Read a file that was written, compare it with what was meant, and return it as a table."""
    written = _read_again(path, meant)
    if written != _contents(meant):
        raise OutputNotWritable("errors.levels.written_differs", ending=path.suffix)
    return _table_of(written, meant) if meant.persons is None else meant


def _satisfies(found: LevelsFound, written: Table) -> bool:
    """Return whether all classes of a written table satisfy the criteria about the sensitive values of the original."""
    values = class_criteria(found.criteria, found.table, found.sensitive, found.hierarchies)
    if values.trivial:
        return True
    places = written.positions(found.sensitive)
    codes = [
        np.asarray([column.values.index(value) for value in written.values[place]], np.int32)[written.codes[place]]
        for column, place in zip(values.columns, places, strict=True)
    ]
    return bool(safe_rows(table_rows(written, written.positions(found.known)), found.k, values.of_rows(codes)).all())


Contents = Counter[tuple[str | None, ...]]


def _read_again(path: Path, meant: Table) -> Contents:
    """Count the records with each combination of values in a file."""
    names = [*meant.attributes, *([meant.weight] if meant.weight else [])]
    source = (
        meant.engine.parquet(path)
        if path.suffix.lower() == ".parquet"
        else meant.engine.csv(path, columns=names, delimiter=",", header=True)
    )
    cells = [f"nullif({quote_name(name)}, '')" for name in meant.attributes]
    records = f"sum(CAST({quote_name(meant.weight)} AS BIGINT))" if meant.weight else "count(*)"
    keys = ", ".join(str(place) for place in range(1, len(cells) + 1))
    lines = f"SELECT {', '.join(cells)}, {records} FROM {source} GROUP BY {keys}"
    found = meant.engine.people(lines, message("errors.people.records"))
    return Counter({tuple(row[:-1]): int(row[-1]) for row in found})


def _contents(table: Table) -> Contents:
    """Count the records with each combination of values in a table."""
    cells = ([values[code] for code in codes] for values, codes in zip(table.values, table.codes.tolist(), strict=True))
    counted: Contents = Counter()
    for row, count in zip(zip(*cells, strict=True), table.counts.tolist(), strict=True):
        counted[row] += count
    return counted


def _table_of(contents: Contents, form: Table) -> Table:
    """Return a table with these records, in the form of another."""
    columns = list(zip(*contents, strict=True))
    values = [sorted(set(column), key=lambda text: (text is None, text)) for column in columns]
    numbers = [{text: number for number, text in enumerate(texts)} for texts in values]
    codes = [[held[text] for text in column] for held, column in zip(numbers, columns, strict=True)]
    counts = np.asarray(list(contents.values()), np.int64)
    return replace(form, codes=np.asarray(codes, np.int32), counts=counts, values=tuple(map(tuple, values)))
