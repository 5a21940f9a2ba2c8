"""The public surface: complete, sorted, documented, and cheap to import."""

from __future__ import annotations

import inspect
import subprocess
import sys

import sudare
from sudare import errors

HEAVY = ["duckdb", "numpy", "pyspark", "fastapi", "sqlalchemy", "vl_convert", "jinja2", "narwhals", "rich", "typer"]


def test_all_is_sorted_and_loads() -> None:
    """Constants first, then classes, then the rest, as the linter sorts them."""

    def place(name: str) -> tuple[int, str]:
        return (0 if name.isupper() else 1 if name[0].isupper() else 2), name

    assert sudare.__all__ == sorted(set(sudare.__all__), key=place)
    for name in sudare.__all__:
        assert getattr(sudare, name) is not None


def test_all_is_complete() -> None:
    homes = {name for names in sudare._HOMES.values() for name in names}
    assert set(sudare.__all__) == homes | {"__version__"}
    raised = {name for name, found in vars(errors).items() if inspect.isclass(found)}
    assert raised <= set(sudare.__all__)


def test_every_public_thing_is_documented() -> None:
    for name in sudare.__all__:
        found = getattr(sudare, name)
        if inspect.isclass(found) or inspect.isfunction(found):
            assert (found.__doc__ or "").strip(), name


def test_the_error_tree_is_drawn_in_full() -> None:
    for name, found in vars(errors).items():
        if inspect.isclass(found) and issubclass(found, Exception):
            assert name in (errors.__doc__ or "")


def loaded_by(code: str) -> set[str]:
    script = f"import sys; {code}; print(' '.join(m for m in {HEAVY!r} if m in sys.modules))"
    return set(
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    )


def test_importing_sudare_loads_nothing_heavy() -> None:
    assert loaded_by("import sudare") == set()


def test_the_command_line_starts_without_the_engines() -> None:
    assert loaded_by("import sudare.cli.app") <= {"typer", "rich"}


def test_using_the_library_loads_neither_spark_nor_the_web() -> None:
    toy = "sudare.DuckDBEngine().close(); sudare.assess_attackers; sudare.read_history"
    assert loaded_by(f"import sudare; {toy}") & {"pyspark", "fastapi", "sqlalchemy", "vl_convert"} == set()
