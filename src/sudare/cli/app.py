"""The command `sudare` and its groups."""

from __future__ import annotations

from typing import Annotated

import typer

from sudare.cli import (
    anonymize,
    attack,
    attackers,
    baskets,
    contest,
    demo,
    frontier,
    generate,
    hierarchy,
    risk,
    server,
    submit,
)
from sudare.cli.frame import Settings
from sudare.version import __version__

app = typer.Typer(
    name="sudare",
    help="Measure how well people in purchase histories can be recognized, and make the data safe.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help starts twice as fast and gives the text the whole width
    context_settings={"help_option_names": ["-h", "--help"]},
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


app.command("attackers")(attackers.attackers)
app.command("knowledge")(attackers.knowledge)
app.command("anonymize")(anonymize.anonymize)
app.command("frontier")(frontier.frontier)
app.command("attack")(attack.attack)
app.command("demo")(demo.demo)
app.add_typer(risk.app, name="risk")
app.add_typer(baskets.app, name="baskets")
app.add_typer(contest.app, name="contest")
app.add_typer(generate.app, name="generate")
app.add_typer(hierarchy.app, name="hierarchy")
app.add_typer(server.app, name="server")
app.command("submit")(submit.submit)
