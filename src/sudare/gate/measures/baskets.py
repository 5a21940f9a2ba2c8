"""What a gate can measure of baskets."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from sudare.gate.arguments import Argument
from sudare.gate.measures.model import Asked, Basis, Measure, Measured
from sudare.messages import message

if TYPE_CHECKING:
    from sudare.gate.opened import OpenBaskets

# Fewer records than this make an item rare, if nothing is said.
RARE_BELOW = 3
# Items that a k^m check without a limit counts as rare.
_ANY_K = 2


def _rho(source: OpenBaskets, asked: Asked) -> Measured:
    from sudare.baskets.check.uncertainty import check_baskets

    baskets = source.baskets
    shown = source.published(asked.file("published")) if "published" in asked.arguments else None
    found = check_baskets(
        baskets, source.sensitive(asked["sensitive"], asked.folder), rho=asked["rho"], published=shown,
        max_known=asked.get("max-known"), epsilon=asked.get("epsilon"), delta=asked.get("delta"), seed=asked.seed,
        progress=asked.progress,
    )  # fmt: skip
    facts = [message("gate.fact.adversaries", count=found.adversaries)]
    if found.frequent_above_rho:
        facts.append(message("gate.fact.frequent_above_rho"))
    unproven = None
    if not found.complete:
        unproven = message("gate.unproven.not_complete")
    elif not found.safe and not found.unsafe_adversaries:
        unproven = message("gate.unproven.too_few_draws")
    basis: Basis = "counted" if found.exact else "estimated"
    examples = tuple(", ".join(map(str, one.to_dict().values())) for one in found.worst[:1])
    return Measured(found.unsafe_adversaries, basis, tuple(facts), examples, unproven)


def _km(source: OpenBaskets, asked: Asked) -> Measured:
    from sudare.baskets.check.km_anonymity import check_km_anonymity

    k = max(1, ceil(max(asked.limits, default=_ANY_K)))
    found = check_km_anonymity(source.baskets, k=k, m=asked["m"], most_examples=3)
    facts = (message("gate.fact.itemsets_below", count=found.below, all=found.itemsets, k=k),)
    return Measured(found.smallest or 0, facts=facts, examples=tuple(" + ".join(one.items) for one in found.examples))


def _rare_values(source: OpenBaskets, asked: Asked) -> Measured:
    supports = np.bincount(source.baskets.items, minlength=len(source.baskets.names))
    rare = int(((supports > 0) & (supports < int(asked.get("people", RARE_BELOW)))).sum())
    return Measured(rare, facts=(message("gate.fact.of_items", all=int((supports > 0).sum())),))


def _suppressed(source: OpenBaskets, asked: Asked) -> Measured:
    from sudare.baskets.utility import suppressed_share

    return Measured(suppressed_share(source.baskets, source.published(asked.file("published"))))


def _kl(source: OpenBaskets, asked: Asked) -> Measured:
    from sudare.baskets.utility import kl_divergence

    return Measured(kl_divergence(source.baskets, source.published(asked.file("published"))))


def _rules_distance(source: OpenBaskets, asked: Asked) -> Measured:
    from sudare.baskets.utility import compare_rules

    found = compare_rules(source.baskets, source.published(asked.file("published")))
    return Measured(found.distance, facts=(message("gate.fact.rules", count=found.original),))


_PUBLISHED = {"published": Argument("file", needed=True, option="")}
_UTILITY = ("baskets", "utility")
BASKETS = (
    Measure(
        "rho", "low", "count", _rho, ("baskets", "check"),
        {
            "rho": Argument("share", needed=True, option="--rho"),
            "sensitive": Argument("source", needed=True, option="--sensitive"),
            "max-known": Argument("count", option="--max-known"), "epsilon": Argument("share", option="--epsilon"),
            "delta": Argument("share", option="--delta"), "published": Argument("file"),
        },
    ),
    Measure("km", "high", "count", _km, ("baskets", "km"), {"m": Argument("count", True, option="--m")}, "--k"),
    Measure("rare-values", "low", "count", _rare_values, ("baskets", "itemsets"), {"people": Argument("count")}),
    Measure("suppressed", "low", "share", _suppressed, _UTILITY, _PUBLISHED),
    Measure("kl", "low", "number", _kl, _UTILITY, _PUBLISHED),
    Measure("rules-distance", "low", "share", _rules_distance, _UTILITY, _PUBLISHED),
)  # fmt: skip
