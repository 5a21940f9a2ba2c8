"""Results as CSV for spreadsheets, which take a cell that begins with = + - @ for a formula: it gets a leading '."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from sudare.web.views.results import ShownResults

FORMULA = ("=", "+", "-", "@", "\t", "\r")
STANDING = ("rank", "team", "target", "utility", "outcome", "attacks", "effective")
ATTACK = ("target", "attacker", "guesses", "hits", "threshold", "margin", "effective")


def standings_csv(results: ShownResults) -> str:
    """Return the standings, a row a team."""
    return _text(STANDING, ([getattr(entry, name) for name in STANDING] for entry in results.standings))


def attacks_csv(results: ShownResults) -> str:
    """Return all attacks, a row each."""
    return _text(ATTACK, ([getattr(entry, name) for name in ATTACK] for entry in results.attacks))


def _text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([neutral(value) for value in row] for row in rows)
    return out.getvalue()


def neutral(value: object) -> object:
    """Return a value as it may stand in a spreadsheet: numbers as they are, a text never as a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
