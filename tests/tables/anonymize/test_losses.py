"""The losses by name."""

from __future__ import annotations

import inspect
import typing

import pytest

from sudare.cli.table.levels import levels
from sudare.errors import OptionNotUsable
from sudare.tables.anonymize.losses import LOSSES, find_loss


def test_the_command_names_every_loss() -> None:
    names, _ = typing.get_args(inspect.signature(levels, eval_str=True).parameters["loss"].annotation)
    assert typing.get_args(names) == tuple(LOSSES)


def test_the_kernel_tells_the_losses_apart() -> None:
    assert len({loss.number for loss in LOSSES.values()}) == len(LOSSES)


def test_a_loss_that_there_is_not_is_refused() -> None:
    with pytest.raises(OptionNotUsable, match="Unknown loss 'pain'"):
        find_loss("pain")
