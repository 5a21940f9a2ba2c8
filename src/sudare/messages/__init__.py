"""Everything sudare says to people, in English and Japanese: texts by key, with values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from decimal import Decimal, Inexact, localcontext
from fractions import Fraction
from math import ceil, floor

from sudare.messages.catalogue import LANGUAGES, Language, catalogue, entry, has_entry
from sudare.showing import dataclass

__all__ = ["LANGUAGES", "Joined", "Language", "Message", "Texts", "catalogue", "has_entry", "message"]

# An argument of the library, with or without a value: [[walk]], [[walk=engine]].
_ARGUMENT = re.compile(r"\[\[(\w+)(?:=(.+?))?\]\]")


@dataclass(frozen=True, slots=True)
class Message:
    """Something to be said, in no language yet: the key of a text and its values. As a string it is English."""

    key: str
    values: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return Texts("en").say(self)

    def __repr__(self) -> str:
        return f"Message({self.key!r})"


@dataclass(frozen=True, slots=True)
class Joined:
    """Several things to be said one after another.

    `and` joins a, b and c, `or` a, b or c, `comma` a, b, c, `semicolon` a; b; c; `lines` puts each on a line of its
    own.
    """

    parts: Sequence[object]
    by: str = "and"

    def __str__(self) -> str:
        return Texts("en").joined(self)

    def __repr__(self) -> str:
        return f"Joined({len(self.parts)}, {self.by!r})"


def message(key: str, /, **values: object) -> Message:
    """Return the text of a key with its values, to be said later in the language of who reads it."""
    return Message(key, values)


def as_argument(name: str, value: str | None = None) -> str:
    """Name an argument as one writes it in Python."""
    if value is None:
        return name
    return f"{name}={value}" if value in ("True", "False") or value.replace(".", "").isdigit() else f'{name}="{value}"'


class Texts:
    """The texts of one language, by dotted key; values in braces are filled in.

    A text with the forms `one` and `other` is chosen by its value `count`. `name_argument` says how arguments of the
    library are written: in Python as such, on the command line as options. With `plain`, the text under `plain.KEY` is
    said in place of that under KEY where there is one: what is measured as in a contest is told without its words.
    """

    def __init__(
        self,
        language: Language,
        name_argument: Callable[[str, str | None], str] = as_argument,
        *,
        plain: bool = False,
    ) -> None:
        if language not in LANGUAGES:
            raise ValueError(f"no language {language!r}")
        self.language = language
        self._name_argument = name_argument
        self.plain = plain

    def in_plain_words(self) -> Texts:
        """Return the same texts in the words of ordinary data."""
        return Texts(self.language, self._name_argument, plain=True)

    def __call__(self, key: str, /, **values: object) -> str:
        """Return a text with its values filled in; values that are messages are said in the same language."""
        plain = f"plain.{key}"
        text = entry(self.language, plain if self.plain and has_entry(self.language, plain) else key)
        if not isinstance(text, str):
            text = text["one"] if values["count"] == 1 and "one" in text else text["other"]
        said = text.format(**{name: self._said(value) for name, value in values.items()})
        # Arguments come last: the value of one may be filled in, and is quoted as a whole.
        return _ARGUMENT.sub(lambda found: self._name_argument(found[1], found[2]), said) if "[[" in text else said

    def say(self, message: Message) -> str:
        """Return a message in this language."""
        return self(message.key, **message.values)

    def joined(self, parts: Joined) -> str:
        """Return several things as one says them in this language."""
        *first, last = [str(self._said(part)) for part in parts.parts] or [""]
        if parts.by == "lines":
            return "\n".join([*first, last])
        between = self("list.semicolon" if parts.by == "semicolon" else "list.comma")
        return between.join(first) + self(f"list.{parts.by}") + last if first else last

    def listed(self, texts: Sequence[str]) -> str:
        """Join texts as one does in the language: a, b and c."""
        return self.joined(Joined(texts))

    def _said(self, value: object) -> object:
        if isinstance(value, Message):
            return self.say(value)
        return self.joined(value) if isinstance(value, Joined) else value

    def exact_percent(self, share: Fraction | float) -> str:
        """Return a share as percentage with all its digits: what is promised is not rounded. A third stays 1/3."""
        exact = Fraction(str(share))
        with localcontext(prec=400) as context:
            context.traps[Inexact] = True
            try:
                value = f"{(Decimal(exact.numerator) * 100 / Decimal(exact.denominator)).normalize():f}"
            except Inexact:
                return str(exact)
        return self("report.number.percent", value=value)

    def upper_percent(self, share: Fraction | float) -> str:
        """Return a bound as percentage, rounded up: one that is too low would be none."""
        return self.exact_percent(Fraction(ceil(Fraction(share) * 10**6), 10**6))

    def lower_percent(self, share: Fraction | float) -> str:
        """Return a lower bound as percentage, rounded down: one that is too high would be none."""
        return self.exact_percent(Fraction(floor(Fraction(share) * 10**6), 10**6))
