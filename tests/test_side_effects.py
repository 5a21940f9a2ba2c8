"""A library changes nothing that a whole process shares: the rule, over the syntax tree of the whole package."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import sudare

ROOT = Path(sudare.__file__).parent

# What changes a process, however it is called; os.environ is looked at by itself.
CHANGING = {
    "gc.disable", "locale.setlocale", "logging.basicConfig", "logging.disable", "multiprocessing.set_start_method",
    "numpy.random.seed", "numpy.seterr", "numpy.set_printoptions", "os.chdir", "os.dup2", "os.fchdir", "os.nice",
    "os.putenv", "os.umask", "os.unsetenv", "random.seed", "resource.setrlimit", "signal.alarm", "signal.setitimer",
    "signal.signal", "socket.setdefaulttimeout", "sys.setrecursionlimit", "sys.setswitchinterval", "time.tzset",
}  # fmt: skip
WARNINGS = {"warnings.filterwarnings", "warnings.simplefilter", "warnings.resetwarnings"}
# Attributes that only a logger has.
LEVELS = {"setLevel"}

ALLOWED: Mapping[tuple[str, str, str], str] = {
    ("sudare.histories.anonymize.choice", "_serve", "os.dup2"): "the main function of a process of its own",
    ("sudare.cli.frame", "_flush_or_drop", "os.dup2"): "the command ends; its output is closed",
    ("sudare.cli.signals", "_handling", "signal.signal"): "the command's own process, and set back",
    ("sudare.cli.signals", "_ignore_signals", "signal.signal"): "the command ends",
    ("sudare.cli.signals", "end_by_signals", "signal.signal"): "the command's own process",
    ("sudare.web.jobs.process", "_bare_environment", "os.environ"): (
        "the worker's own process, and set back: multiprocessing starts its process with no other environment"
    ),
    ("sudare.web.jobs.process", "_work", "os.nice"): "the main function of a job's own process",
    ("sudare.web.jobs.process", "_work", "resource.setrlimit"): "the main function of a job's own process",
    ("sudare.web.jobs.process", "_work", "signal.signal"): "the main function of a job's own process",
    ("sudare.web.jobs.confinement", "confine", "os.environ"): "a job's own process",
    ("sudare.web.http.connections", "allow_connections", "resource.setrlimit"): "the server's own process",
    ("sudare.web.serve", "run_both", "signal.signal"): "the server's own process",
    ("sudare.web.serve", "run_web", "os.umask"): "the server's own process",
    ("sudare.web.serve", "run_worker", "os.umask"): "the worker's own process",
    ("sudare.web.storage.private", "owner_only", "os.umask"): (
        "set back: what SQLite and archives write has no other way to be for its owner only from the start"
    ),
    ("sudare.web.jobs.worker", "run", "signal.signal"): "the worker's own process",
}


def changes(source: str) -> Iterator[tuple[str, str]]:
    """Yield what a module changes of its process, with the name of the function that does it."""
    yield from _Reader(ast.parse(source)).found


class _Reader(ast.NodeVisitor):
    def __init__(self, tree: ast.Module) -> None:
        self.found: list[tuple[str, str]] = []
        self._functions = [""]
        self._caught = 0
        self._names: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                self._names |= {alias.asname: alias.name for alias in node.names if alias.asname}
            elif isinstance(node, ast.ImportFrom):
                self._names |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
        self.visit(tree)

    def _name(self, node: ast.AST) -> str:
        if isinstance(node, ast.Name):
            return self._names.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            return f"{self._name(node.value)}.{node.attr}"
        return ""

    def _note(self, what: str) -> None:
        self.found.append((self._functions[-1], what))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._functions.append(node.name)
        self.generic_visit(node)
        self._functions.pop()

    def visit_With(self, node: ast.With) -> None:
        caught = any("catch_warnings" in ast.unparse(item.context_expr) for item in node.items)
        self._caught += caught
        self.generic_visit(node)
        self._caught -= caught

    def visit_Name(self, node: ast.Name) -> None:
        self._look(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if self._name(node) == "os.environ.get":
            return
        self._look(node)
        if node.attr in LEVELS:
            self._note(node.attr)
        if isinstance(node.ctx, ast.Store | ast.Del) and self._name(node.value) in {"os", "sys"}:
            self._note(self._name(node))
        self.generic_visit(node)

    def _look(self, node: ast.expr) -> None:
        name = self._name(node)
        if name in CHANGING or name == "os.environ" or (name in WARNINGS and not self._caught):
            self._note(name)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        # Reading a variable.
        if self._name(node.value) != "os.environ" or not isinstance(node.ctx, ast.Load):
            self.generic_visit(node)

    def visit_Dict(self, node: ast.Dict) -> None:
        # A copy of the environment, for another process.
        for key, value in zip(node.keys, node.values, strict=True):
            if key is not None or self._name(value) != "os.environ":
                self.visit(value)
            if key is not None:
                self.visit(key)


def test_nothing_but_what_owns_its_process_changes_one() -> None:
    found = {
        (".".join(path.relative_to(ROOT.parent).with_suffix("").parts), function, what)
        for path in sorted(ROOT.rglob("*.py"))
        for function, what in changes(path.read_text(encoding="utf-8"))
    }
    assert found - ALLOWED.keys() == set()
    assert ALLOWED.keys() - found == set(), "no longer there"


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("import os\nos.dup2(1, 2)", "os.dup2"),
        ("import os as o\no.umask(0)", "os.umask"),
        ("from os import chdir as go\ngo('/')", "os.chdir"),
        ("import os\nmove = os.chdir", "os.chdir"),
        ("import os\nos.environ['A'] = '1'", "os.environ"),
        ("import os\ndel os.environ['A']", "os.environ"),
        ("import os\nos.environ.setdefault('A', '1')", "os.environ"),
        ("import os\nos.environ.update(A='1')", "os.environ"),
        ("from os import environ\nenviron.pop('A')", "os.environ"),
        ("import os\nother = os.environ", "os.environ"),
        ("import os\nos.environ |= {}", "os.environ"),
        ("import os\nos.putenv('A', '1')", "os.putenv"),
        ("import logging\nlogging.getLogger('x').setLevel(51)", "setLevel"),
        ("import signal\nsignal.signal(2, print)", "signal.signal"),
        ("import socket\nsocket.setdefaulttimeout(1)", "socket.setdefaulttimeout"),
        ("import locale\nlocale.setlocale(0, 'C')", "locale.setlocale"),
        ("import warnings\nwarnings.simplefilter('ignore')", "warnings.simplefilter"),
        ("import sys\nsys.setrecursionlimit(9)", "sys.setrecursionlimit"),
        ("import sys\nsys.stdout = None", "sys.stdout"),
        ("import random\nrandom.seed(1)", "random.seed"),
        ("import numpy as np\nnp.random.seed(1)", "numpy.random.seed"),
    ],
)
def test_the_rule_finds_each_way(source: str, what: str) -> None:
    assert what in {found for _, found in changes(source)}


def test_the_rule_lets_reading_and_copies_pass() -> None:
    source = (
        "import os, random, warnings\n"
        "os.environ.get('A')\nos.environ['A']\n{**os.environ, 'A': '1'}\nrandom.Random(1).random()\n"
        "with warnings.catch_warnings():\n    warnings.simplefilter('ignore')\n"
    )
    assert list(changes(source)) == []
