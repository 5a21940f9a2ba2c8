"""What the server refuses: errors with names shared by pages and API, worded in the reader's language."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sudare.errors import SudareError
from sudare.messages import Texts
from sudare.showing import dataclass


@dataclass(frozen=True, slots=True)
class Retold:
    """An error about a file that the server keeps under a name of its own, told with the name that people know."""

    error: SudareError
    path: str | Path
    name: str

    def said(self, texts: Texts) -> str:
        """Return the whole message in the reader's language."""
        return self.error.text(texts).replace(str(self.path), self.name)


class Refused(SudareError):
    """A request that is not granted; `status` is that of HTTP. A value may be a retold error."""

    def __init__(self, key: str, status: int = 400, /, **values: object) -> None:
        super().__init__(key, **values)
        self.status = status

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.key, self.status, self.values)

    @property
    def code(self) -> str:
        """The name of the error for programs: the last word of its key."""
        return self.key.rpartition(".")[2]

    def problem(self, texts: Texts) -> str:
        """Return what is wrong."""
        said = {name: value.said(texts) if isinstance(value, Retold) else value for name, value in self.values.items()}
        return texts(self.key, **said)


def _again(key: str, status: int, values: dict[str, object]) -> Refused:
    return Refused(key, status, **values)


def not_there() -> Refused:
    """Return the one answer for what does not exist and for what the viewer may not know to exist."""
    return Refused("errors.requests.not_there", 404)
