"""What can go wrong, said to the person who can mend it.

SudareError                 base: str(error) is one complete message for the user
├── InputError              what was given cannot be used
│   ├── SourceNotReadable   a file that is missing, empty, binary, locked, of an unknown kind
│   ├── ColumnNotFound      a role has no column, or a named column does not exist
│   ├── BadRows             rows that break the rules of their columns
│   ├── KnowledgeNotUnderstood   a description of background knowledge that cannot be read
│   ├── HierarchyNotUsable   a generalization hierarchy that is malformed or does not fit the data
│   ├── OptionNotUsable     an option whose value does not fit
│   └── NotOnEngine         something that the chosen engine cannot do
├── EngineNotAvailable      an engine that cannot be started, or that gave up
├── MemoryNotEnough         the work needs more memory than it may use
└── OutputNotWritable       a result that cannot be put where it was asked for
"""

from __future__ import annotations


class SudareError(Exception):
    """The base of all errors that a user can mend; the message says what, where and how."""


class InputError(SudareError):
    """What was given cannot be used."""


class SourceNotReadable(InputError):
    """A source of data cannot be read at all."""


class ColumnNotFound(InputError):
    """A needed column is not in the data."""


class BadRows(InputError):
    """Some rows break the rules of their columns."""


class KnowledgeNotUnderstood(InputError):
    """A description of background knowledge is malformed or does not fit the data."""


class HierarchyNotUsable(InputError):
    """A generalization hierarchy is malformed or does not fit the data."""


class OptionNotUsable(InputError):
    """An option has a value that does not fit.

    If it is one argument by itself, `argument` is its name and `problem` what it must be.
    """

    argument = ""
    problem = ""


class NotOnEngine(InputError):
    """Something was asked for that the chosen engine cannot do, or must not."""


class EngineNotAvailable(SudareError):
    """An engine cannot be started here, or gave up its work."""


class MemoryNotEnough(SudareError):
    """The work needs more memory than it may use."""


class OutputNotWritable(SudareError):
    """A result cannot be written where it was asked for; nothing was left half-written."""
