"""`sudare contest duel`: every attack on an anonymized history, with its control."""

from __future__ import annotations

import typer

from sudare.cli.contest.files import DEFAULT_RULES, AnonymizedArgument, OriginalArgument, RulesOption
from sudare.cli.frame import EXIT_ANSWER_NO, JsonOption, SeedOption, guarded, show_json, shown_progress, spoken


@guarded
def duel(
    original: OriginalArgument,
    anonymized: AnonymizedArgument,
    rules: RulesOption = DEFAULT_RULES,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Run every built-in attack against an anonymized history."""
    from sudare.histories.attack.duel import run_duel
    from sudare.histories.generalized.rule_sets import load_rules
    from sudare.histories.generalized.text import read_original, read_valid_anonymized

    texts, loaded = spoken(), load_rules(rules)
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
        raise typer.Exit(EXIT_ANSWER_NO)
