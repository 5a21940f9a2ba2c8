"""`sudare baskets itemsets | rules | km | utility`: what baskets are used for, and who is found in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from sudare.cli.baskets.options import BasketOptions
from sudare.cli.files import READ
from sudare.cli.frame import EXIT_NOT_SAFE, JsonOption, LanguageOption, guarded, show_json, shown_progress
from sudare.cli.options import support_of, taking
from sudare.report.terminal import console, percent

if TYPE_CHECKING:
    from sudare.baskets.check.km_anonymity import KmAnonymity
    from sudare.baskets.utility import BasketUtility
    from sudare.messages import Texts
    from sudare.statistics.itemsets import AssociationRules, FrequentItemsets

SupportOption = Annotated[
    str, typer.Option(metavar="SHARE|N", help="Least share of the records, such as 0.001, or a whole number of them.")
]
ConfidenceOption = Annotated[float, typer.Option(metavar="SHARE", help="Least confidence of a rule, from 0 to 1.")]
TopOption = Annotated[int, typer.Option(min=1, metavar="N", help="How many to show, the strongest first.")]


@guarded
@taking(BasketOptions)
def itemsets(
    source: BasketOptions,
    support: SupportOption,
    max_size: Annotated[
        int | None, typer.Option(metavar="N", help="Most items of an itemset. Any number if not given.")
    ] = None,
    top: TopOption = 20,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Find the sets of items that many records have.

    Exact, on bitmaps (Eclat). More than a million itemsets are refused.
    """
    from sudare.messages import Texts
    from sudare.statistics.itemsets import frequent_itemsets

    texts, least = Texts(lang), support_of(support)
    with shown_progress() as progress:
        found = frequent_itemsets(source.read(progress), least, max_size=max_size)
    if json:
        show_json(found.to_dict(most=top))
    else:
        _show_itemsets(found, top, texts)


def _show_itemsets(found: FrequentItemsets, top: int, texts: Texts) -> None:
    summary = found.to_dict(most=top)
    counts = {"itemsets": len(found), "least": found.least, "records": found.records}
    console().print(
        texts("mining.itemsets", **{name: f"{n:,}" for name, n in counts.items()}, size=summary["largest_size"])
    )
    rows = [(_items(row["items"]), f"{row['support']:,}", percent(row["share"], texts)) for row in summary["frequent"]]
    _show_table([texts(f"mining.{name}") for name in ("items", "support", "share")], rows, words=1)
    if len(rows) < len(found):
        console().print(texts("mining.shown", shown=f"{len(rows):,}", all=f"{len(found):,}"))


@guarded
@taking(BasketOptions)
def rules(
    source: BasketOptions,
    support: SupportOption,
    confidence: ConfidenceOption,
    max_inferred: Annotated[
        int | None, typer.Option(metavar="N", help="Most items that a rule infers. Any number if not given.")
    ] = None,
    top: TopOption = 20,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Find association rules: who has these items also has those.

    Shown are those with the largest support; of equal ones the most confident come first.
    """
    from sudare.messages import Texts
    from sudare.statistics.itemsets import association_rules

    texts, least = Texts(lang), support_of(support)
    with shown_progress() as progress:
        found = association_rules(source.read(progress), least, confidence, max_inferred=max_inferred, most=top)
    if json:
        show_json(found.to_dict())
    else:
        _show_rules(found, texts)


def _show_rules(found: AssociationRules, texts: Texts) -> None:
    counts = {"least": f"{found.least:,}", "records": f"{found.records:,}"}
    out = console()
    out.print(texts("mining.rules", confidence=percent(found.confidence, texts), **counts), style="bold")
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


@guarded
@taking(BasketOptions)
def km(
    source: BasketOptions,
    k: Annotated[int, typer.Option("--k", metavar="K", help="Least number of records that are to have the items.")],
    m: Annotated[int, typer.Option("--m", metavar="M", help="Most items of a record that somebody knows.")],
    top: TopOption = 20,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Check whether everybody who knows up to M items finds K records or more (k^m-anonymity).

    All sets of up to M items that stand in some record are counted. Exit code 3: some are in fewer than K records.
    """
    from sudare.baskets.check.km_anonymity import check_km_anonymity
    from sudare.messages import Texts

    texts = Texts(lang)
    with shown_progress() as progress:
        found = check_km_anonymity(source.read(progress), k=k, m=m, most_examples=top)
    if json:
        show_json(found.to_dict())
    else:
        _show_km(found, texts)
    if not found.anonymous:
        raise typer.Exit(EXIT_NOT_SAFE)


def _show_km(found: KmAnonymity, texts: Texts) -> None:
    numbers = {"k": found.k, "m": found.m, "smallest": f"{found.smallest or 0:,}"}
    if found.anonymous:
        console().print(texts("mining.km.holds", **numbers))
    else:
        counts = {"below": f"{found.below:,}", "itemsets": f"{found.itemsets:,}"}
        console().print(texts("mining.km.fails", **numbers, **counts), style="bold")
    rows = [(f"{n.size}", f"{n.itemsets:,}", f"{n.below:,}", f"{n.smallest:,}") for n in found.sizes]
    _show_table([texts(f"mining.km.{name}", k=found.k) for name in ("size", "itemsets", "below", "smallest")], rows)
    if found.examples:
        rare = [(_items(example.items), f"{example.support:,}") for example in found.examples]
        console().print("\n" + texts("mining.km.rarest"), style="bold")
        _show_table([texts("mining.items"), texts("mining.support")], rare, words=1)


@guarded
@taking(BasketOptions)
def utility(
    source: BasketOptions,
    published: Annotated[
        str,
        READ,
        typer.Argument(metavar="PUBLISHED", help="The published baskets, a suppression of the original ones."),
    ],
    support: SupportOption = "0.0005",
    confidence: ConfidenceOption = 0.3,
    top: Annotated[int, typer.Option(min=1, metavar="N", help="How many rules and itemsets to compare.")] = 100,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Measure what is left of the use of suppressed baskets.

    The share of suppressed items, how far the frequencies of items moved, how many of the strongest association rules
    are still among the strongest, and how wrong the supports of the most frequent itemsets are.
    """
    from sudare.baskets.matching import match_published
    from sudare.baskets.utility import basket_utility
    from sudare.messages import Texts

    texts, least = Texts(lang), support_of(support)
    with shown_progress() as progress:
        original = source.read(progress)
        after = match_published(original, source.read_from(published, progress))
        found = basket_utility(original, after, support=least, confidence=confidence, most=top)
    if json:
        show_json(found.to_dict())
    else:
        _show_utility(found, published, texts)


def _show_utility(found: BasketUtility, published: str, texts: Texts) -> None:
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
