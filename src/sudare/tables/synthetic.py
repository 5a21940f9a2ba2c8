"""Synthetic tables of people, the member list of a shop, for experiments and benchmarks.

Every distribution is invented; they are skewed and depend on each other as those of real people do, so that most
records are common on each attribute alone and rare on several together.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from sudare.arguments import checked
from sudare.engine import quote_text, scratch_engine
from sudare.errors import OptionNotUsable
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass
from sudare.sources.result_folders import made_for
from sudare.sources.writing import check_distinct, check_table_ending, whole_file
from sudare.statistics.random_streams import ENGINE_MEMORY
from sudare.tables.hierarchies.files import check_hierarchy_files, hierarchy_paths
from sudare.tables.hierarchies.model import Hierarchy, fill_hierarchy_file, make_hierarchy
from sudare.tables.synthetic_members import (
    ATTRIBUTES,
    EDUCATIONS,
    FAVOURITES,
    FIRST_YEAR,
    HOUSEHOLD_GROUPS,
    INCOMES,
    LAST_YEAR,
    OCCUPATIONS,
    OLDEST,
    REGIONS,
    SENSITIVE,
    SEXES,
    YOUNGEST,
    Chunk,
    make_columns,
)

RECORDS_PER_CHUNK = 250_000


@dataclass(frozen=True, slots=True)
class GeneratedTable(Result):
    """A generated table: its file, its hierarchies, and its contents."""

    path: Path
    records: int
    attributes: tuple[str, ...]
    sensitive: str
    hierarchies: tuple[Path, ...]
    seed: int


@checked
def generate_table(
    out: str | Path,
    *,
    records: int = 2_000,
    seed: int = 0,
    hierarchies: str | Path | None = None,
    overwrite: bool = False,
    progress: Progress = silent,
) -> GeneratedTable:
    """Write a synthetic member list to a .csv or .parquet file; the same options give the same bytes.

    With `hierarchies`, a folder, it also writes a generalization hierarchy for every attribute except the favourite
    category. Existing hierarchy files are an error unless `overwrite` is set. Either all files are written or none.
    """
    path = Path(out)
    check_table_ending(path)
    if records < 1:
        raise OptionNotUsable("errors.generated.records", records=records)
    files: list[Path] = []
    with ExitStack() as whole:
        temporary = whole.enter_context(whole_file(path))
        if hierarchies is not None:
            folder, made = Path(hierarchies), _hierarchies()
            check_hierarchy_files(folder, list(made), overwrite=overwrite)
            files += hierarchy_paths(folder, list(made)).values()
            check_distinct([path, *files])
            whole.enter_context(made_for(folder))
            for file, hierarchy in zip(files, made.values(), strict=True):
                fill_hierarchy_file(hierarchy, whole.enter_context(whole_file(file)))
        _write_records(temporary, records, seed, progress)
    return GeneratedTable(path, records, ATTRIBUTES, SENSITIVE, tuple(files), seed)


def _hierarchies() -> dict[str, Hierarchy]:
    return {name: make_hierarchy(name, dict(enumerate(rows, start=1))) for name, rows in hierarchy_rows().items()}


def _write_records(path: Path, records: int, seed: int, progress: Progress) -> None:
    # One thread: the order of the records and the bytes of a Parquet file then do not depend on the machine.
    with scratch_engine(memory=ENGINE_MEMORY, threads=1) as engine:
        engine.run(f"CREATE TEMP TABLE members ({', '.join(f'{name} SMALLINT' for name in ATTRIBUTES)})")
        for chunk in _chunks(seed, records):
            engine.attach("chunk", make_columns(chunk))
            engine.run("INSERT INTO members FROM chunk")
            progress(message("progress.making_records"), chunk.first + chunk.records, records)
        progress(message("progress.writing"), 0, records)
        engine.write(_members_query(), path)
        progress(message("progress.writing"), records, records)


def _chunks(seed: int, records: int) -> Iterator[Chunk]:
    for first in range(0, records, RECORDS_PER_CHUNK):
        yield Chunk(seed, first, min(RECORDS_PER_CHUNK, records - first))


def _members_query() -> str:
    texts = {
        "sex": SEXES,
        "prefecture": [name for _, prefectures in REGIONS.values() for name in prefectures],
        "occupation": list(OCCUPATIONS),
        "education": list(EDUCATIONS),
        "income": list(INCOMES),
        "joined": _months(),
        "favourite": list(FAVOURITES),
    }
    # The place 0 of a list is null.
    cells = {name: f"[{', '.join(quote_text(text) for text in words)}][{name}]" for name, words in texts.items()}
    return f"SELECT {', '.join(f'{cells.get(name, name)} AS {name}' for name in ATTRIBUTES)} FROM members"


def _months() -> list[str]:
    return [f"{year}-{month:02}" for year in range(FIRST_YEAR, LAST_YEAR + 1) for month in range(1, 13)]


def hierarchy_rows() -> dict[str, list[tuple[str, ...]]]:
    """Return what each value of each attribute but the sensitive one becomes, level by level."""
    return {
        "sex": [(sex, "*") for sex in SEXES],
        "age": [(str(age), *_age_groups(age), "*") for age in range(YOUNGEST, OLDEST + 1)],
        "prefecture": [
            (name, region, half, "*") for region, (half, names) in REGIONS.items() for name in names
        ],
        "occupation": [(name, entry[0], "*") for name, entry in OCCUPATIONS.items()],
        "household": [(str(people), *groups, "*") for people, groups in enumerate(HOUSEHOLD_GROUPS, start=1)],
        "education": [(name, entry[0], "*") for name, entry in EDUCATIONS.items()],
        "income": [(name, *groups, "*") for name, groups in INCOMES.items()],
        "joined": [(month, *_month_groups(month), "*") for month in _months()],
    }  # fmt: skip


def _age_groups(age: int) -> tuple[str, str, str]:
    five, ten = age // 5 * 5, age // 10 * 10
    stage = "under 40" if age < 40 else "40-59" if age < 60 else "60 and over"
    return f"{five}-{five + 4}", f"{ten}-{ten + 9}", stage


def _month_groups(month: str) -> tuple[str, str, str]:
    year, number = int(month[:4]), int(month[5:])
    five = year // 5 * 5
    return f"{year}-Q{(number + 2) // 3}", str(year), f"{five}-{five + 4}"
