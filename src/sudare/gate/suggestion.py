"""A first policy for a file: checks that suit its kind of data, with what they measure today."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from sudare.arguments import checked
from sudare.errors import ColumnNotFound, NotOnEngine, OptionNotUsable
from sudare.gate.arguments import Value
from sudare.gate.measures.model import Asked, Measure
from sudare.gate.measures.registry import Kind, find_measure
from sudare.gate.opened import OpenSource, OpenTable, opened
from sudare.lazy import above
from sudare.messages import Language, Texts, message
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass
from sudare.sources.writing import keeps_inputs, whole_file

POLICY_ENDINGS = (".toml",)
# What ends so is lines of items, unless something else is said.
_BASKET_ENDINGS = (".txt", ".dat")
_SOURCE = "data"


@dataclass(frozen=True, slots=True)
class SuggestedCheck(Result):
    """A check for a policy: what it measures, the limit that is suggested, and the value today.

    `within` says whether the limit is kept today.
    """

    measure: str
    arguments: Mapping[str, Value]
    severity: str
    limit: float
    value: float
    within: bool


@dataclass(frozen=True, slots=True)
class SuggestedPolicy(Result):
    """A policy for a file, as the text of a TOML file, and what its checks measure today."""

    _hidden = ("policy",)
    _rows = ("checks",)
    _row = SuggestedCheck

    source: str
    kind: Kind
    checks: tuple[SuggestedCheck, ...]
    policy: str = field(repr=False)

    @checked
    @keeps_inputs()
    def write(self, path: str | Path) -> None:
        """Write the policy, whole or not at all."""
        with whole_file(Path(path)) as temporary:
            temporary.write_text(self.policy, encoding="utf-8", newline="\n")


# Measure, arguments, severity, limit. The limits are those that the sources of the legal map name most often, not what
# the data happen to have: a policy that fails on its first day says so.
_Suggestion = tuple[str, dict[str, Value], str, float]
_HISTORY: tuple[_Suggestion, ...] = (
    ("attackers", {}, "warn", 0.2),
    ("attacker", {"attacker": 5}, "fail", 0.2),
    ("knowledge", {"knowledge": "day + item"}, "fail", 0.2),
    ("profiles", {"split": "half", "trained": False}, "fail", 0.05),
    ("rare-values", {"people": 3}, "warn", 0),
)
_BASKETS: tuple[_Suggestion, ...] = (("km", {"m": 2}, "fail", 3), ("rare-values", {"people": 3}, "warn", 0))


@checked
def suggest_policy(
    source: str | Path,
    *,
    kind: Kind | None = None,
    options: Mapping[str, Any] | None = None,
    folder: str | Path | None = None,
    language: Language = "en",
    progress: Progress = silent,
) -> SuggestedPolicy:
    """Look at a file, and suggest a policy with comments in a language.

    `kind` None: baskets, if the file is lines of items; a purchase history, if it has customers, days and items; else a
    table. `options` say how to read it, by the names that policies have for them. The policy will lie in `folder`.
    """
    path, given = Path(source), dict(options or {})
    last: ColumnNotFound | None = None
    for tried in (kind,) if kind else _kinds(path):
        try:
            checks = _measure(path, tried, given, progress)
        except ColumnNotFound as error:
            if kind:
                raise
            last = error
            continue
        write: Any = above("sudare.report.gate.suggested", "policy_text")
        text = write(_named(path, folder), tried, given, checks, Texts(language))
        return SuggestedPolicy(str(path), tried, tuple(checks), text)
    assert last is not None  # noqa: S101 - a table has any columns
    raise last


def _kinds(path: Path) -> tuple[Kind, ...]:
    return ("baskets",) if path.suffix.lower() in _BASKET_ENDINGS else ("history", "table")


def _named(path: Path, folder: str | Path | None) -> str:
    """Return how the policy names the file: relative to where it will lie, if that is possible."""
    if folder is None:
        return path.as_posix()
    try:
        return path.absolute().relative_to(Path(folder).absolute()).as_posix()
    except ValueError:
        return path.absolute().as_posix()


def _measure(path: Path, kind: Kind, options: Mapping[str, Any], progress: Progress) -> list[SuggestedCheck]:
    knowledge = tuple(str(arguments["knowledge"]) for _, arguments, *_ in _HISTORY if "knowledge" in arguments)
    with opened(kind, path, options, seed=0, knowledge=knowledge, progress=progress) as place:
        wanted = [*_suggestions(place, kind)]
        found = []
        for number, (name, arguments, severity, limit) in enumerate(wanted):
            progress(message("progress.gate"), number, len(wanted))
            measure = find_measure(kind, name)
            asked = Asked(arguments, (limit,), path.parent, 0, progress)
            value = _value(measure, place, asked)
            if value is not None:
                within = not measure.is_worse(value, limit)
                found.append(SuggestedCheck(name, arguments, severity, limit, value, within))
    return found


def _value(measure: Measure, place: OpenSource, asked: Asked) -> float | None:
    """Return what is measured; None where the file has not got what it takes."""
    try:
        return measure.function(place, asked).value
    except (OptionNotUsable, NotOnEngine):
        return None


def _suggestions(place: OpenSource, kind: Kind) -> Iterator[_Suggestion]:
    if not isinstance(place, OpenTable):
        yield from _HISTORY if kind == "history" else _BASKETS
        return
    known = _quasi(place)
    yield "identifiers", {}, "fail", 0
    yield "codes", {}, "fail", 0
    yield "card-numbers", {}, "fail", 0
    if known:
        yield "highest-risk", {"known": known}, "fail", 0.2
        yield "uniques", {"known": known}, "warn", 0
        yield "subsets", {"size": min(2, len(known)), "attributes": known}, "fail", 0.2
    yield "rare-values", {"people": 3}, "warn", 0


def _quasi(place: OpenTable) -> tuple[str, ...]:
    """Return the attributes that an attacker may know: all that do not identify people by themselves."""
    from sudare.tables.identifiers import direct_identifiers

    identifying = {found.attribute for found in direct_identifiers(place.table)}
    return tuple(name for name in place.table.attributes if name not in identifying)


def check_lines(check: SuggestedCheck) -> Sequence[str]:
    """Return a check as lines of TOML."""
    told = {"source": _SOURCE, "measure": check.measure, **check.arguments, check.severity: check.limit}
    return ["[[checks]]", *(f"{name} = {toml_value(value)}" for name, value in told.items())]


def source_lines(file: str, kind: Kind, options: Mapping[str, Any]) -> Sequence[str]:
    """Return the source as lines of TOML."""
    told = {"kind": kind, "file": file, **options}
    return [f"[sources.{_SOURCE}]", *(f"{name} = {toml_value(value)}" for name, value in told.items())]


def toml_value(value: object) -> str:
    """Return a value as TOML writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value:g}"
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(toml_value, value))}]"
    # A string of JSON without anything beyond ASCII escaped is one of TOML.
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
