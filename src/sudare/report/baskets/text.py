"""What adversaries learn from baskets, and what suppression costs, as terminal text."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from rich.table import Table as TextTable

from sudare.baskets.check.rho import plain_rho
from sudare.baskets.check.uncertainty import Verdict, known_words
from sudare.report.terminal import console, percent, ratio

if TYPE_CHECKING:
    from sudare.baskets.certificate_comparison import CertificateDifference
    from sudare.baskets.held_sensitive import HeldSensitive
    from sudare.baskets.model import Baskets, SensitiveItems
    from sudare.baskets.suppress.suppression import Suppression
    from sudare.baskets.utility import BasketLoss
    from sudare.baskets.verification import Verification
    from sudare.messages import Texts

# Items that lost most, and known items that are shown by name.
MOST_LOSSES = 10
MOST_KNOWN = 10


def show_title(source: str, verdict: Verdict, sensitive: SensitiveItems | HeldSensitive, texts: Texts) -> None:
    """Print what is asked."""
    out = console()
    out.print(verdict_title(verdict, source, texts), style="bold")
    out.print(texts("baskets.sensitive", sensitive=sensitive.described))


def verdict_title(verdict: Verdict, source: str, texts: Texts) -> str:
    """Say what is asked of which baskets."""
    return texts("baskets.title", source=source, rho=plain_rho(verdict.rho))


def show_verdict(verdict: Verdict, texts: Texts, *, interrupted: bool = False) -> None:
    """Print how many adversaries there are, how many are unsafe, the worst of them, and what follows."""
    out = console()
    checked = {"adversaries": f"{verdict.adversaries:,}", "known": known_words(verdict.max_known, texts)}
    of_record = texts(f"baskets.knowledge.{verdict.knowledge}")
    if not verdict.complete:
        out.print(texts("baskets.unfinished", **checked, record=of_record))
        unsafe = f"{verdict.unsafe_adversaries:,}"
        out.print(texts("baskets.unsafe_so_far", unsafe=unsafe, rho=plain_rho(verdict.rho)))
    else:
        if verdict.draws is None:
            out.print(texts("baskets.exact", **checked, record=of_record))
        else:
            out.print(texts("baskets.drawn", **checked, record=of_record, draws=f"{verdict.draws:,}"))
        share = verdict.unsafe_adversaries / verdict.adversaries if verdict.adversaries else 0.0
        numbers = {"unsafe": f"{verdict.unsafe_adversaries:,}", "share": percent(share, texts)}
        out.print(texts("baskets.unsafe", **numbers, rho=plain_rho(verdict.rho)))
    if verdict.worst:
        out.print(_worst(verdict, texts))
    frequent = verdict.most_frequent_sensitive
    if frequent and frequent.item is not None:
        counts = {"records": f"{frequent.records:,}", "all_records": f"{frequent.all_records:,}"}
        out.print(texts("baskets.most_frequent", item=frequent.item, **counts))
    out.print(verdict.claim(texts, interrupted=interrupted), style="bold")
    if not verdict.safe and not interrupted:
        command = f"sudare baskets suppress FILE --sensitive SENSITIVE --rho {plain_rho(verdict.rho)} -o published.txt"
        out.print(texts("baskets.next", command=command))


def _worst(verdict: Verdict, texts: Texts) -> TextTable:
    table = TextTable(title=texts("baskets.worst"), show_edge=False, pad_edge=False, title_justify="left")
    for name in ("user", "knows", "infers", "confidence", "support"):
        table.add_column(texts(f"baskets.{name}"), justify="right" if name in ("confidence", "support") else "left")
    for entry in verdict.worst:
        more = len(entry.known) - MOST_KNOWN
        known = ", ".join(entry.known[:MOST_KNOWN]) + (texts("baskets.more", more=more) if more > 0 else "")
        numbers = (percent(entry.confidence, texts), f"{entry.support:,}")
        table.add_row(entry.user, known, entry.inferred, *numbers)
    return table


def show_suppression(found: Suppression, texts: Texts) -> None:
    """Print what was suppressed, what it costs, and what the check of the whole says."""
    _show_loss(found.items, found.suppressed, found.loss, texts)
    if found.least_suppressed is not None:
        share = texts.lower_percent(Fraction(found.least_suppressed, max(found.items, 1)))
        console().print(texts("baskets.least", least=f"{found.least_suppressed:,}", share=share))
    seconds = f"{found.seconds:,.1f}"
    console().print(texts("baskets.work", passes=found.passes, seconds=seconds, strategy=found.strategy))
    if found.keep_low:
        console().print(texts("baskets.kept_low", kept=texts(f"baskets.keep_low.{found.keep_low}")))
    if found.suppressed:
        console().print(_losses(found.original, found.published, texts))
    show_verdict(found.verdict, texts, interrupted=found.interrupted)


def _show_loss(items: int, suppressed: int, loss: BasketLoss, texts: Texts) -> None:
    share, divergence, distance = percent(loss.suppressed_share, texts), loss.kl_divergence, loss.rules_distance
    words = {"suppressed": f"{suppressed:,}", "items": f"{items:,}", "share": share}
    console().print(texts("baskets.suppressed", left_share=percent(1 - loss.suppressed_share, texts), **words))
    console().print(texts("baskets.divergence", divergence=ratio(divergence) if divergence else "0"))
    if distance is None:
        console().print(texts("baskets.no_rules_distance"))
    else:
        console().print(texts("baskets.rules_distance", distance=f"{distance:.3f}"))


def _losses(original: Baskets, published: Baskets, texts: Texts) -> TextTable:
    before, after = original.supports(), published.supports()
    table = TextTable(title=texts("baskets.losses"), show_edge=False, pad_edge=False, title_justify="left")
    for name in ("item", "before", "after", "lost"):
        table.add_column(texts(f"baskets.{name}"), justify="left" if name == "item" else "right")
    for item in np.argsort(after - before, kind="stable")[:MOST_LOSSES].tolist():
        lost = int(before[item] - after[item])
        if lost:
            counts = (f"{before[item]:,}", f"{after[item]:,}", percent(lost / before[item], texts))
            table.add_row(original.names[item], *counts)
    return table


def show_verification(found: Verification, files: tuple[str, str], texts: Texts) -> None:
    """Print what a verification found, and whether a certificate agrees."""
    original, published = files
    show_title(published, found.verdict, found.sensitive, texts)
    console().print(texts("baskets.is_suppression", published=published, original=original))
    _show_loss(found.items, found.suppressed, found.loss, texts)
    show_verdict(found.verdict, texts)
    if found.differences is not None:
        _show_differences(found.differences, texts)


def _show_differences(differences: tuple[CertificateDifference, ...], texts: Texts) -> None:
    if not differences:
        console().print(texts("baskets.certificate_agrees"), style="bold")
        return
    console().print(texts("baskets.certificate_differs"), style="bold")
    for entry in differences:
        values = {"certified": _value(entry.certified, texts), "found": _value(entry.found, texts)}
        console().print("  " + texts("baskets.difference", what=texts(f"baskets.what.{entry.what}"), **values))


def _value(value: object, texts: Texts) -> str:
    if isinstance(value, bool):
        return texts("baskets.yes" if value else "baskets.no")
    if value is None:
        return texts("baskets.none")
    return f"{value:,}" if isinstance(value, int) else str(value)
