"""The public surface: complete, sorted, documented, and cheap to import."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import sudare
from sudare import errors
from tests.public import PACKAGES, public

HEAVY = ["duckdb", "numpy", "pyspark", "fastapi", "sqlalchemy", "vl_convert", "jinja2", "narwhals", "rich", "typer"]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_all_is_sorted_and_loads(package: ModuleType) -> None:
    assert package.__all__ == sorted(set(package.__all__)) == dir(package)
    for name in package.__all__:
        assert getattr(package, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'asess_attackers'"):
        _ = package.asess_attackers


def test_the_top_has_the_readers_the_nouns_and_every_error() -> None:
    assert len(sudare.__all__) <= 40
    raised = {
        name for name, found in vars(errors).items() if inspect.isclass(found) and issubclass(found, errors.SudareError)
    }
    assert raised | {"History", "Table", "Baskets", "read_history", "read_table", "read_baskets"} <= set(sudare.__all__)


def test_every_public_thing_is_documented() -> None:
    for name, found in public().items():
        if inspect.isclass(found) or inspect.isfunction(found):
            assert (found.__doc__ or "").strip(), name


USES = """
import sudare

sudare.histories.assess_attackers(sudare.read_history("purchases.csv"), seed=1)
sudare.asess_attackers()
sudare.histories.asess_attackers()
sudare.histories.assess_attackers(sudare.read_history("purchases.csv"), nonsense=1)
sudare.contest.Matchings()
"""


@pytest.mark.slow
def test_a_type_checker_refuses_unknown_names_and_arguments(tmp_path: Path) -> None:
    (tmp_path / "uses.py").write_text(USES)
    command = [sys.executable, "-m", "mypy", "--config-file=", "--follow-imports=silent", "--ignore-missing-imports"]
    done = subprocess.run([*command, "uses.py"], cwd=tmp_path, capture_output=True, text=True)
    refused = {int(line.split(":")[1]): line for line in done.stdout.splitlines() if ": error:" in line}
    assert list(refused) == [5, 6, 7, 8], done.stdout
    assert "asess_attackers" in refused[5]
    assert "nonsense" in refused[7]


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
    toy = "sudare.DuckDBEngine().close(); sudare.histories.assess_attackers; sudare.read_history"
    assert loaded_by(f"import sudare; {toy}") & {"pyspark", "fastapi", "sqlalchemy", "vl_convert"} == set()


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_no_name_is_that_of_a_module_beside_it(package: ModuleType) -> None:
    """Once the module is imported, it would stand where the name was."""
    rooms = {path.stem for path in Path(str(package.__file__)).parent.iterdir()}
    modules = {name for name in package.__all__ if isinstance(getattr(package, name), ModuleType)}
    assert rooms & set(package.__all__) == modules
