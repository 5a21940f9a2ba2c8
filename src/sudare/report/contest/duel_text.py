"""The attacks on an anonymized history, as terminal text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.report.terminal import console, percent, percent_at_most

if TYPE_CHECKING:
    from sudare.histories.attack.duel import Duel, DuelAttack
    from sudare.histories.safety.classes import AttackSafety
    from sudare.histories.safety.judgement import Judgement
    from sudare.messages import Texts


def show_duel(found: Duel, source: str, texts: Texts) -> None:
    """Print every attack with its control, what the classes alone give an attacker, and the verdict."""
    from rich.table import Table

    out = console()
    out.print(texts("contest.duel.title", source=source, pseudonyms=f"{found.pseudonyms:,}"), style="bold")
    table = Table(show_edge=False, pad_edge=False)
    for name in ("method", "guesses", "hits", "needed", "margin", "control", "outcome"):
        table.add_column(texts(f"contest.duel.{name}"), justify="left" if name in ("method", "outcome") else "right")
    for attack in found.attacks:
        table.add_row(*_line(attack, texts))
    out.print(table)
    _show_crashes(found, texts)
    out.print(texts("contest.duel.control_meaning"))
    if found.classes:
        out.print(
            f"{texts('contest.duel.smallest', k=f'{found.classes.k:,}')} {_chance(found.classes.tests[0], texts)}"
        )
    if found.same_numbers:
        out.print(texts("contest.duel.same_numbers", count=found.same_numbers))
    _show_verdict(found, texts)


def _chance(test: AttackSafety, texts: Texts) -> str:
    """Say what those who know only the classes reach; where too few are left for any attack, no number is said."""
    if not test.bound:
        return texts("contest.safety.no_plan")
    found = percent(test.plan_found.probability, texts)
    return texts("contest.duel.classes", bound=percent_at_most(test.bound, texts), found=found)


def show_duel_summary(found: Duel, texts: Texts) -> None:
    """Print how many attacks were made, which came nearest to success, and the verdict."""
    out = console()
    failed = sum(attack.outcome == "proves_nothing" for attack in found.attacks)
    run, tried = f"{sum(attack.possible for attack in found.attacks):,}", f"{len(found.telling):,}"
    out.print(texts("contest.duel.summary", run=run, tried=tried, failed=f"{failed:,}"))
    _show_crashes(found, texts)
    best = found.best
    if best and best.judgement:
        judged = best.judgement
        out.print(
            texts(
                "contest.duel.nearest", method=best.method, hits=f"{judged.hits:,}", guesses=f"{judged.guesses:,}",
                needed=f"{judged.contest.threshold:,}", margin=f"{judged.contest.margin:+,}",
                control=_control(best.control, texts),
            )
        )  # fmt: skip
    _show_verdict(found, texts)


def _show_crashes(found: Duel, texts: Texts) -> None:
    for attack in found.attacks:
        if attack.error:
            console().print(texts("contest.duel.error", method=attack.method, error=attack.error))


def _show_verdict(found: Duel, texts: Texts) -> None:
    methods = texts.listed(list(found.broken_by))
    console().print(texts(f"contest.duel.verdict.{found.verdict}", methods=methods), style="bold")


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
