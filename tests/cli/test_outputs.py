"""What every command does with the files it is told to write, whichever options it has."""

from __future__ import annotations

import os
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from inspect import Parameter, signature
from itertools import combinations
from pathlib import Path
from typing import Any, get_args, get_origin

import pytest
from typer.models import ArgumentInfo, OptionInfo
from typer.testing import CliRunner, Result

from sudare.cli.app import COMMANDS as ALL_COMMANDS, app, load_command
from sudare.cli.files import Input, InputFolder, Mark, Output, OutputFolder, file_marks

CONTENT = b"customer,day,item\na,2024-01-05,tea\nb,2024-01-05,tea\n"

# What words stand for that name no file. A word of a new option is added here, or its parameter is marked as a file.
WORDS = {
    "0", "2-20|2,3,7", "3,4,...", "A", "A,B,...", "A=KIND", "ADDRESS", "CHARACTER", "COLUMN", "COLUMN=LEVEL,...",
    "CONTEST", "DAY", "FORM", "FORMAT", "FRAME,...", "KNOWLEDGE", "MEASURE", "METHOD", "N|A=LEVEL,...", "NAME",
    "NAME=VALUE", "NAMES", "R", "RHO", "ROLE=NAME", "ROLE=VALUE", "SHARE", "SHARE|N", "SIZE", "TEXT", "URL", "VALUE",
    "ZONE", "auto|all|N", "classes|suppression|levels|concealment",
    "classes|suppression|levels|concealment|untouched", "contest|tight", "customer|visit", "en|ja",
    "entropy|discernibility|precision", "memory|engine|sample", "occurrence|record", "original|published",
    "paper|best", "refuse|drop", "refuse|ignore", "size|uniform", "value|any",
}  # fmt: skip
# The folder in which an engine makes a private one that it removes.
SCRATCH = {"spill_dir"}


@dataclass(frozen=True)
class Command:
    """A command as the typer app has it."""

    words: tuple[str, ...]
    call: Callable[..., Any]

    def __str__(self) -> str:
        return " ".join(self.words)

    @property
    def parameters(self) -> dict[str, Parameter]:
        return dict(signature(self.call, eval_str=True).parameters)

    def marked(self, *kinds: type) -> list[str]:
        return [name for name, mark in file_marks(self.call).items() if isinstance(mark, kinds)]

    def line(self, given: dict[str, list[str]]) -> list[str]:
        """Return a command line with the given words; what else is required gets some value."""
        options, arguments = [], []
        for name, parameter in self.parameters.items():
            if name not in given and parameter.default is not Parameter.empty:
                continue
            for value in given.get(name, [self._any_value(name, parameter)]):
                how = declared(parameter)
                if isinstance(how, ArgumentInfo):
                    arguments.append(value)
                else:
                    options += [flag(name, how), value]
        return [*self.words, *arguments, *options]

    def _any_value(self, name: str, parameter: Parameter) -> str:
        if name in self.marked(Output):
            return named(self, name, "another")
        return "1" if get_args(parameter.annotation)[0] in (int, float) else "some"


def flag(name: str, option: OptionInfo) -> str:
    # typer takes the first of the names in an annotation for the default.
    names = [given for given in (option.default, *(option.param_decls or ())) if isinstance(given, str)]
    return names[0] if names else f"--{name.replace('_', '-')}"


def declared(parameter: Parameter) -> ArgumentInfo | OptionInfo:
    return next(part for part in get_args(parameter.annotation) if isinstance(part, ArgumentInfo | OptionInfo))


def _leaves(kind: Any) -> Iterator[Any]:
    if get_origin(kind) is typing.Literal:
        return
    parts = get_args(kind)
    yield from (leaf for part in parts for leaf in _leaves(part)) if parts else [kind]


COMMANDS = [Command(tuple(words.split()), load_command(words)) for words in ALL_COMMANDS]
WRITTEN = [(command, name) for command in COMMANDS for name in command.marked(Output)]
FILLED = [(command, name) for command in COMMANDS for name in command.marked(OutputFolder)]
READ_AND_WRITTEN = [(command, read, name) for command, name in WRITTEN for read in command.marked(Input)]
READ_AND_FILLED = [(command, read, name) for command, name in FILLED for read in command.marked(Input, InputFolder)]
WRITTEN_TWICE = [
    (command, *pair) for command in COMMANDS for pair in combinations(command.marked(Output, OutputFolder), 2)
]


def mark_of(command: Command, name: str) -> Any:
    return file_marks(command.call)[name]


def run(command: Command, given: dict[str, Path | str]) -> Result:
    words = {
        # Blanks around the parts do not matter: the file is the same.
        name: [f"x = {value} " if mark_of(command, name) == Input(named=True) else str(value)]
        for name, value in given.items()
    }
    return CliRunner().invoke(app, command.line(words))


def named(command: Command, name: str, stem: str) -> str:
    """Return a name that the output of a command may have."""
    mark = mark_of(command, name)
    return f"{stem}{mark.endings[0]}" if isinstance(mark, Output) else stem


def refused(result: Result) -> str:
    assert result.exit_code == 2, (result.output, result.exception)
    assert result.stdout == ""
    assert "Hint: " in result.stderr
    assert "Internal error" not in result.stderr
    return result.stderr


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_all_commands_are_found() -> None:
    names = {str(command) for command in COMMANDS}
    assert {
        "history attackers",
        "table risk",
        "contest correlate",
        "server user add",
        "contest submit",
        "demo",
    } <= names
    assert len(WRITTEN) >= 20
    assert len(FILLED) >= 8


@pytest.mark.parametrize("command", COMMANDS, ids=str)
def test_every_parameter_that_takes_text_is_a_marked_file_or_a_word(command: Command) -> None:
    for name, parameter in command.parameters.items():
        kinds = set(_leaves(get_args(parameter.annotation)[0]))
        if name in file_marks(command.call) or name in SCRATCH:
            continue
        assert Path not in kinds, f"{name}: is it an input or an output?"
        if str in kinds:
            assert declared(parameter).metavar in WORDS, f"{name}: is it a file or a word?"


READ_AS_ADDRESS = [
    (command, read, name)
    for command, read, name in READ_AND_WRITTEN
    if "engine_name" in command.parameters and str in _leaves(command.parameters[read].annotation)
]


@pytest.mark.parametrize(("command", "read", "name"), READ_AS_ADDRESS, ids=str)
def test_no_output_is_an_input_that_spark_reads_by_its_address(
    here: Path, command: Command, read: str, name: str
) -> None:
    source = here / named(command, name, "some data")
    source.write_bytes(CONTENT)
    for address in (f"file://{source}", source.as_uri(), f"file://localhost{source}", f"file://{here}/*"):
        message = refused(run(command, {read: address, name: source}))
        assert "which is read" in message or "it is read" in message, address
        assert source.read_bytes() == CONTENT


@pytest.mark.parametrize("way", ["the file itself", "a symbolic link", "a hard link", "a link to a link", "by .."])
@pytest.mark.parametrize(("command", "read", "name"), READ_AND_WRITTEN, ids=str)
def test_no_output_is_an_input(here: Path, command: Command, read: str, name: str, way: str) -> None:
    source = here / named(command, name, "data")
    source.write_bytes(CONTENT)
    out = here / named(command, name, "out")
    if way == "the file itself":
        out = Path(source.name)
    elif way == "a symbolic link":
        out.symlink_to(source)
    elif way == "a hard link":
        os.link(source, out)
    elif way == "a link to a link":
        (here / "between").symlink_to(source.name)
        out.symlink_to("between")
    else:
        (here / "folder").mkdir()
        out = here / "folder" / ".." / source.name
    before = sorted(entry.name for entry in here.iterdir())
    message = refused(run(command, {read: source, name: out}))
    assert "which is read" in message or "it is read" in message
    assert source.read_bytes() == CONTENT
    assert sorted(entry.name for entry in here.iterdir()) == before


@pytest.mark.parametrize(("command", "read", "name"), READ_AND_FILLED, ids=str)
def test_no_output_folder_is_an_input(here: Path, command: Command, read: str, name: str) -> None:
    (here / "data").mkdir()
    (here / "data" / "part.parquet").write_bytes(CONTENT)
    (here / "same").symlink_to("data")
    for out in (here / "data", here / "same"):
        message = refused(run(command, {read: here / "data", name: out}))
        assert "which is read" in message or "it is read" in message
    (here / "data.csv").write_bytes(CONTENT)
    refused(run(command, {read: here / "data.csv", name: here / "data.csv"}))
    assert (here / "data.csv").read_bytes() == CONTENT
    assert [entry.name for entry in (here / "data").iterdir()] == ["part.parquet"]


@pytest.mark.parametrize("way", ["the same name", "a link to nothing yet", "hard links", "another case"])
@pytest.mark.parametrize(("command", "one", "other"), WRITTEN_TWICE, ids=str)
def test_no_two_outputs_are_the_same(here: Path, command: Command, one: str, other: str, way: str) -> None:
    first, second = here / named(command, one, "out"), here / named(command, other, "link")
    if way == "the same name":
        second = first
    elif way == "a link to nothing yet":
        second.symlink_to(first)
    elif way == "hard links":
        if isinstance(mark_of(command, other), OutputFolder) or isinstance(mark_of(command, one), OutputFolder):
            pytest.skip("folders have no hard links")
        first.write_bytes(CONTENT)
        os.link(first, second)
    else:
        second = here / first.name.upper()
    before = {entry.name: entry.is_symlink() for entry in here.iterdir()}
    refused(run(command, {one: first, other: second}))
    assert {entry.name: entry.is_symlink() for entry in here.iterdir()} == before


@pytest.mark.parametrize("ending", [".xlsx", ".pdf", ".exe", ""])
@pytest.mark.parametrize(("command", "name"), WRITTEN, ids=str)
def test_an_ending_that_cannot_be_written_is_refused_with_those_that_can(
    here: Path, command: Command, name: str, ending: str
) -> None:
    message = refused(run(command, {name: here / f"out{ending}"}))
    assert f"Cannot write {here / f'out{ending}'}: its name must end in " in message
    assert all(possible in message for possible in mark_of(command, name).endings)
    assert list(here.iterdir()) == []


@pytest.mark.parametrize(("command", "name"), WRITTEN, ids=str)
def test_a_device_is_not_replaced_by_a_file(here: Path, command: Command, name: str) -> None:
    pipe = here / named(command, name, "pipe")
    os.mkfifo(pipe)
    assert "not a regular file" in refused(run(command, {name: pipe}))
    assert pipe.is_fifo()


@pytest.mark.parametrize(("command", "name"), FILLED, ids=str)
def test_a_file_is_no_output_folder(here: Path, command: Command, name: str) -> None:
    (here / "out").write_bytes(CONTENT)
    assert "there is a file" in refused(run(command, {name: here / "out"}))
    assert (here / "out").read_bytes() == CONTENT


def test_every_kind_of_mark_is_used() -> None:
    used = {type(mark) for command in COMMANDS for mark in file_marks(command.call).values()}
    assert used == set(get_args(Mark))


TABLE = "age,sex\n" + "".join(f"{age},{sex}\n" for age in (20, 30) for sex in "fm") * 2


@pytest.mark.parametrize(
    "words",
    [
        ["history", "attackers", "--report", "d.csv", "d.csv"],
        ["history", "attackers", "--customer-risks", "d.csv", "d.csv"],
        ["history", "knowledge", "d.csv", "day", "--values", "d.csv"],
        ["table", "report", "d.csv", "-o", "d.csv"],
        ["table", "risk", "d.csv", "--record-risks", "d.csv"],
        ["table", "subsets", "d.csv", "-o", "d.csv"],
        ["table", "subsets", "d.csv", "--class-sizes", "d.csv"],
        ["table", "levels", "d.csv", "--limit", "1", "-o", "d.csv"],
        ["contest", "publish", "d.csv", "--unchecked", "-o", "d.csv"],
        ["contest", "attack", "d.csv", "p.csv", "-o", "d.csv"],
        ["contest", "attack", "t.csv", "d.csv", "-o", "d.csv"],
        ["table", "risk", "t.csv", "--what-if-added", "d.csv", "--record-risks", "d.csv"],
        ["baskets", "suppress", "t.txt", "--sensitive", "d.csv", "--rho", "0.5", "-o", "d.csv"],
    ],
    ids=" ".join,
)
def test_the_data_outlive_a_command_that_names_them_twice(here: Path, words: list[str]) -> None:
    (here / "d.csv").write_bytes(CONTENT)
    for name in ("t.csv", "p.csv", "t.txt"):
        (here / name).write_bytes(CONTENT)
    result = CliRunner().invoke(app, words)
    assert (result.exit_code, (here / "d.csv").read_bytes()) == (2, CONTENT)
    assert "Cannot write d.csv: it is read" in result.stderr


def invoke(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def test_a_certificate_that_is_not_named_spares_an_input(here: Path) -> None:
    # The sensitive items lie where the certificate would go.
    secrets = here / "out.txt.certificate.json"
    secrets.write_text("tea\n")
    (here / "b.txt").write_text("tea milk\ntea\n")
    message = refused(invoke("baskets", "suppress", "b.txt", "--sensitive", secrets, "--rho", "1", "-o", "out.txt"))
    assert "which is read" in message or "it is read" in message
    assert secrets.read_text() == "tea\n"
    assert not (here / "out.txt").exists()


def test_a_certificate_that_is_not_named_is_no_other_output(here: Path) -> None:
    (here / "b.txt").write_text("tea milk\ntea\n")
    (here / "report.html").symlink_to("out.txt.certificate.json")
    words = ("--sensitive", "all", "--rho", "1", "-o", "out.txt", "--report", "report.html")
    assert "are the same" in refused(invoke("baskets", "suppress", "b.txt", *words))
    assert not (here / "out.txt").exists()


def test_suggested_hierarchies_spare_the_table_even_when_forced(here: Path) -> None:
    (here / "age.csv").write_text(TABLE)
    assert "it is the same file as age.csv" in refused(invoke("table", "hierarchies", "age.csv", "-o", here, "--force"))
    assert (here / "age.csv").read_text() == TABLE
    assert [entry.name for entry in here.iterdir()] == ["age.csv"]


def test_a_hierarchy_that_is_found_in_a_folder_is_not_written_over(here: Path) -> None:
    (here / "t.csv").write_text(TABLE)
    (here / "h").mkdir()
    (here / "h" / "age.csv").write_text("20;*\n30;*\n")
    words = ("table", "levels", "t.csv", "--limit", "1", "--hierarchies", "h", "-o")
    assert "it is the same file as h/age.csv, which is read" in refused(invoke(*words, here / "h" / "age.csv"))
    assert (here / "h" / "age.csv").read_text() == "20;*\n30;*\n"
    result = invoke(*words, "h/result.csv")
    assert result.exit_code == 0, result.output


def test_a_folder_that_is_read_gets_no_new_files(here: Path) -> None:
    (here / "parts").mkdir()
    assert invoke("generate", "table", "parts/one.parquet", "--records", "20").exit_code == 0
    message = refused(invoke("table", "subsets", "parts", "--max-size", "1", "-o", "parts/two.parquet"))
    assert "it is in the folder parts, which is read" in message
    assert [entry.name for entry in (here / "parts").iterdir()] == ["one.parquet"]
    (here / "outside.parquet").symlink_to("parts/one.parquet")
    os.link(here / "parts" / "one.parquet", here / "hard.parquet")
    for name in ("outside.parquet", "hard.parquet"):
        refused(invoke("table", "subsets", "parts", "--max-size", "1", "-o", name))


def test_a_generated_table_is_none_of_its_hierarchies(here: Path) -> None:
    (here / "h").mkdir()
    refused(invoke("generate", "table", "h/age.csv", "--records", "5", "--write-hierarchies", "h"))
    assert list((here / "h").iterdir()) == []


def test_generated_hierarchies_are_replaced_only_when_forced(here: Path) -> None:
    words = ("generate", "table", "m.csv", "--records", "5", "--write-hierarchies", "h")
    assert invoke(*words).exit_code == 0
    (here / "h" / "age.csv").write_text("mine")
    assert "--force" in refused(invoke(*words))
    assert (here / "h" / "age.csv").read_text() == "mine"
    assert invoke(*words, "--force").exit_code == 0
    assert (here / "h" / "age.csv").read_text() != "mine"


def test_an_existing_file_is_replaced_and_keeps_its_permissions(here: Path) -> None:
    (here / "t.csv").write_text(TABLE)
    (here / "risks.csv").write_text("old")
    (here / "risks.csv").chmod(0o600)
    result = invoke("table", "risk", "t.csv", "--record-risks", "risks.csv")
    assert result.exit_code == 0, result.output
    assert (here / "risks.csv").read_text().startswith("record,age,sex,class_size,risk")
    assert (here / "risks.csv").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "words",
    [
        ["demo", "mine"],
        ["baskets", "experiment", "b.txt", "--figures", "5", "--repetitions", "1", "-o", "mine"],
        ["contest", "correlate", "histories", "T.csv", "--draws", "1", "-o", "mine"],
        ["contest", "frontier", "T.csv", "--ks", "2", "-o", "mine"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_folder_with_files_of_others_is_not_filled(here: Path, words: list[str]) -> None:
    (here / "b.txt").write_text("tea milk\ntea\nmilk\n")
    rows = "1,2010/12/1,85123A,2.55,6\n2,2010/12/1,71053,3.39,6\n"
    (here / "T.csv").write_text(rows)
    (here / "histories").mkdir()
    for name in "abc":
        (here / "histories" / f"{name}.csv").write_text(rows.replace("85123A", "*" if name == "a" else "85123A"))
    (here / "mine").mkdir()
    for name in ("history.csv", "rows.csv", "measures.csv", "frontier.csv", "index.html"):
        (here / "mine" / name).write_text("mine")
    assert "mine is not empty" in refused(invoke(*words))
    assert {entry.read_text() for entry in (here / "mine").iterdir()} == {"mine"}


def test_an_anonymized_history_is_written_as_its_ending_says(here: Path) -> None:
    (here / "T.csv").write_text("1,2010/12/1,85123A,2.55,6\n2,2010/12/1,85123A,2.55,6\n")
    result = invoke("history", "anonymize", "T.csv", "--k", "2", "--fast", "--skip-attacks", "-o", "A.PARQUET")
    assert result.exit_code == 0, result.output
    assert (here / "A.PARQUET").read_bytes().startswith(b"PAR1")


def test_the_rule_of_existing_files_is_in_the_help() -> None:
    shown = " ".join(invoke("--help").stdout.split())
    assert "An existing file is replaced" in shown
    assert "never writes over" in shown
