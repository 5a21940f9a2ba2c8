"""What an attacker knows, described in a few words: `day + item*2`.

An observation is what is known of one visit: parts of the visit (day, weekday, month, count, kinds, items) and of its
rows (item, price, quantity, time, hour). `item*2` is two different items of the same visit; `item*2 + price*2` two rows
known by item and price. `(day + item)*2` is two different visits, each known by its day and one item; `day*2` is short
for `(day)*2`. `days`, on how many days the customer came, may stand beside them. `nothing` means no knowledge at all.
"""

from __future__ import annotations

import difflib
import re

from sudare.arguments import checked
from sudare.errors import KnowledgeNotUnderstood
from sudare.histories.attackers.parts import CUSTOMER_PARTS, PARTS, ROW_PARTS, VISIT_PARTS
from sudare.messages import Joined
from sudare.showing import dataclass

NOTHING = "nothing"

# Beyond these the counts of combinations leave what a sampled visit can be checked against in reasonable time.
MOST_ROWS = 10
MOST_VISITS = 10

_TOKEN = re.compile(r"\s*(?:([A-Za-z]+)|(\d+)|([+*()]))")


@dataclass(frozen=True, slots=True)
class Knowledge:
    """The parts known of `visits` different visits, of `rows` different rows in each, and of the customer."""

    visit_parts: tuple[str, ...] = ()
    row_parts: tuple[str, ...] = ()
    customer_parts: tuple[str, ...] = ()
    rows: int = 1
    visits: int = 1

    def __post_init__(self) -> None:
        known = {"visit_parts": VISIT_PARTS, "row_parts": ROW_PARTS, "customer_parts": CUSTOMER_PARTS}
        for name, parts in known.items():
            _check_parts(name, getattr(self, name), parts)
        _check_times("rows", self.rows, MOST_ROWS)
        _check_times("visits", self.visits, MOST_VISITS)

    @property
    def parts(self) -> tuple[str, ...]:
        """All parts, each once."""
        return (*self.customer_parts, *self.visit_parts, *self.row_parts)

    @property
    def key_visit_parts(self) -> tuple[str, ...]:
        """The visit parts that distinguish two observations: knowing all items already fixes their number."""
        fixed = {fixed for part in self.visit_parts for fixed in PARTS[part].fixes}
        return tuple(part for part in self.visit_parts if part not in fixed)

    def __str__(self) -> str:
        if not self.parts:
            return NOTHING
        times = f"*{self.rows}" if self.rows > 1 else ""
        inside = " + ".join([*self.visit_parts, *(part + times for part in self.row_parts)])
        if self.visits > 1:
            single = self.visit_parts == ("day",) and not self.row_parts
            inside = f"day*{self.visits}" if single else f"({inside})*{self.visits}"
        return " + ".join([*self.customer_parts, *([inside] if inside else [])])


def _check_parts(name: str, given: object, known: tuple[str, ...]) -> None:
    if not isinstance(given, tuple) or not all(isinstance(part, str) for part in given):
        raise TypeError(f"Knowledge: {name} must be a tuple of texts.")
    if len(given) > len(known) or len(set(given)) < len(given) or not set(given) <= set(known):
        raise KnowledgeNotUnderstood("errors.knowledge.parts", name=name, parts=Joined(known, "comma"))


def _check_times(name: str, given: object, most: int) -> None:
    if not isinstance(given, int) or isinstance(given, bool):
        raise TypeError(f"Knowledge: {name} must be int, not {type(given).__name__}.")
    if not 1 <= given <= most:
        raise KnowledgeNotUnderstood("errors.knowledge.times", name=name, most=most, given=given)


# Table 7: attackers 0 to 9 by what they know of one visit.
TEN_ATTACKERS = (
    Knowledge(),
    Knowledge(row_parts=("item",)),
    Knowledge(visit_parts=("count",)),
    Knowledge(visit_parts=("count",), row_parts=("item",)),
    Knowledge(visit_parts=("count", "items")),
    Knowledge(visit_parts=("day",)),
    Knowledge(visit_parts=("day",), row_parts=("item",)),
    Knowledge(visit_parts=("day", "count")),
    Knowledge(visit_parts=("day", "count"), row_parts=("item",)),
    Knowledge(visit_parts=("day", "count", "items")),
)


@checked
def parse_knowledge(text: str) -> Knowledge:
    """Parse a description of knowledge; the number of one of the ten attackers stands for its knowledge."""
    if re.fullmatch(r"\s*\d\s*", text):
        return TEN_ATTACKERS[int(text)]
    return _Parser(text).parse()


class _Parser:
    """Reads `term + term + ...`, a term being `part`, `part*k` or `(term + ...)*k`."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = self._split()
        self.place = 0

    def parse(self) -> Knowledge:
        if self.tokens == [NOTHING]:
            return Knowledge()
        terms = self._terms(end=None)
        groups = [(inside, times) for inside, times in terms if isinstance(inside, list)]
        single = [(part, times) for part, times in terms if isinstance(part, str)]
        if len(groups) > 1:
            raise self._error("groups")
        outside = [(part, times) for part, times in single if part in CUSTOMER_PARTS]
        inside = [(part, times) for part, times in single if part not in CUSTOMER_PARTS]
        if groups and inside:
            raise self._error("beside_group", part=inside[0][0])
        if groups:
            return self._observation(groups[0][0], groups[0][1], outside)
        return self._observation(*self._shorthand(inside), outside)

    def _shorthand(self, terms: list[tuple[str, int]]) -> tuple[list[tuple[str, int]], int]:
        """`day*2` alone means two visits: `(day)*2`."""
        if len(terms) == 1 and terms[0][0] in VISIT_PARTS:
            return [(terms[0][0], 1)], terms[0][1]
        return terms, 1

    def _observation(self, terms: list[tuple[str, int]], visits: int, outside: list[tuple[str, int]]) -> Knowledge:
        names = [part for part, _ in (*terms, *outside)]
        twice = next((part for part in names if names.count(part) > 1), None)
        if twice:
            raise self._error("twice", part=twice)
        for part, times in (*terms, *outside):
            self._check_term(part, times, inside=(part, times) in terms)
        row_times = {times for part, times in terms if part in ROW_PARTS}
        if len(row_times) > 1:
            raise self._error("different_rows")
        if visits > MOST_VISITS:
            raise self._error("many_visits", visits=visits, most=MOST_VISITS)
        return Knowledge(
            visit_parts=tuple(part for part in VISIT_PARTS if part in names),
            row_parts=tuple(part for part in ROW_PARTS if part in names),
            customer_parts=tuple(part for part in CUSTOMER_PARTS if part in names),
            rows=row_times.pop() if row_times else 1,
            visits=visits,
        )

    def _check_term(self, part: str, times: int, *, inside: bool) -> None:
        if part in CUSTOMER_PARTS and inside:
            raise self._error("customer_in_visit", part=part)
        if part in CUSTOMER_PARTS and times > 1:
            raise self._error("customer_times", part=part)
        if part in VISIT_PARTS and times > 1:
            raise self._error("visit_times", part=part, times=times)
        if part in ROW_PARTS and times > MOST_ROWS:
            raise self._error("many_rows", rows=times, most=MOST_ROWS)

    def _terms(self, end: str | None) -> list[tuple[str | list[tuple[str, int]], int]]:
        terms = [self._term(nested=end is not None)]
        while self._peek() == "+":
            self.place += 1
            terms.append(self._term(nested=end is not None))
        if self._peek() != end:
            raise self._error("unexpected", token=self._peek()) if self._peek() else self._error("not_closed")
        self.place += 1
        return terms

    def _term(self, *, nested: bool) -> tuple[str | list[tuple[str, int]], int]:
        token = self._peek()
        self.place += 1
        if token == "(":
            if nested:
                raise self._error("nested")
            inside = [(part, times) for part, times in self._terms(end=")") if isinstance(part, str)]
            return inside, self._times()
        if token is None or not token.isalpha():
            raise self._error("missing_before", token=token) if token else self._error("missing_at_end")
        return self._part(token), self._times()

    def _part(self, name: str) -> str:
        if name in PARTS:
            return name
        near = difflib.get_close_matches(name.lower(), PARTS, n=1)
        raise self._error("unknown_near", part=name, near=near[0]) if near else self._error("unknown", part=name)

    def _times(self) -> int:
        if self._peek() != "*":
            return 1
        self.place += 1
        number = self._peek()
        self.place += 1
        if number is None or not number.isdecimal() or int(number) < 1:
            raise self._error("number")
        return int(number)

    def _peek(self) -> str | None:
        return self.tokens[self.place] if self.place < len(self.tokens) else None

    def _split(self) -> list[str]:
        tokens, place, end = [], 0, len(self.text.rstrip())
        while place < end:
            found = _TOKEN.match(self.text, place)
            if found is None:
                raise self._error("character", character=self.text[place:].strip()[0])
            tokens.append(found.group().strip())
            place = found.end()
        return tokens

    def _error(self, name: str, **values: object) -> KnowledgeNotUnderstood:
        usable = Joined([*PARTS, NOTHING], "or")
        return KnowledgeNotUnderstood(f"errors.knowledge.{name}", text=self.text, usable=usable, **values)
