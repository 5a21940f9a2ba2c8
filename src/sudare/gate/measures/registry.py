"""The measures of a gate by kind of data, and how its sources are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, NoReturn, get_args

from sudare.errors import OptionNotUsable
from sudare.gate.arguments import Argument
from sudare.gate.measures.baskets import BASKETS
from sudare.gate.measures.histories import HISTORIES
from sudare.gate.measures.model import Measure
from sudare.gate.measures.tables import TABLES
from sudare.messages import Joined
from sudare.messages.near import near_names

Kind = Literal["history", "table", "baskets"]
KINDS: tuple[Kind, ...] = get_args(Kind)
MEASURES: Mapping[Kind, Mapping[str, Measure]] = {
    kind: {measure.name: measure for measure in measures}
    for kind, measures in zip(KINDS, (HISTORIES, TABLES, BASKETS), strict=True)
}

_TEXT, _NAMES, _COUNT = Argument("text"), Argument("names"), Argument("count")
# As on the command line, with what says where data are counted.
_ANY = {
    "delimiter": _TEXT, "header": Argument("flag"), "encoding": _TEXT, "sheet": _TEXT, "table": _TEXT,
    "time-zone": _TEXT, "engine": _TEXT, "memory": _TEXT, "spill-dir": Argument("file"), "min-cell": _COUNT,
    "threads": _COUNT,
}  # fmt: skip
_ROWS = {"column": _NAMES, "date-format": _TEXT, "bad-rows": Argument("text", choices=("refuse", "drop"))}
SOURCE_OPTIONS: Mapping[Kind, Mapping[str, Argument]] = {
    "history": {**_ANY, **_ROWS, "missing-value": _NAMES, "rules": _TEXT},
    "table": {
        **_ANY, "attributes": _NAMES, "weight": _TEXT, "person": _TEXT,
        "missing": Argument("text", choices=("value", "any")), "missing-value": _NAMES,
    },
    "baskets": {
        **_ANY, **_ROWS, "per": Argument("text", choices=("customer", "visit")),
        "form": Argument("text", choices=("spaces", "commas", "spmf", "pairs", "history")),
    },
}  # fmt: skip


def _refused(key: str, **values: object) -> NoReturn:
    raise OptionNotUsable(f"errors.gate.{key}", **values)


def find_measure(kind: Kind, name: str, refuse: Callable[..., NoReturn] = _refused) -> Measure:
    """Return a measure of a kind of data; `refuse` is told of one that there is not."""
    found = MEASURES[kind].get(name)
    if found is None:
        others = Joined([other for other in KINDS if name in MEASURES[other]], "or")
        if others.parts:
            refuse("measure_of_other", measure=name, kind=kind, kinds=others)
        refuse("no_measure", measure=name, kind=kind, near=near_names(name, [*MEASURES[kind]]))
    return found
