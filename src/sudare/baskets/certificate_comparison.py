"""Differences from a certificate, and contradictions within it."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

from sudare.baskets.certificate import Certificate, CertifiedInput
from sudare.baskets.check.adversaries import checked_knowledge
from sudare.baskets.check.rho import exact_rho, plain_rho
from sudare.baskets.check.sample_sizes import (
    check_sampling,
    most_looks,
    paper_sample_size,
    sample_bound,
    shared_sample_size,
)
from sudare.baskets.check.uncertainty import Verdict
from sudare.baskets.suppress.suppression import look_seed
from sudare.errors import OptionNotUsable
from sudare.messages import Texts
from sudare.results import Result
from sudare.showing import dataclass

# What the files and the other fields do not tell, so that nobody can check it: like the names of files that have a
# hash, it is only recorded. The seed of a sample is checked all the same, since that of its check follows from it.
UNCHECKED = ("sudare", "date", "seed", "strategy")


@dataclass(frozen=True, slots=True)
class CertificateDifference(Result):
    """A difference between a certificate and what was found."""

    what: str
    certified: Any
    found: Any


def compare_certificate(
    certificate: Certificate,
    *,
    original: CertifiedInput,
    published: CertifiedInput,
    sensitive: CertifiedInput,
    verdict: Verdict,
) -> tuple[CertificateDifference, ...]:
    """Return what is not as a certificate says: files, parameters, what the check found now, and what follows from it.

    Files are compared by their hashes and rules by their words. How many adversaries of a sample are unsafe is compared
    only if both samples were drawn alike, and if the certified check was complete. What is in no field of a verdict
    (`UNCHECKED`) is not compared.
    """
    pairs: dict[str, tuple[Any, Any]] = {
        "original": (_identity(certificate.original), _identity(original)),
        "published": (_identity(certificate.published), _identity(published)),
        "sensitive": (_identity(certificate.sensitive), _identity(sensitive)),
        "rho": (_number(certificate.rho), verdict.rho),
    }
    for name in ("max_known", "knowledge", "epsilon", "delta", "safe"):
        pairs[name] = (getattr(certificate, name), getattr(verdict, name))
    alike = (certificate.check_seed, certificate.look) == (verdict.seed, verdict.look)
    if alike and certificate.unsafe_adversaries is not None:
        pairs["unsafe_adversaries"] = (certificate.unsafe_adversaries, verdict.unsafe_adversaries)
    for name, follows in _following(certificate, verdict).items():
        pairs.setdefault(name, (getattr(certificate, name), follows))
    shown = {"rho": (certificate.rho, str(plain_rho(verdict.rho)))}
    return tuple(
        CertificateDifference(name, *shown.get(name, pair)) for name, pair in pairs.items() if pair[0] != pair[1]
    )


def repeated_draws(certificate: Certificate) -> int | None:
    """Return how many each look drew if all draw alike, as the strategies do; None if they do not."""
    epsilon, delta, draws = certificate.epsilon, certificate.delta, certificate.draws
    if certificate.looks is None or epsilon is None or delta is None:
        return None
    return draws if draws in (shared_sample_size(epsilon, delta), paper_sample_size(epsilon, delta)) else None


def _following(certificate: Certificate, verdict: Verdict) -> dict[str, Any]:
    """Return the fields of a certificate that follow from its others, given how many sizes a check now found."""
    epsilon, delta, look, unsafe = (
        getattr(certificate, name) for name in ("epsilon", "delta", "look", "unsafe_adversaries")
    )
    try:
        draws, looks = check_sampling(epsilon, delta, look), None
        if draws is not None and certificate.looks is not None:
            # Looks that all draw alike: as many as the strategies draw, which allow for this number of looks.
            draws = repeated_draws(certificate) or paper_sample_size(epsilon, delta)
            looks = most_looks(epsilon, delta, draws)
        rho, knowledge = exact_rho(certificate.rho), checked_knowledge(certificate.knowledge)
    except OptionNotUsable:
        # Nothing was checked with that: it differs itself.
        return {}
    bound = sample_bound(epsilon, delta, draws, look, looks) if certificate.safe else None
    if bound is not None and certificate.bound is not None and math.isclose(bound, certificate.bound, rel_tol=1e-9):
        # Logarithms of another machine may have another last digit.
        bound = certificate.bound
    stated = replace(
        verdict, rho=rho, max_known=certificate.max_known, knowledge=knowledge, epsilon=epsilon, delta=delta, look=look,
        looks=looks, draws=draws, safe=certificate.safe, unsafe_adversaries=unsafe or 0,
    )  # fmt: skip
    return {
        "exact": draws is None,
        "draws": draws,
        "bound": bound,
        "look": None if draws is None else look,
        "looks": looks,
        "check_seed": None if draws is None or look is None else look_seed(certificate.seed, look),
        "adversaries": _adversaries(certificate, draws, verdict),
        "unsafe_adversaries": 0 if certificate.safe else unsafe,
        "frequent_above_rho": stated.frequent_above_rho,
        "claim": _claim(certificate, stated),
    }


def _adversaries(certificate: Certificate, draws: int | None, verdict: Verdict) -> int:
    """Return how many adversaries were checked, of a sample as many sizes as now; one that was not finished may say."""
    if (draws is None) != verdict.exact or certificate.unsafe_adversaries is None:
        return certificate.adversaries
    return verdict.adversaries if draws is None else draws * (verdict.adversaries // (verdict.draws or 1))


def _claim(certificate: Certificate, stated: Verdict) -> str:
    """Return the claim that the other fields make; what is not safe may be so for a reason that no field tells."""
    texts = Texts("en")
    possible = [stated.claim(texts)]
    if not certificate.safe:
        possible.append(stated.claim(texts, interrupted=True))
        if certificate.unsafe_adversaries is None:
            possible.append(replace(stated, unsafe_adversaries=1).claim(texts))
    return certificate.claim if certificate.claim in possible else possible[0]


def _identity(used: CertifiedInput) -> str:
    return used.sha256 or used.name


def _number(text: str) -> Fraction | str:
    try:
        return exact_rho(text)
    except OptionNotUsable:
        return text
