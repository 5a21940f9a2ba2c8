"""The rules of kernels, over the syntax tree of the whole package, and what an entry does when a signal comes."""

import ast
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import sudare
from sudare.kernels import line_order, loading, store
from sudare.kernels.entry import entry, plain

ROOT = Path(sudare.__file__).parent
Name = tuple[str, str]


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT.parent).with_suffix("").parts)


@cache
def trees() -> dict[str, ast.Module]:
    """Return the syntax trees of the package by module."""
    return {module_of(path): ast.parse(path.read_text(encoding="utf-8")) for path in sorted(ROOT.rglob("*.py"))}


def decorators(function: ast.FunctionDef) -> list[str]:
    return [ast.unparse(decorator).partition("(")[0] for decorator in function.decorator_list]


@cache
def kernels() -> dict[Name, ast.FunctionDef]:
    return {
        (module, node.name): node
        for module, tree in trees().items()
        if module.startswith("sudare.kernels.")
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and set(decorators(node)) & {"entry", "inner"}
    }


@cache
def entry_kernels() -> set[Name]:
    return {name for name, node in kernels().items() if decorators(node) == ["entry"]}


@cache
def uses() -> dict[Name, set[Name | None]]:
    """Return for each kernel the kernels that mention it; None stands for Python."""
    found: dict[Name, set[Name | None]] = {name: set() for name in kernels()}
    for module, tree in trees().items():
        imported = {
            alias.asname or alias.name: (node.module, alias.name)
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module
            for alias in node.names
        }

        def named(node: ast.AST, module: str = module, imported: dict[str, Name] = imported) -> Name | None:
            if isinstance(node, ast.Name):
                return imported.get(node.id, (module, node.id))
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in imported:
                return ".".join(imported[node.value.id]), node.attr
            return None

        for top in tree.body:
            inside = (module, top.name) if isinstance(top, ast.FunctionDef) else None
            for node in ast.walk(top):
                name = named(node)
                if name in found:
                    found[name].add(inside if inside in kernels() else None)
    return found


def test_there_are_kernels_of_both_kinds() -> None:
    assert entry_kernels()
    assert kernels().keys() - entry_kernels()


def test_nothing_outside_the_kernels_is_compiled() -> None:
    for module, tree in trees().items():
        if module != "sudare.kernels.compiling":
            assert "numba" not in {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}, module


def test_every_kernel_that_python_calls_is_an_entry() -> None:
    assert sorted(name for name, users in uses().items() if None in users and name not in entry_kernels()) == []


def test_no_entry_is_called_by_a_kernel() -> None:
    assert sorted(name for name in entry_kernels() if uses()[name] - {None}) == []


def test_every_kernel_is_called() -> None:
    assert sorted(name for name, users in uses().items() if not users) == []


def test_kernels_do_not_call_each_other_in_a_circle() -> None:
    called: dict[Name, set[Name]] = {name: set() for name in kernels()}
    for name, users in uses().items():
        for user in users - {None}:
            called[user].add(name)
    left = dict(called)
    while leaves := [name for name, inner in left.items() if not inner & left.keys()]:
        for name in leaves:
            del left[name]
    assert sorted(left) == []


class Pair(NamedTuple):
    first: Any
    second: Any


@entry
def _results(array: Any, other: Any, number: Any, share: Any, truth: Any, pair: Any, rng: Any) -> Any:
    """Use every kind of argument and result."""
    new = np.zeros(number, np.int32)
    for place in range(number):
        new[place] = array[place, 1] + pair.second[0]
    if truth:
        other[0] = rng.integers(0, 1 << 40)
    return new, new[1:], other, number + 1, share / 2, not truth, pair, np.uint64(1 << 63), None


@entry
def _divided(number: Any, by: Any) -> Any:
    return number // by


@entry
def _assigned(source: Any, target: Any) -> None:
    target[:2] = source


def test_every_kind_of_value_goes_in_and_out() -> None:
    array, other = np.arange(12).reshape(4, 3)[:, ::2], np.zeros(2, np.int64)
    pair = Pair(7, np.array([10, 20], np.int8))
    drawn = np.random.default_rng(5).integers(0, 1 << 40)
    found = _results(array, other, 3, 0.5, True, pair, np.random.default_rng(5))
    assert found[0].tolist() == [12, 15, 18]
    assert found[0].dtype == np.int32
    assert found[1].tolist() == [15, 18]
    assert other.tolist() == [drawn, 0]
    assert found[2].tolist() == other.tolist()
    assert found[3:6] == (4, 0.25, False)
    assert isinstance(found[6], Pair)
    assert (found[6].first, found[6].second.tolist()) == (7, [10, 20])
    assert found[7:] == (1 << 63, None)


def test_the_memory_of_results_lives_as_long_as_they_do() -> None:
    parts = []
    for number in range(1, 200):
        pair, rng = Pair(1, np.zeros(1, np.int8)), np.random.default_rng(0)
        array = np.full((200, 4), number)[:, ::2]
        found = _results(array, np.zeros(1, np.int64), number, 1.0, False, pair, rng)
        parts.append((found[1], found[2]))
    assert all((part == number).all() for number, (part, _) in enumerate(parts, 1))
    assert all(other.tolist() == [0] for _, other in parts)


def test_an_error_of_a_kernel_reaches_its_caller() -> None:
    assert _divided(7, 2) == 3
    with pytest.raises(ZeroDivisionError):
        _divided(7, 0)
    with pytest.raises(ValueError, match="not as large"):
        _assigned(np.zeros(3), np.zeros(4))


def test_what_no_kernel_takes_is_refused() -> None:
    with pytest.raises(TypeError, match="str"):
        _divided("7", 2)
    with pytest.raises(OverflowError, match="64 bits"):
        _divided(1 << 63, 2)
    with pytest.raises(TypeError, match="aligned"):
        _assigned(np.frombuffer(b"x" * 17, dtype=np.uint8)[1:].view(np.float64), np.zeros(4))


def test_a_kernel_is_compiled_once_and_kept_for_other_processes(tmp_path: Path) -> None:
    program = (
        "import numpy as np, sys; from sudare.kernels import line_order; ends = np.zeros(2, np.int64);"
        "line_order.find_line_ends(np.frombuffer(b'a\\nb', np.uint8), np.zeros(2, np.int64), ends);"
        "print(ends.tolist(), 'numba' in sys.modules)"
    )
    files = []
    for _ in range(2):
        environment = {**os.environ, store.FOLDER: str(tmp_path / "kernels")}
        done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
        assert (done.stdout, done.stderr) == ("[1, 3] False\n", "")
        files.append({path.name: path.stat().st_mtime_ns for path in (tmp_path / "kernels").iterdir()})
    assert len(files[0]) == 1
    assert files[0] == files[1]
    assert (tmp_path / "kernels").stat().st_mode & 0o777 == 0o700


@pytest.fixture
def own_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Compile into a folder of the test's own, and return it."""
    monkeypatch.setattr(store, "folder", lambda: tmp_path)
    monkeypatch.setattr(loading, "_compilers", {})
    yield tmp_path
    loading._compilers[os.getpid()].end()


def test_kernels_are_compiled_when_the_process_that_compiles_has_ended(own_compiler: Path) -> None:
    for kind in ("<i8", "<i4"):
        loading.load(plain(line_order.find_line_ends), (("array", "|u1", 1, "C"), *[("array", kind, 1, "C")] * 2))
        loading._compilers[os.getpid()]._process.kill()
    assert len(list(own_compiler.iterdir())) == 2


@pytest.mark.parametrize(
    "spoil",
    [
        lambda kept: kept[:0],
        lambda kept: b'"none"\n' + kept.partition(b"\n")[2],  # a head that another version wrote
        lambda kept: b"[]\n" + kept.partition(b"\n")[2],
        lambda kept: kept[:-100],
        lambda kept: kept[:-100] + bytes(100),
    ],
)
def test_a_file_that_is_not_as_it_was_written_is_compiled_again(
    spoil: Callable[[bytes], bytes],
    own_compiler: Path,
) -> None:
    function, given = plain(line_order.find_line_ends), (("array", "|u1", 1, "C"), *[("array", "<i8", 1, "C")] * 2)
    loading.load(function, given)
    kept = store.path(function, given)
    whole = store.find(function, given)
    kept.write_bytes(spoil(kept.read_bytes()))
    assert store.find(function, given) is None
    loading.load(function, given)
    assert store.find(function, given) == whole


def test_a_kept_kernel_is_found_by_the_modules_that_make_it(monkeypatch: pytest.MonkeyPatch) -> None:
    before = store.path(plain(line_order.sort_lines), ())
    for others in (store.MAKERS[:-1], store.MAKERS[1:]):
        monkeypatch.setattr(store, "MAKERS", others)
        store._environment.cache_clear()
        assert store.path(plain(line_order.sort_lines), ()) != before
    monkeypatch.undo()
    store._environment.cache_clear()
    assert store.path(plain(line_order.sort_lines), ()) == before


def test_a_folder_that_others_can_write_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o777)
    monkeypatch.setenv(store.FOLDER, str(tmp_path))
    found = store.folder.__wrapped__()
    assert found != tmp_path
    assert found.stat().st_mode & 0o777 == 0o700


def test_a_kept_kernel_is_found_by_the_sources_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    before = store.path(plain(line_order.sort_lines), ())
    monkeypatch.setattr(store, "_source", lambda module: f"other {module}")
    store._sources.cache_clear()
    assert store.path(plain(line_order.sort_lines), ()) != before
    store._sources.cache_clear()


CALL = """
import os, signal, sys, threading
import numpy as np
from sudare.kernels import item_sets
signal.signal(signal.SIGINT, signal.default_int_handler)
starts, items = np.arange(0, 60 * 301, 60), np.tile(np.arange(60), 300)
arguments = (starts, items, 3, np.zeros(1, np.bool_))
if len(sys.argv) > 1:  # a kernel that cannot be halted
    arguments = arguments[:3]
item_sets.number_sets(*arguments)
# No other thread runs before the kernel lets it: then the signal comes while the kernel runs.
sys.setswitchinterval(1000)
go = threading.Event()
threading.Thread(target=lambda: (go.wait(), os.kill(os.getpid(), signal.SIGINT))).start()
try:
    go.set()
    item_sets.number_sets(*arguments)
    threading.Event().wait(60)
except KeyboardInterrupt:
    sys.exit(7)
"""


@pytest.mark.slow
def test_a_signal_during_a_kernel_of_a_library_user_is_an_exception_and_no_crash() -> None:
    found = subprocess.run([sys.executable, "-c", CALL], capture_output=True, text=True, check=False, timeout=120)
    assert (found.returncode, found.stderr) == (7, "")
