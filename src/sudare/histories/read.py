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

    Files may be compressed, a pattern such as "2011-*.csv" stands for all files that match, and "-" for standard input.
    `sheet` chooses a sheet of an Excel file, `table` a table of a database.
    Columns are found by their names (English, Japanese, UCI's) unless `columns` gives them (role -> column); a
    headerless file of five or seven columns is read as the contests' formats. Customer, day and item must not be
    missing; time, price and quantity may be, and a missing value is then a value of its own. `missing_values` names
    further values that mean "missing" in a column (role -> values). Cells are taken in Unicode's form NFKC, without
    blanks at their ends, and the result's `reading` says where that made one name of several. Moments with a time zone
    become days by the clock of `time_zone` (None: UTC for columns of such moments, the clock as written for text). Bad
    rows are refused (`BadRows` shows one example for each reason) or dropped and counted in the `reading`; either way
    `rejects` names a CSV file for all of them, as they were, with row, column and reason in a `language`.
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
    """Return the history of exact cells, None for other sources; files do not wait for what knows cells to load."""
    from sudare.histories.generalized.model import CellHistory
    from sudare.histories.generalized.purchases import purchases_of_cells

    return purchases_of_cells(source, engine=engine) if isinstance(source, CellHistory) else None
