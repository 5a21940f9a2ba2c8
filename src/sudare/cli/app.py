"""The command `sudare`: all commands and groups. A command is imported when it is needed, or its help."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from sudare.cli.files import OUTPUT_RULE
from sudare.cli.frame import Settings
from sudare.version import __version__

# Where each command is: the module in sudare.cli and the function. The order is that of the help.
COMMANDS = {
    "attackers": "history.attackers:attackers",
    "knowledge": "history.attackers:knowledge",
    "visits": "history.visits:visits",
    "anonymize": "history.anonymize:anonymize",
    "frontier": "contest.frontier:frontier",
    "attack": "contest.attack:attack",
    "demo": "demo:demo",
    "submit": "contest.submit:submit",
    "risk record": "table.risk:record",
    "risk subsets": "table.risk:subsets",
    "risk sample": "table.risk:sample",
    "risk disclosable": "table.sets:disclosable",
    "risk dangerous": "table.sets:dangerous",
    "risk affordable": "table.sets:affordable",
    "risk levels": "table.levels:levels",
    "risk population": "table.population:population",
    "risk report": "table.report:report",
    "baskets report": "baskets.report:report",
    "baskets itemsets": "baskets.mining:itemsets",
    "baskets rules": "baskets.mining:rules",
    "baskets km": "baskets.mining:km",
    "baskets utility": "baskets.mining:utility",
    "baskets experiment": "baskets.experiment:experiment",
    "baskets check": "baskets.suppress:check",
    "baskets suppress": "baskets.suppress:suppress",
    "baskets verify": "baskets.suppress:verify",
    "contest check": "contest.files:check",
    "contest check-guesses": "contest.files:check_guesses",
    "contest publish": "contest.files:publish",
    "contest utility": "contest.utility:utility",
    "contest usecases": "contest.utility:usecases",
    "contest correlate": "contest.utility:correlate",
    "contest thresholds": "contest.safety:thresholds",
    "contest safety": "contest.safety:safety",
    "contest classes": "contest.safety:classes",
    "contest duel": "contest.duel:duel",
    "contest recompute": "contest.recompute:recompute",
    "contest report": "contest.report:report",
    "generate history": "generate:history",
    "generate table": "generate:table",
    "hierarchy suggest": "table.hierarchies:suggest",
    "server init": "server:init",
    "server run": "server:run",
    "server web": "server:web",
    "server worker": "server:worker",
    "server list": "server:contests",
    "server export": "server:export",
    "server backup": "server:backup",
    "server demo": "server:demo",
    "server user add": "server:add",
    "server user list": "server:list_users",
    "server user reset": "server:reset",
}
GROUPS = {
    "risk": "Measure how well records of a table can be singled out.",
    "baskets": "Keep what people do not want to be inferred from sets of items.",
    "contest": "Check, publish, measure and judge the data of an anonymization contest.",
    "generate": "Make synthetic data that resemble real ones.",
    "hierarchy": "Make generalization hierarchies.",
    "server": "Run a contest server: teams, submissions, attacks, standings.",
    "server user": "Accounts of a contest server.",
}
# Plain help starts twice as fast and gives the text the whole width.
PLAIN: dict[str, Any] = {"rich_markup_mode": None}


def load_command(words: str) -> Any:
    """Return the function of a command, such as `risk record`."""
    module, _, name = COMMANDS[words].partition(":")
    return getattr(import_module(f"sudare.cli.{module}"), name)


@cache
def _build(words: str) -> Any:
    """Make of a command or group what the command line is made of."""
    name = words.rpartition(" ")[2]
    if words in GROUPS:
        return Group(words=words, name=name, help=GROUPS[words], no_args_is_help=True, **PLAIN)
    alone = typer.Typer(add_completion=False, **PLAIN)
    alone.command(name)(load_command(words))
    return typer.main.get_command(alone)


class _Commands(Mapping[str, Any]):
    """What is in a group, by name. Names cost nothing; a command is built when it is asked for."""

    def __init__(self, group: str) -> None:
        start = f"{group} " if group else ""
        rest = {words.removeprefix(start): words for words in (*COMMANDS, *GROUPS) if words.startswith(start)}
        self._words = {name: words for name, words in rest.items() if " " not in name}

    def __getitem__(self, name: str) -> Any:
        return _build(self._words[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __len__(self) -> int:
        return len(self._words)

    def __contains__(self, name: object) -> bool:
        return name in self._words


class Group(TyperGroup):
    """A group of commands that are imported when they are needed."""

    def __init__(self, *, words: str = "", **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = _Commands(words)  # type: ignore[assignment]  # nobody adds to it

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


app = typer.Typer(
    name="sudare",
    help="Measure how well people in purchase histories, tables and baskets can be recognized, and anonymize the data.",
    epilog=OUTPUT_RULE,
    cls=Group,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    **PLAIN,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sudare {__version__}")
        raise typer.Exit


@app.callback()
def root(
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error happened.")] = False,
    version: Annotated[  # noqa: ARG001
        bool, typer.Option("--version", help="Show the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Take the options that stand before a command."""
    Settings.debug = debug
