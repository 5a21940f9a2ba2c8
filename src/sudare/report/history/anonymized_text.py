"""What `sudare history anonymize` prints."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from sudare.histories.anonymize.registry import find_model
from sudare.report.contest.duel_text import show_duel_summary
from sudare.report.contest.safety_text import safety_words
from sudare.report.repeating import earlier_words
from sudare.report.terminal import console, decimal_at_least, exact_percent, percent, percent_at_most

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudare.histories.anonymize.classes import GroupedHistory
    from sudare.histories.anonymize.level_risk import RiskLeveledHistory
    from sudare.histories.anonymize.models import AnonymizedResult
    from sudare.histories.attack.duel import Duel
    from sudare.histories.safety.classes import ClassSafety
    from sudare.histories.safety.matching_safety import MatchingSafety
    from sudare.messages import Texts
    from sudare.statistics.class_sizes import ClassSize

# Sizes of classes that are listed, the smallest first.
MOST_SIZES = 8


def show_anonymized(
    found: AnonymizedResult, safety: ClassSafety | None, duel: Duel | None, source: str, texts: Texts
) -> None:
    """Print what was made, what it costs, how safe it is by its design and whether attacks break it."""
    out = console()
    show_made(found, source, texts)
    if found.safety:
        show_concealment(found.safety, texts)
    elif safety:
        _show_safety(found, safety, texts)
    else:
        out.print(texts("anonymize.nothing"))
    if duel:
        show_duel_summary(duel, texts)
        if safety and safety.k > 1 and duel.verdict == "broken":
            out.print(texts("anonymize.luck", bound=percent_at_most(safety.tests[0].bound, texts)))
        if duel.verdict == "broken":
            out.print(texts("anonymize.next", command=_larger(found, source, texts)))
    else:
        out.print(texts("anonymize.not_attacked"), style="bold")


def _larger(found: AnonymizedResult, source: str, texts: Texts) -> str:
    """Return the command that makes classes twice as large."""
    earlier, k = earlier_words(found), str(2 * max(found.k, 2))
    # The command for contests knows no earlier releases.
    command, out = ("history", "published.csv") if texts.plain or earlier else ("contest", "A.csv")
    return shlex.join(["sudare", command, "anonymize", source, "--k", k, *earlier, "-o", out])


def show_made(found: AnonymizedResult, source: str, texts: Texts) -> None:
    """Print what was made, what it costs, and what single customers have to fear where the model does not bound it."""
    from sudare.histories.anonymize.classes import GroupedHistory
    from sudare.histories.anonymize.level_risk import RiskLeveledHistory
    from sudare.histories.anonymize.untouched import UntouchedHistory

    out = console()
    out.print(anonymized_title(found, source, texts), style="bold")
    if isinstance(found, RiskLeveledHistory):
        _show_risks(found, texts)
    if isinstance(found, UntouchedHistory):
        counts = (found.untouched, found.customers, found.exposed)
        words = dict(zip(("untouched", "customers", "exposed"), map("{:,}".format, counts), strict=True))
        out.print(texts("anonymize.untouched.exposed", **words), style="bold")
    if isinstance(found, GroupedHistory):
        _show_groups(found, texts)
    _show_cost(found, texts)


def anonymized_title(found: AnonymizedResult, source: str, texts: Texts) -> str:
    """Say what was anonymized, and by which model."""
    from sudare.histories.anonymize.level_risk import RiskLeveledHistory

    if isinstance(found, RiskLeveledHistory):
        return texts("anonymize.title_mean", source=source)
    return texts(find_model(found.model).title, source=source, k=found.k)


def _show_groups(found: GroupedHistory, texts: Texts) -> None:
    """Print what holds together with the earlier releases, and how many customers are not published for it."""
    out = console()
    out.print(texts("anonymize.earlier.together", k=f"{found.k:,}"))
    if found.unpublished_customers:
        words = {"customers": f"{found.customers:,}", "k": f"{found.k:,}"}
        out.print(texts("anonymize.earlier.unpublished", count=found.unpublished_customers, **words), style="bold")


def _show_risks(found: RiskLeveledHistory, texts: Texts) -> None:
    """Print what single customers have to fear first, then the means that are bounded, attacker by attacker."""
    from rich.table import Table

    out = console()
    counts = {"uniques": f"{found.unique_customers:,}", "customers": f"{found.customers:,}"}
    out.print(texts("anonymize.mean.alone", alone=f"{found.alone:,}", customers=f"{found.customers:,}"), style="bold")
    out.print(texts("anonymize.mean.worst", **counts, highest=percent(found.highest_risk, texts)))
    means = {"limit": exact_percent(found.mean_limit, texts), "mean": percent(found.highest_mean, texts)}
    out.print(texts("anonymize.mean.limit", **means))
    table = Table(show_edge=False, pad_edge=False)
    for name in ("attacker", "unique_customers", "highest", "mean"):
        table.add_column(texts(f"anonymize.mean.{name}"), justify="right")
    for risk in found.risks:
        shares = (percent(share, texts) for share in (risk.highest or 0.0, risk.after))
        table.add_row(str(risk.attacker), f"{risk.unique_customers or 0:,}", *shares)
    out.print(table)


def _show_cost(found: AnonymizedResult, texts: Texts) -> None:
    from sudare.histories.anonymize.levels import LeveledHistory

    out = console()
    left = found.rows - found.deleted_rows
    share = percent(left / (found.rows or 1), texts)
    out.print(texts("anonymize.kept", left=f"{left:,}", rows=f"{found.rows:,}", share=share))
    out.print(texts("anonymize.utility", utility=f"{found.utility:.5f}", rows=f"{found.rows:,}"))
    if found.bound > 0 or found.utility == 0:
        bound = decimal_at_least(found.bound, 5, texts)
        out.print(texts("anonymize.bound", bound=bound, gap=percent_at_most(found.gap, texts)))
    else:
        out.print(texts("anonymize.no_bound"))
    if isinstance(found, LeveledHistory):
        levels = [f"{name} = {level}" for name, level in found.levels.items()]
        out.print(texts("anonymize.levels", levels=", ".join(levels)))
    ended = "converged" if found.converged else "stopped"
    out.print(texts(f"anonymize.{ended}", seconds=f"{found.seconds:.0f}"))


def show_sizes(found: AnonymizedResult, classes: Sequence[ClassSize], texts: Texts) -> None:
    """Print how many classes there are of each size, the smallest first."""
    listed = classes[:MOST_SIZES]
    sizes = [f"{size.classes:,} x {size.size:,}" for size in listed]
    if len(listed) < len(classes):
        sizes.append(texts("anonymize.larger"))
    console().print(texts("anonymize.classes", customers=f"{found.customers:,}", sizes=texts.listed(sizes)))


def _show_safety(found: AnonymizedResult, safety: ClassSafety, texts: Texts) -> None:
    out = console()
    show_sizes(found, safety.sizes, texts)
    test = safety.tests[0]
    if test.bound == 0:
        out.print(texts("contest.safety.no_plan"))
        return
    out.print(texts("anonymize.safety", **safety_words(test, texts)))


def show_concealment(safety: MatchingSafety, texts: Texts) -> None:
    """Print how many customers can be behind a pseudonym, and what the best guesses found reach."""
    words = {"least": f"{safety.least:,}", "greatest": f"{safety.greatest:,}", "attacks": f"{safety.attacks:,}"}
    names = ("probability_found", "low_found", "high_found", "survives_guesses_found")
    shares = {name: percent(getattr(safety, name), texts) for name in names}
    console().print(texts("anonymize.concealment.safety", **words, **shares))
