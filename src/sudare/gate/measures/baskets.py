"""What a gate can measure of baskets."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from sudare.gate.arguments import Argument, exact_share
from sudare.gate.measures.model import Asked, Basis, Measure, Measured
from sudare.messages import message

if TYPE_CHECKING:
    from sudare.gate.opened.baskets import OpenBaskets

# Fewer records than this make an item rare, if nothing is said.
RARE_BELOW = 3
# Items that a k^m check without a limit counts as rare.
_ANY_K = 2


def _rho(source: OpenBaskets, asked: Asked) -> Measured:
    from sudare.baskets.check.uncertainty import check_baskets

    baskets = source.baskets
    shown = source.published(asked.file("published")) if "published" in asked.arguments else None
    found = check_baskets(
        baskets, source.sensitive(asked["sensitive"], asked.folder), rho=exact_share(asked["rho"]), published=shown,
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
    return Measured(rare, facts=(message("gate.fact.of_items", count=int((supports > 0).sum())),))


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


_PUBLISHED = {"published": Argument("file", needed=True)}
_COUNT, _SHARE = Argument("count"), Argument("share")
_ASKED = "--sensitive {sensitive} --rho {rho} --max-known {max-known} --epsilon {epsilon} --delta {delta} --seed {seed}"
_UTILITY = ("baskets utility {source} {published}",)
BASKETS = (
    Measure(
        "rho", "low", "count", _rho,
        {
            "rho": Argument("share", needed=True), "sensitive": Argument("source", needed=True), "max-known": _COUNT,
            "epsilon": _SHARE, "delta": _SHARE, "published": Argument("file"),
        },
        (f"baskets verify {{source}} {{published}} {_ASKED}", f"baskets check {{source}} {_ASKED}"),
    ),
    Measure("km", "high", "count", _km, {"m": Argument("count", True)}, ("baskets km {source} --k {k} --m {m}",)),
    Measure(
        "rare-values", "low", "count", _rare_values, {"people": _COUNT},
        (f"baskets km {{source}} --k {{people:{RARE_BELOW}}} --m 1",),
    ),
    Measure("suppressed", "low", "share", _suppressed, _PUBLISHED, _UTILITY),
    Measure("kl", "low", "number", _kl, _PUBLISHED, _UTILITY),
    Measure("rules-distance", "low", "share", _rules_distance, _PUBLISHED, _UTILITY),
)  # fmt: skip
