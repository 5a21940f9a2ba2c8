"""A source of a policy while its checks run; what several checks need is computed once."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import Any

from sudare.engine import Engine, open_engine
from sudare.errors import OptionNotUsable
from sudare.limits import MEMORY
from sudare.messages import Joined
from sudare.progress import Progress
from sudare.sources.readings import Reading

Options = Mapping[str, Any]
# What other files beside a source are read with: how text is written, not which columns it has.
TEXT_FORM = ("delimiter", "header", "encoding", "sheet", "time-zone")


class OpenSource:
    """A source while its checks run. `knowledge` is all that histories are asked about, so that it is asked once."""

    reading: Reading | None = None

    def __init__(self, file: Path, options: Options, seed: int, knowledge: tuple[str, ...], progress: Progress) -> None:
        self.file, self.options, self.seed, self.knowledge, self.progress = file, options, seed, knowledge, progress
        self.held = ExitStack()

    def close(self) -> None:
        """Close what was opened."""
        self.held.close()

    @cached_property
    def engine(self) -> Engine:
        """The engine that holds the data."""
        found = open_engine(
            str(self.options.get("engine", "duckdb")),
            memory=str(self.options.get("memory", MEMORY)),
            threads=self.options.get("threads"),
            spill=self.options.get("spill-dir"),
            min_cell=int(self.options.get("min-cell", 1)),
        )
        return self.held.enter_context(found)

    def form(self, *names: str) -> dict[str, Any]:
        """Return the options with these names as the library takes them, as far as they are given."""
        return {name.replace("-", "_"): self.options[name] for name in names if name in self.options}


def pairs_of(words: tuple[str, ...], option: str) -> dict[str, list[str]]:
    """Read words such as customer=CustomerID into name -> values."""
    found: dict[str, list[str]] = {}
    for word in words:
        name, divided, value = (part.strip() for part in word.partition("="))
        if not (divided and name and value):
            raise OptionNotUsable("errors.usage.not_pair", option=option, word=word, example="customer=CustomerID")
        found.setdefault(name, []).append(value)
    return found


def columns_of(words: tuple[str, ...]) -> dict[str, str]:
    """Read words such as customer=CustomerID into role -> column; a role has one column."""
    found = pairs_of(words, "column")
    twice = next((role for role, names in found.items() if len(names) > 1), None)
    if twice:
        raise OptionNotUsable("errors.usage.column_twice", role=twice, names=Joined(found[twice]))
    return {role: names[0] for role, names in found.items()}
