"""The rules of kernels, over the syntax tree of the whole package, and what an entry does when a signal comes."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Callable, Container, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import sudare
from sudare import interruption
from sudare.kernels import loading, store
from sudare.kernels.cells import line_order, text as cell_text
from sudare.kernels.entry import entry, plain

ROOT = Path(sudare.__file__).parent
Name = tuple[str, str]
ENTRY_PARTS = ("sudare.kernels", "entry")
ENTRY = ".".join(ENTRY_PARTS)
MAKERS = {(ENTRY, "entry"), (ENTRY, "inner")}


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


def imported(tree: ast.Module) -> dict[str, Name]:
    """Return what names stand for that a module takes from others."""
    return {
        alias.asname or alias.name: (node.module, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


def named(node: ast.AST | None, module: str, known: dict[str, Name]) -> Name | None:
    """Return what a name or an attribute stands for."""
    if isinstance(node, ast.Name):
        return known.get(node.id, (module, node.id))
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in known:
        return ".".join(known[node.value.id]), node.attr
    return None


def hidden(module: str, tree: ast.Module, known_kernels: Container[Name]) -> Iterator[str]:
    """Yield what the other rules would not see: names that they do not follow, and what is compiled elsewhere.

    Python may give a kernel another name, and is taken to call it; by an alias a kernel would call one unseen.
    """
    known, of_kernels = imported(tree), module.startswith("sudare.kernels.")
    for node in ast.walk(tree):
        modules: list[str] = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
            yield from (f"import {name}" for name in modules if name.startswith("sudare."))
        elif isinstance(node, ast.ImportFrom):
            modules = [node.module or ""]
            yield from ("a relative import" for _ in range(node.level))
            for alias in node.names:
                makes = node.module == ENTRY and (alias.asname or not of_kernels)
                if makes or (node.module, alias.name) == ENTRY_PARTS or alias.name == "*":
                    yield ast.unparse(node)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and of_kernels:
            name = named(node.value, module, known)
            if name in known_kernels:
                yield f"alias {name}"
        elif isinstance(node, ast.FunctionDef) and node not in tree.body:
            yield from (f"@{name} inside" for name in decorators(node) if known.get(name) in MAKERS)
        elif isinstance(node, ast.Call) and known.get(ast.unparse(node.func)) in MAKERS:
            yield f"{ast.unparse(node)} is not a decorator"
        if module != "sudare.kernels.compiling":
            yield from (f"import {name}" for name in modules if name.split(".")[0] == "numba")


@cache
def uses() -> dict[Name, set[Name | None]]:
    """Return for each kernel the kernels that mention it; None stands for Python."""
    found: dict[Name, set[Name | None]] = {name: set() for name in kernels()}
    for module, tree in trees().items():
        known = imported(tree)
        for top in tree.body:
            inside = (module, top.name) if isinstance(top, ast.FunctionDef) else None
            for node in ast.walk(top):
                name = named(node, module, known)
                if name in found:
                    found[name].add(inside if inside in kernels() else None)
    return found


def test_there_are_kernels_of_both_kinds() -> None:
    assert entry_kernels()
    assert kernels().keys() - entry_kernels()


def test_nothing_is_hidden_from_these_rules_and_nothing_outside_the_kernels_is_compiled() -> None:
    assert {module: found for module, tree in trees().items() if (found := list(hidden(module, tree, kernels())))} == {}


@pytest.mark.parametrize(
    "source",
    [
        "import numba",
        "import numba.core as n",
        "from numba import njit",
        "from numba.core.decorators import njit",
        "import sudare.kernels.a as q\nq.first()",
        "import sudare.kernels.a\nsudare.kernels.a.first()",
        "from .a import first",
        "from . import a",
        "from sudare.kernels.a import *",
        "from sudare.kernels import entry as en\n@en.entry\ndef f(): pass",
        "from sudare.kernels.entry import entry as e\n@e\ndef f(): pass",
        "from sudare.kernels.entry import inner\nf = inner(print)",
        "from sudare.kernels.entry import inner\ndef g():\n    @inner\n    def f(): pass",
    ],
)
@pytest.mark.parametrize("module", ["sudare.kernels.b", "sudare.risk.b"])
def test_what_would_be_hidden_is_found(module: str, source: str) -> None:
    assert list(hidden(module, ast.parse(source), {("sudare.kernels.a", "first")}))


@pytest.mark.parametrize(
    "source",
    [
        "from sudare.kernels.a import first\nother = first",
        "from sudare.kernels import a\nother: object = a.first",
        "from sudare.kernels import a\nif other := a.first: pass",
    ],
)
def test_a_kernel_has_no_other_name_among_kernels(source: str) -> None:
    assert list(hidden("sudare.kernels.b", ast.parse(source), {("sudare.kernels.a", "first")}))


def test_a_kernel_is_made_in_a_module_of_kernels_only() -> None:
    tree = ast.parse("from sudare.kernels.entry import entry\n@entry\ndef f(): pass")
    assert list(hidden("sudare.kernels.b", tree, ())) == []
    assert list(hidden("sudare.risk.b", tree, ())) != []


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
        "import numpy as np, sys; from sudare.kernels.cells import line_order; ends = np.zeros(2, np.int64);"
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
        loading.load(plain(_assigned), (("array", kind, 1, "C"), ("array", kind, 1, "C")))
        loading._compilers[os.getpid()]._process.kill()
    assert len(list(own_compiler.iterdir())) == 2


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Ask the work to stop as soon as the process that compiles has started."""
    start = loading.Compiler._start

    def start_and_interrupt(self: loading.Compiler) -> Any:
        self._process = start(self)
        interruption.ask_to_stop()
        return self._process

    monkeypatch.setattr(loading.Compiler, "_start", start_and_interrupt)
    interruption.begin()
    yield
    interruption.begin()


LINE_ENDS = (("array", "|u1", 1, "C"), *[("array", "<i8", 1, "C")] * 2)


@pytest.mark.usefixtures("interrupted")
def test_an_interruption_ends_the_compilation(own_compiler: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        loading.load(plain(line_order.find_line_ends), LINE_ENDS)
    assert list(own_compiler.iterdir()) == []


@pytest.mark.usefixtures("interrupted")
def test_a_kernel_that_is_needed_to_return_an_answer_is_compiled(own_compiler: Path) -> None:
    with interruption.keeping_answers():
        interruption.answer_found()
        loading.load(plain(line_order.find_line_ends), LINE_ENDS)
    assert len(list(own_compiler.iterdir())) == 1


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


@pytest.mark.parametrize("module", ["cells.text", "cells.values", "cells.problems"])
def test_a_kept_kernel_is_found_by_the_sources_it_needs(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of cells.problems the kernel has nothing but numbers."""
    before, source = store.path(plain(cell_text.read_persons), ()), store._source
    monkeypatch.setattr(store, "_source", lambda name: source(name) + "#" * name.endswith(module))
    store._sources.cache_clear()
    assert store.path(plain(cell_text.read_persons), ()) != before
    store._sources.cache_clear()


def test_kernels_take_nothing_from_each_other_but_in_the_way_their_sources_are_found() -> None:
    for module, tree in trees().items():
        if module in {name for name, _ in kernels()}:
            taken = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
            names = {ast.unparse(node).partition(" import ")[0] for node in taken}
            ours = {name for name in names if "sudare" in name}
            assert all(re.fullmatch(r"from sudare\.kernels\.(entry|\w+\.\w+)", name) for name in ours), module


CALL = """
import os, signal, sys, threading
import numpy as np
from sudare.kernels.baskets import item_sets
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
