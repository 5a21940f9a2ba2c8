"""Which items are sensitive: one list for all users, a list for each user, or a rule."""

from __future__ import annotations

import fnmatch
import io
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.baskets.model import Baskets, SensitiveItems, SensitiveReading, sensitive_rows
from sudare.baskets.read import ITEMS_OF_USERS, hold_pairs, is_binary, missing_rows, names_columns
from sudare.engine import Engine, engine_or_own, fresh_name
from sudare.errors import BadRows, OptionNotUsable, SourceNotReadable
from sudare.messages import Joined, Message, message
from sudare.messages.near import did_you_mean
from sudare.showing import dataclass
from sudare.sources.encodings import find_text, read_text, with_mark
from sudare.sources.local.files import check_readable
from sudare.sources.opening import Source, open_source
from sudare.sources.options import SourceOptions
from sudare.sources.purchases.roles import NAMES, fold
from sudare.sources.spellings import plain
from sudare.sources.text import DELIMITERS, file_hash

Unknown = Literal["refuse", "ignore"]

RULES = ("all", "random", "random-fixed", "item")
WORD_BITS = 64
SHOWN_UNKNOWN = 5


@checked
def read_sensitive(
    source: object,
    baskets: Baskets,
    *,
    unknown: Unknown = "refuse",
    delimiter: str | None = None,
    encoding: str | None = None,
    engine: Engine | None = None,
) -> SensitiveItems:
    """Read the sensitive items of the users of some baskets from a file, a dataframe or a rule.

    A text file lists one item per line, sensitive for everybody. A table (a text file whose header names a user and an
    item column, a .csv or .tsv file of two columns, Parquet, Excel, a dataframe) has one row per user and item; a user
    without a row has no sensitive items. A Parquet file or dataframe with one column is a list for everybody. Duplicate
    lines count once. A user need not have the items, but users and items that appear nowhere in the baskets are
    refused, or ignored and counted.

    Rules: `all` (every item), `random:0.4` (a random share of all items, drawn for each user; `random:0.4:7` uses seed
    7 instead of 0), `random-fixed:0.4` (one random share for everybody), `item:med*` (the items whose names match).
    """
    if unknown not in get_args(Unknown):
        raise OptionNotUsable("errors.sensitive.unknown", unknown=unknown, choices=Joined(get_args(Unknown), "or"))
    found = _read(source, baskets, unknown, delimiter, encoding, engine)
    return replace(found, users=baskets.users, names=baskets.names)


def _read(
    source: object,
    baskets: Baskets,
    unknown: Unknown,
    delimiter: str | None,
    encoding: str | None,
    engine: Engine | None,
) -> SensitiveItems:
    if isinstance(source, str) and is_rule(source):
        return _by_rule(source, baskets)
    if isinstance(source, str | Path):
        path = Path(source)
        if not path.exists():
            raise SourceNotReadable("errors.sensitive.no_file_or_rule", source=str(source))
        check_readable(path)
        if not is_table(path, encoding):
            return _from_list(path, baskets, unknown, encoding)
    with engine_or_own(engine) as place:
        return _from_table(source, baskets, place, unknown, delimiter, encoding)


def is_rule(words: str) -> bool:
    """Return whether words are a rule rather than the name of a file."""
    return words.partition(":")[0] in RULES


def _by_rule(rule: str, baskets: Baskets) -> SensitiveItems:
    kind, _, rest = rule.partition(":")
    if kind == "all" and rest:
        raise OptionNotUsable("errors.sensitive.no_file_or_rule", source=rule)
    reading = SensitiveReading(rule, 0, 0)
    if kind == "random":
        share, seed = share_and_seed(rule, rest)
        words = random_lists(len(baskets), len(baskets.names), share, seed)
        return SensitiveItems(np.arange(len(baskets), dtype=np.int32), words, rule, reading)
    if kind == "random-fixed":
        words = random_lists(1, len(baskets.names), *share_and_seed(rule, rest))
        return SensitiveItems(np.zeros(len(baskets), np.int32), words, rule, reading)
    mask = np.ones(len(baskets.names), np.bool_) if kind == "all" else _like(rule, plain(rest), baskets.names)
    return replace(_for_all(mask, baskets, rule), reading=reading)


def share_and_seed(rule: str, rest: str) -> tuple[float, int]:
    """Read what a random rule says: the share of the items, and the seed (default 0)."""
    share, colon, seed = rest.partition(":")
    try:
        found = float(share), int(seed) if colon else 0
        if not (0 < found[0] <= 1 and found[1] >= 0):
            raise ValueError
    except ValueError:
        raise OptionNotUsable("errors.sensitive.share", rule=rule) from None
    return found


def random_lists(lists: int, items: int, share: float, seed: int) -> NDArray[np.uint64]:
    """Return lists of a random share of the items each, rounded to whole items, as bits.

    Knuth's selection sampling (The Art of Computer Programming, 2, algorithm 3.4.2 S), all lists at once: an item is
    taken with the probability of still needed ones / items left.
    """
    rng = np.random.default_rng(seed)
    needed = np.full(lists, round(share * items), np.int64)
    words = np.zeros((lists, -(-items // WORD_BITS)), np.uint64)
    for place in range(words.shape[1]):
        word = np.zeros(lists, np.uint64)
        for item in range(place * WORD_BITS, min(items, (place + 1) * WORD_BITS)):
            taken = rng.random(lists) * (items - item) < needed
            needed -= taken
            word |= taken.astype(np.uint64) << np.uint64(item % WORD_BITS)
        words[:, place] = word
    return words


def _like(rule: str, pattern: str, names: Sequence[str]) -> NDArray[np.bool_]:
    mask = np.fromiter((fnmatch.fnmatchcase(name, pattern) for name in names), np.bool_, len(names))
    if not mask.any():
        meant = did_you_mean(pattern, names)
        raise OptionNotUsable("errors.sensitive.no_match", pattern=pattern, rule=rule, meant=meant)
    return mask


def _for_all(mask: NDArray[np.bool_], baskets: Baskets, described: str) -> SensitiveItems:
    return sensitive_rows(mask[None, :], np.zeros(len(baskets), np.int32), described)


def is_table(path: Path, encoding: str | None) -> bool:
    """Tell whether a file is a table of users and items, rather than a list of items."""
    if is_binary(path):
        return True
    found = find_text(path, encoding=encoding, choosable=False).encoding
    if names_columns(path, found):
        return True
    with path.open(encoding=with_mark(found)) as file:
        first = next((line for line in file if line.strip()), "")
    return path.suffix.lower() in (".csv", ".tsv") and any(delimiter in first.strip() for delimiter in DELIMITERS)


def listed_items(path: Path, encoding: str | None) -> list[tuple[int, str]]:
    """Return the items of a text of one item a line, with the numbers of their lines."""
    lines = io.StringIO(read_text(path, encoding=encoding), newline=None)
    return [(number, plain(line)) for number, line in enumerate(lines, start=1) if plain(line)]


def _from_list(path: Path, baskets: Baskets, unknown: Unknown, encoding: str | None) -> SensitiveItems:
    lines = listed_items(path, encoding)
    numbers = {name: number for number, name in enumerate(baskets.names)}
    if lines and fold(lines[0][1]) in NAMES["item"] and lines[0][1] not in numbers:
        del lines[0]
    strange = [_Strange(number, "item", item) for number, item in lines if item not in numbers]
    _refuse_unknown(str(path), strange[:SHOWN_UNKNOWN], len(strange), baskets, unknown)
    mask = np.zeros(len(baskets.names), np.bool_)
    mask[[numbers[item] for _, item in lines if item in numbers]] = True
    reading = SensitiveReading(str(path), len(lines), len(strange), file_hash(path))
    return replace(_for_all(mask, baskets, str(path)), reading=reading)


def _from_table(
    source: object, baskets: Baskets, engine: Engine, unknown: Unknown, delimiter: str | None, encoding: str | None
) -> SensitiveItems:
    name = fresh_name("sensitive")
    header = None
    if isinstance(source, str | Path) and not is_binary(Path(source)):
        header = names_columns(Path(source), find_text(Path(source), encoding=encoding, choosable=False).encoding)
    with ExitStack() as cleanup:
        opened = open_source(
            source, engine, SourceOptions(delimiter=delimiter, header=header, encoding=encoding), cleanup
        )
        cleanup.callback(engine.drop, *(f"{name}_{table}" for table in ("rows", "users", "items")))
        alone = len(opened.columns) == 1
        # A single column is the items; taken as the users too, it needs no way of its own.
        given = {"customer": "1", "item": "1"} if alone else {}
        hold_pairs(engine, opened, given, f"{name}_rows")
        _refuse_missing(engine, opened, f"{name}_rows")
        for table, names in (("users", baskets.users), ("items", baskets.names)):
            columns = {"number": np.arange(len(names)), "name": np.array(names, object)}
            engine.attach(f"{name}_{table}", columns)
        return _from_pairs(engine, name, opened, baskets, unknown, alone=alone)


def _refuse_missing(engine: Engine, source: Source, rows: str) -> None:
    for column, what in (("owner", message("errors.sensitive.user")), ("item", message("errors.sensitive.item"))):
        lacking = missing_rows(engine, rows, column)
        if lacking:
            row = source.rows_of(lacking[:1], ())[lacking[0]]
            raise BadRows("errors.sensitive.missing", source=source.name, row=row, what=what, count=len(lacking))


def _from_pairs(
    engine: Engine, name: str, source: Source, baskets: Baskets, unknown: Unknown, *, alone: bool
) -> SensitiveItems:
    joined = (
        f"SELECT place, r.owner, r.item, {'0' if alone else 'u.number'} AS u, i.number AS i FROM {name}_rows AS r "
        f"LEFT JOIN {name}_users AS u ON u.name = r.owner LEFT JOIN {name}_items AS i ON i.name = r.item"
    )
    lines, strange = engine.total(f"SELECT count(*), count(*) FILTER (WHERE u IS NULL OR i IS NULL) FROM ({joined})")
    first = engine.people(
        f"SELECT place, owner, item, u IS NULL FROM ({joined}) WHERE u IS NULL OR i IS NULL "
        f"ORDER BY place LIMIT {SHOWN_UNKNOWN}",
        ITEMS_OF_USERS,
    )
    places = source.rows_of([row[0] for row in first], ()) if first else {}
    shown = [
        _Strange(places[place], "user" if no_user else "item", owner if no_user else item)
        for place, owner, item, no_user in first
    ]
    _refuse_unknown(source.name, shown, strange, baskets, unknown)
    found = engine.people_columns(
        f"SELECT DISTINCT u, i FROM ({joined}) WHERE u IS NOT NULL AND i IS NOT NULL ORDER BY u, i", ITEMS_OF_USERS
    )
    listed, rows = np.unique(found["u"].astype(np.int64), return_inverse=True)
    words = _bits(rows + 1, found["i"].astype(np.int64), len(listed) + 1, len(baskets.names))
    of_user = np.zeros(len(baskets), np.int32)
    of_user[listed] = np.arange(1, len(listed) + 1)
    if alone:
        of_user[:] = len(listed)
    return SensitiveItems(of_user, words, source.name, SensitiveReading(source.name, lines, strange, source.sha256))


def _bits(rows: NDArray[np.int64], items: NDArray[np.int64], lists: int, width: int) -> NDArray[np.uint64]:
    """Return lists as bits, from different pairs of a list and an item in rising order."""
    words = np.zeros((lists, -(-width // WORD_BITS)), np.uint64)
    if len(rows):
        keys = rows * words.shape[1] + items // WORD_BITS
        starts = np.flatnonzero(np.diff(keys, prepend=-1))
        bits = np.uint64(1) << (items % WORD_BITS).astype(np.uint64)
        words.reshape(-1)[keys[starts]] = np.bitwise_or.reduceat(bits, starts)
    return words


@dataclass(frozen=True, slots=True)
class _Strange:
    """A name in a line of sensitive items that the baskets do not have."""

    line: int
    kind: str
    name: str


def _refuse_unknown(source: str, shown: Sequence[_Strange], count: int, baskets: Baskets, unknown: Unknown) -> None:
    if not count or unknown == "ignore":
        return
    lines = [_unknown_line(entry, baskets) for entry in shown]
    if count > len(shown):
        lines.append(message("errors.sensitive.more", more=message("list.more", count=count - len(shown))))
    raise BadRows("errors.sensitive.unknown_names", source=source, count=count, lines=Joined(["", *lines], "lines"))


def _unknown_line(entry: _Strange, baskets: Baskets) -> Message:
    known = baskets.users if entry.kind == "user" else baskets.names
    meant = did_you_mean(entry.name, known)
    return message(f"errors.sensitive.unknown_{entry.kind}", row=entry.line, name=entry.name, meant=meant)
