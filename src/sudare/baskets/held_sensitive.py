"""The sensitive items of users whose baskets are on an engine."""

from __future__ import annotations

import re
from contextlib import ExitStack
from dataclasses import field
from pathlib import Path

import numpy as np

from sudare.arguments import checked
from sudare.baskets.held import HeldBaskets
from sudare.baskets.model import SensitiveReading
from sudare.baskets.sensitive import RULES, Unknown, is_table, listed_items, random_lists, share_and_seed
from sudare.engine import fresh_name, quote_text
from sudare.errors import BadRows, NotOnEngine, OptionNotUsable
from sudare.showing import dataclass
from sudare.sources.cell_text import cell_text
from sudare.sources.local.files import check_readable
from sudare.sources.opening import open_source
from sudare.sources.options import SourceOptions
from sudare.sources.purchases.roles import NAMES, assign_roles, fold
from sudare.sources.spellings import plain
from sudare.sources.text import file_hash

# In place of a user: everybody.
EVERYBODY = -1


@dataclass(frozen=True, slots=True)
class HeldSensitive:
    """The table of sensitive items of baskets on an engine (owner or `EVERYBODY`, item), and how they were given."""

    baskets: HeldBaskets = field(repr=False)
    table: str
    described: str
    reading: SensitiveReading


@checked
def hold_sensitive(source: object, baskets: HeldBaskets, *, unknown: Unknown = "refuse") -> HeldSensitive:
    """Put the sensitive items of users on the engine of their baskets, from a rule, a list or a table.

    Rules and files are those of `read_sensitive`, except `random:0.4`, which draws a share for each user and does not
    run on an engine. Names that are not in the baskets are only counted, never listed.
    """
    name = fresh_name("sensitive")
    rule = str(source).partition(":")[0] if isinstance(source, str) else ""
    if rule in RULES:
        baskets.engine.keep(name, _by_rule(str(source), baskets))
        return HeldSensitive(baskets, name, str(source), SensitiveReading(str(source), 0, 0))
    if isinstance(source, str | Path) and Path(source).exists():
        check_readable(Path(source))
        if not is_table(Path(source), None):
            return _from_list(Path(source), baskets, name, unknown)
    return _from_table(source, baskets, name, unknown)


def _by_rule(rule: str, baskets: HeldBaskets) -> str:
    kind, _, rest = rule.partition(":")
    items = f"SELECT {EVERYBODY} AS owner, code - 1 AS item FROM {baskets.table('item')}"
    if kind == "all" and not rest:
        return items
    if kind == "item":
        chosen = f"{items} WHERE is_like(name, {quote_text(_regular(plain(rest)))})"
        if not baskets.engine.total(f"SELECT count(*) FROM ({chosen})")[0]:
            raise OptionNotUsable("errors.sensitive.no_match", pattern=rest, rule=rule, meant="")
        return chosen
    if kind == "random-fixed":
        words = random_lists(1, baskets.items, *share_and_seed(rule, rest))
        bits = np.unpackbits(words[0].view(np.uint8), bitorder="little")[: baskets.items]
        listed = ", ".join(map(str, np.flatnonzero(bits).tolist())) or "-1"
        return f"SELECT * FROM ({items}) WHERE item IN ({listed})"
    raise NotOnEngine("errors.sensitive.list_per_user", rule=rule)


def _regular(pattern: str) -> str:
    """Return a pattern with * and ? as a regular expression."""
    return "".join({"*": ".*", "?": "."}.get(letter) or re.escape(letter) for letter in pattern)


def _from_list(path: Path, baskets: HeldBaskets, name: str, unknown: Unknown) -> HeldSensitive:
    lines = [item for _, item in listed_items(path, None)]
    if lines and fold(lines[0]) in NAMES["item"]:
        del lines[0]
    engine = baskets.engine
    engine.attach(f"{name}_lines", {"listed": np.array(lines, object)})
    items = f"{name}_lines LEFT JOIN {baskets.table('item')} AS i ON i.name = listed"
    try:
        strange = int(engine.total(f"SELECT count(*) FROM {items} WHERE i.code IS NULL")[0])
        _refuse_unknown(str(path), strange, unknown)
        found = f"SELECT DISTINCT {EVERYBODY} AS owner, i.code - 1 AS item FROM {items} WHERE i.code IS NOT NULL"
        engine.keep(name, found)
    finally:
        engine.drop(f"{name}_lines")
    return HeldSensitive(baskets, name, str(path), SensitiveReading(str(path), len(lines), strange, file_hash(path)))


def _from_table(source: object, baskets: HeldBaskets, name: str, unknown: Unknown) -> HeldSensitive:
    engine = baskets.engine
    with ExitStack() as cleanup:
        opened = open_source(source, engine, SourceOptions(), cleanup)
        roles = assign_roles(
            opened.columns, {}, header=opened.header, source=opened.name, required=("customer", "item")
        )
        user, item = (
            cell_text(opened.expressions[roles[role]], opened.types[roles[role]], ()) for role in ("customer", "item")
        )
        joined = (
            "SELECT o.code - 1 AS owner, i.code - 1 AS item "
            f"FROM (SELECT {user} AS u, {item} AS i FROM {opened.table}) AS r "
            f"LEFT JOIN {baskets.table('owner')} AS o ON o.name = r.u "
            f"LEFT JOIN {baskets.table('item')} AS i ON i.name = r.i"
        )
        engine.keep(f"{name}_joined", joined)
        cleanup.callback(engine.drop, f"{name}_joined")
        lines, strange = engine.total(
            f"SELECT count(*), count(*) FILTER (WHERE owner IS NULL OR item IS NULL) FROM {name}_joined"
        )
        _refuse_unknown(opened.name, int(strange), unknown)
        known = "owner IS NOT NULL AND item IS NOT NULL"
        engine.keep(name, f"SELECT DISTINCT owner, item FROM {name}_joined WHERE {known}")
        reading = SensitiveReading(opened.name, int(lines), int(strange), opened.sha256)
        return HeldSensitive(baskets, name, opened.name, reading)


def _refuse_unknown(source: str, count: int, unknown: Unknown) -> None:
    if count and unknown == "refuse":
        raise BadRows("errors.sensitive.unknown_names", source=source, count=count, lines="")
