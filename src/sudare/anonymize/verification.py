"""Verifying published baskets: everything is computed again from the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sudare.anonymize.certificate import (
    Certificate,
    CertificateDifference,
    basket_input,
    compare_certificate,
    sensitive_input,
)
from sudare.data.basket_matching import match_published
from sudare.data.baskets import Baskets, SensitiveItems
from sudare.progress import Progress, silent
from sudare.risk.uncertainty import Knowledge, Verdict, check_baskets
from sudare.utility.baskets import kl_divergence, suppressed_share


@dataclass(frozen=True, slots=True)
class Verification:
    """What a check of published baskets says, what they have lost, and how they differ from a certificate.

    `differences` is None if there was no certificate to compare with.
    """

    verdict: Verdict
    items: int
    suppressed: int
    suppressed_share: float
    kl_divergence: float
    differences: tuple[CertificateDifference, ...] | None

    @property
    def holds(self) -> bool:
        """Whether the guarantee holds and nothing differs from the certificate."""
        return self.verdict.safe and not self.differences

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        names = ("items", "suppressed", "suppressed_share", "kl_divergence", "holds")
        compared = None
        if self.differences is not None:
            listed = [entry.to_dict() for entry in self.differences]
            compared = {"matches": not self.differences, "differences": listed}
        return {**self.verdict.to_dict(), **{name: getattr(self, name) for name in names}, "certificate": compared}


def verify_baskets(
    original: Baskets,
    published: Baskets,
    sensitive: SensitiveItems,
    *,
    rho: float | str,
    max_known: int | None = None,
    knowledge: Knowledge = "original",
    epsilon: float | None = None,
    delta: float | None = None,
    seed: int = 0,
    certificate: Certificate | None = None,
    most_worst: int = 20,
    progress: Progress = silent,
) -> Verification:
    """Verify that published baskets are original ones with items left out, and that the guarantee holds.

    Records are matched by users and items by names; what is no suppression raises BadRows. With a certificate, files,
    parameters and the verdict are compared with it.
    """
    shown = match_published(original, published)
    verdict = check_baskets(
        original, sensitive, rho=rho, published=shown, max_known=max_known, knowledge=knowledge,
        epsilon=epsilon, delta=delta, seed=seed, most_worst=most_worst, progress=progress,
    )  # fmt: skip
    differences = None
    if certificate is not None:
        differences = compare_certificate(
            certificate,
            original=basket_input(original),
            published=basket_input(published),
            sensitive=sensitive_input(sensitive),
            rho=rho,
            verdict=verdict,
        )
    return Verification(
        verdict,
        len(original.items),
        len(original.items) - len(shown.items),
        suppressed_share(original, shown),
        kl_divergence(original, shown),
        differences,
    )
