"""`sudare contest duel`: every attack on an anonymized history, with its control."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from sudare.cli.contest_files import DEFAULT_RULES, AnonymizedArgument, OriginalArgument, RulesOption
from sudare.cli.frame import (
    EXIT_NOT_SAFE,
    JsonOption,
    LanguageOption,
    SeedOption,
    console,
    guarded,
    percent,
    show_json,
    shown_progress,
)

if TYPE_CHECKING:
    from sudare.contest.duel import Duel, DuelAttack
    from sudare.contest.judge import Judgement
    from sudare.messages import Texts


@guarded
def duel(
    original: OriginalArgument,
    anonymized: AnonymizedArgument,
    rules: RulesOption = DEFAULT_RULES,
    seed: SeedOption = 0,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Run every built-in attack against an anonymized history.

    Shown are guesses, hits, the hits needed and the margin of each attack, what the classes alone give an attacker, and
    a control: the same attack on T itself under pseudonyms. An attack that fails its control proves nothing. Exit code
    3: an attack was effective.
    """
    from sudare.contest.duel import run_duel
    from sudare.data.cell_text import read_original, read_valid_anonymized
    from sudare.data.rule_sets import load_rules
    from sudare.messages import Texts

    texts, loaded = Texts(lang), load_rules(rules)
    with shown_progress() as progress:
        history = read_original(original, loaded, progress=progress)
        published = read_valid_anonymized(anonymized, history, loaded, progress=progress)
        found = run_duel(history, published, p=loaded.p, alpha=loaded.alpha, seed=seed, progress=progress)
    if json:
        show_json(found.to_dict())
    else:
        _show(found, anonymized, texts)
    if found.verdict == "broken":
        raise typer.Exit(EXIT_NOT_SAFE)


def _show(found: Duel, source: str, texts: Texts) -> None:
    from rich.markup import escape
    from rich.table import Table

    out = console()
    out.print(f"[bold]{texts('contest.duel.title', source=escape(source), pseudonyms=f'{found.pseudonyms:,}')}[/bold]")
    table = Table(show_edge=False, pad_edge=False)
    for name in ("method", "guesses", "hits", "needed", "margin", "control", "outcome"):
        table.add_column(texts(f"contest.duel.{name}"), justify="left" if name in ("method", "outcome") else "right")
    for attack in found.attacks:
        table.add_row(*_line(attack, texts))
    out.print(table)
    for attack in found.attacks:
        if attack.error:
            out.print(texts("contest.duel.error", method=attack.method, error=escape(attack.error)))
    out.print(texts("contest.duel.control_meaning"))
    if found.classes:
        test = found.classes.tests[0]
        words = {"k": f"{found.classes.k:,}", "chance": percent(test.plan.probability, texts)}
        out.print(texts("contest.duel.classes", **words, bound=percent(test.bound, texts)))
    if found.same_numbers:
        out.print(texts("contest.duel.same_numbers", number=f"{found.same_numbers:,}"))
    methods = texts.listed(list(found.broken_by))
    out.print(f"[bold]{texts(f'contest.duel.verdict.{found.verdict}', methods=methods)}[/bold]")


def _line(attack: DuelAttack, texts: Texts) -> list[str]:
    outcome = texts(f"contest.duel.outcomes.{attack.outcome}")
    judged = attack.judgement
    if judged is None:
        none = texts("report.number.none")
        return [attack.method, none, none, none, none, none, outcome]
    numbers = [
        f"{judged.guesses:,}",
        f"{judged.hits:,}",
        f"{judged.contest.threshold:,}",
        f"{judged.contest.margin:+,}",
    ]
    return [attack.method, *numbers, _control(attack.control, texts), outcome]


def _control(control: Judgement | None, texts: Texts) -> str:
    if control is None:
        return texts("report.number.none")
    return texts("contest.duel.reached", hits=f"{control.hits:,}", needed=f"{control.contest.threshold:,}")
