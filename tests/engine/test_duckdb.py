from pathlib import Path

import numpy as np
import pytest

from sudare.engine import DuckDBEngine, quote_name, quote_text
from sudare.errors import MemoryNotEnough, OptionNotUsable


def test_names_and_texts_are_quoted(engine: DuckDBEngine) -> None:
    name, text = 'a "b" c', "it's; DROP TABLE x --"
    assert engine.rows(f"SELECT {quote_text(text)} AS {quote_name(name)}") == [(text,)]
    assert list(engine.describe(f"(SELECT 1 AS {quote_name(name)})")) == [name]


def test_arrays_become_a_table(engine: DuckDBEngine) -> None:
    engine.attach_columns("arrays", {"n": np.array([1, 2, 3]), "x": np.array([0.5, 1.5, 2.5])})
    assert engine.rows("SELECT sum(n), sum(x) FROM arrays") == [(6, 4.5)]
    assert engine.columns("SELECT n FROM arrays ORDER BY n")["n"].tolist() == [1, 2, 3]


def test_work_beyond_the_memory_is_spilled() -> None:
    with DuckDBEngine(memory="200MB", threads=1) as engine:
        # Grouping five million distinct texts takes more than 200 MB.
        engine.run("CREATE TEMP TABLE many AS SELECT hash(range)::VARCHAR AS h FROM range(5000000)")
        assert engine.rows("SELECT count(*) FROM (SELECT h FROM many GROUP BY h)") == [(5000000,)]


def test_work_that_cannot_be_spilled_says_how_to_allow_more() -> None:
    with DuckDBEngine(memory="30MB", threads=1) as engine, pytest.raises(MemoryNotEnough, match="--memory"):
        engine.rows("SELECT list(range ORDER BY hash(range)) FROM range(20000000)")


@pytest.mark.parametrize("options", [{"memory": "plenty"}, {"threads": 0}])
def test_unusable_settings_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(OptionNotUsable, match="2GB"):
        DuckDBEngine(**options)  # type: ignore[arg-type]


def test_settings_are_locked_and_nothing_is_downloaded(engine: DuckDBEngine) -> None:
    with pytest.raises(Exception, match="locked"):
        engine.run("SET memory_limit = '10GB'")
    with pytest.raises(Exception, match=r"(?i)extension|not found|catalog"):
        engine.rows("SELECT * FROM read_xlsx('x.xlsx')")


def test_temporary_files_are_removed_on_closing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    engine = DuckDBEngine()
    assert len(list(tmp_path.iterdir())) == 1
    engine.close()
    assert list(tmp_path.iterdir()) == []
