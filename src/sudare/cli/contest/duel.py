"""`sudare contest duel`: every attack on an anonymized history, with its control."""

from __future__ import annotations

import typer

from sudare.cli.contest.files import DEFAULT_RULES, AnonymizedArgument, OriginalArgument, RulesOption
from sudare.cli.frame import (
    EXIT_NOT_SAFE,
    JsonOption,
    LanguageOption,
    SeedOption,
    guarded,
    show_json,
    shown_progress,
)


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
    from sudare.histories.attack.duel import run_duel
    from sudare.histories.generalized.rule_sets import load_rules
    from sudare.histories.generalized.text import read_original, read_valid_anonymized
    from sudare.messages import Texts

    texts, loaded = Texts(lang), load_rules(rules)
    with shown_progress() as progress:
        history = read_original(original, loaded, progress=progress)
        published = read_valid_anonymized(anonymized, history, loaded, progress=progress)
        found = run_duel(history, published, p=loaded.p, alpha=loaded.alpha, seed=seed, progress=progress)
    if json:
        show_json("duel", found.to_dict())
    else:
        from sudare.report.contest.duel_text import show_duel

        show_duel(found, anonymized, texts)
    if found.verdict == "broken":
        raise typer.Exit(EXIT_NOT_SAFE)
