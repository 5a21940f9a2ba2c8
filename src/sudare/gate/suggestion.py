"""A first policy for a file: checks that suit its kind of data, with what they measure today."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, NoReturn

from sudare.arguments import checked
from sudare.errors import ColumnNotFound, InputError, NotOnEngine, OptionNotUsable
from sudare.gate.arguments import Argument, Value, values_of
from sudare.gate.measures.model import Asked, Measure, Measured
from sudare.gate.measures.registry import SOURCE_OPTIONS, Kind, find_measure
from sudare.gate.opened.opening import opened
from sudare.gate.opened.source import OpenSource
from sudare.gate.opened.table import OpenTable
from sudare.gate.policy import PLACES
from sudare.lazy import above
from sudare.messages import Joined, Language, Texts, message
from sudare.messages.near import near_names
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass
from sudare.sources.writing import check_ending, keeps_inputs, whole_file

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
    """A policy for a file, as the text of a TOML file, and what its checks measure today.

    `questions` is another one, with what only people can answer, and no answers yet.
    """

    _hidden = ("policy", "questions")
    _rows = ("checks",)
    _row = SuggestedCheck

    source: str
    kind: Kind
    checks: tuple[SuggestedCheck, ...]
    policy: str = field(repr=False)
    questions: str = field(repr=False)

    @checked
    @keeps_inputs()
    def write(self, path: str | Path) -> None:
        """Write the policy, whole or not at all."""
        _write(self.policy, Path(path))

    @checked
    @keeps_inputs()
    def write_questions(self, path: str | Path) -> None:
        """Write the questions that only people can answer, for the answers to be filled in, whole or not at all."""
        _write(self.questions, Path(path))


def _write(text: str, path: Path) -> None:
    check_ending(path, POLICY_ENDINGS)
    with whole_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


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
    answers: str | Path | None = None,
    language: Language = "en",
    progress: Progress = silent,
) -> SuggestedPolicy:
    """Look at a file, and suggest a policy with comments in a language.

    `kind` None: baskets, if the file is lines of items; a purchase history, if it has customers, days and items; else a
    table. `options` say how to read it, by the names that policies have for them. The policy will lie in `folder`, and
    names the file of `answers` if there will be one.
    """
    path = Path(source)
    problems: list[InputError] = []
    for tried in (kind,) if kind else _kinds(path):
        try:
            given = _options(options or {}, tried, path)
            checks = _measure(path, tried, given, progress)
        except (ColumnNotFound, OptionNotUsable) as error:
            problems.append(error)
            continue
        write: Any = above("sudare.report.gate.suggested", "policy_text")
        ask: Any = above("sudare.report.gate.suggested", "questions_text")
        texts, told = Texts(language), None if answers is None else _named(Path(answers), folder)
        placed = {name: _placed(name, value, folder) for name, value in given.items()}
        text = write(_named(path, folder), tried, placed, checks, texts, answers=told)
        return SuggestedPolicy(str(path), tried, tuple(checks), text, ask(texts))
    # A column that is missing is nearer to what was meant than an option that another kind of data has.
    raise next((one for one in problems if isinstance(one, ColumnNotFound)), problems[-1])


def _options(given: Mapping[str, Any], kind: Kind, path: Path) -> dict[str, Value]:
    """Return how to read a file, checked as those of a policy are."""
    known, where = SOURCE_OPTIONS[kind], f"[sources.{_SOURCE}]"

    def refuse(name: str, argument: Argument) -> NoReturn:
        must = (
            message("errors.gate.must.choice", choices=Joined(argument.choices, "or"))
            if argument.choices
            else message(f"errors.gate.must.{argument.kind}")
        )
        raise OptionNotUsable("errors.gate.wrong", path=path, where=where, name=name, must=must)

    for name in given:
        if name not in known:
            near = near_names(name, [*known])
            raise OptionNotUsable("errors.gate.unknown_key", path=path, where=where, name=name, near=near)
    return values_of(given, known, refuse)


def _placed(name: str, value: Value, folder: str | Path | None) -> Value:
    """Return an option as the policy has it, if it names a file or a folder: from where the policy will lie."""
    return _named(Path(str(value)), folder) if name in PLACES and Path(str(value)).exists() else value


def _kinds(path: Path) -> tuple[Kind, ...]:
    return ("baskets",) if path.suffix.lower() in _BASKET_ENDINGS else ("history", "table")


def _named(path: Path, folder: str | Path | None) -> str:
    """Return how the policy names a file: relative to where the policy will lie, if that is possible."""
    if folder is None:
        return path.as_posix()
    # Links in the way would lead from the one elsewhere than to the other.
    place = path.parent.resolve() / path.name
    try:
        return Path(os.path.relpath(place, Path(folder).resolve())).as_posix()
    except ValueError:  # on another drive
        return place.as_posix()


def _measure(path: Path, kind: Kind, options: Mapping[str, Any], progress: Progress) -> list[SuggestedCheck]:
    knowledge = tuple(str(arguments["knowledge"]) for _, arguments, *_ in _HISTORY if "knowledge" in arguments)
    with opened(kind, path, options, seed=0, knowledge=knowledge, progress=progress) as place:
        wanted = [*_suggestions(place, kind)]
        found = []
        for number, (name, arguments, severity, limit) in enumerate(wanted):
            progress(message("progress.gate"), number, len(wanted))
            measure = find_measure(kind, name)
            asked = Asked(arguments, (limit,), path.parent, 0, progress)
            today = _today(measure, place, asked)
            if today is not None:
                within = today.unproven is None and not measure.is_worse(today.value, limit)
                found.append(SuggestedCheck(name, arguments, severity, limit, today.value, within))
    return found


def _today(measure: Measure, place: OpenSource, asked: Asked) -> Measured | None:
    """Return what is measured; None where the file has not got what it takes."""
    try:
        return measure.function(place, asked)
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
    identifying = {found.attribute for found in place.identifiers}
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
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return str(int(value)) if value == int(value) else repr(value)
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(toml_value, value))}]"
    # A string of JSON without anything beyond ASCII escaped is one of TOML.
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
