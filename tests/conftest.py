"""What many tests use: the paper's toy history, and real data where they are at hand."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import polars
import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

import sudare
from sudare.engine import DuckDBEngine

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

# Folders whose tests take long: begun first, so that no worker is left alone with them in the end.
LONG = ("engine", "web", "report")


class ByFile(LoadScopeScheduling):
    """Lets one worker do all tests of a file, and all that use a cluster, so that what they share is made once."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return "tests/engine" if file.startswith("tests/engine/") else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByFile:
    """Give tests to workers file by file, in the order in which they were collected."""
    config.option.loadscopereorder = False
    return ByFile(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes long."""
    items.sort(key=lambda item: item.path.parent.name not in LONG)


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
    with DuckDBEngine() as engine:
        yield engine


@pytest.fixture
def toy_file(tmp_path: Path) -> Path:
    path = tmp_path / "toy.csv"
    path.write_text(TOY, encoding="utf-8")
    return path


@pytest.fixture
def toy(toy_file: Path, engine: DuckDBEngine) -> Iterator[sudare.PurchaseHistory]:
    with sudare.read_history(toy_file, engine=engine) as history:
        yield history


@pytest.fixture(scope="session")
def online_retail(real_data: Callable[[str], Path], engine: DuckDBEngine) -> Iterator[sudare.PurchaseHistory]:
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
