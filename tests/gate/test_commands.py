"""The command that a check shows: one that the command line takes, and that says the same number."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner

from sudare.cli.app import app
from sudare.gate.arguments import Argument
from sudare.gate.commands import command_of
from sudare.gate.measures.registry import KINDS, MEASURES, SOURCE_OPTIONS, Kind
from sudare.gate.policy import read_policy
from tests.conftest import TOY
from tests.gate.small_gates import PEOPLE, run_checks, write, write_policy
from tests.test_documented_commands import refusal

EVERY = [(kind, name) for kind in KINDS for name in MEASURES[kind]]
# Measures that no command shows by itself: for these it is the gate.
OF_THE_GATE = {
    "k-map", "smallest-count", "oldest", "shared-pseudonyms", "smallest-class", "loss", "use-case", "attacks",
}  # fmt: skip
# Values by the names of arguments, and else by their kinds.
NAMED = {"split": "2011-04-01", "knowledge": "day + item*2", "engine": "duckdb", "memory": "1GB"}
KINDS_OF_VALUES: Mapping[str, Any] = {
    "text": "a'b", "file": "other file.csv", "source": "item:med*", "names": ["sex", "age group"],
    "sets": [["sex"], ["age"]], "count": 4, "number": 2.5, "share": "1/3", "flag": True,
}  # fmt: skip


def values_of(name: str, argument: Argument) -> tuple[Any, ...]:
    """Return values that an argument may have."""
    if argument.choices:
        return argument.choices
    if argument.kind == "flag":
        return True, False
    return (NAMED.get(name, KINDS_OF_VALUES[argument.kind]),)


def asked_of(arguments: Mapping[str, Argument]) -> Iterator[dict[str, Any]]:
    """Yield what can be asked: everything, what is needed, and that with one more."""
    needed = {name: values_of(name, one)[0] for name, one in arguments.items() if one.needed}
    yield needed
    for name, one in arguments.items():
        for value in values_of(name, one):
            yield {**needed, name: value}
    for chosen in product(*(values_of(name, one) for name, one in arguments.items())):
        yield dict(zip(arguments, chosen, strict=True))


def command(folder: Path, source: Mapping[str, Any], check: Mapping[str, Any], **gate: Any) -> list[str]:
    """Return the words of the command of a check."""
    policy = read_policy(write_policy(folder, {"s": source}, {"source": "s", **check}, **gate))
    (found,) = policy.checks
    measure = MEASURES[policy.kind_of(found)][found.measure]
    return shlex.split(command_of(policy, policy.sources[0], found, measure))


@pytest.mark.parametrize(("kind", "measure"), EVERY)
def test_the_command_line_takes_the_command_of_every_measure(tmp_path: Path, kind: Kind, measure: str) -> None:
    limits: tuple[dict[str, Any], ...] = ({"fail": 0}, {"warn": 3, "fail": 3}, {"warn": "1/3"}, {"fail": 0.25})
    for asked, limit in product(asked_of(MEASURES[kind][measure].arguments), limits):
        source = {"kind": kind, "file": "some file.csv"}
        words = command(tmp_path, source, {"measure": measure, **asked, **limit}, seed=7)
        assert words[0] == "sudare"
        assert refusal(words[1:]) == "", shlex.join(words)
        assert not [word for word in words if "{" in word or word in ("None", "True", "False")], words


@pytest.mark.parametrize(("kind", "measure"), EVERY)
def test_the_command_line_takes_every_option_of_a_source(tmp_path: Path, kind: Kind, measure: str) -> None:
    asked = next(asked_of(MEASURES[kind][measure].arguments))
    for name, option in SOURCE_OPTIONS[kind].items():
        for value in values_of(name, option):
            source = {"kind": kind, "file": "a.csv", name: value}
            words = command(tmp_path, source, {"measure": measure, **asked, "fail": 1})
            assert refusal(words[1:]) == "", shlex.join(words)
            known = f"--{name}" if value is not False else f"--no-{name}"
            without = words[1] == "gate" or (name == "rules" and words[2] in ("knowledge", "profiles"))
            assert without or known in words, shlex.join(words)


@pytest.mark.parametrize(("kind", "measure"), EVERY)
def test_a_measure_has_a_command_of_its_own_unless_only_the_gate_shows_it(
    tmp_path: Path, kind: Kind, measure: str
) -> None:
    asked = next(asked_of(MEASURES[kind][measure].arguments))
    words = command(tmp_path, {"kind": kind, "file": "a.csv"}, {"measure": measure, **asked, "fail": 1})
    if words[1] == "gate":
        assert measure in OF_THE_GATE
        assert words == ["sudare", "gate", "run", str(tmp_path / "policy.toml"), "--report", "gate.html"]
    else:
        assert words[1] == kind
        assert words[3] == str(tmp_path / "a.csv")


def test_a_command_has_the_arguments_of_its_check_and_the_options_of_its_source(tmp_path: Path) -> None:
    source = {
        "kind": "table", "file": "my people.csv", "missing-value": ["?", "n/a"], "attributes": "sex, age",
        "header": False, "min-cell": 3,
    }  # fmt: skip
    words = command(tmp_path, source, {"measure": "above-limit", "known": "sex", "limit": "1/3", "fail": "5%"})
    assert words == [
        "sudare", "table", "risk", str(tmp_path / "my people.csv"), "--known", "sex", "--limit", "1/3",
        "--missing-value", "?", "--missing-value", "n/a", "--attributes", "sex,age", "--no-header", "--min-cell", "3",
    ]  # fmt: skip


def test_a_command_has_the_stricter_limit_of_a_risk_and_the_larger_one_of_people(tmp_path: Path) -> None:
    table = {"kind": "table", "file": "a.csv"}
    words = command(tmp_path, table, {"measure": "subsets", "size": 2, "warn": "10%", "fail": 0.2})
    assert words[-2:] == ["--limit", "0.1"]
    # A limit of 0, or of people, is none of a risk.
    assert "--limit" not in command(tmp_path, table, {"measure": "subsets", "size": 2, "fail": 0})
    words = command(tmp_path, {"kind": "baskets", "file": "a.txt"}, {"measure": "km", "m": 2, "warn": 5, "fail": 2.5})
    assert words[4:] == ["--k", "5", "--m", "2"]


def test_only_a_seed_that_is_not_the_default_is_told(tmp_path: Path) -> None:
    history = {"kind": "history", "file": "a.csv"}
    assert "--seed" not in command(tmp_path, history, {"measure": "attackers", "fail": 1})
    assert command(tmp_path, history, {"measure": "attackers", "fail": 1}, seed=3)[-2:] == ["--seed", "3"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, []), ({"split": "half"}, ["--split", "half"]), ({"trained": False}, ["--split", "half", "--untrained"]),
        ({"known": "k.csv", "truth": "t.csv", "world": "open"}, ["--truth", "t.csv", "--open-world"]),
        ({"known": "k.csv", "trained": True}, ["--trained"]),
    ],
)  # fmt: skip
def test_profiles_are_shown_as_they_were_measured(tmp_path: Path, asked: dict[str, Any], said: list[str]) -> None:
    words = command(tmp_path, {"kind": "history", "file": "a.csv"}, {"measure": "profiles", **asked, "fail": 1})
    files = [str(tmp_path / name) for name in (["k.csv"] if "known" in asked else []) + ["a.csv"]]
    told = [str(tmp_path / word) if word.endswith(".csv") else word for word in said or ["--split", "half"]]
    assert words == ["sudare", "history", "profiles", *files, *told]


Found = dict[str, Any]
Looking = Callable[[Found], float]
TABLE, HISTORY, BASKETS = (
    {"kind": "table", "file": "people.csv"}, {"kind": "history", "file": "toy.csv"},
    {"kind": "baskets", "file": "visits.txt"},
)  # fmt: skip
# The check, and where its value stands in the answer of its command.
SHOWN: list[tuple[dict[str, Any], dict[str, Any], Looking]] = [
    (TABLE, {"measure": "highest-risk", "known": "sex"}, lambda found: found["max_risk"]),
    (TABLE, {"measure": "mean-risk", "known": "sex, age"}, lambda found: found["mean_risk"]),
    (TABLE, {"measure": "uniques"}, lambda found: found["uniques"] / found["records"]),
    (TABLE, {"measure": "smallest-class", "known": "town"}, lambda found: found["class_sizes"][0]["size"]),
    (TABLE, {"measure": "above-limit", "known": "town", "limit": "1/3"}, lambda found: found["share_above"]),
    (TABLE, {"measure": "above-limit", "known": "sex", "limit": "1/3"}, lambda found: found["share_above"]),
    (TABLE, {"measure": "l", "sensitive": "town"}, lambda found: found["diversity"]["l"]),
    (TABLE, {"measure": "t", "sensitive": "town", "known": "age"}, lambda found: found["diversity"]["t"]),
    (TABLE, {"measure": "subsets", "size": 2}, lambda found: max(one["max_risk"] for one in found["subsets"])),
    (
        TABLE, {"measure": "affordable", "costs": "costs.csv", "budget": 2},
        lambda found: max(one["max_risk"] for one in found["maximal"]),
    ),
    (
        TABLE, {"measure": "population-uniques", "share": "20%"},
        lambda found: next(one for one in found["estimates"] if one["model"] == found["chosen"])["population_uniques"]
        / found["population"],
    ),
    (HISTORY, {"measure": "attackers"}, lambda found: max(one["measured"] for one in found["attackers"])),
    (HISTORY, {"measure": "attacker", "attacker": 6}, lambda found: found["attackers"][6]["measured"]),
    (HISTORY, {"measure": "knowledge", "knowledge": "month + item"}, lambda found: found["knowledge"][0]["measured"]),
    (HISTORY, {"measure": "uniques", "knowledge": "day + item"}, lambda found: found["unique_share"]),
    (HISTORY, {"measure": "loss", "aligned": "aligned.csv"}, lambda found: found["checks"][0]["value"]),
    (BASKETS, {"measure": "rho", "rho": "1/3", "sensitive": "item:a"}, lambda found: found["unsafe_adversaries"]),
    (
        BASKETS, {"measure": "rho", "rho": 0.5, "sensitive": "s.csv", "max-known": 1},
        lambda found: found["unsafe_adversaries"],
    ),
    (BASKETS, {"measure": "km", "m": 2}, lambda found: found["smallest"]),
    (BASKETS, {"measure": "suppressed", "published": "shown.txt"}, lambda found: found["suppressed_share"]),
    (BASKETS, {"measure": "kl", "published": "shown.txt"}, lambda found: found["kl_divergence"]),
    (BASKETS, {"measure": "rules-distance", "published": "shown.txt"}, lambda found: found["rules"]["distance"]),
]  # fmt: skip


@pytest.fixture
def built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use the same commands for each call: to build them anew takes longer than most calls."""
    built = typer.main.get_command(app)
    monkeypatch.setattr("typer.testing._get_command", lambda _: built)


@pytest.mark.slow
@pytest.mark.parametrize(("source", "asked", "value"), SHOWN, ids=[asked["measure"] for _, asked, _ in SHOWN])
def test_the_command_says_the_same_number(
    tmp_path: Path, built_once: None, source: dict[str, Any], asked: dict[str, Any], value: Looking
) -> None:
    write(
        tmp_path,
        people_csv=PEOPLE,
        toy_csv=TOY,
        costs_csv="attribute,cost\nsex,1\ntown,2\nage,4\n",
        visits_txt="a b\na c\na b c\nb c\nc\n",
        shown_txt="a\na c\na b\nb c\nc\n",
        s_csv="user,item\n1,b\n4,c\n",
        aligned_csv="customer,day,item,price,quantity\n" + "1,2010-12-01,パン,1.45,2\n" + "*,*,*,*,*\n" * 9,
    )
    (check,) = run_checks(tmp_path, source, {**asked, "fail": 1e9}).checks
    _, *words = shlex.split(check.command)
    if words[0] == "gate":
        words = words[:3]
    told = CliRunner().invoke(app, [*words, "--json", "-q"])
    assert told.exit_code in (0, 3), told.output
    assert value(json.loads(told.stdout)) == pytest.approx(check.value)
