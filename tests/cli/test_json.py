"""What commands print with `--json` has a form that is stored with the package, and keeps to it."""

from __future__ import annotations

import ast
import inspect
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from typer.testing import CliRunner

import sudare
from sudare.cli.app import COMMANDS, app, load_command
from sudare.errors import OptionNotUsable
from sudare.schemas import load_schema, schema_identity, schema_names
from tests.public_examples import BASKETS, Examples

CLI = Path(inspect.getfile(sudare)).parent / "cli"
SECRETS = "--sensitive random:0.4 --rho 0.9"
# Commands by their functions, each with what it is run with; {} is the folder of examples.
CASES = [
    ("history.attackers:attackers", "{}/purchases.csv"),
    ("history.attackers:attackers", "{}/purchases.csv --knowledge day+item*2 --persons 2 --weighting record"),
    ("history.attackers:attackers", "{}/purchases.csv --knowledge item*3 --most-combinations 1 --samples 50"),
    ("history.attackers:attackers", "{}/T.csv --anonymized {}/A.csv --knowledge day*2"),
    ("history.attackers:knowledge", "{}/purchases.csv day+item --persons 2"),
    ("history.attackers:knowledge", "{}/purchases.csv item*2 --most-combinations 1 --samples 50"),
    ("history.visits:visits", "{}/purchases.csv --top 3"),
    ("history.anonymize:anonymize", "{}/T.csv --k 2 --fast -o {}/made/p.csv"),
    ("history.anonymize:anonymize", "{}/T.csv --k 2 --model levels --skip-attacks --aligned {}/made/a.csv"),
    ("history.anonymize:anonymize", "{}/T.csv --k 2 --fast --model concealment -o {}/made/p.csv"),
    ("history.anonymize:anonymize", "{}/T.csv --k 2 --fast --model untouched --untouched 2 -o {}/made/p.csv"),
    ("history.anonymize:anonymize", "{}/T.csv --mean-limit 0.5 -o {}/made/p.csv"),
    (
        "history.anonymize:anonymize",
        "{}/T.csv --k 2 --fast --earlier {}/first.csv --aligned-key {}/first-key.csv -o {}/made/p.csv",
    ),
    ("contest.frontier:frontier", "{}/T.csv --ks 2-3 --fast -o {}/made/frontier"),
    ("contest.attack:attack", "{}/T.csv {}/published.csv -o {}/made/g.csv"),
    ("contest.attack:attack", "{}/T.csv {}/published.csv --most-guesses 0 -o {}/made/g.csv"),
    ("table.risk:risk", "{}/people.csv"),
    (
        "table.risk:risk",
        "{}/people.csv --known age,sex --limit 0.2 --sensitive illness --costs {}/costs.csv --budget 3 "
        "--what-if-added {}/people.csv",
    ),
    ("table.risk:subsets", "{}/people.csv --limit 0.2 --what-if-added {}/people.csv"),
    ("table.risk:subsets", "{}/people.csv --walk sample --sample-records 10 --limit 0.2"),
    ("table.risk:subsets", "{}/people.csv --class-sizes {}/made/sizes.csv"),
    ("table.risk:sample", "{}/people.csv --sets 40 --by uniform"),
    ("table.risk:sample", "{}/people.csv --sets 40 --what-if-added {}/people.csv"),
    (
        "table.sets:disclosable",
        "{}/people.csv --limit 0.5 --all --costs {}/costs.csv --budget 4 --what-if-added {}/people.csv",
    ),
    ("table.sets:disclosable", "{}/people.csv --limit 0.5 --quantile 0.9"),
    ("table.sets:dangerous", "{}/people.csv --size 2 --factor 1 --costs {}/costs.csv --what-if-added {}/people.csv"),
    ("table.sets:dangerous", "{}/people.csv --size 2 --factor 1 --sets 2"),
    ("table.sets:affordable", "{}/people.csv --costs {}/costs.csv --budget 3 --all --what-if-added {}/people.csv"),
    ("table.sets:affordable", "{}/people.csv --costs {}/costs.csv --budget 3 --sets 2"),
    ("table.levels:levels", "{}/people.csv --hierarchies {}/hierarchies --known age --limit 0.5 -o {}/made/l.csv"),
    ("table.levels:levels", "{}/people.csv --hierarchies {}/hierarchies --limit 0.001 --what-if-added {}/people.csv"),
    ("table.anonymize:anonymize", "{}/people.csv --k 3 --sensitive illness --l 2 -o {}/made/n.csv"),
    ("table.anonymize:anonymize", "{}/people.csv --k 3 --model levels --skip-attacks --skip-utility"),
    ("table.population:population", "{}/people.csv --share 0.1"),
    ("table.hierarchies:hierarchies", "{}/people.csv -o {}/made/suggested"),
    ("baskets.mining:itemsets", "{}/baskets.txt --support 0.1"),
    ("baskets.mining:rules", "{}/baskets.txt --support 0.1 --confidence 0.3"),
    ("baskets.mining:km", "{}/baskets.txt --k 30 --m 2"),
    ("baskets.mining:utility", "{}/baskets.txt {}/baskets.txt --support 0.1"),
    ("baskets.experiment:experiment", "{}/pairs.csv --figures 5 --repetitions 1 -o {}/made/experiments"),
    ("baskets.suppress:check", f"{{}}/baskets.txt {SECRETS}"),
    ("baskets.suppress:check", f"{{}}/pairs.csv {SECRETS} --max-known 2 --epsilon 0.3 --delta 0.3"),
    ("baskets.suppress:suppress", f"{{}}/baskets.txt {SECRETS} -o {{}}/made/s.txt"),
    ("baskets.suppress:verify", f"{{}}/baskets.txt {{}}/baskets.txt {SECRETS}"),
    (
        "baskets.suppress:verify",
        f"{{}}/baskets.txt {{}}/certified.txt {SECRETS} --certificate {{}}/certified.txt.certificate.json",
    ),
    ("contest.files:check", "{}/T.csv {}/A.csv"),
    ("contest.files:check", "{}/T.csv {}/guesses.csv"),
    ("contest.files:check_guesses", "{}/T.csv {}/published.csv {}/guesses.csv"),
    ("contest.files:publish", "{}/A.csv -o {}/made/out.csv"),
    ("contest.utility:utility", "{}/T.csv {}/A.csv"),
    ("contest.utility:use_cases", "{}/T.csv {}/A.csv --draws 2"),
    ("contest.utility:correlate", "pwscup2018"),
    ("contest.safety:thresholds", "--most-guesses 5"),
    ("contest.safety:safety", "{}/T.csv {}/A.csv {}/guesses.csv"),
    ("contest.safety:classes", "{}/T.csv {}/A.csv"),
    ("contest.anonymize:anonymize", "{}/T.csv --k 2 --fast --rounds 2 -o {}/made/A.csv"),
    ("history.attack:attack", "{}/T.csv {}/A.csv"),
    ("history.attack:attack", "{}/T.csv {}/published.csv"),
    ("history.profiles:profiles", "{}/halves.csv --what-if"),
    ("history.profiles:profiles", "{}/T.csv {}/published.csv"),
    ("history.profiles:profiles", "{}/halves.csv --split months"),
    ("contest.duel:duel", "{}/T.csv {}/A.csv"),
    ("contest.recompute:recompute", "{}/archive"),
    ("gate:init", "{}/people.csv -o {}/made/policy.toml --answers {}/made/answers.toml"),
    ("gate:init", "{}/purchases.csv -o {}/made/history.toml"),
    ("gate:init", "{}/baskets.txt -o {}/made/baskets.toml"),
    ("gate:run", "{}/gate.toml"),
    ("gate:run", "{}/gate.toml --baseline {}/gate.json"),
    ("gate:verify", "{}/evidence"),
    ("gate:verify", "{}/evidence --files-only"),
    ("gate:verify", "{}/tampered --source people={}/costs.csv"),
    ("generate:history", "{}/made/h.csv --customers 5"),
    ("generate:table", "{}/made/t.csv --records 20 --write-hierarchies {}/made/hierarchies --force"),
    ("server:list_users", "{}/server"),
    ("server:contests", "{}/server"),
    ("server:check", "{}/server --stopped --hashes"),
]
# Fourteen customers who buy the same again each month.
HALVES = "customer,day,item,price,quantity\n" + "".join(
    f"c{customer},2024-{month:02}-{1 + customer},i{customer},{customer}.5,{month}\n"
    for customer in range(14)
    for month in range(1, 5)
)
# A check of each kind of verdict, of a table that has examples to show and of baskets.
GATE = """
[gate]
examples = ["km"]
[sources.people]
kind = "table"
file = "people.csv"
[sources.baskets]
kind = "baskets"
file = "baskets.txt"
[[checks]]
source = "people"
measure = "uniques"
known = ["age", "sex"]
warn = "20%"
[[checks]]
source = "people"
measure = "highest-risk"
fail = 0.2
except = { reason = "A pilot", until = 2999-12-31 }
[[checks]]
name = "km"
source = "baskets"
measure = "km"
m = 2
fail = 50
"""
# Its output is what a running server answers: tests/web/test_server_commands.py.
ELSEWHERE = {"contest.submit:submit"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    examples = Examples(tmp_path_factory.mktemp("examples"))
    (examples.folder / "baskets.txt").write_text(BASKETS)
    (examples.folder / "halves.csv").write_text(HALVES)
    first = "{}/T.csv --k 2 --fast --skip-attacks -o {}/first.csv --aligned {}/first-key.csv"
    words = first.replace("{}", str(examples.folder)).split()
    assert CliRunner().invoke(app, ["history", "anonymize", *words]).exit_code == 0
    assert examples.archive.is_dir()
    assert examples.certificate.is_file()
    (examples.folder / "gate.toml").write_text(GATE)
    gate = ["gate", "run", str(examples.folder / "gate.toml"), "--evidence", str(examples.folder / "evidence")]
    assert CliRunner().invoke(app, gate).exit_code == 3
    baseline = ["--baseline", str(examples.folder / "gate.json"), "--update-baseline"]
    assert CliRunner().invoke(app, [*gate[:3], *baseline]).exit_code == 3
    shutil.copytree(examples.folder / "evidence", examples.folder / "tampered")
    (examples.folder / "tampered" / "results.json").write_text("{")
    assert CliRunner().invoke(app, ["server", "init", str(examples.folder / "server")]).exit_code == 0
    yield examples.folder
    examples.close()


def printed(command: str, words: str, folder: Path) -> dict[str, Any]:
    """Run a command with --json and return what it prints; a verdict may be no."""
    path = next(path for path, where in COMMANDS.items() if where == command)
    done = CliRunner().invoke(app, [*path.split(), *words.replace("{}", str(folder)).split(), "--json"])
    assert done.exit_code in (0, 3), done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("command", "words"), CASES)
def test_an_output_has_the_form_that_it_names(command: str, words: str, folder: Path) -> None:
    found = printed(command, words, folder)
    assert next(iter(found)) == "schema"
    check_form(found)


def check_form(found: dict[str, Any]) -> None:
    """Refuse an output that has not the form that it names."""
    jsonschema_rs.Draft202012Validator(load_schema(found["schema"])).validate(found)


def test_an_error_has_its_form_too() -> None:
    done = CliRunner().invoke(app, ["history", "attackers", "no.csv", "--json"])
    assert (done.exit_code, done.stdout) == (2, "")
    check_form(json.loads(done.stderr))


def test_every_command_with_json_is_run() -> None:
    speaking = {where for path, where in COMMANDS.items() if "json" in parameters(path)}
    assert speaking == {command for command, _ in CASES} | ELSEWHERE


def parameters(path: str) -> set[str]:
    return set(inspect.signature(load_command(path)).parameters)


def test_every_schema_is_that_of_a_command() -> None:
    used = {name for path in CLI.rglob("*.py") for name in shown(path)} | {"error"}
    assert used == set(schema_names())


def shown(path: Path) -> Iterator[str]:
    """Yield the names of schemas that a module prints, which stand there as they are."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "show_json":
            assert isinstance(node.args[0], ast.Constant), path
            yield str(node.args[0].value)


def test_schemas_are_valid_and_closed() -> None:
    """Objects whose keys are fixed allow no others; those whose keys are data say what their values are."""
    for name in schema_names():
        schema = load_schema(name)
        jsonschema_rs.meta.validate(schema)
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        assert schema_identity(name).startswith(f"sudare.{name}/")
        assert schema["description"].endswith(".")
        for part in parts(schema):
            if part.get("type") == "object":
                assert "additionalProperties" in part, name


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from parts(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from parts(value)


def test_an_unknown_schema_is_named() -> None:
    assert load_schema("sudare.attackers/1") is load_schema("attackers")
    with pytest.raises(OptionNotUsable, match="no schema 'nope'"):
        load_schema("nope")


def test_the_page_about_json_lists_all_schemas() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "json.md").read_text(encoding="utf-8")
    for name in schema_names():
        assert f"| `{schema_identity(name)}` | {load_schema(name)['description']} |" in page
