"""Whatever is printed, logged or shown in a notebook has no data in it: one short line for every public type."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import sudare
from sudare.results import Result
from sudare.showing import MOST_CHARACTERS, dataclass, short_repr
from tests.public import public
from tests.public_examples import MARK, NUMBER, Examples

# Protocols have no instances of their own; Spark needs a cluster.
WITHOUT_INSTANCES = {"AnonymizedResult", "SparkEngine"}
SOURCE = Path(inspect.getfile(sudare)).parent


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Examples]:
    found = Examples(tmp_path_factory.mktemp("examples"))
    yield found
    found.close()


def public_classes() -> set[type]:
    found = {value for name, value in public().items() if name not in WITHOUT_INSTANCES}
    return {kind for kind in found if inspect.isclass(kind) and not issubclass(kind, Exception)}


@pytest.mark.slow
def test_a_repr_is_one_short_line_without_data(examples: Examples) -> None:
    """Of every class of ours that is found in what public functions take and return, at any depth."""
    for kind, found in examples.instances.items():
        # A result as text is what the command line prints; everything else is its repr.
        own = issubclass(kind, Result) or kind is sudare.histories.Knowledge
        for text in {repr(found)} | (set() if own else {str(found)}):
            assert len(text) <= MOST_CHARACTERS, kind
            assert "\n" not in text, kind
            assert MARK not in text, kind
            assert str(NUMBER) not in text, kind


@pytest.mark.slow
def test_every_public_class_has_an_example(examples: Examples) -> None:
    assert {kind.__name__ for kind in public_classes() - set(examples.instances)} == set()


def test_all_dataclasses_are_made_by_ours() -> None:
    for path in SOURCE.rglob("*.py"):
        if path.name == "showing.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "dataclasses":
                assert "dataclass" not in {name.name for name in node.names}, path
            if isinstance(node, ast.Import):
                assert "dataclasses" not in {name.name for name in node.names}, path


@dataclass(frozen=True, slots=True)
class Shown:
    """Something of everything."""

    count: int
    share: float
    exact: Fraction
    flag: bool
    name: str
    names: tuple[str, ...]
    cells: np.ndarray[tuple[int, int], np.dtype[np.float64]]
    nothing: None = None
    _hidden: int = 5


def test_a_repr_has_numbers_flags_and_sizes() -> None:
    shown = Shown(3, 0.123456789, Fraction(1, 3), True, MARK, (MARK, MARK), np.zeros((2, 5)))
    assert repr(shown) == "Shown(count=3, share=0.123457, exact=0.333333, flag=True, names=<2>, cells=<2x5>)"
    assert f"{shown}" == repr(shown)


def test_numbers_of_numpy_and_very_large_ones_are_shown() -> None:
    values = Shown(np.int64(3), np.float64(0.5), Fraction(1), False, "", (), np.zeros((0, 2)))  # type: ignore[arg-type]
    assert repr(values) == "Shown(count=3, share=0.5, exact=1, flag=False, names=<0>, cells=<0x2>)"
    large = Shown(10**5000, 0.0, Fraction(0), False, "", (), np.zeros((0, 2)))
    assert repr(large).startswith("Shown(count=~2**16610, ")


def test_a_long_repr_is_cut() -> None:
    kind = dataclass(type("Wide", (), {"__annotations__": {f"number_{n}": "int" for n in range(90)}}))
    text = short_repr(kind(*range(90)))
    assert len(text) == MOST_CHARACTERS
    assert text.endswith("...)")
