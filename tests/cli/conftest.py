"""What all tests of commands share."""

from __future__ import annotations

import pytest
import typer.main

from sudare.cli.app import app

BUILT = typer.main.get_command(app)


@pytest.fixture(autouse=True)
def commands_built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use the same commands for each of hundreds of calls: to build them anew takes longer than most calls."""
    monkeypatch.setattr("typer.testing._get_command", lambda _: BUILT)
