"""Personalized rho-uncertainty: whether published baskets reveal a user's sensitive items.

Nakagawa, Arai, Nakagawa: personalized anonymization of set-valued data, definitions 2 to 5. An adversary (u, Q) knows
that user u has the items Q, and infers item e with the confidence supp(Q + e) / supp(Q) in the published records. She
is unsafe if that is above rho for an item e that is sensitive to u, and safe if no published record contains Q. This
check shares nothing with the algorithms that suppress items. What a sample proves is derived in
docs/explanation/baskets.md.
"""

from __future__ import annotations

import time
from fractions import Fraction
from typing import Any

import numpy as np

from sudare.arguments import checked
from sudare.baskets.check.adversaries import Adversary, AdversaryCheck, KnownFrom
from sudare.baskets.check.draws import sampling_generator
from sudare.baskets.check.rho import exact_rho, plain_rho
from sudare.baskets.check.sample_sizes import check_sampling, most_looks, sample_bound
from sudare.baskets.model import Baskets, SensitiveItems
from sudare.deadline import Deadline
from sudare.messages import Texts
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass
from sudare.statistics.shares import Share


@dataclass(frozen=True, slots=True)
class FrequentItem(Result):
    """The item, of all that are sensitive to somebody, that most published records contain; ties go to the first.

    What an engine holds is not named: then `item` is None.
    """

    item: str | None
    records: int
    all_records: int

    @property
    def share(self) -> Fraction:
        """The share of the published records that contain it."""
        return Fraction(self.records, self.all_records)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields and the share as plain values."""
        return {**Result.to_dict(self), "share": float(self.share)}


@dataclass(frozen=True, slots=True)
class Verdict(Result):
    """Whether published records protect the users' sensitive items, and how many adversaries they are unsafe against.

    `adversaries` were checked: all with at most `max_known` items (None: any number) if `exact`, otherwise `draws` of
    each size: a user drawn from those with at least that many items, then that many of the items. `safe` then means
    that for each size the unsafe share of a user's adversaries, averaged over these users, is below epsilon; this
    statement is wrong with probability at most delta. All adversaries of one user may be unsafe; and since a long
    record has more of them than many short ones, so may most adversaries overall.

    `look` numbers the check within a procedure that repeats it until it passes: delta then holds for all its looks
    together. If all looks draw the same number, `looks` is how many of them delta allows; a later one proves nothing
    and is not safe. `worst` are the unsafe adversaries with the highest confidence. If time ran out before all were
    checked, the verdict is not `complete` and not safe, and the unsafe adversaries are those found so far. Adversaries
    know at least one item: what the frequency of `most_frequent_sensitive` (None: nothing is sensitive) reveals by
    itself is not part of the verdict and is reported beside it.
    """

    _rows = ("worst",)
    _row = Adversary

    rho: Fraction
    max_known: int | None
    knowledge: KnownFrom
    exact: bool
    epsilon: float | None
    delta: float | None
    seed: int | None
    look: int | None
    looks: int | None
    draws: int | None
    safe: bool
    adversaries: int
    unsafe_adversaries: int
    worst: tuple[Adversary, ...]
    seconds: float
    most_frequent_sensitive: FrequentItem | None
    complete: bool = True

    @property
    def frequent_above_rho(self) -> bool:
        """Whether the share of published records with a single sensitive item is above rho, whatever the verdict."""
        found = self.most_frequent_sensitive
        return found is not None and found.share > self.rho

    @property
    def bound(self) -> float | None:
        """What a safe sample proves for each size: on average, at most this share of a user's adversaries is unsafe.

        It is the Clopper-Pearson bound for no failure in `draws` draws, capped at epsilon; None for anything except
        safe samples.
        """
        return sample_bound(self.epsilon, self.delta, self.draws, self.look, self.looks) if self.safe else None

    @property
    def question(self) -> dict[str, Any]:
        """The arguments of `check_baskets`: the same question about the same records has this answer."""
        names = ("rho", "max_known", "knowledge", "epsilon", "delta", "look")
        draws = None if self.looks is None else self.draws
        return {**{name: getattr(self, name) for name in names}, "draws": draws, "seed": self.seed or 0}

    @checked
    def claim(self, texts: Texts, *, interrupted: bool = False) -> str:
        """Return the claim in words; for records whose suppression was interrupted, nothing is claimed."""
        if interrupted:
            return texts("baskets.interrupted")
        rho = plain_rho(self.rho)
        if not self.safe and not self.unsafe_adversaries:
            return self._unproven(texts)
        if not self.safe:
            return texts("baskets.not_safe", rho=rho)
        who = {"known": known_words(self.max_known, texts), "record": texts(f"baskets.knowledge.{self.knowledge}")}
        if self.epsilon is None or self.delta is None or self.bound is None:
            return texts("baskets.safe", rho=rho, **who) + self._warning(texts)
        shares = {
            "epsilon": texts.exact_percent(self.epsilon),
            "sure": texts.exact_percent(1 - Fraction(str(self.delta))),
            "bound": texts.upper_percent(self.bound),
        }
        looks = "" if self.look is None else self._looks(texts, shares["sure"])
        return (
            texts("baskets.safe_sample", rho=rho, **who, **shares, draws=f"{self.draws:,}")
            + looks
            + self._warning(texts)
        )

    def _looks(self, texts: Texts, sure: str) -> str:
        """Return that this was one look of several, and what that means for the confidence."""
        if self.looks is None:
            return texts("baskets.looks", look=self.look, sure=sure)
        return texts("baskets.equal_looks", look=f"{self.look or 1:,}", looks=f"{self.looks:,}", sure=sure)

    def _unproven(self, texts: Texts) -> str:
        """Return why nothing is claimed although no unsafe adversary was met."""
        if not self.complete or self.looks is None or self.epsilon is None or self.delta is None:
            return texts("baskets.not_checked")
        numbers = {"look": f"{self.look or 1:,}", "looks": f"{self.looks:,}", "draws": f"{self.draws:,}"}
        sure = texts.exact_percent(1 - Fraction(str(self.delta)))
        return texts("baskets.many_looks", **numbers, epsilon=texts.exact_percent(self.epsilon), sure=sure)

    def _warning(self, texts: Texts) -> str:
        """Return what belongs beside the word safe; it names no item, since certificates hold no data."""
        found = self.most_frequent_sensitive
        if found is None or not self.frequent_above_rho:
            return ""
        counts = {"records": f"{found.records:,}", "all_records": f"{found.all_records:,}"}
        return texts("baskets.frequent", **counts, share=texts.upper_percent(found.share), rho=plain_rho(self.rho))

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, the bound and, in English, what is claimed as plain values."""
        plain = {name: getattr(self, name) for name in (*self.__slots__, "frequent_above_rho", "bound")}
        listed = [entry.to_dict() for entry in self.worst]
        frequent = self.most_frequent_sensitive and self.most_frequent_sensitive.to_dict()
        words = {"rho": plain_rho(self.rho), "claim": self.claim(Texts("en"))}
        return {**plain, **words, "worst": listed, "most_frequent_sensitive": frequent}


def known_words(max_known: int | None, texts: Texts) -> str:
    """Return how many items adversaries know, in words."""
    if max_known is None:
        return texts("baskets.any_number")
    return texts("baskets.one") if max_known == 1 else texts("baskets.up_to", known=f"{max_known:,}")


@checked
def check_baskets(
    original: Baskets,
    sensitive: SensitiveItems,
    *,
    rho: Share,
    published: Baskets | None = None,
    max_known: int | None = None,
    knowledge: KnownFrom = "original",
    epsilon: float | None = None,
    delta: float | None = None,
    seed: int = 0,
    look: int | None = None,
    draws: int | None = None,
    most_worst: int = 20,
    seconds: float | None = None,
    progress: Progress = silent,
) -> Verdict:
    """Return whether published records (None: the original ones) are safe from adversaries who know items of a user.

    With `knowledge="original"` adversaries know items of the original record, suppressed or not; with "published",
    items of the published record. With epsilon and delta a sample is checked, otherwise all adversaries who know at
    most `max_known` items. A procedure that checks repeatedly until the records pass must number each check with `look`
    and draw each with another seed, so that delta holds for all looks together. Later looks draw more, or the same
    number if `draws` is given; then only as many looks can pass as delta allows. After `seconds` the verdict covers
    what was found so far, and is not safe.
    """
    started = time.perf_counter()
    size, looks = check_sampling(epsilon, delta, look), None
    if draws is not None and epsilon is not None and delta is not None:
        size, looks = draws, most_looks(epsilon, delta, draws)
    shown = original if published is None else published
    question = AdversaryCheck(original, shown, sensitive, exact_rho(rho), knowledge, max_known, most_worst)
    with Deadline(seconds) as deadline:
        if size is None:
            adversaries, complete = question.exhaust(deadline, progress)
        else:
            adversaries, complete = question.draw(size, sampling_generator(seed), deadline, progress)
    return Verdict(
        rho=exact_rho(rho),
        max_known=max_known,
        knowledge=knowledge,
        exact=size is None,
        epsilon=epsilon,
        delta=delta,
        seed=None if size is None else seed,
        look=None if size is None else look,
        looks=looks,
        draws=size,
        safe=complete and question.unsafe == 0 and (looks is None or (look or 1) <= looks),
        adversaries=adversaries,
        unsafe_adversaries=question.unsafe,
        worst=question.worst(),
        seconds=time.perf_counter() - started,
        most_frequent_sensitive=most_frequent_sensitive(shown, sensitive),
        complete=complete,
    )


def most_frequent_sensitive(published: Baskets, sensitive: SensitiveItems) -> FrequentItem | None:
    """Return which item, of all that are sensitive to somebody, stands in most records; None if there is none."""
    lists = sensitive.words[np.unique(sensitive.rows)]
    bits = np.unpackbits(np.bitwise_or.reduce(lists, axis=0).view(np.uint8), bitorder="little")
    items = np.flatnonzero(bits[: len(published.names)])
    if not len(items):
        return None
    supports = published.supports()
    item = int(items[np.argmax(supports[items])])
    return FrequentItem(published.names[item], int(supports[item]), len(published))
