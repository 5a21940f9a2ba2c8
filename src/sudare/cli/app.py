"""The command `sudare`: all commands and groups, imported only when needed."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from sudare.cli.frame import tell_error
from sudare.cli.help import HELP_OPTIONS, Command, help_text, listed, section_title, wrapped
from sudare.cli.options import GENERAL, with_general_options
from sudare.cli.settings import check_defaults, settle, without_general
from sudare.cli.usage import UsageError, tell_usage
from sudare.errors import SudareError
from sudare.version import __version__

# Where each command is: the module in sudare.cli and the function. The order is that of the help.
COMMANDS = {
    "history attackers": "history.attackers:attackers",
    "history knowledge": "history.attackers:knowledge",
    "history visits": "history.visits:visits",
    "history anonymize": "history.anonymize:anonymize",
    "history attack": "history.attack:attack",
    "history profiles": "history.profiles:profiles",
    "history report": "history.report:report",
    "table risk": "table.risk:risk",
    "table subsets": "table.risk:subsets",
    "table sample": "table.risk:sample",
    "table disclosable": "table.sets:disclosable",
    "table dangerous": "table.sets:dangerous",
    "table affordable": "table.sets:affordable",
    "table levels": "table.levels:levels",
    "table anonymize": "table.anonymize:anonymize",
    "table population": "table.population:population",
    "table hierarchies": "table.hierarchies:hierarchies",
    "table report": "table.report:report",
    "baskets check": "baskets.suppress:check",
    "baskets suppress": "baskets.suppress:suppress",
    "baskets verify": "baskets.suppress:verify",
    "baskets utility": "baskets.mining:utility",
    "baskets itemsets": "baskets.mining:itemsets",
    "baskets rules": "baskets.mining:rules",
    "baskets km": "baskets.mining:km",
    "baskets experiment": "baskets.experiment:experiment",
    "baskets report": "baskets.report:report",
    "contest check": "contest.files:check",
    "contest check-guesses": "contest.files:check_guesses",
    "contest publish": "contest.files:publish",
    "contest thresholds": "contest.safety:thresholds",
    "contest utility": "contest.utility:utility",
    "contest use-cases": "contest.utility:use_cases",
    "contest correlate": "contest.utility:correlate",
    "contest safety": "contest.safety:safety",
    "contest classes": "contest.safety:classes",
    "contest anonymize": "contest.anonymize:anonymize",
    "contest attack": "contest.attack:attack",
    "contest duel": "contest.duel:duel",
    "contest frontier": "contest.frontier:frontier",
    "contest report": "contest.report:report",
    "contest recompute": "contest.recompute:recompute",
    "contest submit": "contest.submit:submit",
    "server init": "server:init",
    "server run": "server:run",
    "server web": "server:web",
    "server worker": "server:worker",
    "server contests": "server:contests",
    "server user add": "server:add",
    "server user list": "server:list_users",
    "server user reset": "server:reset",
    "server export": "server:export",
    "server backup": "server:backup",
    "server check": "server:check",
    "server services": "server:services",
    "server demo": "server:demo",
    "gate init": "gate:init",
    "gate run": "gate:run",
    "gate verify": "gate:verify",
    "generate history": "generate:history",
    "generate table": "generate:table",
    "demo": "demo:demo",
}
GROUPS = ("history", "table", "baskets", "contest", "server", "server user", "gate", "generate")
NAME = "sudare"
# Plain help starts twice as fast and gives the text the whole width.
PLAIN: dict[str, Any] = {"rich_markup_mode": None}


def load_command(words: str) -> Any:
    """Return the function of a command, such as `table risk`."""
    module, _, name = COMMANDS[words].partition(":")
    return getattr(import_module(f"sudare.cli.{module}"), name)


@cache
def _build(words: str) -> Any:
    """Make of a command or group what the command line is made of."""
    name = words.rpartition(" ")[2]
    if words in GROUPS:
        return Group(words=words, name=name, no_args_is_help=True, **PLAIN)
    alone = typer.Typer(add_completion=False, **PLAIN)
    alone.command(name, cls=Command)(with_general_options(load_command(words)))
    found: Any = typer.main.get_command(alone)
    found.words = words
    return found


class _Commands(Mapping[str, Any]):
    """What is in a group, by name. Names cost nothing; a command is built when it is asked for."""

    def __init__(self, group: str) -> None:
        start = f"{group} " if group else ""
        rest = {words.removeprefix(start): words for words in (*COMMANDS, *GROUPS) if words.startswith(start)}
        self._words = {name.partition(" ")[0]: start + name.partition(" ")[0] for name in rest}

    def __getitem__(self, name: str) -> Any:
        return _build(self._words[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __len__(self) -> int:
        return len(self._words)

    def __contains__(self, name: object) -> bool:
        return name in self._words


class Group(TyperGroup):
    """A group of commands that are imported when they are needed; its help needs none of them."""

    def __init__(self, *, words: str = "", **attributes: Any) -> None:
        super().__init__(**attributes)
        self.words = words
        self.commands = _Commands(words)  # type: ignore[assignment]  # nobody adds to it

    def get_help_option_names(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """Return the options that show the help."""
        return [*HELP_OPTIONS]

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """Return the names in the order of the help."""
        return list(self.commands)

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options of the group. Flags not given are False: typer takes 60 ms to read a None."""
        found = super().get_params(ctx)
        for option in found:
            if option.default is None:
                option.default = False
        return found

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take the group's own options; general ones may stand behind the name of a group too."""
        return super().parse_args(ctx, without_general(args))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write what the group is for, and a line for each of its commands."""
        formatter.write("\n".join(self._help_lines(ctx)) + "\n")

    def _help_lines(self, ctx: Any) -> Iterator[str]:
        yield from wrapped(f"{section_title('usage')}: {ctx.command_path} {self.subcommand_metavar}")
        yield ""
        yield from wrapped(group_summary(self.words))
        start = f"{self.words} " if self.words else ""
        yield from listed(section_title("commands"), [(name, _summary(start + name)) for name in self.commands])
        records = [(param, param.get_help_record(ctx)) for param in self.get_params(ctx)]
        options = [(record[0], help_text("", str(param.name))) for param, record in records if record]
        if not self.words:
            options.insert(-1, ("--lang en|ja", help_text("", "lang")))
        yield from listed(section_title("general"), options)
        if not self.words:
            yield ""
            yield from wrapped(help_text("", "outputs"))

    def main(self, args: Sequence[str] | None = None, **extra: Any) -> Any:  # type: ignore[override]
        """Run a command; what is wrong with its words is said as everything else is."""
        words = list(sys.argv[1:] if args is None else args)
        standalone = extra.pop("standalone_mode", True)
        extra["prog_name"] = NAME
        try:
            settle(words)
            check_defaults(COMMANDS, _is_option)
            # Commands return nothing; what comes back is the exit code of one that ended early.
            code = super().main(words, standalone_mode=False, **extra)
        except UsageError as error:
            code = tell_usage(error, [*COMMANDS])
        except SudareError as error:
            code = tell_error(error)
        if standalone:
            sys.exit(code or 0)
        return code


def _is_option(name: str) -> bool:
    """Say whether a command has an option of this name; commands are imported only for what not every one has."""
    return name in GENERAL or any(name in _build(words).by_name() for words in COMMANDS)


def group_summary(words: str) -> str:
    """Return what a group of commands is for."""
    return help_text("groups", words.replace(" ", "-") or "sudare")


def _summary(words: str) -> str:
    return group_summary(words) if words in GROUPS else help_text(words, "summary")


app = typer.Typer(name=NAME, cls=Group, no_args_is_help=True, pretty_exceptions_enable=False, **PLAIN)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sudare {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True)] = False,
) -> None:
    """Take the options that stand before a command and are not general ones, which were taken with all words."""
