"""Making baskets safe by suppressing item occurrences.

Nakagawa, Arai, Nakagawa: personalized anonymization of set-valued data, Algorithms 1 (all adversaries) and 2 (a sample
of them, `sudare.baskets.suppress.sampled`), with the better strategy that the paper leaves to future work in
`sudare.baskets.suppress.best`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from sudare.arguments import checked
from sudare.baskets.check.adversaries import KnownFrom
from sudare.baskets.check.sample_sizes import check_sampling, refuse_large_sample, sample_size
from sudare.baskets.check.uncertainty import Verdict, check_baskets
from sudare.baskets.model import Baskets, SensitiveItems
from sudare.baskets.suppress.choice import KeepLow
from sudare.baskets.suppress.repair import AFTER_INTERRUPTION, Look, Work, repair_all
from sudare.baskets.utility import BasketLoss, basket_loss
from sudare.deadline import Deadline, TimeOver
from sudare.errors import OptionNotUsable
from sudare.interruption import settle
from sudare.lazy import above
from sudare.messages import Language, Texts
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass
from sudare.statistics.shares import Share

if TYPE_CHECKING:
    from sudare.baskets.certificate import Certificate

Strategy = Literal["paper", "swept", "best"]
# The share of the time in which items are suppressed; the rest is for the check of what was reached.
_SEARCH_SHARE = 0.8


@dataclass(frozen=True, slots=True)
class Suppression(Result):
    """Records with some items suppressed, their originals, and the verdict of a check of the whole.

    The guarantee is that of the verdict. `loss` has the three measures of the paper. No suppression that is safe from
    all adversaries removes fewer than `least_suppressed` occurrences, whatever its algorithm; it is None for samples,
    which allow unsafe adversaries, and if time ran out before it was known. If the work was interrupted, the state
    reached so far is published. It is then not safe whatever the verdict says, which may come from an unfinished check.
    """

    original: Baskets = field(repr=False)
    sensitive: SensitiveItems = field(repr=False)
    published: Baskets = field(repr=False)
    strategy: Strategy
    keep_low: KeepLow | None
    seed: int
    passes: int
    interrupted: bool
    seconds: float
    verdict: Verdict
    loss: BasketLoss
    least_suppressed: int | None

    @property
    def safe(self) -> bool:
        """Whether the guarantee holds, according to a check of the whole."""
        return self.verdict.safe and not self.interrupted

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
        """The share of the item occurrences that are suppressed, formula (2)."""
        return self.suppressed / self.items if self.items else 0.0

    def publish(self, path: str | Path, *, certificate: str | Path | None = None) -> Certificate:
        """Write the published records, check the file, and write its certificate; see `write_published`."""
        from sudare.baskets.certificate import write_published

        return write_published(self, path, certificate=certificate)

    def report(
        self, path: str | Path, *, certificate: str | Path | None = None, legal: Sequence[str] = (),
        language: Language = "en", progress: Progress = silent,
    ) -> None:  # fmt: skip
        """Write one page about the baskets before and after suppression, for readers who do not have sudare."""
        write: Any = above("sudare.report.baskets.report", "write_baskets_report")
        write(self, path, certificate=certificate, legal=legal, language=language, progress=progress)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the records as plain values."""
        names = (
            "strategy", "keep_low", "seed", "items", "suppressed", "suppressed_share", "least_suppressed", "passes",
            "interrupted", "seconds",
        )  # fmt: skip
        return {
            **self.verdict.to_dict(),
            **self.loss.to_dict(),
            **{name: getattr(self, name) for name in names},
            "safe": self.safe,
            "check_seed": self.verdict.seed,
            "claim": self.verdict.claim(Texts("en"), interrupted=self.interrupted),
        }


@checked
def suppress_baskets(
    original: Baskets,
    sensitive: SensitiveItems,
    *,
    rho: Share,
    max_known: int | None = None,
    knowledge: KnownFrom = "original",
    strategy: Strategy = "paper",
    keep_low: KeepLow | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    seed: int = 0,
    seconds: float | None = None,
    progress: Progress = silent,
) -> Suppression:
    """Suppress items until no adversary can infer a sensitive item of a user with a confidence above rho.

    Adversaries know at most `max_known` items (None: any number) of the original or the published record. With epsilon
    and delta, samples are repaired until a complete pass over a fresh one finds no unsafe adversary. The strategy
    `paper` is the algorithm as printed in the paper; `best` loses less and minimizes what `keep_low` names (None: all
    three measures; for samples, the suppressed items); `swept` handles short records first and has an independent
    sample confirm the end. Regardless of the number of passes or looks, the probability that the verdict wrongly says
    safe is at most delta. After `seconds` or an interruption, the state so far is returned with the verdict of a check
    that ends within the same time: `seconds` covers both.
    """
    started = time.perf_counter()
    keep_low = _checked_strategy(strategy, keep_low, sampled=epsilon is not None)
    check_sampling(epsilon, delta)
    whole = Deadline(seconds)

    def check(seconds: float | None) -> Verdict:
        # What is looked at depends on what earlier looks met, so each look draws anew.
        look = work.look or Look(work.looks + 1, None)
        work.looks += 1
        return check_baskets(
            original, sensitive, rho=rho, published=original.only(work.kept), max_known=max_known, knowledge=knowledge,
            epsilon=epsilon, delta=delta, seed=look_seed(seed, look.number), look=look.number, draws=look.draws,
            seconds=seconds, progress=progress,
        )  # fmt: skip

    verdict, patience = None, None
    with Deadline(None if seconds is None else _SEARCH_SHARE * seconds) as deadline:
        work = Work(original, sensitive, rho, knowledge, max_known, seed, deadline, progress)
        try:
            if epsilon is None or delta is None:
                _suppress_exactly(work, keep_low)
            else:
                verdict = _suppress_samples(work, epsilon, delta, strategy, keep_low, check, deadline)
        except (TimeOver, KeyboardInterrupt) as reason:
            settle()
            work.interrupted = verdict is None or not verdict.safe
            patience = AFTER_INTERRUPTION if isinstance(reason, KeyboardInterrupt) else None
    if verdict is None or not verdict.safe:
        verdict = check(patience or whole.rest)
    published = original.only(work.kept)
    return Suppression(
        original, sensitive, published, strategy, keep_low, seed, work.passes, work.interrupted,
        time.perf_counter() - started, verdict, basket_loss(original, published), work.least,
    )  # fmt: skip


def _checked_strategy(strategy: Strategy, keep_low: KeepLow | None, *, sampled: bool) -> KeepLow | None:
    """Refuse strategies that there are not; return what the best one keeps low, None for the others."""
    if strategy not in get_args(Strategy):
        raise OptionNotUsable("errors.suppression.strategy", strategy=strategy)
    if keep_low is not None and keep_low not in get_args(KeepLow):
        raise OptionNotUsable("errors.suppression.keep_low", keep_low=keep_low)
    if strategy == "best":
        return keep_low or ("items" if sampled else "all")
    if keep_low is not None:
        raise OptionNotUsable("errors.suppression.keep_low_needs_best", strategy=strategy)
    return None


def _suppress_exactly(work: Work, keep_low: KeepLow | None) -> None:
    from sudare.baskets.suppress.best import suppress_best
    from sudare.baskets.suppress.loss_bound import least_suppressed

    supports = work.supports()
    work.least = least_suppressed(work, supports)
    if keep_low is None:
        repair_all(work, supports)
    else:
        suppress_best(work, supports, keep_low)


def _suppress_samples(
    work: Work,
    epsilon: float,
    delta: float,
    strategy: Strategy,
    keep_low: KeepLow | None,
    check: Callable[[float | None], Verdict],
    deadline: Deadline,
) -> Verdict | None:
    """Repair samples; return the verdict of a look that passed, None if the last pass is yet to be looked at."""
    from sudare.baskets.suppress import sampled

    if strategy == "best" and keep_low is not None:
        work.look = sampled.repair_best(work, epsilon, delta, keep_low)
        return None
    if strategy == "paper":
        work.look = sampled.repair_as_printed(work, epsilon, delta)
        return None
    refuse_large_sample(sample_size(epsilon, delta, 1), work.most_known)
    sampled.sweep(work)
    while True:
        sampled.repair_samples(work, sample_size(epsilon, delta, work.looks + 1))
        # A pass can meet no unsafe adversary by luck: an independent sample has to confirm it.
        verdict = check(deadline.rest)
        if verdict.safe:
            return verdict
        deadline.check()


def look_seed(seed: int, look: int) -> int:
    """Return the seed of a look at what was suppressed: one that nobody is likely to choose for a check of her own."""
    return int(np.random.SeedSequence([seed, look]).generate_state(1)[0])
