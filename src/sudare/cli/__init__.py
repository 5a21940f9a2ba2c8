"""The command line: parses arguments, calls the library, shows results. One file per command group."""

from __future__ import annotations


def main() -> None:
    """Run the command `sudare`."""
    from sudare.cli.signals import end_by_signals

    end_by_signals()
    import sys

    import typer

    from sudare.cli.app import app
    from sudare.cli.frame import explained

    @explained
    def run() -> None:
        """Run a command, or show help or the version, which no command does."""
        app()

    try:
        run()
    except typer.Exit as end:
        sys.exit(end.exit_code)
