"""The errors of sudare, each for the person who can fix it.

SudareError                 base class: str(error) is a complete message for the user
├── InputError              the input cannot be used
│   ├── SourceNotReadable   a file that is missing, empty, binary, locked, of an unknown type
│   ├── ColumnNotFound      a role has no column, or a named column does not exist
│   ├── BadRows             rows that break the rules of their columns
│   ├── KnowledgeNotUnderstood   a description of background knowledge that cannot be read
│   ├── HierarchyNotUsable   a generalization hierarchy that is malformed or does not fit the data
│   ├── OptionNotUsable     an option with an invalid value
│   └── NotOnEngine         something the selected engine cannot or must not do
├── AnswerIsNo              the work is done, and the answer is no
├── EngineNotAvailable      an engine that cannot be started, or that failed
├── MemoryNotEnough         the work needs more memory than it may use
└── OutputNotWritable       a result that cannot be written to the given place
"""

from __future__ import annotations

from typing import Any

from sudare.messages import Message, Texts, has_entry


class SudareError(Exception):
    """The base class of all errors that a user can fix; the message says what is wrong, where, and how to fix it.

    An error carries the key of its text and the values in it, and is put into words for its reader; `str` is English.
    The text under the key says what is wrong; the text under the key with `_hint`, if there is one, says what to do.
    """

    def __init__(self, key: str, /, **values: object) -> None:
        super().__init__(key)
        self.key = key
        self.values = {name: _told(value) for name, value in values.items()}

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self.key, self.values)

    def __str__(self) -> str:
        return self.text(Texts("en"))

    def problem(self, texts: Texts) -> str:
        """Return what is wrong."""
        return texts(self.key, **self.values)

    def hint(self, texts: Texts) -> str:
        """Return what to do, or an empty string."""
        key = f"{self.key}_hint"
        return texts(key, **self.values) if has_entry(texts.language, key) else ""

    def text(self, texts: Texts) -> str:
        """Return the whole message."""
        hint = self.hint(texts)
        return self.problem(texts) + (texts("list.hint", hint=hint) if hint else "")


def _told(value: object) -> object:
    """Return a value as a message stores it: an error within an error is said in the same language."""
    return Message(value.key, value.values) if isinstance(value, SudareError) else value


def _again(kind: type[SudareError], key: str, values: dict[str, object]) -> SudareError:
    return kind(key, **values)


class InputError(SudareError):
    """Something was passed in that cannot be used."""


class SourceNotReadable(InputError):
    """A data source cannot be read at all."""


class ColumnNotFound(InputError):
    """A required column is missing from the data."""


class BadRows(InputError):
    """Some rows break the rules of their columns."""


class KnowledgeNotUnderstood(InputError):
    """A description of background knowledge is malformed or does not fit the data."""


class HierarchyNotUsable(InputError):
    """A generalization hierarchy is malformed or does not fit the data."""


class OptionNotUsable(InputError):
    """An option has an invalid value."""


class NotOnEngine(InputError):
    """The selected engine cannot do this, or must not."""


class AnswerIsNo(SudareError):
    """The work is done and the answer is no: nothing requested is possible within the limits."""


class EngineNotAvailable(SudareError):
    """An engine cannot be started here, or failed while working."""


class MemoryNotEnough(SudareError):
    """The work needs more memory than it may use."""


class OutputNotWritable(SudareError):
    """A result cannot be written to the given place; no partial file is left."""
