"""Whether published baskets are a suppression of the original: the same records, without any new item."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.baskets.model import Baskets
from sudare.baskets.transactions import TEXT_FORMS
from sudare.errors import BadRows
from sudare.messages import Message, message


@checked
def match_published(original: Baskets, published: Baskets) -> Baskets:
    """Return published baskets numbered like the original ones, with the same users and items.

    Records are matched by user (in a text file: by line) and items by name. Raises BadRows if a record is missing or
    holds an item that its original does not.
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
    if extra is not None:
        raise BadRows("errors.baskets.new_record", place=_place(published, extra), **_both(original, published))
    if missing is not None:
        raise BadRows("errors.baskets.missing_record", place=_place(original, missing), **_both(original, published))
    return np.array([places[user] for user in published.users], np.int64)


def _refuse_new(original: Baskets, published: Baskets, keys: NDArray[np.int64], width: int) -> None:
    had = np.repeat(np.arange(len(original)), original.lengths) * width + original.items
    # One more, so that there is always one to compare with.
    had = np.append(had, len(original) * width)
    new = np.flatnonzero(had[np.searchsorted(had, keys)] != keys)
    if len(new):
        user, item = original.users[keys[new[0]] // width], published.names[published.items[new[0]]]
        place, both = _place(published, user), _both(original, published)
        raise BadRows("errors.baskets.new_item", count=len(new), place=place, item=item, **both)


def _both(original: Baskets, published: Baskets) -> dict[str, object]:
    """Return how the errors name the two, and how many records each has."""
    return {
        "original": original.reading.source if original.reading else message("errors.baskets.original"),
        "published": published.reading.source if published.reading else message("errors.baskets.published"),
        "original_records": message("count.records", count=len(original)),
        "published_records": message("count.records", count=len(published)),
    }


def _place(baskets: Baskets, user: str) -> Message:
    lines = baskets.reading is not None and baskets.reading.form in TEXT_FORMS
    return message("errors.baskets.line", user=user) if lines else message("errors.baskets.record", user=user)
