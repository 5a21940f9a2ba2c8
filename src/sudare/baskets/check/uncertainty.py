"""Personalized rho-uncertainty: whether published sets tell what a user wants to keep secret.

Nakagawa, Arai, Nakagawa: personalized anonymization of set-valued data, definitions 2 to 5. An adversary (u, Q) knows
that user u has the items Q, and infers item e with the confidence supp(Q + e) / supp(Q) in the published records. She
is unsafe if that is above rho for an item e that is sensitive to u, and safe if no published record contains Q. This
check shares nothing with the algorithms that suppress items. What a sample proves is derived in docs/baskets.md.
"""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.baskets.model import Baskets, SensitiveItems, refuse_strangers
from sudare.deadline import Deadline, TimeOver
from sudare.errors import OptionNotUsable
from sudare.kernels.baskets import adversaries as kernels
from sudare.messages import Texts
from sudare.progress import Progress, silent
from sudare.showing import dataclass

Knowledge = Literal["original", "published"]
# Adversaries that can be gone through: some minutes.
MOST_ADVERSARIES = 2_000_000_000
# Items known by all drawn adversaries that are in memory at once: some 2 GB.
MOST_POINTS = 50_000_000
# Looks that the best strategy shares delta among.
SHARED_LOOKS = 20_000
# More looks are not counted: nobody has the time.
MOST_LOOKS = 1_000_000_000
# Above so many draws, a sample size that rounding could decide is not found exactly, but has one draw more.
_EXACT_DRAWS = 10_000
# Parts into which the items are divided for threads.
_PARTS = 64
# Exponents are short: 1e-999999999 would fill the memory.
_LONG_EXPONENT = re.compile(r"[eE][+-]?\d{4}")
_RHO_HINT = "Hint: 0.5 lets nobody be surer than a coin."
# The types of compiled functions hide what they take.
_check_from: Any = kernels.check_from
_check_drawn: Any = kernels.check_drawn


@dataclass(frozen=True, slots=True)
class Adversary:
    """Somebody who knows some items of a user, and what the published records say of another one.

    `support` published records contain what is known, and the share `confidence` of them contains `inferred` too.
    """

    user: str
    known: tuple[str, ...]
    inferred: str
    confidence: float
    support: int

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return {**asdict(self), "known": list(self.known)}


@dataclass(frozen=True, slots=True)
class FrequentItem:
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
        return {**asdict(self), "share": float(self.share)}


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether published records keep what users want to keep, and from how many adversaries they do not.

    `adversaries` were checked: all with at most `max_known` items (None: any number) if `exact`, else `draws` of each
    size: a user drawn from those who have so many items, then so many of the items. `safe` then means that for each
    size the share of a user's adversaries that is unsafe is below epsilon on average over these users, which is said
    wrongly with a probability of at most delta. Of one user all may be unsafe; and since a long record has more of them
    than many short ones, most of all adversaries together may be. `look` is which look of a procedure this was, if it
    looks until it is content: delta is then about all its looks together. If all its looks draw alike, `looks` is how
    many of them delta allows for; a later one proves nothing and is not safe. `worst` are the unsafe ones with the
    highest confidence. If the time was over before all were checked, it is not `complete`: then it is not safe, and the
    unsafe adversaries are those met until then. Adversaries know at least one item: what the frequency of
    `most_frequent_sensitive` (None: nothing is sensitive) tells by itself is not part of the verdict, and stands
    beside it.
    """

    rho: Fraction
    max_known: int | None
    knowledge: Knowledge
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
        """Whether the share of published records with one sensitive item is above rho, whatever the verdict."""
        found = self.most_frequent_sensitive
        return found is not None and found.share > self.rho

    @property
    def bound(self) -> float | None:
        """What a safe sample says of each size: a user's share of unsafe adversaries is on average at most this.

        It is the bound of Clopper and Pearson for no failure in `draws` draws, and at most epsilon; None for all but
        safe samples.
        """
        return sample_bound(self.epsilon, self.delta, self.draws, self.look, self.looks) if self.safe else None

    @property
    def question(self) -> dict[str, Any]:
        """What was asked, as the words of `check_baskets`: the same question of the same records has this answer."""
        names = ("rho", "max_known", "knowledge", "epsilon", "delta", "look")
        draws = None if self.looks is None else self.draws
        return {**{name: getattr(self, name) for name in names}, "draws": draws, "seed": self.seed or 0}

    @checked
    def claim(self, texts: Texts, *, interrupted: bool = False) -> str:
        """Return in words what is claimed; of records whose suppression was interrupted, nothing is."""
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


def exact_rho(rho: Fraction | float | str) -> Fraction:
    """Return rho exactly as it is written: 0.1 is a tenth, 0.4999999999 is less than a half, "1/3" is a third.

    A floating-point number is the decimal one that Python writes for it: 1 / 3 is 0.3333333333333333, a little less
    than a third.
    """
    text = str(rho)
    try:
        if _LONG_EXPONENT.search(text):
            raise ValueError
        found = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise OptionNotUsable(f"rho is a number, not {text[:40]!r}.\n{_RHO_HINT}") from None
    if not 0 < found <= 1:
        raise OptionNotUsable(f"rho is above 0 and at most 1, not {text[:40]}.\n{_RHO_HINT}")
    return found


def plain_rho(rho: Fraction) -> float | str:
    """Return rho for people and JSON: a number if one is exactly that as it is written, else a quotient as text."""
    return float(rho) if Fraction(str(float(rho))) == rho else str(rho)


def comparable_rho(rho: Fraction, records: int) -> Fraction:
    """Return the largest fraction that is not above rho and whose denominator is at most the number of records.

    A confidence is a quotient of two numbers of records. So it is above rho if and only if it is above this fraction,
    and products of its numbers with numbers of records fit into 64 bits, however many digits rho has.
    """
    most = max(records, 1)
    near = rho.limit_denominator(most)
    if near <= rho:
        return near
    # The fraction before it in the Farey sequence: their cross products differ by 1.
    inverse = pow(near.numerator, -1, near.denominator)
    denominator = inverse + near.denominator * ((most - inverse) // near.denominator)
    return Fraction((near.numerator * denominator - 1) // near.denominator, denominator)


def look_delta(delta: float, look: int | None, looks: int | None = None) -> float:
    """Return with which probability one look may be wrong, so that all looks of a procedure are with delta at most.

    The looks 1, 2, 3, ... have delta / 2, delta / 6, delta / 12, ..., which add up to delta however many there are; if
    there are `looks` at most, each has an equal share. A look that is the only one (None) has all of it.
    """
    if looks is not None:
        return delta / max(looks, 1)
    return delta if look is None else delta / (look * (look + 1))


def paper_sample_size(epsilon: float, delta: float) -> int:
    """Return how many adversaries of each size Algorithm 2 draws in a pass: n_S of its line 2, by Theorem 1."""
    check_sampling(epsilon, delta)
    return math.ceil(math.log(1 / delta) / (2 * epsilon * epsilon))


def shared_sample_size(epsilon: float, delta: float) -> int:
    """Return how many adversaries of each size SHARED_LOOKS looks draw that are together wrong with delta at most."""
    return sample_size(epsilon, delta / SHARED_LOOKS)


def most_looks(epsilon: float, delta: float, draws: int) -> int:
    """Return how many looks with so many draws each are together wrong with delta at most: delta / (1 - epsilon)^draws.

    Rounded down; 0 if not even one is.
    """
    power = math.log(delta) - draws * math.log1p(-epsilon)
    if power > math.log(MOST_LOOKS):
        return MOST_LOOKS
    if draws > _EXACT_DRAWS:
        # A little less than rounding errors could make of it.
        return math.floor(math.exp(power) * (1 - 1e-6))
    return math.floor(Fraction(str(delta)) / (1 - Fraction(str(epsilon))) ** draws)


def sample_bound(
    epsilon: float | None, delta: float | None, draws: int | None, look: int | None = None, looks: int | None = None
) -> float | None:
    """Return the probability of meeting an unsafe adversary that so many safe draws exclude; None without a sample."""
    if epsilon is None or delta is None or draws is None:
        return None
    return min(epsilon, -math.expm1(math.log(look_delta(delta, look, looks)) / draws))


def sample_size(epsilon: float, delta: float, look: int | None = None) -> int:
    """Return how many drawn adversaries have to be safe: the least n with (1 - epsilon)^n <= delta.

    If a drawn one is unsafe with the probability epsilon or more, n draws meet none with at most this probability.
    Theorem 1 of the paper, by Hoeffding's inequality, asks for many times as many. For a look of a procedure that looks
    until it is content, delta is that of the look (`look_delta`).
    """
    for name, value in (("epsilon", epsilon), ("delta", delta)):
        if not 0 < value < 1:
            raise OptionNotUsable(f"{name} is between 0 and 1, not {value}.\nHint: 0.05 is usual.")
    if look is not None and look < 1:
        raise OptionNotUsable(f"Looks are numbered from 1 on, not {look}.\nHint: leave it out for a single check.")
    wanted = math.log(look_delta(delta, look)) / math.log1p(-epsilon)
    refuse_large_sample(wanted, 1)
    whole = round(wanted)
    # Where rounding could decide, whole numbers do.
    if abs(wanted - whole) < 1e-6:
        if whole > _EXACT_DRAWS:
            return whole + 1
        exact = Fraction(str(delta)) / (look * (look + 1) if look else 1)
        return max(1, whole if (1 - Fraction(str(epsilon))) ** whole <= exact else whole + 1)
    return math.ceil(wanted)


def refuse_large_sample(draws: float, known: int) -> None:
    """Refuse a sample whose adversaries, each with `known` items that are in memory at once, would fill it."""
    if draws * known > MOST_POINTS:
        items = "" if known == 1 else f" times {known:,} known items that are in memory at once"
        raise OptionNotUsable(
            f"The sample is too large: {draws:,.0f} adversaries of each size{items}; at most {MOST_POINTS:,} fit.\n"
            "Hint: give a larger epsilon, such as 0.01, or limit what adversaries know (--max-known 10)."
        )


def check_sampling(epsilon: float | None, delta: float | None, look: int | None = None) -> int | None:
    """Return the sample size, or None if everything is to be checked; one of the two alone says nothing."""
    if (epsilon is None) != (delta is None):
        raise OptionNotUsable("Sampling needs epsilon and delta.\nHint: give both, as in 0.05 and 0.05, or none.")
    return None if epsilon is None or delta is None else sample_size(epsilon, delta, look)


def sampling_generator(seed: int) -> np.random.Generator:
    """Return what a check draws its sample with: another stream than that of a suppression with the same seed."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(1,)))


@checked
def check_baskets(
    original: Baskets,
    sensitive: SensitiveItems,
    *,
    rho: Fraction | float | str,
    published: Baskets | None = None,
    max_known: int | None = None,
    knowledge: Knowledge = "original",
    epsilon: float | None = None,
    delta: float | None = None,
    seed: int = 0,
    look: int | None = None,
    draws: int | None = None,
    most_worst: int = 20,
    seconds: float | None = None,
    progress: Progress = silent,
) -> Verdict:
    """Say whether published records (None: the original ones) are safe from adversaries who know items of a user.

    With `knowledge="original"` they know items of the original record, suppressed or not; with "published" of the
    published one. With epsilon and delta a sample is checked, else everybody who knows at most `max_known` items. Who
    looks again and again until records pass says which `look` this is and draws each with another seed, so that delta
    holds for all looks together: looks draw more and more, or equally many if `draws` are given, and then only so many
    looks can pass as delta allows for. After `seconds` the verdict is what was found until then, and not safe.
    """
    started = time.perf_counter()
    size, looks = check_sampling(epsilon, delta, look), None
    if draws is not None and epsilon is not None and delta is not None:
        size, looks = draws, most_looks(epsilon, delta, draws)
    shown = original if published is None else published
    question = _Question(original, shown, sensitive, exact_rho(rho), knowledge, max_known, most_worst)
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


def count_adversaries(lengths: Sequence[int] | NDArray[np.int64], max_known: int | None) -> int:
    """Return how many sets of items, at least one, can be known of records of some lengths."""
    numbers = np.bincount(np.asarray(lengths, np.int64))
    return sum(int(count) * _subsets(length, max_known) for length, count in enumerate(numbers.tolist()) if count)


def _subsets(length: int, most: int | None) -> int:
    if most is None or most >= length:
        return int(2**length) - 1
    return sum(math.comb(length, size) for size in range(1, most + 1))


class _Question:
    """The arrays of a check, and the unsafe adversaries met: how many, and the worst."""

    def __init__(
        self,
        original: Baskets,
        published: Baskets,
        sensitive: SensitiveItems,
        rho: Fraction,
        knowledge: Knowledge,
        max_known: int | None,
        most_worst: int,
    ) -> None:
        check_question(original, published, sensitive, knowledge, max_known)
        exact = comparable_rho(rho, len(original))
        self._known = original if knowledge == "original" else published
        kept = kept_occurrences(original, published)
        if self._known is published:
            kept = np.ones(len(published.items), np.bool_)
        longest = int(self._known.lengths.max(initial=0))
        self._most = longest if max_known is None else min(max_known, longest)
        owner = np.repeat(np.arange(len(self._known)), self._known.lengths)
        self._data = (self._known.starts, self._known.items, kept, owner)
        self._lists = (sensitive.words, sensitive.rows)
        self._rule = (exact.numerator, exact.denominator, self._most)
        # Numbers of 16 bits are sorted by their digits, several times as fast.
        narrow = np.uint16 if len(self._known.names) <= 1 << 16 else np.int32
        order = np.argsort(self._known.items.astype(narrow), kind="stable")
        begins = np.append(0, np.cumsum(self._known.supports()))
        self._postings = (begins, order)
        self._most_worst = most_worst
        self._noted: list[NDArray[np.int64]] = []
        self.unsafe = 0

    def exhaust(self, deadline: Deadline, progress: Progress) -> tuple[int, bool]:
        """Check everybody; return how many were checked, and whether there was time for all."""
        adversaries = count_adversaries(self._known.lengths, self._most)
        if adversaries > MOST_ADVERSARIES:
            raise OptionNotUsable(
                f"{adversaries:,} adversaries are too many to go through (at most {MOST_ADVERSARIES:,}).\n"
                "Hint: limit what they know (--max-known 3), or check a sample (--epsilon 0.05 --delta 0.05)."
            )
        items = len(self._known.names)
        cuts = np.unique(np.linspace(0, items, _PARTS + 1).astype(int)).tolist()
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            tasks = [pool.submit(self._part, first, end, deadline) for first, end in pairwise(cuts)]
            seen = 0
            try:
                for done, finished in enumerate(as_completed(tasks), start=1):
                    unsafe, part = finished.result()
                    self.unsafe, seen = self.unsafe + unsafe, seen + part
                    deadline.check()
                    progress("adversaries", done, len(tasks))
            except TimeOver:
                return seen, False
            finally:
                # What was not begun never is; what runs is halted.
                deadline.interrupt()
                pool.shutdown(cancel_futures=True)
        return seen, True

    def _part(self, first: int, end: int, deadline: Deadline) -> tuple[int, int]:
        """Check adversaries by their first known item; return how many are unsafe, and how many were checked."""
        worst, noted = self._space(), np.zeros(1, np.int64)
        largest = max(self._most, 1)
        given = self._data, self._lists, self._rule, self._postings
        found = _check_from(*given, first, end, worst, noted, largest, deadline.halt)
        self._noted.append(worst[: noted[0]])
        # Of a part that was halted no more is known than those that it found.
        return int(found), int(found) if deadline.halt[0] else self._beginning_with(first, end)

    def _beginning_with(self, first: int, end: int) -> int:
        """Return how many adversaries have one of some items as the first that they know."""
        starts, owner = self._data[0], self._data[3]
        begins, places = self._postings
        some = places[begins[first] : begins[end]]
        numbers = np.bincount(starts[owner[some] + 1] - some - 1)
        return sum(
            int(count) * (1 + _subsets(behind, self._most - 1))
            for behind, count in enumerate(numbers.tolist())
            if count
        )

    def draw(self, size: int, rng: np.random.Generator, deadline: Deadline, progress: Progress) -> tuple[int, bool]:
        """Check as many drawn adversaries of each size as the theorem asks for."""
        refuse_large_sample(size, self._most)
        adversaries = 0
        given = self._data, self._lists, self._rule, self._postings
        for known in range(1, self._most + 1):
            progress("adversaries", known - 1, self._most)
            users, drawn = draw_adversaries(self._known, known, size, rng)
            worst, noted = self._space(), np.zeros(1, np.int64)
            unsafe = int(_check_drawn(*given, users, drawn, worst, noted, deadline.halt))
            self.unsafe += unsafe
            self._noted.append(worst[: noted[0]])
            # Of a kernel that was halted no more is known than those that it found.
            adversaries += unsafe if deadline.halt[0] else len(users)
            try:
                deadline.check()
            except TimeOver:
                return adversaries, False
        progress("adversaries", self._most, self._most)
        return adversaries, True

    def _space(self) -> NDArray[np.int64]:
        return np.zeros((self._most_worst, 5 + max(self._most, 1)), np.int64)

    def worst(self) -> tuple[Adversary, ...]:
        """Return the unsafe adversaries with the highest confidence."""
        rows = [row for part in self._noted for row in part.tolist()]
        rows.sort(key=lambda row: (-row[2] / row[3], -row[3], row))
        names, users = self._known.names, self._known.users
        return tuple(
            Adversary(
                users[row[0]],
                tuple(names[item] for item in sorted(row[5 : 5 + row[4]])),
                names[row[1]],
                row[2] / row[3],
                row[3],
            )
            for row in rows[: self._most_worst]
        )


def check_question(
    original: Baskets, published: Baskets, sensitive: SensitiveItems, knowledge: str, max_known: int | None
) -> None:
    """Refuse adversaries that there are not, and records and sensitive items that do not belong together."""
    checked_knowledge(knowledge)
    if max_known is not None and max_known < 1:
        raise OptionNotUsable(f"Adversaries who know {max_known} items are none.\nHint: give a number from 1 on.")
    refuse_strangers(original, sensitive, published)


def checked_knowledge(knowledge: str) -> Knowledge:
    """Return which record adversaries know, if there is such a one."""
    for known in get_args(Knowledge):
        if knowledge == known:
            return cast(Knowledge, known)
    raise OptionNotUsable(f"Adversaries know items of no {knowledge!r} record.\nHint: original or published.")


def draw_adversaries(
    records: Baskets,
    size: int,
    adversaries: int,
    rng: np.random.Generator,
    order: NDArray[np.int64] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw adversaries who know `size` items: a user with that many uniformly, then a subset of the record uniformly.

    Returns the users, and the places of the items they know among `records.items`; none if nobody has so many. Who
    draws often gives the `order` of the users (`by_length`), which takes longer to find than the draws.
    """
    lengths = records.lengths
    able = int(np.count_nonzero(lengths >= size))
    if not able:
        return np.zeros(0, np.int64), np.zeros((0, size), np.int64)
    ranks, points = draw_points(able, size, adversaries, rng)
    users = (by_length(records) if order is None else order)[ranks]
    return users, records.starts[users][:, None] + chosen_places(lengths[users], points)


def draw_points(
    able: int, size: int, adversaries: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Draw adversaries before anything is known of the records but how many have `size` items.

    Returns the ranks of their users, the longest record first and of equally long ones the first user, and for each
    item that they know a number between 0 and 1 (`chosen_places`).
    """
    return rng.integers(able, size=adversaries), rng.random((adversaries, size))


def by_length(records: Baskets) -> NDArray[np.int64]:
    """Return the users, the longest record first and of equally long ones the first user."""
    lengths = records.lengths
    # Numbers of 16 bits are sorted by their digits, several times as fast.
    narrow = np.int16 if lengths.max(initial=0) < 1 << 15 else np.int64
    return np.argsort(np.negative(lengths).astype(narrow), kind="stable")


def chosen_places(lengths: NDArray[np.int64], points: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return different places below each length, as many as it has points, every subset as likely as any other.

    Floyd's way to draw a subset: for each place from length - size on, one up to it, or itself if that is taken.
    """
    size = points.shape[1]
    chosen = np.empty(points.shape, np.int64)
    for k in range(size):
        last = lengths - size + k
        pick = (points[:, k] * (last + 1)).astype(np.int64)
        taken = (chosen[:, :k] == pick[:, None]).any(axis=1)
        chosen[:, k] = np.where(taken, last, pick)
    return chosen


def kept_occurrences(original: Baskets, published: Baskets) -> NDArray[np.bool_]:
    """Return which occurrences of items in the original records are published; a record may only lose items."""
    items = max(len(original.names), 1)
    if original.names != published.names:
        raise OptionNotUsable("The items of the records are not numbered alike.\nHint: read both with the same items.")

    def keys(baskets: Baskets) -> NDArray[np.int64]:
        return np.repeat(np.arange(len(baskets)), baskets.lengths) * items + baskets.items

    there, shown = keys(original), keys(published)
    kept = np.isin(there, shown, assume_unique=True)
    if np.count_nonzero(kept) != len(shown):
        u = int(shown[~np.isin(shown, there, assume_unique=True)][0] // items)
        raise OptionNotUsable(
            f"The published record of user {original.users[u]} has an item that the original has not.\n"
            "Hint: a record may lose items, and get none."
        )
    return kept
