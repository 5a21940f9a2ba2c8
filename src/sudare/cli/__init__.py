"""The command line: parses words, calls the library, shows results. One file per command group."""

from __future__ import annotations


def main() -> None:
    """Run the command `sudare`."""
    from sudare.cli.app import app

    app()
