"""Verifying published baskets: everything is recomputed from the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from sudare.arguments import checked
from sudare.baskets.certificate import Certificate, CertifiedInput, basket_input, sensitive_input
from sudare.baskets.certificate_comparison import UNCHECKED, CertificateDifference, compare_certificate
from sudare.baskets.check.adversaries import KnownFrom
from sudare.baskets.check.uncertainty import Verdict, check_baskets
from sudare.baskets.matching import match_published
from sudare.baskets.model import Baskets, SensitiveItems
from sudare.baskets.utility import BasketLoss, basket_loss, kl_divergence, suppressed_share
from sudare.lazy import above
from sudare.messages import Language
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass
from sudare.statistics.shares import Share


@dataclass(frozen=True, slots=True)
class Verification(Result):
    """The verdict on published baskets, their loss, and their differences from a certificate.

    `published` has the users and items of the original as numbers; `file` is where they were read, if they were.
    `differences` is None if there was no certificate to compare with.
    """

    original: Baskets = field(repr=False)
    sensitive: SensitiveItems = field(repr=False)
    published: Baskets = field(repr=False)
    file: CertifiedInput | None
    verdict: Verdict
    differences: tuple[CertificateDifference, ...] | None

    @property
    def items(self) -> int:
        """The number of item occurrences in the original."""
        return len(self.original.items)

    @property
    def suppressed(self) -> int:
        """The number of item occurrences that are not published."""
        return self.items - len(self.published.items)

    @property
    def suppressed_share(self) -> float:
        """The share of the item occurrences that are not published, formula (2)."""
        return suppressed_share(self.original, self.published)

    @property
    def kl_divergence(self) -> float:
        """How far the item frequencies moved, formula (3)."""
        return kl_divergence(self.original, self.published)

    @property
    def loss(self) -> BasketLoss:
        """The loss by the three measures of the paper, computed on every access."""
        return basket_loss(self.original, self.published)

    @checked
    def compare(self, certificate: Certificate) -> tuple[CertificateDifference, ...]:
        """Return the differences from a certificate."""
        return compare_certificate(
            certificate,
            original=basket_input(self.original),
            published=self.file or basket_input(self.published),
            sensitive=sensitive_input(self.sensitive),
            verdict=self.verdict,
        )

    def report(
        self,
        path: str | Path,
        *,
        legal: Sequence[str] = (),
        language: Language = "en",
        progress: Progress = silent,
    ) -> None:
        """Write one page about the baskets before and after suppression, for readers who do not have sudare."""
        write: Any = above("sudare.report.baskets.report", "write_baskets_report")
        write(self, path, legal=legal, language=language, progress=progress)

    @property
    def holds(self) -> bool:
        """Whether the guarantee holds and nothing differs from the certificate."""
        return self.verdict.safe and not self.differences

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        names = ("items", "suppressed", "holds")
        compared = None
        if self.differences is not None:
            listed = [entry.to_dict() for entry in self.differences]
            compared = {"matches": not self.differences, "differences": listed, "unchecked": list(UNCHECKED)}
        told = {name: getattr(self, name) for name in names}
        return {**self.verdict.to_dict(), **told, **self.loss.to_dict(), "certificate": compared}


@checked
def verify_baskets(
    original: Baskets,
    published: Baskets,
    sensitive: SensitiveItems,
    *,
    rho: Share,
    max_known: int | None = None,
    knowledge: KnownFrom = "original",
    epsilon: float | None = None,
    delta: float | None = None,
    seed: int = 0,
    look: int | None = None,
    draws: int | None = None,
    certificate: Certificate | None = None,
    most_worst: int = 20,
    progress: Progress = silent,
) -> Verification:
    """Verify that published baskets are the original ones with items suppressed, and that the guarantee holds.

    Records are matched by user and items by name; anything that is not a suppression raises BadRows. With a
    certificate, files, parameters and verdict are compared with it.
    """
    shown = match_published(original, published)
    verdict = check_baskets(
        original, sensitive, rho=rho, published=shown, max_known=max_known, knowledge=knowledge,
        epsilon=epsilon, delta=delta, seed=seed, look=look, draws=draws, most_worst=most_worst,
        progress=progress,
    )  # fmt: skip
    file = basket_input(published) if published.reading else None
    found = Verification(original, sensitive, shown, file, verdict, None)
    return found if certificate is None else replace(found, differences=found.compare(certificate))
