"""`sudare contest thresholds | safety | classes`: when an attack is effective, and how safe classes are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from sudare.cli.contest.files import (
    DEFAULT_RULES,
    AnonymizedArgument,
    ComparedOptions,
    OriginalArgument,
    RulesOption,
)
from sudare.cli.files import LINES, READ
from sudare.cli.frame import EXIT_ANSWER_NO, JsonOption, guarded, note_written, show_json, shown_progress, spoken
from sudare.cli.options import taking
from sudare.errors import BadRows
from sudare.messages import message

if TYPE_CHECKING:
    from sudare.histories.generalized.model import CellHistory
    from sudare.histories.generalized.rule_sets import RuleSet
    from sudare.progress import Progress

MOST_THRESHOLDS = 1_000_000

POption = Annotated[str | None, typer.Option("--p", metavar="SHARE")]
AlphaOption = Annotated[
    str | None,
    typer.Option("--alpha", metavar="SHARE"),
]
ThresholdsOption = Annotated[
    Path | None,
    READ,
    typer.Option("--thresholds", metavar="R.csv"),
]


@guarded
def thresholds(
    most_guesses: Annotated[int, typer.Option(min=0, max=MOST_THRESHOLDS, metavar="N")] = 1000,
    p: POption = None,
    alpha: AlphaOption = None,
    test: Annotated[Literal["contest", "tight"], typer.Option()] = "contest",
    out: Annotated[Path | None, LINES, typer.Option("--out", "-o", metavar="OUT")] = None,
    rules: RulesOption = DEFAULT_RULES,
    json: JsonOption = False,
) -> None:
    """Show how many right guesses make an attack effective."""
    from sudare.histories.generalized.rule_sets import load_rules
    from sudare.histories.safety.thresholds import TESTS, read_alpha, read_p, success_thresholds, write_thresholds

    texts, chosen = spoken(), load_rules(rules)
    share, level = read_p(p or chosen.p), read_alpha(alpha or chosen.alpha)
    found = {known: success_thresholds(most_guesses, share, level, test=known) for known in TESTS}
    if out:
        write_thresholds(found[test], out)
    if json:
        listed = {known: values.tolist() for known, values in found.items()}
        show_json("thresholds", {"p": str(share), "alpha": str(level), "max": most_guesses, "thresholds": listed})
    else:
        from sudare.report.contest.safety_text import show_thresholds

        show_thresholds(found["contest"], found["tight"], share, level, texts)
    if out:
        note_written(out)


@guarded
def safety(
    original: OriginalArgument,
    anonymized: AnonymizedArgument,
    guesses: Annotated[str, READ, typer.Argument(metavar="GUESSES")],
    thresholds: ThresholdsOption = None,
    p: POption = None,
    alpha: AlphaOption = None,
    rules: RulesOption = DEFAULT_RULES,
    json: JsonOption = False,
) -> None:
    """Judge an attack: guesses, hits, the threshold and the margin."""
    from sudare.histories.attack.guesses import read_guesses
    from sudare.histories.generalized.rule_sets import load_rules
    from sudare.histories.safety.judgement import judge_guesses
    from sudare.histories.safety.thresholds import read_thresholds

    texts, chosen = spoken(), load_rules(rules)
    own = read_thresholds(thresholds) if thresholds else None
    with shown_progress() as progress:
        source, history = _read(original, anonymized, chosen, progress)
        guessed = read_guesses(guesses, source, history)
    found = judge_guesses(guessed, source, history, thresholds=own, **_shares(p, alpha, chosen))
    if json:
        show_json("judgement", found.to_dict())
    else:
        from sudare.report.contest.safety_text import show_judgement

        show_judgement(found, guesses, texts)
    if found.effective or not found.tried:
        raise typer.Exit(EXIT_ANSWER_NO)


@guarded
@taking(ComparedOptions)
def classes(
    source: ComparedOptions,
    attacks: Annotated[int | None, typer.Option("--attacks", min=1, metavar="N")] = None,
    thresholds: ThresholdsOption = None,
    p: POption = None,
    alpha: AlphaOption = None,
    json: JsonOption = False,
) -> None:
    """Show the classes of pseudonyms that nobody can tell apart, and how safe they are."""
    from sudare.histories.generalized.rule_sets import load_rules
    from sudare.histories.safety.classes import class_safety
    from sudare.histories.safety.thresholds import read_thresholds

    texts, chosen = spoken(), load_rules(source.rules)
    own = read_thresholds(thresholds) if thresholds else None
    shares = _shares(p, alpha, chosen)
    with shown_progress() as progress:
        sizes = _class_sizes(source, chosen, progress)
        if not sizes:
            raise BadRows("errors.usage.all_deleted", path=source.anonymized)
        progress(message("progress.best_guesses"), 0, 1)
        found = class_safety(sizes, attacks=attacks or chosen.attacks, thresholds=own, **shares)
    if json:
        show_json("classes", found.to_dict())
    else:
        from sudare.report.contest.safety_text import show_classes

        show_classes(found, source.anonymized, texts)


def _class_sizes(source: ComparedOptions, rules: RuleSet, progress: Progress) -> list[int]:
    """Return the size of each class, of histories in memory or on the engine that was named."""
    if source.engine_name is None:
        from sudare.histories.safety.published_classes import published_classes

        _, history = _read(source.original, source.anonymized, rules, progress)
        return list(map(int, published_classes(history).sizes))
    from sudare.histories.safety.held import held_class_sizes

    with source.held(progress) as held:
        return [found.size for found in held_class_sizes(held) for _ in range(found.classes)]


def _shares(p: str | None, alpha: str | None, rules: RuleSet) -> dict[str, Any]:
    """Return p and alpha as they were given, else those of the rules."""
    from sudare.histories.safety.thresholds import read_alpha, read_p

    return {"p": read_p(p or rules.p), "alpha": read_alpha(alpha or rules.alpha)}


def _read(original: str, anonymized: str, rules: RuleSet, progress: Progress) -> tuple[CellHistory, CellHistory]:
    """Read T and A; an A that breaks the rules is refused, for nothing true could be said of it."""
    from sudare.histories.generalized.text import read_original, read_valid_anonymized

    source = read_original(original, rules, progress=progress)
    return source, read_valid_anonymized(anonymized, source, rules, progress=progress)
