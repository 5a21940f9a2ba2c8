"""`sudare baskets itemsets | rules | km | utility`: what baskets are used for, and who is found in them."""

from __future__ import annotations

from typing import Annotated

import typer

from sudare.cli.baskets.options import BasketOptions
from sudare.cli.files import READ
from sudare.cli.frame import EXIT_NOT_SAFE, JsonOption, LanguageOption, guarded, show_json, shown_progress
from sudare.cli.options import support_of, taking

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
        show_json("rules", found.to_dict())
    else:
        from sudare.report.baskets.mining_text import show_rules

        show_rules(found, texts)


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
        show_json("km-anonymity", found.to_dict())
    else:
        from sudare.report.baskets.mining_text import show_km

        show_km(found, texts)
    if not found.anonymous:
        raise typer.Exit(EXIT_NOT_SAFE)


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
        show_json("basket-utility", found.to_dict())
    else:
        from sudare.report.baskets.mining_text import show_basket_utility

        show_basket_utility(found, published, texts)
