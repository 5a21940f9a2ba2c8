"""The policy of a gate: which data are checked, what is measured of them, and how much is allowed."""

from __future__ import annotations

import datetime as dt
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Literal, NoReturn, get_args

from sudare.arguments import checked
from sudare.errors import OptionNotUsable, SourceNotReadable
from sudare.gate.arguments import Argument, Value, limit_of, values_of
from sudare.gate.measures.model import Measure
from sudare.gate.measures.registry import KINDS, SOURCE_OPTIONS, Kind, find_measure
from sudare.messages import Joined, message
from sudare.messages.near import near_names
from sudare.messages.reasons import reason_of
from sudare.results import Result
from sudare.showing import dataclass
from sudare.sources.local.names import not_found
from sudare.sources.text import file_hash

Severity = Literal["warn", "fail"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
# What the file with what only people can answer is called beside the sources.
_ANSWERS = "answers"
# What the tables of a policy may say.
_GATE = ("title", "seed", "drift", "legal", "answers", "examples")
_SOURCE = ("kind", "file")
_CHECK = ("name", "source", "measure", *SEVERITIES, "drift", "except")
# Options of sources that name files or folders; rules may also be known by their name.
PLACES = ("spill-dir", "rules")
_CHECK_HEADER = re.compile(r"\s*\[\[\s*checks\s*\]\]")


@dataclass(frozen=True, slots=True)
class Waiver(Result):
    """Why a check does not count, and the last day on which it does not."""

    reason: str
    until: dt.date


@dataclass(frozen=True, slots=True)
class PolicySource(Result):
    """A file to be checked: its kind, its name as the policy has it, and how to read it, as on the command line."""

    name: str
    kind: Kind
    file: str
    options: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class PolicyCheck(Result):
    """Something that is measured of a source, and the limits that it must keep.

    `line` is where it begins in the policy. `drift` is by how much it may be worse than in a baseline.
    """

    name: str
    source: str
    measure: str
    arguments: Mapping[str, Value]
    warn: float | None
    fail: float | None
    drift: float
    waiver: Waiver | None
    line: int


@dataclass(frozen=True, slots=True)
class Policy(Result):
    """What a policy says. Files in it are relative to its `folder`.

    `legal` are the frames of the legal map that reports show (empty: all). `answers` is the file with what only people
    can answer. The checks named in `examples` may show values from the data in reports and evidence.
    """

    _hidden = ("folder", "content")

    title: str
    source: str
    sha256: str
    seed: int
    legal: tuple[str, ...]
    answers: str | None
    examples: tuple[str, ...]
    sources: tuple[PolicySource, ...]
    checks: tuple[PolicyCheck, ...]
    folder: Path = field(repr=False)
    content: str = field(repr=False)

    @checked
    def kind_of(self, check: PolicyCheck) -> Kind:
        """Return the kind of data that a check is about."""
        return next(source.kind for source in self.sources if source.name == check.source)

    @checked
    def location_of(self, source: PolicySource) -> str:
        """Return where the file of a source lies."""
        return str(self.folder / source.file)

    @checked
    def options_of(self, source: PolicySource) -> dict[str, Value]:
        """Return how a source is read, with files and folders where they lie."""
        found = dict(source.options)
        for name in PLACES:
            if name in found and (name != "rules" or (self.folder / str(found[name])).exists()):
                found[name] = str(self.folder / str(found[name]))
        return found

    def files(self) -> Iterator[tuple[str, str]]:
        """Yield every file that is read, with what it is: a source, a file that a check names, or the answers."""
        for source in self.sources:
            yield source.name, source.file
        for check in self.checks:
            for name in self.files_of(check):
                yield f"{check.name}: {name}", str(check.arguments[name])
        if self.answers:
            yield _ANSWERS, self.answers

    @checked
    def files_of(self, check: PolicyCheck) -> list[str]:
        """Return the arguments of a check that name files."""
        arguments = find_measure(self.kind_of(check), check.measure).arguments
        return [name for name in check.arguments if _is_file(arguments[name], check.arguments[name])]


def _is_file(argument: Argument, value: Value) -> bool:
    from sudare.baskets.sensitive import is_rule

    return argument.kind == "file" or (argument.kind == "source" and not is_rule(str(value)))


@checked
def read_policy(path: str | Path, *, folder: str | Path | None = None) -> Policy:
    """Read a policy; whatever is wrong in it is said with the place where it stands.

    Files in it are relative to `folder`, by default the one it lies in.
    """
    path = Path(path)
    try:
        text = path.read_bytes().decode("utf-8-sig")
        found = tomllib.loads(text)
    except FileNotFoundError:
        raise not_found(path) from None
    except (OSError, UnicodeDecodeError) as error:
        raise SourceNotReadable("errors.gate.not_readable", path=path, why=reason_of(error)) from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise OptionNotUsable("errors.gate.not_toml", path=path, why=str(error)) from None
    return _Reader(path, text, Path(folder) if folder is not None else path.parent).read(found)


class _Reader:
    """Reads the tables of a policy. `_refuse` says where something is wrong."""

    def __init__(self, path: Path, text: str, folder: Path) -> None:
        self._path, self._text, self._folder = path, text, folder
        self._lines = [number for number, line in enumerate(text.splitlines(), 1) if _CHECK_HEADER.match(line)]

    def read(self, found: Mapping[str, Any]) -> Policy:
        self._known(found, ("gate", "sources", "checks"), "top")
        gate = self._table(found.get("gate", {}), "[gate]")
        self._known(gate, _GATE, "[gate]")
        sources = tuple(
            self._source(name, told) for name, told in self._table(found.get("sources", {}), "[sources]").items()
        )
        told = found.get("checks", [])
        if not isinstance(told, list) or not all(isinstance(entry, Mapping) for entry in told):
            self._refuse("checks_form", what="[[checks]]")
        if not sources or not told:
            self._refuse("nothing", what="[sources.NAME]" if not sources else "[[checks]]")
        drift = self._drift(gate, "[gate]") or 0.0
        checks = tuple(self._check(place, entry, sources, drift) for place, entry in enumerate(told))
        self._unambiguous(checks)
        examples = self._texts(gate, "examples")
        names = [check.name for check in checks]
        for name in examples:
            if name not in names:
                self._refuse("no_check", where="[gate]", name=name, near=near_names(name, names))
        seed = gate.get("seed", 0)
        if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
            self._wrong("[gate]", "seed", "count")
        return Policy(
            title=self._text_of(gate, "title", "[gate]") or self._path.stem,
            source=self._path.name,
            sha256=file_hash(self._path),
            seed=seed,
            legal=self._texts(gate, "legal"),
            answers=self._text_of(gate, "answers", "[gate]"),
            examples=examples,
            sources=sources,
            checks=checks,
            folder=self._folder,
            content=self._text,
        )

    def _source(self, name: str, told: Any) -> PolicySource:
        where = f"[sources.{name}]"
        if name == _ANSWERS:
            self._refuse("reserved", where=where, name=name)
        table = self._table(told, where)
        kind = self._needed(table, "kind", where)
        if kind not in KINDS:
            self._refuse("unknown_kind", where=where, kind=kind, kinds=Joined(KINDS, "or"))
        options = SOURCE_OPTIONS[kind]
        self._known(table, (*_SOURCE, *options), where)
        given = {key: value for key, value in table.items() if key not in _SOURCE}
        return PolicySource(name, kind, self._needed(table, "file", where), self._values(given, options, where))

    def _check(
        self, place: int, told: Mapping[str, Any], sources: tuple[PolicySource, ...], drift: float
    ) -> PolicyCheck:
        where = f"[[checks]] {place + 1}"
        line = self._lines[place] if place < len(self._lines) else 1
        name, asked = self._needed(told, "source", where), self._needed(told, "measure", where)
        source = next((source for source in sources if source.name == name), None)
        if source is None:
            names = [source.name for source in sources]
            self._refuse("no_source", where=where, name=name, names=Joined(names, "comma"))
        measure = find_measure(source.kind, asked, lambda key, **values: self._refuse(key, where=where, **values))
        self._known(told, (*_CHECK, *measure.arguments), where)
        given = {key: value for key, value in told.items() if key not in _CHECK}
        arguments = self._values(given, measure.arguments, where)
        missing = next((key for key, one in measure.arguments.items() if one.needed and key not in arguments), None)
        if missing:
            self._refuse("missing_argument", where=where, name=missing, measure=measure.name)
        warn, fail = (self._limit(told, severity, where) for severity in SEVERITIES)
        self._check_limits(measure, warn, fail, where)
        called = self._text_of(told, "name", where) or _called(name, measure, arguments)
        allowed = self._drift(told, where)
        return PolicyCheck(
            called, name, measure.name, arguments, warn, fail, drift if allowed is None else allowed,
            self._waiver(told, where), line,
        )  # fmt: skip

    def _check_limits(self, measure: Measure, warn: float | None, fail: float | None, where: str) -> None:
        if warn is None and fail is None:
            self._refuse("no_limit", where=where)
        if warn is not None and fail is not None and measure.is_worse(warn, fail):
            self._refuse("warn_worse", where=where, warn=warn, fail=fail)

    def _waiver(self, told: Mapping[str, Any], where: str) -> Waiver | None:
        if "except" not in told:
            return None
        table = self._table(told["except"], f"{where} except")
        self._known(table, ("reason", "until"), f"{where} except")
        until = table.get("until")
        if isinstance(until, str):
            try:
                until = dt.date.fromisoformat(until)
            except ValueError:
                self._wrong(f"{where} except", "until", "day")
        if isinstance(until, dt.datetime) or not isinstance(until, dt.date):
            self._wrong(f"{where} except", "until", "day")
        return Waiver(self._needed(table, "reason", f"{where} except"), until)

    def _unambiguous(self, checks: tuple[PolicyCheck, ...]) -> None:
        twice = [name for name, count in Counter(check.name for check in checks).items() if count > 1]
        if twice:
            self._refuse("same_name", name=twice[0])

    def _values(self, given: Mapping[str, Any], arguments: Mapping[str, Argument], where: str) -> dict[str, Value]:
        return values_of(given, arguments, lambda name, argument: self._wrong_value(where, name, argument))

    def _wrong_value(self, where: str, name: str, argument: Argument) -> NoReturn:
        if argument.choices:
            must = message("errors.gate.must.choice", choices=Joined(argument.choices, "or"))
            self._refuse("wrong", where=where, name=name, must=must)
        self._wrong(where, name, argument.kind)

    def _limit(self, table: Mapping[str, Any], name: str, where: str) -> float | None:
        if name not in table:
            return None
        found = limit_of(table[name])
        if found is None:
            self._wrong(where, name, "limit")
        return found

    def _drift(self, table: Mapping[str, Any], where: str) -> float | None:
        found = self._limit(table, "drift", where)
        if found is not None and found < 0:
            self._wrong(where, "drift", "drift")
        return found

    def _needed(self, table: Mapping[str, Any], name: str, where: str) -> str:
        found = self._text_of(table, name, where)
        if not found:
            self._refuse("missing", where=where, name=name)
        return found

    def _text_of(self, table: Mapping[str, Any], name: str, where: str) -> str | None:
        found = table.get(name)
        if found is not None and not isinstance(found, str):
            self._wrong(where, name, "text")
        return found

    def _texts(self, table: Mapping[str, Any], name: str) -> tuple[str, ...]:
        found = table.get(name, [])
        if not isinstance(found, list) or not all(isinstance(entry, str) for entry in found):
            self._wrong("[gate]", name, "names")
        return tuple(found)

    def _table(self, found: Any, where: str) -> Mapping[str, Any]:
        if not isinstance(found, Mapping):
            self._refuse("not_table", where=where)
        return found

    def _known(self, table: Mapping[str, Any], names: tuple[str, ...], where: str) -> None:
        for name in table:
            if name not in names:
                self._refuse("unknown_key", where=where, name=name, near=near_names(name, names))

    def _wrong(self, where: str, name: str, must: str) -> NoReturn:
        self._refuse("wrong", where=where, name=name, must=message(f"errors.gate.must.{must}"))

    def _refuse(self, key: str, **values: object) -> NoReturn:
        raise OptionNotUsable(f"errors.gate.{key}", path=self._path, **values)


# Arguments whose values say what they are.
_SPEAKING = ("known", "knowledge", "attributes")


def _called(source: str, measure: Measure, arguments: Mapping[str, Value]) -> str:
    """Return what a check is called that has no name: its source, its measure, and what is known or asked."""
    told = [
        text if name in _SPEAKING else f"{name} {text}"
        for name, value in arguments.items()
        for text in [_spoken(value)]
    ]
    return f"{source}: {measure.name}" + (f" ({', '.join(told)})" if told else "")


def _spoken(value: Value) -> str:
    if isinstance(value, tuple):
        return " + ".join(map(_spoken, value)) if any(isinstance(one, tuple) for one in value) else ", ".join(value)
    return f"{value:g}" if isinstance(value, float) else str(value).lower() if isinstance(value, bool) else str(value)
