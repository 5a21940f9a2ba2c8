"""`sudare contest attack`: who is behind which pseudonym of a published history."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sudare.cli.contest.files import DEFAULT_RULES, OriginalArgument, PublishedArgument, RulesOption
from sudare.cli.files import LINES
from sudare.cli.frame import JsonOption, SeedOption, guarded, note, note_secret, show_json, shown_progress, spoken
from sudare.cli.options import ShareOption
from sudare.errors import OptionNotUsable
from sudare.messages import Joined


def _method(name: str) -> str:
    """Refuse an attack that there is not; which there are is not known before it is asked for, since it takes time."""
    from sudare.histories.attack.methods import METHODS

    if name not in METHODS:
        raise typer.BadParameter(spoken()("errors.usage.one_of", values=Joined(list(METHODS), "or")))
    return name


MethodOption = Annotated[str, typer.Option(metavar="METHOD", parser=_method)]
GuessesOption = Annotated[str, typer.Option(metavar="auto|all|N")]


@guarded
def attack(
    original: OriginalArgument,
    published: PublishedArgument,
    out: Annotated[Path, LINES, typer.Option("--out", "-o", metavar="GUESSES")],
    method: MethodOption = "best",
    most_guesses: GuessesOption = "auto",
    known_share: ShareOption = 1.0,
    known_columns: Annotated[str | None, typer.Option(metavar="NAMES")] = None,
    noisy_dates: Annotated[int, typer.Option(metavar="DAYS")] = 0,
    rules: RulesOption = DEFAULT_RULES,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Attack a published history: guess who is behind which pseudonym."""
    from sudare.histories.attack.attack import attack_history
    from sudare.histories.attack.guesses import Guesses, write_guesses
    from sudare.histories.attack.known import know_history
    from sudare.histories.generalized.rule_sets import load_rules
    from sudare.histories.generalized.text import read_original, read_published

    texts, loaded = spoken(), load_rules(rules)
    number = _number(most_guesses)
    columns = [name.strip() for name in known_columns.split(",")] if known_columns is not None else None
    with shown_progress() as progress:
        history = read_original(original, loaded, progress=progress)
        known = know_history(history, share=known_share, columns=columns, noisy_dates=noisy_dates, seed=seed)
        found = attack_history(
            known,
            read_published(published, history, loaded, progress=progress),
            method=method,
            guesses=number if number is not None or most_guesses == "auto" else len(history),
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
    note("notes.wrote_guesses", path=out, count=len(found))
    note_secret(out)


def _number(guesses: str) -> int | None:
    """Read how many guesses are wanted; None for auto and all."""
    if guesses in ("auto", "all"):
        return None
    if not (guesses.isascii() and guesses.isdigit() and len(guesses) < 10):
        raise OptionNotUsable("errors.usage.most_guesses", words=guesses)
    return int(guesses)
