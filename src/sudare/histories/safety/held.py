"""The classes of indistinguishable pseudonyms in a published history on an engine."""

from __future__ import annotations

import secrets

from sudare.arguments import checked
from sudare.engine import quote_text
from sudare.engine.small_counts import Refuse
from sudare.errors import NotOnEngine
from sudare.histories.generalized.held import HeldCells
from sudare.histories.generalized.model import Kind
from sudare.results import Result
from sudare.showing import dataclass

# A SHA-256 is added up in this number of parts of 60 bits.
_PARTS = 4
_RARE = Refuse(lambda count, least: NotOnEngine("errors.safety.rare", count=count, least=least))


@dataclass(frozen=True, slots=True)
class SizedClasses(Result):
    """The number of classes with a given number of pseudonyms."""

    size: int
    classes: int


@checked
def held_class_sizes(held: HeldCells) -> tuple[SizedClasses, ...]:
    """Return the number of classes of each size; pseudonyms of a class have the same rows, each equally often.

    `sudare.histories.safety.published_classes` defines when rows are the same. Rows are compared by the sum of their
    SHA-256, salted with a number of this call: n pseudonyms are divided wrongly with a probability below n^2 / 2^241,
    whatever their rows are. Only whole numbers leave the engine, one line per size; a line about fewer pseudonyms than
    the smallest count that may leave raises NotOnEngine. No line means that every row is deleted.
    """
    salt = quote_text(secrets.token_hex(16))
    cells = " || '|' || ".join(_cell(i, rule.form) for i, rule in enumerate(held.rules.cell_columns))
    rows = f"SELECT pid, {salt} || {cells} AS words FROM {held.table} WHERE pid > 0"
    parts = ", ".join(f"sum(CAST(digest_part(words, {n}) AS DECIMAL(38, 0))) AS d{n}" for n in range(_PARTS))
    keys = ", ".join(f"d{n}" for n in range(_PARTS))
    persons = f"SELECT pid, count(*) AS number, {parts} FROM ({rows}) GROUP BY pid"
    classes = f"SELECT count(*) AS size FROM ({persons}) GROUP BY number, {keys}"
    lines = f"SELECT size, count(*) AS classes FROM ({classes}) GROUP BY size"
    told = f"SELECT size, classes, size * classes AS pseudonyms FROM ({lines}) ORDER BY size"
    found = held.engine.counts(told, cell="pseudonyms", small=_RARE)
    return tuple(SizedClasses(int(size), int(count)) for size, count, _ in found)


def _cell(i: int, form: str) -> str:
    """Return an expression for a text that is the same where cells stand for the same values, whatever their signs."""
    if form == "item":
        values = f"CAST(length(s{i}) AS STRING) || ':' || s{i}"
    else:
        values = f"CAST(l{i} AS STRING) || ';' || CAST(h{i} AS STRING)"
    return f"CASE WHEN k{i} = {Kind.DELETED} THEN '*' ELSE {values} END"
