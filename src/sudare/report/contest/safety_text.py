"""What the commands on contest safety print."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from sudare.report.terminal import console, percent, percent_at_least, percent_at_most, ratio, ratio_at_most

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sudare.histories.safety.classes import AttackSafety, ClassSafety
    from sudare.histories.safety.guess_plans import GuessPlan
    from sudare.histories.safety.judgement import AttackVerdict, Judgement
    from sudare.messages import Texts

# Up to here every number of guesses has its line, beyond only round ones.
EVERY = 30
# Sizes of classes that are listed; the largest are summed up.
MOST_SIZES = 15


def show_thresholds(
    contest: NDArray[np.int64], tight: NDArray[np.int64], p: Fraction, alpha: Fraction, texts: Texts
) -> None:
    """Print thresholds of both tests side by side."""
    from rich.table import Table as TextTable

    out = console()
    out.print(texts("contest.safety.thresholds_title", p=p, alpha=alpha), style="bold")
    table = TextTable(show_edge=False, pad_edge=False)
    for name in ("guesses", "contest_threshold", "tight_threshold"):
        table.add_column(texts(f"contest.safety.{name}"), justify="right")
    for n in _lines(len(contest) - 1):
        table.add_row(f"{n:,}", *(f"{r:,}" if r <= n else "*" for r in (int(contest[n]), int(tight[n]))))
    out.print(table)
    out.print(texts("contest.safety.never"))


def show_judgement(found: Judgement, guesses: str, texts: Texts) -> None:
    """Print what an attack reached and what follows."""
    out = console()
    out.print(texts("contest.safety.judgement_title", guesses=guesses), style="bold")
    if not found.tried:
        out.print(texts("contest.safety.nothing_tried"))
        return
    out.print(texts("contest.safety.hits", guesses=f"{found.guesses:,}", hits=f"{found.hits:,}"))
    for test in (found.contest, found.tight):
        out.print(_judged(test, found.guesses, texts))
    out.print(texts("contest.safety.effective" if found.effective else "contest.safety.not_effective"))


def show_classes(found: ClassSafety, source: str, texts: Texts) -> None:
    """Print the classes and what an ignorant guesser reaches."""
    out = console()
    out.print(texts("contest.safety.classes_title", source=source), style="bold")
    number = sum(size.classes for size in found.sizes)
    out.print(texts("contest.safety.reached", persons=f"{found.persons:,}", classes=f"{number:,}", k=f"{found.k:,}"))
    if found.uniques:
        out.print(texts("contest.safety.uniques", uniques=f"{found.uniques:,}"))
    _show_sizes(found, texts)
    holds = texts("contest.safety.h0_holds" if found.holds else "contest.safety.h0_fails")
    out.print(texts("contest.safety.h0", p=found.p, least=f"{found.least_k:,}", k=f"{found.k:,}", holds=holds))
    for test in found.tests:
        _show_attack(test, texts)


def _show_sizes(found: ClassSafety, texts: Texts) -> None:
    from rich.table import Table as TextTable

    table = TextTable(show_edge=False, pad_edge=False)
    for name in ("size", "classes", "persons"):
        table.add_column(texts(f"contest.safety.{name}"), justify="right")
    listed = found.sizes if len(found.sizes) <= MOST_SIZES else found.sizes[: MOST_SIZES - 1]
    for size in listed:
        table.add_row(f"{size.size:,}", f"{size.classes:,}", f"{size.records:,}")
    larger = found.sizes[len(listed) :]
    if larger:
        label = texts("contest.safety.larger", size=f"{larger[0].size:,}")
        classes, persons = sum(size.classes for size in larger), sum(size.records for size in larger)
        table.add_row(label, f"{classes:,}", f"{persons:,}")
    console().print(table)


def _show_attack(found: AttackSafety, texts: Texts) -> None:
    out = console()
    out.print(texts(f"contest.safety.{found.test}_test"), style="bold")
    plan = found.plan_found
    if found.bound == 0:
        out.print(texts("contest.safety.no_plan"))
        return
    out.print(texts("contest.safety.bound", bound=ratio_at_most(found.bound)))
    reached = {"guesses": f"{plan.guesses:,}", "needed": f"{plan.needed:,}", "probability": ratio(plan.probability)}
    out.print(texts("contest.safety.plan", **reached))
    if plan.parts:
        out.print(texts("contest.safety.parts", parts=_parts(plan, texts)))
    out.print(texts("contest.safety.proven" if found.proven else "contest.safety.not_proven"))
    out.print(texts("contest.safety.survives", **safety_words(found, texts)))


def safety_words(found: AttackSafety, texts: Texts) -> dict[str, str]:
    """Return what is proven of attackers who know only the classes, and what the best plan found reaches."""
    return {
        "attacks": f"{found.attacks:,}",
        "bound": percent_at_most(found.bound, texts),
        "found": percent(found.plan_found.probability, texts),
        "independent": percent_at_least(found.survives_at_least_if_independent, texts),
        "least": percent_at_least(found.survives_at_least, texts),
    }


def _parts(plan: GuessPlan, texts: Texts) -> str:
    return texts.listed(
        [
            texts(
                "contest.safety.part",
                classes=f"{part.classes:,}",
                size=f"{part.size:,}",
                claims=" + ".join(map(str, part.claims)),
            )
            for part in plan.parts
        ]
    )


def _judged(found: AttackVerdict, guesses: int, texts: Texts) -> str:
    test = texts(f"contest.safety.{found.test}_test")
    if found.threshold > guesses:
        return texts("contest.safety.judged_never", test=test, guesses=f"{guesses:,}")
    return texts("contest.safety.judged", test=test, threshold=f"{found.threshold:,}", margin=f"{found.margin:+,}")


def _lines(most: int) -> list[int]:
    """Return the numbers of guesses that have a line: all small ones, then round ones, and the last."""
    found = list(range(min(most, EVERY) + 1))
    step = 10
    while found[-1] < most:
        if found[-1] + step > 20 * step:
            step *= 5 if str(step)[0] == "1" else 2
        found.append(min(most, (found[-1] // step + 1) * step))
    return found
