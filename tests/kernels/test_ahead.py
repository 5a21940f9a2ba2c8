"""Kernels that are compiled before they are needed."""

import inspect
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

from sudare.kernels import ahead, loading, store
from sudare.kernels.cells import line_order
from sudare.kernels.entry import plain
from tests.kernels.test_entries import entry_kernels

ENDS = [["array", "|u1", 1, "C"], *[["array", "<i8", 1, "C"]] * 2]


def test_every_entry_is_listed_with_as_many_kinds_as_it_takes_arguments() -> None:
    listed = list(ahead.listed())
    assert {(function.__module__, function.__name__) for function, _ in listed} == entry_kernels()
    for function, given in listed:
        inspect.signature(function).bind(*given)
    assert len(set(listed)) == len(listed)


@pytest.fixture
def short_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """List one kernel, and return a folder in which nothing is compiled."""
    (tmp_path / "list").write_text(json.dumps([["cells.line_order.find_line_ends", ENDS]]))
    monkeypatch.setattr(ahead, "LIST", tmp_path / "list")
    folder = tmp_path / "kernels"
    folder.mkdir(mode=0o700)
    monkeypatch.setattr(store, "folder", lambda: folder)
    return folder


def test_what_is_missing_is_compiled_once(short_list: Path) -> None:
    told = list[tuple[int, int]]()
    for _ in range(2):
        ahead.compile_missing(lambda _, done, total: told.append((done, total)))
    assert told == [(1, 1)]
    assert [path.name.partition("-")[0] for path in short_list.iterdir()] == ["line_order.find_line_ends"]


def test_a_kernel_that_cannot_be_compiled_is_an_error(short_list: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("it cannot")

    monkeypatch.setattr(loading.Compiler, "compile", fail)
    with pytest.raises(RuntimeError, match="it cannot"):
        ahead.compile_missing()
    assert list(short_list.iterdir()) == []


USE = """
import numpy as np
from sudare.kernels.cells import line_order
ends = np.zeros(2, np.int64)
line_order.find_line_ends(np.frombuffer(b'a\\nb', np.uint8), np.zeros(2, np.int64), ends)
print(ends.tolist())
"""


@pytest.mark.slow
def test_packed_kernels_serve_any_processor_and_nothing_else_is_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a wheel: compiled for the generic processor beside the kernels."""
    sources = Path(store.__file__).parents[2]
    copy = tmp_path / "src" / "sudare"
    shutil.copytree(sources / "sudare" / "kernels", copy / "kernels", ignore=shutil.ignore_patterns("compiled"))
    shutil.copytree(sources / "sudare" / "messages", copy / "messages")
    for path in (sources / "sudare").glob("*.py*"):
        (copy / path.name).write_bytes(path.read_bytes())
    (copy / "kernels" / "ahead.json").write_text(json.dumps([["cells.line_order.find_line_ends", ENDS]]))
    own = {**os.environ, "PYTHONPATH": str(tmp_path / "src"), store.FOLDER: str(copy / "kernels" / "compiled")}
    subprocess.run([sys.executable, "-m", "sudare.kernels.ahead"], env={**own, **store.GENERIC}, check=True)
    assert len(list((copy / "kernels" / "compiled").iterdir())) == 1

    cache = tmp_path / "cache"
    done = subprocess.run(
        [sys.executable, "-c", USE], env={**own, store.FOLDER: str(cache)}, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[1, 3]\n"
    assert list(cache.iterdir()) == []


def test_the_generic_processor_has_names_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    function: FunctionType = plain(line_order.find_line_ends)
    host = store.path(function, ())
    store._processor.cache_clear()
    for name, value in store.GENERIC.items():
        monkeypatch.setenv(name, value)
    generic = store.path(function, ())
    store._processor.cache_clear()
    assert host.name != generic.name
    assert generic.name == store._name(function, (), tuple(store.GENERIC.values()))
