"""`sudare baskets itemsets | rules | km | utility`: what baskets are used for, and their k^m-anonymity."""

from __future__ import annotations

from typing import Annotated

import typer

from sudare.cli.baskets.options import BasketOptions
from sudare.cli.files import READ
from sudare.cli.frame import EXIT_ANSWER_NO, JsonOption, guarded, show_json, shown_progress, spoken
from sudare.cli.options import share_of, support_of, taking

SupportOption = Annotated[str, typer.Option(metavar="SHARE|N")]
ConfidenceOption = Annotated[float, typer.Option(metavar="SHARE", parser=share_of)]
TopOption = Annotated[int, typer.Option(min=1, metavar="N")]


@guarded
@taking(BasketOptions)
def itemsets(
    source: BasketOptions,
    support: SupportOption,
    max_size: Annotated[int | None, typer.Option(metavar="N")] = None,
    top: TopOption = 20,
    json: JsonOption = False,
) -> None:
    """Find the sets of items that many records have."""
    from sudare.statistics.itemsets import frequent_itemsets

    texts, least = spoken(), support_of(support)
    with shown_progress() as progress:
        found = frequent_itemsets(source.read(progress), least, max_size=max_size)
    if json:
        show_json("itemsets", found.to_dict(most=top))
    else:
        from sudare.report.baskets.mining_text import show_itemsets

        show_itemsets(found, top, texts)


@guarded
@taking(BasketOptions)
def rules(
    source: BasketOptions,
    support: SupportOption,
    confidence: ConfidenceOption,
    max_inferred: Annotated[int | None, typer.Option(metavar="N")] = None,
    top: TopOption = 20,
    json: JsonOption = False,
) -> None:
    """Find association rules: who has these items also has those."""
    from sudare.statistics.itemsets import association_rules

    texts, least = spoken(), support_of(support)
    with shown_progress() as progress:
        found = association_rules(source.read(progress), least, confidence, max_inferred=max_inferred, most=top)
    if json:
        show_json("rules", found.to_dict())
    else:
        from sudare.report.baskets.mining_text import show_rules

        show_rules(found, texts)


@guarded
@taking(BasketOptions)
def km(
    source: BasketOptions,
    k: Annotated[int, typer.Option("--k", metavar="K")],
    m: Annotated[int, typer.Option("--m", metavar="M")],
    top: TopOption = 20,
    json: JsonOption = False,
) -> None:
    """Check whether everybody who knows up to M items finds K records or more (k^m-anonymity)."""
    from sudare.baskets.check.km_anonymity import check_km_anonymity

    texts = spoken()
    with shown_progress() as progress:
        found = check_km_anonymity(source.read(progress), k=k, m=m, most_examples=top)
    if json:
        show_json("km-anonymity", found.to_dict())
    else:
        from sudare.report.baskets.mining_text import show_km

        show_km(found, texts)
    if not found.anonymous:
        raise typer.Exit(EXIT_ANSWER_NO)


@guarded
@taking(BasketOptions)
def utility(
    source: BasketOptions,
    published: Annotated[str, READ, typer.Argument(metavar="PUBLISHED")],
    support: SupportOption = "0.0005",
    confidence: ConfidenceOption = 0.3,
    top: Annotated[int, typer.Option(min=1, metavar="N")] = 100,
    json: JsonOption = False,
) -> None:
    """Measure what is left of the use of suppressed baskets."""
    from sudare.baskets.matching import match_published
    from sudare.baskets.utility import basket_utility

    texts, least = spoken(), support_of(support)
    with shown_progress() as progress:
        original = source.read(progress)
        after = match_published(original, source.read_from(published, progress))
        found = basket_utility(original, after, support=least, confidence=confidence, most=top)
    if json:
        show_json("basket-utility", found.to_dict())
    else:
        from sudare.report.baskets.mining_text import show_basket_utility

        show_basket_utility(found, published, texts)
