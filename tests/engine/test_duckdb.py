from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sudare
from sudare.engine import DuckDBEngine, quote_name, quote_text
from sudare.errors import MemoryNotEnough, OptionNotUsable
from tests.engine.looking import rows_of


def test_names_and_texts_are_quoted(engine: DuckDBEngine) -> None:
    name, text = 'a "b" c', "it's; DROP TABLE x --"
    assert rows_of(engine, f"SELECT {quote_text(text)} AS {quote_name(name)}") == [(text,)]
    assert list(engine.describe(f"(SELECT 1 AS {quote_name(name)})")) == [name]


def test_arrays_become_a_table(engine: DuckDBEngine) -> None:
    engine.attach("arrays", {"n": np.array([1, 2, 3]), "x": np.array([0.5, 1.5, 2.5])})
    assert rows_of(engine, "SELECT sum(n), sum(x) FROM arrays") == [(6, 4.5)]
    assert engine.people_columns("SELECT n FROM arrays ORDER BY n", "rows")["n"].tolist() == [1, 2, 3]


@pytest.mark.slow
def test_work_beyond_the_memory_is_spilled() -> None:
    with DuckDBEngine(memory="200MB", threads=1) as engine:
        # Grouping five million distinct texts takes more than 200 MB.
        engine.run("CREATE TEMP TABLE many AS SELECT hash(range)::VARCHAR AS h FROM range(5000000)")
        assert rows_of(engine, "SELECT count(*) FROM (SELECT h FROM many GROUP BY h)") == [(5000000,)]


def test_work_that_cannot_be_spilled_says_how_to_allow_more() -> None:
    with DuckDBEngine(memory="30MB", threads=1) as engine, pytest.raises(MemoryNotEnough, match="memory="):
        rows_of(engine, "SELECT list(range ORDER BY hash(range)) FROM range(20000000)")


def test_what_does_not_fit_lies_in_the_given_folder_until_the_end(tmp_path: Path) -> None:
    with DuckDBEngine(memory="60MB", threads=1, spill=tmp_path) as engine:
        # About 240 MB, four times the limit.
        engine.keep(
            "wide",
            "SELECT range AS n, hash(range) AS a, hash(range + 1) AS b, hash(range + 2) AS c FROM range(7500000)",
        )
        assert rows_of(engine, "SELECT count(*), max(n) FROM wide") == [(7500000, 7499999)]
        assert sum(file.stat().st_size for file in tmp_path.rglob("*") if file.is_file()) > 60_000_000
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_attackers_are_the_same_in_far_less_memory_than_the_data_take(tmp_path: Path) -> None:
    path, spill = tmp_path / "many.parquet", tmp_path / "spill"
    spill.mkdir()
    with DuckDBEngine() as engine:
        engine.write(
            "SELECT 'c' || hash(range) % 20000 AS customer, 'i' || hash(range + 2) % 3000 AS item, "
            "DATE '2024-01-01' + CAST(hash(range + 1) % 300 AS INTEGER) AS day FROM range(1000000)",
            path,
        )
    spilled = 0

    def look(*_: object) -> None:
        nonlocal spilled
        spilled = max(spilled, sum(file.stat().st_size for file in spill.rglob("*") if file.is_file()))

    def measured(**options: Any) -> list[float]:
        with DuckDBEngine(threads=1, spill=spill, **options) as engine, sudare.read_history(path, engine=engine) as log:
            return [risk.measured for risk in sudare.histories.assess_attackers(log, progress=look).attackers]

    plenty = measured()
    assert spilled == 0
    assert measured(memory="30MB") == plenty
    assert spilled > 60_000_000


def test_a_spill_folder_that_cannot_be_used_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionNotUsable, match=r"(?s)no-such.*spill must be"):
        DuckDBEngine(spill=tmp_path / "no-such")


def test_a_smallest_count_below_one_is_refused() -> None:
    with pytest.raises(OptionNotUsable, match="min_cell=5"):
        DuckDBEngine(min_cell=0)


def test_a_kept_table_takes_the_place_of_another_and_can_be_dropped(engine: DuckDBEngine) -> None:
    engine.keep("kept_once", "SELECT 1 AS n")
    engine.keep("kept_once", "SELECT 2 AS n")
    assert rows_of(engine, "SELECT n FROM kept_once") == [(2,)]
    engine.drop("kept_once", "never_there")
    with pytest.raises(Exception, match="kept_once"):
        rows_of(engine, "SELECT n FROM kept_once")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"memory": "plenty"}, "2GB"),
        ({"threads": 0}, "threads must be between 1 and 1024"),
        ({"threads": 2**40}, "threads must be between 1 and 1024"),
    ],
)
def test_unusable_settings_are_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises(OptionNotUsable, match=said):
        DuckDBEngine(**options)  # type: ignore[arg-type]


def test_settings_are_locked_and_nothing_is_downloaded(engine: DuckDBEngine) -> None:
    with pytest.raises(Exception, match="locked"):
        engine.run("SET memory_limit = '10GB'")
    with pytest.raises(Exception, match=r"(?i)extension|not found|catalog"):
        rows_of(engine, "SELECT * FROM read_xlsx('x.xlsx')")


def test_temporary_files_are_removed_on_closing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    engine = DuckDBEngine()
    assert len(list(tmp_path.iterdir())) == 1
    engine.close()
    assert list(tmp_path.iterdir()) == []
