"""`sudare attack`: who is behind which pseudonym of a published history."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sudare.cli.contest.files import DEFAULT_RULES, OriginalArgument, PublishedArgument, RulesOption
from sudare.cli.files import LINES
from sudare.cli.frame import (
    JsonOption,
    LanguageOption,
    SeedOption,
    guarded,
    note,
    note_secret,
    show_json,
    shown_progress,
)
from sudare.errors import OptionNotUsable

MethodOption = Annotated[
    str,
    typer.Option(
        metavar="METHOD",
        help="best, assignment, likelihood, feasibility, scoreboard; item-sets, unique-rows; or a join, such as "
        "item-date-join.",
    ),
]
GuessesOption = Annotated[
    str, typer.Option(metavar="auto|all|N", help="How many guesses to write; auto: those most probably effective.")
]


@guarded
def attack(
    original: OriginalArgument,
    published: PublishedArgument,
    out: Annotated[Path, LINES, typer.Option("--out", "-o", metavar="GUESSES", help="File for the guesses.")],
    method: MethodOption = "best",
    guesses: GuessesOption = "auto",
    known_share: Annotated[
        float, typer.Option(metavar="SHARE", help="Share of the rows of T that the attacker knows.")
    ] = 1.0,
    known_columns: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Columns of T that the attacker knows, such as date,item.")
    ] = None,
    noisy_dates: Annotated[
        int, typer.Option(metavar="DAYS", help="The attacker's dates are off by up to so many days.")
    ] = 0,
    rules: RulesOption = DEFAULT_RULES,
    seed: SeedOption = 0,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Attack a published history: guess who is behind which pseudonym.

    Written are lines pseudonym,customer, the surest first. Shown is what the attacker expects of them; whether they are
    right only `sudare contest safety` can tell, which knows A.
    """
    from sudare.histories.attack.attack import attack_history
    from sudare.histories.attack.guesses import Guesses, write_guesses
    from sudare.histories.attack.known import know_history
    from sudare.histories.attack.methods import check_method
    from sudare.histories.generalized.rule_sets import load_rules
    from sudare.histories.generalized.text import read_original, read_published
    from sudare.messages import Texts

    texts, loaded = Texts(lang), load_rules(rules)
    check_method(method)
    number = _number(guesses)
    columns = [name.strip() for name in known_columns.split(",")] if known_columns is not None else None
    with shown_progress() as progress:
        history = read_original(original, loaded, progress=progress)
        known = know_history(history, share=known_share, columns=columns, noisy_dates=noisy_dates, seed=seed)
        found = attack_history(
            known,
            read_published(published, history, loaded, progress=progress),
            method=method,
            guesses=number if number is not None or guesses == "auto" else len(history),
            p=loaded.p,
            alpha=loaded.alpha,
            seed=seed,
            progress=progress,
        )
    write_guesses(Guesses(found.pids, found.customers), out)
    if json:
        show_json("attack", {"out": str(out), **found.to_dict()})
    else:
        from sudare.report.history.attack_text import show_attack

        show_attack(found, published, texts)
    note(f"Wrote {out}. Guesses: {len(found):,}.")
    note_secret(out, texts)


def _number(guesses: str) -> int | None:
    """Read how many guesses are wanted; None for auto and all."""
    if guesses in ("auto", "all"):
        return None
    if not (guesses.isascii() and guesses.isdigit() and len(guesses) < 10):
        raise OptionNotUsable(f"--guesses is auto, all or a number, not {guesses!r}.\nHint: --guesses auto")
    return int(guesses)
