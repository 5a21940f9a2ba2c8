"""Options that commands share, as fields of a class."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_type_hints

import typer
from typer.models import ArgumentInfo, OptionInfo

from sudare.cli.files import READ, REJECTS
from sudare.cli.settings import Settings
from sudare.errors import AnswerIsNo, OptionNotUsable
from sudare.limits import MEMORY
from sudare.messages import Language, Texts
from sudare.showing import dataclass

if TYPE_CHECKING:
    from sudare.engine import Engine

MemoryOption = Annotated[str, typer.Option(metavar="SIZE")]
SpillOption = Annotated[Path | None, typer.Option(metavar="FOLDER")]
LanguageOption = Annotated[Language, typer.Option("--lang", show_default=False)]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q")]
VerboseOption = Annotated[bool, typer.Option("--verbose", "-v")]
ConfigOption = Annotated[str, typer.Option("--config", metavar="FILE", show_default=False)]
ThreadsOption = Annotated[int | None, typer.Option(metavar="N")]


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """The words that say which file to read and how, whatever is in it."""

    file: Annotated[str, READ, typer.Argument(metavar="FILE")]
    delimiter: Annotated[str | None, typer.Option(metavar="CHARACTER")] = None
    header: Annotated[bool | None, typer.Option("--header/--no-header")] = None
    encoding: Annotated[str | None, typer.Option(metavar="NAME")] = None
    sheet: Annotated[str | None, typer.Option(metavar="NAME")] = None
    table: Annotated[str | None, typer.Option(metavar="NAME")] = None
    time_zone: Annotated[str | None, typer.Option(metavar="ZONE")] = None
    engine_name: Annotated[str, typer.Option("--engine", metavar="NAME")] = "duckdb"
    rejects: Annotated[Path | None, REJECTS, typer.Option(metavar="FILE")] = None
    memory: MemoryOption = MEMORY
    spill_dir: SpillOption = None
    min_cell: Annotated[int, typer.Option(metavar="N")] = 1
    threads: ThreadsOption = None

    def engine(self) -> Engine:
        """Start the engine that is to hold the data."""
        from sudare.engine import open_engine

        return open_engine(
            self.engine_name, memory=self.memory, threads=self.threads, spill=self.spill_dir, min_cell=self.min_cell
        )

    def form(self) -> dict[str, Any]:
        """Return how the file is written, as far as it was said, and where rows go that cannot be used."""
        return {**self.text_form(), "table": self.table, "rejects": self.rejects, "language": Settings.language}

    def text_form(self) -> dict[str, Any]:
        """Return how this file, and another one beside it, is written."""
        return {name: getattr(self, name) for name in ("delimiter", "header", "encoding", "sheet", "time_zone")}


LegalOption = Annotated[str | None, typer.Option("--legal", metavar="FRAME,...")]


def frames_of(words: str | None) -> list[str]:
    """Read the names of laws and standards, and refuse unknown ones before any work."""
    from sudare.report.legal.criteria import frames_named

    found = [word.strip() for word in (words or "").split(",") if word.strip()]
    if found:
        frames_named(found)
    return found


def share_of(words: str | float) -> float:
    """Read a share as people write it: 0.2, 20% or 1/5. Defaults come as numbers."""
    try:
        text = str(words).strip()
        return float(Fraction(text.removesuffix("%").strip()) / (100 if text.endswith("%") else 1))
    except (ValueError, ZeroDivisionError):
        raise typer.BadParameter(Texts(Settings.language)("errors.usage.share")) from None


ShareOption = Annotated[float, typer.Option(metavar="SHARE", parser=share_of)]
FailAboveOption = Annotated[float | None, typer.Option(metavar="RISK", parser=share_of)]


def fail_if_above(risk: float, limit: float | None) -> None:
    """End with "the answer is no" if a risk is above what may be."""
    if limit is not None and risk > limit:
        raise AnswerIsNo("errors.answer.risk_above", risk=risk, limit=limit)


def support_of(words: str) -> float:
    """Read a support: a whole number is one of records, everything else a share."""
    try:
        return int(words) if words.isdecimal() else share_of(words)
    except typer.BadParameter:
        raise OptionNotUsable("errors.usage.support", words=words) from None


# What arguments of the library are called in commands, where it is something else.
_ARGUMENTS = {
    "most_worst": ("top",),
    "most_errors": ("top",),
    "most_examples": ("top",),
    "most": ("top", "most_guesses"),
    "spill": ("spill_dir",),
    "engine": ("engine_name",),
    "columns": ("column",),
    "missing_values": ("missing_value",),
    "samples": ("sets", "sample_records"),
    "population": ("population_size",),
    "added": ("what_if_added",),
    "by_cost": ("sort",),
    "knowledge": ("adversary_knows",),
    "length": ("max_size",),
    "guesses": ("most_guesses",),
    "sample": ("record_share",),
    "attacks": ("skip_attacks",),
    "utility": ("skip_utility",),
    "share": ("known_share",),
    "hierarchies": ("write_hierarchies",),
    "overwrite": ("force",),
    "unknown": ("unknown_items",),
    "form": ("written",),
    "original": ("earlier_original",),
}


def option_name(command: Callable[..., Any], argument: str) -> str:
    """Return the option of a command that is passed on as an argument of the library; without one, the argument."""
    parameters = inspect.signature(command, eval_str=True).parameters
    words = (argument, *_ARGUMENTS.get(argument, ()))
    found = next((parameters[word] for word in words if word in parameters), None)
    if found is None:
        return argument
    for declared in get_args(found.annotation):
        if isinstance(declared, ArgumentInfo):
            return str(declared.metavar)
        if isinstance(declared, OptionInfo):
            # The first of the names in an annotation is taken for the default.
            names = [name for name in (declared.default, *(declared.param_decls or ())) if isinstance(name, str)]
            return names[0] if names else f"--{found.name.replace('_', '-')}"
    return argument


def taking(*bundles: type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the fields of classes as its options; it takes them as its first arguments, an object of each.

    Arguments come before options, and the command's own before the shared ones.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = list(inspect.signature(command, eval_str=True).parameters.values())[len(bundles) :]
        first, *rest = [parameter for bundle in bundles for parameter in _parameters(bundle)]
        parameters = sorted([first, *own, *rest], key=_is_optional)

        @functools.wraps(command)
        def run(**words: Any) -> None:
            chosen = [bundle(**{field.name: words.pop(field.name) for field in fields(bundle)}) for bundle in bundles]
            command(*chosen, **words)

        run.__signature__ = inspect.Signature([p.replace(kind=p.KEYWORD_ONLY) for p in parameters])  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        del run.__wrapped__
        return run

    return decorate


# What every command has. They are taken from its words before they are parsed: see sudare.cli.settings.
GENERAL = {
    "lang": (LanguageOption, "en"),
    "quiet": (QuietOption, False),
    "verbose": (VerboseOption, False),
    "config": (ConfigOption, ""),
}


def with_general_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Let a command have the options that every command has; it does not see them."""
    own = inspect.signature(command, eval_str=True)
    general = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)
        for name, (kind, default) in GENERAL.items()
    ]

    @functools.wraps(command)
    def run(**words: Any) -> Any:
        return command(**{name: value for name, value in words.items() if name not in GENERAL})

    own_keywords = [parameter.replace(kind=parameter.KEYWORD_ONLY) for parameter in own.parameters.values()]
    run.__signature__ = inspect.Signature([*own_keywords, *general])  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in (*own_keywords, *general)}
    del run.__wrapped__
    return run


@functools.cache
def _parameters(options: type) -> list[inspect.Parameter]:
    hints = get_type_hints(options, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=hints[field.name],
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
        )
        for field in fields(options)
    ]


def _is_optional(parameter: inspect.Parameter) -> bool:
    return parameter.default is not inspect.Parameter.empty
