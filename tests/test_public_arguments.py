"""Everything public is called with wrong arguments: it works, or says in our words which argument is wrong.

The calls are generated from the signatures. What is valid for each parameter stands in `tests/public_examples.py`.
"""

from __future__ import annotations

import datetime as dt
import inspect
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

import sudare
from sudare.arguments import LIMITS, MAKERS, checked
from sudare.errors import InputError, MemoryNotEnough, OptionNotUsable
from tests.engine.looking import rows_of
from tests.public import public
from tests.public_examples import Examples, call_with

# Spark has tests of its own, and needs a cluster.
APART = {"SparkEngine"}
# An engine answers the SQL it is given; what SQL is wrong is for the database to say.
SQL = "DuckDBEngine."
THIN = ("History", "Table", "Baskets", "Publication", "LevelsFound", "AnonymizedTable", "Suppression", "Verification")
# Numbers that say how much is to be done: a large one takes as long as was asked for.
AMOUNTS = {"attacks", "customers", "days", "draws", "items", "most", "n", "records", "repetitions", "samples", "count"}
LARGE = 2**40


def functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield all public functions."""
    for name, found in public().items():
        if inspect.isfunction(found):
            yield name, found


def classes() -> Iterator[type]:
    """Yield all public classes but errors."""
    for name, found in public().items():
        if inspect.isclass(found) and not issubclass(found, Exception) and name not in APART:
            yield found


def methods() -> Iterator[tuple[str, str]]:
    """Yield the public methods that take arguments, by the names of their class and their own.

    Nouns, and results that write themselves, hand on what they are given: see tests/test_nouns.py.
    """
    for kind in classes():
        for name, found in vars(kind).items():
            if not inspect.isfunction(found) or name.startswith("_"):
                continue
            handing_on = kind.__name__ in THIN and not hasattr(found, "__wrapped__")
            if not handing_on and len(inspect.signature(found).parameters) > 1:
                yield kind.__name__, name


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Examples]:
    found = Examples(tmp_path_factory.mktemp("examples"))
    yield found
    found.close()


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave what is written to "nope" in a folder of the test."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def plain_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw nothing: charts cost most of the time of a report, and get no arguments of users."""
    drawn = '<svg width="1" height="1" viewBox="0 0 1 1"></svg>'
    monkeypatch.setattr("vl_convert.vegalite_to_svg", lambda *_, **__: drawn)


def closed(found: Any) -> Any:
    found.close()
    return found


@pytest.fixture(scope="module")
def wrong(examples: Examples) -> dict[str, Any]:
    """Values of all kinds that are wrong for most parameters."""
    folder, engine = examples.folder, examples.engine
    read_history, read_table = sudare.read_history, sudare.read_table
    return {
        "None": None, "object": object(), "text": "nope", "empty text": "", "NUL": "a\0b", "bytes": b"x",
        "0": 0, "-1": -1, "1": 1, "2**40": LARGE, "2**70": 2**70, "nan": float("nan"), "inf": float("inf"),
        "-0.5": -0.5, "0.5": 0.5, "1.5": 1.5, "True": True, "-1/1": Fraction(-1), "date": dt.date(2024, 1, 1),
        "[]": [], "[None]": [None], "[text]": ["nope"], "[empty]": [""], "[1]": [1], "[-1]": [-1],
        "{}": {}, "{text: text}": {"nope": "nope"}, "{1: 1}": {1: 1}, "{text: -1}": {"nope": -1},
        "empty array": np.array([], float), "array": np.array([-1, 5]), "function": lambda: None,
        "no file": folder / "missing" / "x.csv", "folder": folder,
        "frame": polars.DataFrame({"a": [1]}), "empty frame": polars.DataFrame(),
        "history": examples.history, "table": examples.table, "baskets": examples.baskets,
        "cells": examples.anonymized, "engine": engine,
        "closed engine": closed(sudare.DuckDBEngine()),
        "closed history": closed(read_history(folder / "purchases.csv")),
        "closed history on an engine": closed(read_history(folder / "purchases.csv", engine=engine)),
        "closed table": closed(read_table(folder / "people.csv")),
        "closed table on an engine": closed(read_table(folder / "people.csv", engine=engine)),
        "closed collapsed table": closed(sudare.tables.collapse_table(folder / "people.csv")),
        "closed held baskets": closed(sudare.baskets.hold_baskets(folder / "pairs.csv")),
        "closed held cells": closed(sudare.histories.hold_cells(folder / "T.csv", folder / "A.csv", engine=engine)),
    }  # fmt: skip


def is_fit(error: BaseException, parameter: str) -> bool:
    """Say whether an error is one of ours, or names the argument."""
    return isinstance(error, sudare.SudareError) or (isinstance(error, TypeError) and parameter in str(error))


def sweep(examples: Examples, owner: str, function: Callable[..., Any], wrong: dict[str, Any]) -> list[str]:
    """Call a function with every wrong value for every parameter and return what went wrong in a wrong way."""
    unfit = []
    valid = examples.arguments(owner, function)
    for parameter in valid:
        for label, value in wrong.items():
            if value is LARGE and parameter in AMOUNTS:
                continue
            try:
                found = call_with(function, {**valid, parameter: value})
                if hasattr(found, "close"):
                    found.close()
            except Exception as error:
                if not is_fit(error, parameter):
                    unfit.append(f"{parameter} = {label}: {type(error).__name__}: {error}")
    return unfit


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, _ in functions()])
def test_a_function_given_something_wrong_says_what(name: str, examples: Examples, wrong: dict[str, Any]) -> None:
    function = public()[name]
    examples.call(name, function)
    assert sweep(examples, name, function, wrong) == []


@pytest.mark.slow
@pytest.mark.parametrize(("owner", "name"), [pair for pair in methods() if f"{pair[0]}." != SQL])
def test_a_method_given_something_wrong_says_what(
    owner: str, name: str, examples: Examples, wrong: dict[str, Any]
) -> None:
    method = getattr(examples.instance(public()[owner]), name)
    examples.call(f"{owner}.{name}", method)
    assert sweep(examples, f"{owner}.{name}", method, wrong) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["DuckDBEngine", "Matchings", "PublishedAttackers"])
def test_an_object_made_of_something_wrong_says_what(name: str, examples: Examples, wrong: dict[str, Any]) -> None:
    assert sweep(examples, name, public()[name], wrong) == []


def test_every_public_function_and_method_checks_its_arguments() -> None:
    of_functions = {name: function for name, function in functions() if inspect.signature(function).parameters}
    of_methods = {f"{owner}.{name}": getattr(public()[owner], name) for owner, name in methods()}
    unchecked = [name for name, found in {**of_functions, **of_methods}.items() if not hasattr(found, "__wrapped__")]
    assert [name for name in unchecked if not name.startswith(SQL)] == []


def test_a_closed_engine_says_so_and_is_closed_again_without_harm() -> None:
    engine = closed(sudare.DuckDBEngine())
    for call in (
        lambda: rows_of(engine, "SELECT 1"),
        lambda: engine.keep("t", "SELECT 1"),
        lambda: engine.describe("t"),
    ):
        with pytest.raises(InputError, match="This engine is closed"):
            call()
    engine.drop("t")
    engine.close()


def test_a_closed_history_says_so(examples: Examples) -> None:
    history = closed(sudare.read_history(examples.folder / "purchases.csv"))
    with pytest.raises(InputError, match="This purchase history is closed"):
        sudare.histories.assess_attackers(history)


def test_another_kind_of_history_is_named_with_what_makes_the_right_one(examples: Examples) -> None:
    with pytest.raises(TypeError, match=r"history must be a History, not a CellHistory\.\nHint: sudare\.read_"):
        sudare.histories.assess_attackers(examples.original)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="original must be a CellHistory, not a DataFrame"):
        sudare.histories.anonymize_history(polars.DataFrame({"a": [1]}), 2)  # type: ignore[arg-type]


@checked
def example(
    number: int,
    *,
    share: float = 0.5,
    name: str = "",
    names: list[str] | None = None,
    seed: int = 0,
    flag: bool = False,
) -> int:
    """Stand for any function."""
    return number


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"number": "3"}, "example: number must be a whole number, not a str."),
        ({"number": True}, "example: number must be a whole number, not a bool."),
        ({"number": 1.0}, "example: number must be a whole number, not a float."),
        ({"number": None}, "example: number must be a whole number, not None."),
        ({"share": "0.5"}, "example: share must be a number, not a str."),
        ({"names": "age"}, "example: names must be a list of texts or None, not a str."),
        ({"names": [1]}, "example: names must be a list of texts or None, not a list of int."),
        ({"flag": 1}, "example: flag must be True or False, not a int."),
    ],
)
def test_an_argument_of_another_kind_is_named_with_what_it_must_be(given: dict[str, Any], said: str) -> None:
    with pytest.raises(TypeError) as caught:
        example(**{"number": 1, **given})
    assert str(caught.value) == said.replace("a int", "an int")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"share": float("nan")}, "example: share must be a finite number, not nan."),
        ({"number": 2**63}, "example: number must be a number of at most 64 bits."),
        ({"seed": -1}, "example: seed must be 0 or more, not -1."),
        ({"name": "a\0"}, "example: name must be without NUL characters."),
    ],
)
def test_a_value_out_of_range_is_named_with_its_range(given: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionNotUsable) as caught:
        example(**{"number": 1, **given})
    assert str(caught.value) == said


def test_numbers_of_numpy_are_numbers() -> None:
    assert example(np.int32(3), share=np.float32(0.5), seed=np.int64(1)) == 3  # type: ignore[arg-type]
    assert example(1, share=1) == 1


def test_memory_that_is_not_enough_is_said_in_our_words() -> None:
    @checked
    def greedy(number: int) -> int:
        raise MemoryError

    with pytest.raises(MemoryNotEnough, match="greedy: this needs more memory"):
        greedy(1)


def test_what_is_said_to_make_a_thing_makes_it() -> None:
    for kind, maker in MAKERS.items():
        package = getattr(sudare, maker.partition(".")[0]) if "." in maker else sudare
        assert maker.rpartition(".")[2] in package.__all__
        returned = inspect.signature(public()[maker.rpartition(".")[2]]).return_annotation
        assert returned == kind


def test_limits_are_of_parameters_that_there_are() -> None:
    known = {name for _, function in functions() for name in inspect.signature(function).parameters}
    assert set(LIMITS) <= known
