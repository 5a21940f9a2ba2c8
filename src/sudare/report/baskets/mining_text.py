"""Frequent itemsets, association rules, k^m-anonymity and remaining utility of baskets, as terminal text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sudare.report.terminal import console, percent

if TYPE_CHECKING:
    from sudare.baskets.check.km_anonymity import KmAnonymity
    from sudare.baskets.utility import BasketUtility
    from sudare.messages import Texts
    from sudare.statistics.itemsets import AssociationRules, FrequentItemsets


def show_itemsets(found: FrequentItemsets, top: int, texts: Texts) -> None:
    """Print the itemsets with the largest supports."""
    console().print(itemsets_title(found, texts))
    rows = [(_items(row["items"]), f"{row['support']:,}", percent(row["share"], texts)) for row in found.to_rows(top)]
    _show_table([texts(f"mining.{name}") for name in ("items", "support", "share")], rows, words=1)
    if len(rows) < len(found):
        console().print(texts("mining.shown", shown=f"{len(rows):,}", all=f"{len(found):,}"))


def itemsets_title(found: FrequentItemsets, texts: Texts) -> str:
    """Say how many itemsets there are, and how large they get."""
    counts = {"itemsets": len(found), "least": found.least, "records": found.records}
    return texts("mining.itemsets", **{name: f"{n:,}" for name, n in counts.items()}, size=found.largest_size)


def rules_title(found: AssociationRules, texts: Texts) -> str:
    """Say which rules are listed."""
    counts = {"least": f"{found.least:,}", "records": f"{found.records:,}"}
    return texts("mining.rules", confidence=percent(found.confidence, texts), **counts)


def km_title(found: KmAnonymity, texts: Texts) -> str:
    """Say whether the records are k^m-anonymous."""
    numbers = {"k": found.k, "m": found.m, "smallest": f"{found.smallest or 0:,}"}
    counts = {"below": f"{found.below:,}", "itemsets": f"{found.itemsets:,}"}
    return texts("mining.km.holds" if found.anonymous else "mining.km.fails", **numbers, **counts)


def show_rules(found: AssociationRules, texts: Texts) -> None:
    """Print association rules, and what their numbers mean."""
    out = console()
    out.print(rules_title(found, texts), style="bold")
    if not found.rules:
        out.print(texts("mining.no_rules"))
        return
    rows = [
        (
            _items(rule.known),
            _items(rule.inferred),
            f"{rule.support:,}",
            percent(rule.confidence, texts),
            f"{rule.lift:,.1f}",
        )
        for rule in found.rules
    ]
    names = ("known", "inferred", "support", "confidence", "lift")
    _show_table([texts(f"mining.{name}") for name in names], rows, words=2)
    out.print(texts("mining.rules_meaning"))


def show_km(found: KmAnonymity, texts: Texts) -> None:
    """Print whether everybody finds enough records, and the rarest itemsets."""
    console().print(km_title(found, texts), style=None if found.anonymous else "bold")
    rows = [(f"{n.size}", f"{n.itemsets:,}", f"{n.below:,}", f"{n.smallest:,}") for n in found.sizes]
    _show_table([texts(f"mining.km.{name}", k=found.k) for name in ("size", "itemsets", "below", "smallest")], rows)
    if found.examples:
        rare = [(_items(example.items), f"{example.support:,}") for example in found.examples]
        console().print("\n" + texts("mining.km.rarest"), style="bold")
        _show_table([texts("mining.items"), texts("mining.support")], rare, words=1)


def show_basket_utility(found: BasketUtility, published: str, texts: Texts) -> None:
    """Print what is left of the use of suppressed baskets."""
    out, errors = console(), found.support_errors
    out.print(texts("mining.utility.title", source=published), style="bold")
    out.print(texts("mining.utility.suppressed_share", value=percent(found.suppressed_share, texts)))
    out.print(texts("mining.utility.kl_divergence", value=f"{found.kl_divergence:.4f}"))
    numbers = {name: f"{getattr(found.rules, name):,}" for name in ("original", "published", "shared")}
    out.print(texts("mining.utility.rules", value=f"{found.rules.distance:.3f}", **numbers))
    shares = {name: percent(getattr(errors, name), texts) for name in ("mean", "median", "largest")}
    out.print(texts("mining.utility.support_errors", itemsets=f"{errors.itemsets:,}", **shares))


def _items(names: Sequence[str]) -> str:
    return ", ".join(names)


def _show_table(names: Sequence[str], rows: Sequence[Sequence[str]], *, words: int = 0) -> None:
    """Print a table whose first `words` columns are text and the others numbers."""
    from rich.table import Table as TextTable

    table = TextTable(show_edge=False, pad_edge=False)
    for place, name in enumerate(names):
        table.add_column(name, justify="left" if place < words else "right", no_wrap=place >= words)
    for row in rows:
        table.add_row(*row)
    console().print(table)
