"""What a reader of a report can do: repeat it, and take the next step."""

from __future__ import annotations

import datetime as dt
import shlex
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from platform import python_version

from sudare.messages import Texts
from sudare.report.numbers import Numbers
from sudare.report.readings import left_out
from sudare.showing import dataclass
from sudare.sources.readings import Reading
from sudare.version import __version__


@dataclass(frozen=True, slots=True)
class Repetition:
    """What a reader types to make a report again, and what else its numbers depend on, by name.

    `promise` says what is the same then; `title` says whether `line` is a command line or a call of the library.
    """

    promise: str
    title: str
    line: str
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Step:
    """What to do next, and the command that does it, if there is one."""

    text: str
    command: str | None = None

    @classmethod
    def of(cls, text: str, *words: str) -> Step:
        """Return a step whose command has these words after `sudare`, quoted for a shell."""
        return cls(text, shlex.join(["sudare", *words]))


def earlier_words(made: object) -> tuple[str, ...]:
    """Return the words that name the earlier releases in a command, if a history was made with them.

    Without these its classes would be other people again.
    """
    from sudare.histories.anonymize.classes import GroupedHistory

    return ("--earlier", "RELEASE", "--aligned-key", "KEY") if isinstance(made, GroupedHistory) else ()


def repetition(
    command: str | None,
    call: str,
    texts: Texts,
    made: dt.datetime,
    reading: Reading | None = None,
    *,
    stopped: bool = False,
) -> Repetition:
    """Return how a report is made again: by the command line, or by the call of the library where there was none.

    What a search found that was `stopped` by the clock need not be found again.
    """
    promise = texts("report.page.repeat_stopped" if stopped else "report.page.repeat")
    dropped = ((texts("report.page.left_out"), left_out(reading, texts)),) if reading else ()
    facts = (
        *dropped,
        (texts("report.page.versions"), versions()),
        (texts("report.page.made"), Numbers(texts).moment(made)),
    )
    if command is None:
        return Repetition(promise, texts("report.page.call"), call, facts)
    return Repetition(promise, texts("report.page.command"), command, facts)


def versions() -> str:
    """Return the versions that numbers can depend on."""
    return f"sudare {__version__}, Python {python_version()}, DuckDB {version('duckdb')}"


def call_text(function: str, given: Sequence[str], options: Mapping[str, object]) -> str:
    """Return a call as one writes it in Python, with every option, those that were left at their defaults too."""
    return f"{function}({', '.join([*given, *(f'{name}={value!r}' for name, value in options.items())])})"
