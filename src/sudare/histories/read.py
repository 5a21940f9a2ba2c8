"""Reading purchase histories from files, relations and dataframes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from sudare.arguments import checked
from sudare.engine import Engine, engine_to_keep
from sudare.histories.model import History
from sudare.messages import Language
from sudare.progress import Progress, silent
from sudare.sources.purchases.load import PurchaseForm, load_purchases


@checked
def read_history(
    source: object,
    *,
    columns: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    table: str | None = None,
    date_format: str | None = None,
    time_zone: str | None = None,
    missing_values: Mapping[str, Sequence[str]] | None = None,
    bad_rows: Literal["refuse", "drop"] = "refuse",
    rejects: str | Path | None = None,
    language: Language = "en",
    engine: Engine | None = None,
    progress: Progress = silent,
) -> History:
    """Read a purchase history from a CSV, Parquet, Excel, SQLite or DuckDB file, a dataframe, or exact cells.

    Files may be compressed, a pattern such as "2011-*.csv" stands for all matching files, and "-" for standard input.
    `sheet` selects a sheet of an Excel file, `table` a table of a database.

    Columns are found by name (English, Japanese and UCI names) unless `columns` maps roles to columns; a headerless
    file of five or seven columns is read in the contest formats. Customer, day and item are required; time, price and
    quantity are optional, and a missing value counts as a value of its own. `missing_values` lists further values that
    mean "missing" for a role (role -> values). Cells are normalized to Unicode NFKC and stripped of surrounding blanks;
    the result's `reading` says where this merged several spellings. Timestamps with a time zone are converted to days
    in `time_zone` (None: UTC for timestamp columns, the time as written for text).

    Bad rows raise `BadRows`, which shows one example per reason, or are dropped and counted in `reading`. Either way,
    `rejects` names a CSV file that receives all of them unchanged, with row, column and reason in `language`.
    """
    if not isinstance(source, str | Path) and (found := _of_cells(source, engine)) is not None:
        return found
    options = PurchaseForm(
        delimiter=delimiter, header=header, encoding=encoding, sheet=sheet, table=table, time_zone=time_zone,
        columns=columns or {}, date_format=date_format, missing_values=missing_values or {}, bad_rows=bad_rows,
        rejects=rejects, language=language,
    )  # fmt: skip
    with engine_to_keep(engine, source) as (place, own):
        history = load_purchases(source, options, History, engine=place, own_engine=own, progress=progress)
        history._source, history._form = source, options
        return history


def _of_cells(source: object, engine: Engine | None) -> History | None:
    """Return the history of exact cells, None for other sources; files do not wait for the cell modules to load."""
    from sudare.histories.generalized.model import CellHistory
    from sudare.histories.generalized.purchases import purchases_of_cells

    return purchases_of_cells(source, engine=engine) if isinstance(source, CellHistory) else None
