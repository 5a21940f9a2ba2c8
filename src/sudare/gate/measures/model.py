"""What a measure is, and what it found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from sudare.gate.arguments import Argument, Value
from sudare.messages import Message
from sudare.progress import Progress
from sudare.results import Result
from sudare.showing import dataclass

Better = Literal["low", "high"]
Unit = Literal["share", "count", "number"]
# How a value was found: counted on the data; estimated, so that another sample gives another one; or by attacks that
# were tried, so that a stronger one may find more.
Basis = Literal["counted", "estimated", "attacked"]
# Values that are equal but for the last bits are equal.
_NOISE = 1e-12


@dataclass(frozen=True, slots=True)
class Measured(Result):
    """What was measured: a value, how it was found, and what else is to be said of it, without values of the data.

    `examples` are values of the data. `unproven` says why the value does not count as an answer: an attack that is too
    weak, a search that did not end.
    """

    value: float
    basis: Basis = "counted"
    facts: tuple[Message, ...] = ()
    examples: tuple[str, ...] = ()
    unproven: Message | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """What a check asks: the arguments it has, the limits as the measure may need them, and where files lie."""

    arguments: Mapping[str, Value]
    limits: tuple[float, ...]
    folder: Path
    seed: int
    progress: Progress = field(repr=False)

    def __getitem__(self, name: str) -> Any:
        return self.arguments[name]

    def get(self, name: str, otherwise: Any = None) -> Any:
        """Return an argument, or something else where it is not given."""
        return self.arguments.get(name, otherwise)

    def file(self, name: str) -> Path:
        """Return where a file lies that an argument names."""
        return self.folder / str(self.arguments[name])


Measuring: TypeAlias = Callable[[Any, Asked], Measured]


@dataclass(frozen=True, slots=True)
class Measure:
    """Something that can be measured of a source.

    `better` says whether low or high values are good. `function` gets the opened source and what is asked. `commands`
    show more about it: the first that the check has the arguments for, where `{known}` is an argument, `{people:3}` one
    with a default, and `{source}`, `{seed}`, `{limit}` and `{k}` are those of the policy.
    """

    name: str
    better: Better
    unit: Unit
    function: Measuring
    arguments: Mapping[str, Argument] = field(default_factory=dict)
    commands: tuple[str, ...] = ()

    def is_worse(self, value: float, than: float) -> bool:
        """Say whether a value is worse than another."""
        as_good = value <= than + _NOISE if self.better == "low" else value >= than - _NOISE
        return not as_good  # so is what is not a number
