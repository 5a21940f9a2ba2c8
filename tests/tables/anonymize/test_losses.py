"""The losses by name."""

from __future__ import annotations

import inspect
import typing

import pytest
import typer

from sudare.cli.settings import Settings
from sudare.cli.table.levels import levels
from sudare.errors import OptionNotUsable
from sudare.messages import Joined
from sudare.tables.anonymize.losses import LOSSES, find_loss


def test_the_command_names_every_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Settings, "language", "en")
    _, option = typing.get_args(inspect.signature(levels, eval_str=True).parameters["loss"].annotation)
    with pytest.raises(typer.BadParameter, match=str(Joined([*LOSSES], "or"))):
        option.parser("pain")


def test_the_kernel_tells_the_losses_apart() -> None:
    assert len({loss.number for loss in LOSSES.values()}) == len(LOSSES)


def test_a_loss_that_there_is_not_is_refused() -> None:
    with pytest.raises(OptionNotUsable, match="Unknown loss 'pain'"):
        find_loss("pain")
