"""What many tests use: the paper's toy history, and real data where they are at hand."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from math import inf
from pathlib import Path
from types import FunctionType
from typing import Any

import hypothesis
import polars
import pytest
import vl_convert
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

import sudare
from sudare.engine import DuckDBEngine
from sudare.histories.anonymize import choice as history_choice
from sudare.kernels import ahead, loading

# Table 5 of Ito, Kikuchi, Nakagawa: the toy history T_2.
TOY = """\
1,100,2010/12/1,8:45,パン,1.45,2
1,100,2010/12/1,8:45,本,3.75,1
1,200,2010/12/1,20:10,お茶,0.85,2
2,300,2010/12/1,10:03,パン,1.45,3
1,400,2010/12/2,15:07,お茶,0.85,3
3,500,2010/12/2,11:57,パン,1.45,4
3,500,2010/12/2,11:57,ジュース,1.25,4
3,600,2010/12/3,15:54,本,3.75,1
3,600,2010/12/3,15:54,お茶,0.85,10
3,600,2010/12/3,15:54,ジュース,1.45,10
"""

# The first call of a kernel compiles it; time never decides a test.
hypothesis.settings.register_profile("sudare", deadline=None)
hypothesis.settings.load_profile("sudare")

# What takes longest, begun first and in this order, so that no worker is left alone with it in the end.
LONG = (
    "tests/engine",
    "tests/web",
    "tests/test_public_arguments.py",
    "tests/cli",
    "tests/report",
    "tests/histories/anonymize",
)

# Fixtures and parameters of tests that start something: servers and their files, browsers, clusters, databases.
STARTING = {"browser", "cluster", "postgres", "postgresql", "running", "served", "server", "settings", "spark"}

# Tests that need long without starting anything by a fixture.
SLOW = ("tests/web/test_demo.py", "tests/web/http/test_faults.py")

# How `./dev test --quick` chooses tests, and the most examples that Hypothesis tries of each of them.
QUICK = "not slow"
QUICK_EXAMPLES = 5


class ByFile(LoadScopeScheduling):
    """Lets one worker do all tests of a file, and all that use a cluster, so that what they share is made once."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return "tests/engine" if file.startswith("tests/engine/") else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByFile:
    """Give tests to workers file by file, in the order in which they were collected."""
    config.option.loadscopereorder = False
    return ByFile(config, log)


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what starts something as slow, and begin with what takes long."""
    for item in items:
        if starts_something(item) or item.nodeid.startswith(SLOW):
            item.add_marker("slow")
        if config.option.markexpr == QUICK:
            try_fewer_examples(item)
    items.sort(key=lambda item: next((n for n, path in enumerate(LONG) if item.nodeid.startswith(path)), len(LONG)))


def try_fewer_examples(item: pytest.Item) -> None:
    """Limit the examples of a test of Hypothesis, whatever its own settings say: no profile overrules those."""
    test = getattr(item, "obj", None)
    if own := getattr(test, "_hypothesis_internal_use_settings", None):
        fewer = hypothesis.settings(own, max_examples=min(own.max_examples, QUICK_EXAMPLES))
        test._hypothesis_internal_use_settings = fewer  # type: ignore[union-attr]


def starts_something(item: pytest.Item) -> bool:
    """Say whether a test needs a server, a browser, a cluster or a database that runs apart."""
    parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
    given = {value for value in parameters if isinstance(value, str)}
    return bool(STARTING & set(getattr(item, "fixturenames", ())) or STARTING & given)


@pytest.fixture(scope="session", autouse=True)
def kernels_compiled_ahead() -> Iterator[None]:
    """Refuse a call of a kernel with kinds of arguments for which it is not compiled ahead."""
    known = {(f"sudare.kernels.{kernel}", given) for kernel, given in ahead.lines()}
    load = loading.load

    def load_listed(function: FunctionType, given: Any) -> Any:
        kernel = f"{function.__module__}.{function.__name__}"
        if kernel.startswith("sudare.") and (kernel, given) not in known:
            line = json.dumps([kernel.removeprefix("sudare.kernels."), given])
            raise AssertionError(f"not compiled ahead; add a line to {ahead.LIST.name}: {line}")
        return load(function, given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loading, "load", load_listed)
        yield


@pytest.fixture(autouse=True)
def solver_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Solve integer programs in this process: to start another takes far longer than the small programs of tests."""
    solve = history_choice._solve
    monkeypatch.setattr(history_choice, "_solve_apart", lambda costs, matrix, _: solve(costs, matrix, inf))


@pytest.fixture(scope="session", autouse=True)
def charts_drawn_once() -> Iterator[None]:
    """Draw equal charts once: drawing is most of the work of a report, and a drawing depends on its chart alone."""
    drawn: dict[str, str] = {}
    draw = vl_convert.vegalite_to_svg

    def remembered(spec: dict[str, Any], **options: Any) -> str:
        key = json.dumps([spec, options])
        if key not in drawn:
            drawn[key] = draw(spec, **options)
        return drawn[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vl_convert, "vegalite_to_svg", remembered)
        yield


# Whatever language the machine speaks, tests read English unless they ask for another.
os.environ["SUDARE_LANG"] = "en"

DATA = Path(os.environ.get("SUDARE_DATA", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture(scope="session")
def real_data() -> Callable[[str], Path]:
    """Return a function from the name of a real data file to its path; the test is skipped where it is missing."""

    def find(name: str) -> Path:
        path = DATA / name
        if not path.exists():
            pytest.skip(f"real data: {path} is missing (set SUDARE_DATA to the folder that has {name})")
        return path

    return find


@pytest.fixture(scope="session")
def engine() -> Iterator[DuckDBEngine]:
    # Small data are in one piece, which one thread works on: others only cost time.
    with DuckDBEngine(threads=1) as engine:
        yield engine


@pytest.fixture
def toy_file(tmp_path: Path) -> Path:
    path = tmp_path / "toy.csv"
    path.write_text(TOY, encoding="utf-8")
    return path


@pytest.fixture
def toy(toy_file: Path, engine: DuckDBEngine) -> Iterator[sudare.History]:
    with sudare.read_history(toy_file, engine=engine) as history:
        yield history


@pytest.fixture(scope="session")
def online_retail(real_data: Callable[[str], Path], engine: DuckDBEngine) -> Iterator[sudare.History]:
    """The paper's data set T."""
    with sudare.read_history(real_data("online-retail-400.csv"), engine=engine) as history:
        yield history


# Six records of three attributes, small enough to work by hand.
PEOPLE = [("m", 30, "x"), ("m", 30, "x"), ("m", 40, "x"), ("f", 40, "x"), ("f", 40, "y"), ("f", 50, "y")]


@pytest.fixture
def people(engine: DuckDBEngine) -> Iterator[sudare.Table]:
    frame = polars.DataFrame(PEOPLE, schema=["sex", "age", "town"], orient="row")
    with sudare.read_table(frame, engine=engine) as table:
        yield table
