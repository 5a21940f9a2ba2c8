"""Sources of a policy, opened by their kind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sudare.gate.opened.baskets import OpenBaskets
from sudare.gate.opened.history import OpenHistory
from sudare.gate.opened.source import OpenSource, Options
from sudare.gate.opened.table import OpenTable
from sudare.progress import Progress

_KINDS = {"table": OpenTable, "history": OpenHistory, "baskets": OpenBaskets}


@contextmanager
def opened(
    kind: str, file: Path, options: Options, *, seed: int, knowledge: tuple[str, ...], progress: Progress
) -> Iterator[OpenSource]:
    """Open a source, and close it at the end of the block."""
    source = _KINDS[kind](file, options, seed, knowledge, progress)
    try:
        yield source
    finally:
        source.close()
