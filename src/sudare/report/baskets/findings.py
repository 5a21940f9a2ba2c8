"""The findings of the baskets report, from the original and the published records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

import numpy as np

from sudare.baskets.certificate import Certificate, CertifiedInput, read_certificate, records_in
from sudare.baskets.certificate_comparison import CertificateDifference
from sudare.baskets.check.adversaries import Adversary
from sudare.baskets.check.uncertainty import Verdict, check_baskets
from sudare.baskets.check.user_confidence import UserConfidence, confidence_by_user
from sudare.baskets.model import Baskets, SensitiveItems
from sudare.baskets.suppress.suppression import Suppression
from sudare.baskets.utility import (
    RulesDistance,
    SupportErrors,
    compare_rules,
    kl_divergence,
    support_errors,
    suppressed_share,
)
from sudare.baskets.verification import Verification, verify_baskets
from sudare.baskets.write import form_of
from sudare.errors import OptionNotUsable
from sudare.messages import message
from sudare.progress import Progress
from sudare.showing import dataclass
from sudare.sources.text import file_hash

T = TypeVar("T")
MOST_LOSSES = 20
MOST_WORST = 10
# Sizes of what is known that have a row of their own.
MOST_SIZES = 12


@dataclass(frozen=True, slots=True)
class Side:
    """What adversaries learn from the records before or after the suppression."""

    verdict: Verdict
    users: UserConfidence

    @property
    def highest(self) -> float:
        """The highest confidence in a sensitive item of any user."""
        return float(self.users.greatest.max(initial=0.0))

    @property
    def refuted(self) -> bool:
        """Whether a look at all adversaries of some size shows that what the verdict says of safe records is false."""
        allowed = self.verdict.epsilon
        looked = [size for size in self.users.sizes if size.exact]
        if allowed is None:
            return any(size.unsafe for size in looked)
        return any(size.mean_share >= Fraction(str(allowed)) for size in looked)


@dataclass(frozen=True, slots=True)
class WorstAdversary:
    """An adversary with the number of the user's record from 1 instead of the name."""

    record: int
    found: Adversary


@dataclass(frozen=True, slots=True)
class SizeRow:
    """Adversaries who know from `first` to `last` items: checked and unsafe, before and after."""

    first: int
    last: int
    exact: bool
    checked: tuple[int, int]
    unsafe: tuple[int, int]


@dataclass(frozen=True, slots=True)
class ItemLoss:
    """An item that was suppressed: the number of records that had it before and have it after."""

    item: str
    before: int
    after: int

    @property
    def lost(self) -> int:
        """How often it was suppressed."""
        return self.before - self.after

    @property
    def share(self) -> float:
        """The share of its occurrences that was suppressed."""
        return self.lost / self.before


@dataclass(frozen=True, slots=True)
class Losses:
    """What was suppressed: occurrences, items and records, and the items that lost most, the largest losses first."""

    suppressed: int
    items: int
    gone_items: int
    changed_records: int
    emptied_records: int
    most: tuple[ItemLoss, ...]


@dataclass(frozen=True, slots=True)
class Use:
    """What is left of the use; rules and itemsets are None where there are too many to compare."""

    suppressed_share: float
    kl_divergence: float
    rules: RulesDistance | None
    support_errors: SupportErrors | None


@dataclass(frozen=True, slots=True)
class Secrets:
    """The lists of sensitive items: users who have one, different lists, and items on a list on average."""

    users: int
    lists: int
    mean: float


@dataclass(frozen=True, slots=True)
class Certified:
    """A certificate file, and what is not as it says."""

    name: str
    sha256: str
    differences: tuple[CertificateDifference, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """All that the report of baskets shows; the verdict after is not safe if the work was stopped before its end.

    `suppression` is None where published records were verified.
    """

    suppression: Suppression | None
    before: Side
    after: Side
    sizes: tuple[SizeRow, ...]
    worst: tuple[tuple[WorstAdversary, ...], tuple[WorstAdversary, ...]]
    losses: Losses
    use: Use
    secrets: Secrets
    published: CertifiedInput | None
    certificate: Certified | None

    @property
    def safe(self) -> bool:
        """Whether the published records are safe, as the check says and the look at single users does not deny."""
        return self.after.verdict.safe and not self.after.refuted

    @property
    def holds(self) -> bool:
        """Whether they are safe and nothing differs from the certificate."""
        return self.safe and not (self.certificate and self.certificate.differences)


def gather_findings(found: Suppression | Verification, certificate: str | Path | None, progress: Progress) -> Findings:
    """Compute all that the report shows from the records themselves; the verdict of a suppression is not believed."""
    suppression = found if isinstance(found, Suppression) else None
    checked = found if isinstance(found, Verification) else _verified(found, progress)
    original, shown = checked.original, checked.published
    verdict = checked.verdict
    unpublished = check_baskets(
        original, checked.sensitive, **verdict.question, most_worst=MOST_WORST, progress=progress
    )  # fmt: skip
    if suppression and suppression.interrupted:
        verdict = replace(verdict, safe=False)
    before, after = _side(checked, unpublished, original, progress), _side(checked, verdict, shown, progress)
    progress(message("progress.utility"), 0, 1)
    use = _use(original, shown)
    progress(message("progress.utility"), 1, 1)
    certified = None
    if certificate is not None:
        stated = read_certificate(certificate)
        if suppression:
            checked = replace(checked, file=_written(suppression, stated, certificate))
        certified = Certified(Path(certificate).name, file_hash(Path(certificate)), checked.compare(stated))
    return Findings(
        suppression=suppression,
        before=before,
        after=after,
        sizes=_sizes(before.users, after.users),
        worst=(_worst(original, before.verdict), _worst(original, after.verdict)),
        losses=losses_of(original, shown),
        use=use,
        secrets=_secrets(checked.sensitive),
        published=checked.file,
        certificate=certified,
    )


def _verified(found: Suppression, progress: Progress) -> Verification:
    return verify_baskets(
        found.original, found.published, found.sensitive, **found.verdict.question, most_worst=MOST_WORST,
        progress=progress,
    )  # fmt: skip


def _side(checked: Verification, verdict: Verdict, published: Baskets, progress: Progress) -> Side:
    asked = {name: verdict.question[name] for name in ("rho", "max_known", "knowledge", "seed")}
    users = confidence_by_user(
        checked.original, checked.sensitive, published=published, **asked, progress=progress
    )  # fmt: skip
    return Side(verdict, users)


def _written(found: Suppression, stated: Certificate, certificate: str | Path) -> CertifiedInput:
    """Return the file that a certificate is about, which has to hold the records of the suppression."""
    file, reading = Path(stated.published.name), found.original.reading
    if not file.is_file() or records_in(found, file, form_of(file, reading.form if reading else None)) is None:
        raise OptionNotUsable("errors.report.not_the_records", certificate=certificate, file=file)
    return CertifiedInput(stated.published.name, file_hash(file))


def _sizes(before: UserConfidence, after: UserConfidence) -> tuple[SizeRow, ...]:
    """Return the sizes of what is known; those beyond the first ones are one row."""
    longest = len(before.sizes)
    ends = [(size, size) for size in range(1, min(longest, MOST_SIZES) + 1)]
    ends += [(MOST_SIZES + 1, longest)] if longest > MOST_SIZES else []
    rows = []
    for first, last in ends:
        parts = (before.sizes[first - 1 : last], after.sizes[first - 1 : last])
        exact = all(size.exact for part in parts for size in part)
        checked, unsafe = ([sum(getattr(s, name) for s in part) for part in parts] for name in ("checked", "unsafe"))
        rows.append(SizeRow(first, last, exact, (checked[0], checked[1]), (unsafe[0], unsafe[1])))
    return tuple(rows)


def _worst(original: Baskets, verdict: Verdict) -> tuple[WorstAdversary, ...]:
    wanted = {entry.user for entry in verdict.worst}
    numbers = {user: number for number, user in enumerate(original.users, start=1) if user in wanted}
    return tuple(WorstAdversary(numbers[entry.user], entry) for entry in verdict.worst[:MOST_WORST])


def losses_of(original: Baskets, shown: Baskets) -> Losses:
    """Return what was suppressed, and of which items most."""
    before, after = original.supports(), shown.supports()
    changed = original.lengths > shown.lengths
    order = np.argsort(after - before, kind="stable")[:MOST_LOSSES]
    most = [ItemLoss(original.names[item], int(before[item]), int(after[item])) for item in order]
    return Losses(
        suppressed=int((before - after).sum()),
        items=int(np.count_nonzero(before > after)),
        gone_items=int(np.count_nonzero((before > 0) & (after == 0))),
        changed_records=int(np.count_nonzero(changed)),
        emptied_records=int(np.count_nonzero(changed & (shown.lengths == 0))),
        most=tuple(loss for loss in most if loss.lost),
    )


def _use(original: Baskets, shown: Baskets) -> Use:
    """Measure what is left; a few long records can have more itemsets in common than can be counted."""

    def if_possible(compare: Callable[[Baskets, Baskets], T]) -> T | None:
        try:
            return compare(original, shown)
        except OptionNotUsable:
            return None

    share, divergence = suppressed_share(original, shown), kl_divergence(original, shown)
    return Use(share, divergence, if_possible(compare_rules), if_possible(support_errors))


def _secrets(sensitive: SensitiveItems) -> Secrets:
    on_list = np.bitwise_count(sensitive.words).sum(axis=1)
    of_user = on_list[sensitive.rows]
    used = np.unique(sensitive.rows[of_user > 0])
    return Secrets(int(np.count_nonzero(of_user)), len(used), float(of_user.mean()) if len(of_user) else 0.0)
