"""Whether published baskets are a suppression of original ones: the same records, each with no item it did not have."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.baskets.model import Baskets
from sudare.baskets.transactions import TEXT_FORMS
from sudare.errors import BadRows


@checked
def match_published(original: Baskets, published: Baskets) -> Baskets:
    """Return published baskets with the users and the numbers of items of the original ones.

    Records are matched by their users (in text: by their lines) and items by their names. Raises BadRows where a record
    is missing or has something that its original has not.
    """
    records = _matched_users(original, published)
    numbers = {name: number for number, name in enumerate(original.names)}
    codes = np.array([numbers.get(name, len(numbers)) for name in published.names], np.int64)
    # An item that the original does not have gets a number after all others.
    width = len(original.names) + 1
    keys = np.repeat(records, published.lengths) * width + codes[published.items]
    _refuse_new(original, published, keys, width)
    keys.sort()
    starts = np.append(0, np.cumsum(np.bincount(keys // width, minlength=len(original)))).astype(np.int64)
    return Baskets(starts, (keys % width).astype(np.int32), original.names, original.users)


def _matched_users(original: Baskets, published: Baskets) -> NDArray[np.int64]:
    """Return the number that each published record has among the original ones."""
    if published.users == original.users:
        return np.arange(len(original))
    places = {user: number for number, user in enumerate(original.users)}
    extra = next((user for user in published.users if user not in places), None)
    known = set(published.users)
    missing = next((user for user in original.users if user not in known), None)
    if extra is not None or missing is not None:
        user, there, lacks = (extra, published, original) if extra is not None else (missing, original, published)
        raise BadRows(
            f"{_no_suppression(original, published)}: "
            f"it has {len(published):,} records, the original {len(original):,}. "
            f"{_place(there, user or '')} of {_source(there, 'one')} is not in {_source(lacks, 'the other')}.\n"
            "Hint: a suppression keeps every record, if need be as an empty line or a user without an item."
        )
    return np.array([places[user] for user in published.users], np.int64)


def _refuse_new(original: Baskets, published: Baskets, keys: NDArray[np.int64], width: int) -> None:
    had = np.repeat(np.arange(len(original)), original.lengths) * width + original.items
    # One more, so that there is always one to compare with.
    had = np.append(had, len(original) * width)
    new = np.flatnonzero(had[np.searchsorted(had, keys)] != keys)
    if len(new):
        user, item = original.users[keys[new[0]] // width], published.names[published.items[new[0]]]
        raise BadRows(
            f"{_no_suppression(original, published)}: "
            f"{_place(published, user)} has the item {item!r}, which the original record has not "
            f"({len(new):,} such items in all).\n"
            "Hint: check that the two files belong together and are read in the same form."
        )


def _no_suppression(original: Baskets, published: Baskets) -> str:
    return f"{_source(published, 'The published data')} is no suppression of {_source(original, 'the original data')}"


def _source(baskets: Baskets, otherwise: str) -> str:
    return baskets.reading.source if baskets.reading else otherwise


def _place(baskets: Baskets, user: str) -> str:
    lines = baskets.reading is not None and baskets.reading.form in TEXT_FORMS
    return f"line {user}" if lines else f"the record of user {user!r}"
