"""The criteria, their sources, and the questions that only people can answer: what the files of this room say."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from sudare.errors import OptionNotUsable, SourceNotReadable
from sudare.messages import LANGUAGES, Joined
from sudare.messages.near import near_names
from sudare.messages.reasons import reason_of
from sudare.showing import dataclass
from sudare.sources.local.names import not_found

# What a text is in each language.
Told = Mapping[str, str]
ALL = "all"


@dataclass(frozen=True, slots=True)
class LegalSource:
    """A law, guideline or standard; `checked` is the day on which what is said of it was compared with its text."""

    title: Told
    publisher: Told
    date: str
    checked: str
    address: str | None


@dataclass(frozen=True, slots=True)
class UsualNumber:
    """A number that a source names for a measure; `size` is the class size that it equates a risk with."""

    measure: str
    number: float
    label: Told | None
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Criterion:
    """What a source asks, the measures that speak to it, the numbers it names, and the questions that remain.

    `confirmed` is false where the text of the source could not be read.
    """

    id: str
    clause: Told
    text: Told
    measures: tuple[str, ...]
    usual: tuple[UsualNumber, ...]
    usual_text: Told | None
    source: LegalSource
    place: Told | None
    confirmed: bool
    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LegalFrame:
    """A law, guideline or standard with its criteria."""

    id: str
    title: Told
    about: Told
    criteria: tuple[Criterion, ...]

    @property
    def sources(self) -> tuple[LegalSource, ...]:
        """The sources of the criteria, each once, in their order."""
        return tuple({id(one.source): one.source for one in self.criteria}.values())


@dataclass(frozen=True, slots=True)
class Question:
    """What only people can answer, and why it matters; `yes_no` ones are answered by true or false."""

    id: str
    text: Told
    why: Told
    yes_no: bool


@cache
def legal_frames() -> tuple[LegalFrame, ...]:
    """Return all frames, in the order of the file."""
    told = _toml("criteria.toml")
    sources = {name: _source(one) for name, one in told["sources"].items()}
    return tuple(_frame(one, sources) for one in told["frames"])


@cache
def legal_questions() -> Mapping[str, Question]:
    """Return all questions by their ids, in the order of the file."""
    return {
        one["id"]: Question(one["id"], one["text"], one["why"], one["kind"] == "yes-no")
        for one in _toml("questions.toml")["questions"]
    }


def frames_named(names: Sequence[str]) -> tuple[LegalFrame, ...]:
    """Return the frames with these names, in their order; all of them for none, or for `all`."""
    frames = {frame.id: frame for frame in legal_frames()}
    for name in names:
        if name not in (*frames, ALL):
            raise OptionNotUsable("errors.legal.no_frame", name=name, near=near_names(name, [*frames, ALL]))
    return tuple(frame for name, frame in frames.items() if not names or ALL in names or name in names)


def read_answers(path: Path) -> dict[str, str | bool]:
    """Read answers to the questions: a TOML file of `question = "text"`, or true or false; empty texts do not count."""
    try:
        found = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        raise not_found(path) from None
    except (OSError, UnicodeDecodeError) as error:
        raise SourceNotReadable("errors.legal.not_readable", path=path, why=reason_of(error)) from None
    except tomllib.TOMLDecodeError as error:
        raise OptionNotUsable("errors.legal.not_toml", path=path, why=reason_of(error)) from None
    questions = legal_questions()
    for name, answer in found.items():
        if name not in questions:
            near = near_names(name, [*questions])
            raise OptionNotUsable("errors.legal.no_question", path=path, name=name, near=near)
        if answer != "" and not isinstance(answer, bool if questions[name].yes_no else str):
            wanted = Joined(["true", "false"], "or") if questions[name].yes_no else '"..."'
            raise OptionNotUsable("errors.legal.answer", path=path, name=name, wanted=wanted)
    return {name: answer for name, answer in found.items() if not isinstance(answer, str) or answer.strip()}


def _frame(told: Mapping[str, Any], sources: Mapping[str, LegalSource]) -> LegalFrame:
    return LegalFrame(
        told["id"], told["title"], told["about"], tuple(_criterion(one, sources) for one in told["criteria"])
    )


def _criterion(told: Mapping[str, Any], sources: Mapping[str, LegalSource]) -> Criterion:
    usual = told.get("usual", [])
    numbers = [usual] if isinstance(usual, Mapping) else usual
    return Criterion(
        id=told["id"],
        clause=told["clause"],
        text=told["text"],
        measures=tuple(told["measures"]),
        usual=tuple(UsualNumber(one["measure"], one["number"], one.get("label"), one.get("size")) for one in numbers),
        usual_text=told.get("usual_text"),
        source=sources[told["source"]],
        place=_in_all_languages(told.get("place")),
        confirmed=told.get("confirmed", True),
        questions=tuple(told["questions"]),
    )


def _in_all_languages(told: str | Told | None) -> Told | None:
    """Return a text by languages; one that is the same in all of them is written once."""
    return dict.fromkeys(LANGUAGES, told) if isinstance(told, str) else told


def _source(told: Mapping[str, Any]) -> LegalSource:
    return LegalSource(told["title"], told["publisher"], told["date"], told["checked"], told.get("address"))


def _toml(name: str) -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))
