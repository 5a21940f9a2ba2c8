"""Writing baskets as transaction text or as a table of users and items."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import Path
from typing import get_args

import numpy as np

from sudare.arguments import checked
from sudare.baskets.model import Baskets
from sudare.baskets.read import Form
from sudare.baskets.transactions import TEXT_FORMS, line_joiner
from sudare.engine import scratch_engine
from sudare.errors import OptionNotUsable
from sudare.messages import Joined
from sudare.sources.writing import BASKETS_ENDINGS, check_ending, keeps_inputs, whole_file

TABLE_FORMS = ("pairs", "history")


def form_of(path: Path, read: str | None) -> Form:
    """Return the form in which a file is to be written: as the data were read, unless its name ends as a table's.

    A .parquet file is a table, and so is a .csv file, unless the data were read as lines with commas.
    """
    if read not in (None, *get_args(Form)):
        raise OptionNotUsable("errors.baskets.form", form=read, forms=Joined(get_args(Form), "or"))
    ending = path.suffix.lower()
    if ending == ".parquet" or (ending == ".csv" and read != "commas"):
        return "pairs"
    if read in TABLE_FORMS:
        raise OptionNotUsable("errors.baskets.not_a_table", file=path.name)
    return read or "spaces"  # type: ignore[return-value]


def check_basket_form(baskets: Baskets, path: Path, read: str | None) -> None:
    """Refuse a file in whose form the baskets cannot be written: to be asked before long work."""
    check_ending(path, BASKETS_ENDINGS)
    form = form_of(path, read)
    if form in TEXT_FORMS:
        line_joiner(form, baskets.names)


@checked
@keeps_inputs()
def write_baskets(baskets: Baskets, path: str | Path, form: str | None = None) -> None:
    """Write baskets in the format they were read from, or as a table of users and items (.csv, .parquet).

    A text file has one line per record in UTF-8, in record order, empty records included. The items of a line are
    sorted by name, not in input order: the order in which somebody bought reveals more than the set of items, and no
    guarantee about sets covers it. A table has one row per user and item, and one row without an item for a user who
    has none. The file is written whole or not at all.
    """
    path = Path(path)
    check_basket_form(baskets, path, form)
    with whole_file(path) as target:
        fill_basket_file(baskets, target, form_of(path, form))


def fill_basket_file(baskets: Baskets, target: Path, form: Form) -> None:
    """Write baskets to a file that only becomes the result if all goes well."""
    if form in TEXT_FORMS:
        with target.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(basket_lines(baskets, form))
    else:
        _write_pairs(baskets, target)


def basket_lines(baskets: Baskets, form: Form) -> Iterable[str]:
    """Return the lines of baskets as transaction text."""
    used = [baskets.names[item] for item in np.unique(baskets.items)]
    join = line_joiner(form, used)  # type: ignore[arg-type]
    names = np.array(baskets.names, object)[baskets.items].tolist()
    starts = baskets.starts.tolist()
    return (join(names[start:end]) + "\n" for start, end in itertools.pairwise(starts))


def _write_pairs(baskets: Baskets, target: Path) -> None:
    # A record without items has one row, without an item.
    rows = np.maximum(baskets.lengths, 1)
    owners = np.repeat(np.arange(len(baskets)), rows)
    items = np.full(len(owners), -1, np.int32)
    items[np.repeat(baskets.lengths > 0, rows)] = baskets.items
    with scratch_engine() as engine:
        engine.attach("pair", {"place": np.arange(len(owners)), "owner": owners, "code": items})
        for table, names in (("users", baskets.users), ("items", baskets.names)):
            engine.attach(table, {"number": np.arange(len(names)), "name": np.array(names, object)})
        engine.write(
            'SELECT u.name AS "user", i.name AS item FROM pair JOIN users AS u ON u.number = owner '
            "LEFT JOIN items AS i ON i.number = code ORDER BY place",
            target,
        )
