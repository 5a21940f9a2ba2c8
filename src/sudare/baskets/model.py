"""Set-valued data: each user's record is a set of items."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import check_place, checked
from sudare.errors import OptionNotUsable
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass
from sudare.sources.readings import Reading
from sudare.statistics.item_records import ItemRecords
from sudare.statistics.shares import Share

if TYPE_CHECKING:
    from sudare.baskets.check.adversaries import KnownFrom
    from sudare.baskets.check.km_anonymity import KmAnonymity
    from sudare.baskets.check.uncertainty import Verdict
    from sudare.baskets.suppress.choice import KeepLow
    from sudare.baskets.suppress.suppression import Strategy, Suppression
    from sudare.baskets.utility import BasketUtility
    from sudare.baskets.verification import Verification
    from sudare.statistics.itemsets import AssociationRules, FrequentItemsets


@dataclass(frozen=True, slots=True)
class BasketReading(Reading):
    """How baskets were read: in which format, and how many items appeared more than once in a record."""

    form: str = "pairs"
    duplicates: int = 0


def as_baskets(reading: Reading, form: str, duplicates: int) -> BasketReading:
    """Return the reading of a source as a reading of baskets."""
    told = {field.name: getattr(reading, field.name) for field in fields(Reading)}
    return BasketReading(**told, form=form, duplicates=duplicates)


@dataclass(frozen=True, slots=True, eq=False)
class Baskets(ItemRecords):
    """Records as sets of items, stored end to end: record u is `items[starts[u] : starts[u + 1]]`, ascending.

    Items are numbers; `names[i]` is the name of item i, and `users[u]` that of the user of record u. `reading` says
    how they were read, if they were.

        baskets = sudare.read_baskets("visits.txt")
        baskets.suppress(rho=0.5, sensitive="secrets.csv").publish("visits-safe.txt")
    """

    users: tuple[str, ...]
    reading: BasketReading | None = None

    @checked
    def only(self, kept: NDArray[np.bool_]) -> Baskets:
        """Return the same records with only some of the item occurrences."""
        return Baskets(*self.kept(kept), self.names, self.users)

    @checked
    def select(self, chosen: NDArray[np.bool_]) -> Baskets:
        """Return some of the records; items and users keep their numbers and names."""
        kept = np.repeat(chosen, self.lengths)
        starts = np.append(0, np.cumsum(self.lengths[chosen]))
        users = tuple(itertools.compress(self.users, chosen.tolist()))
        return Baskets(starts, self.items[kept], self.names, users)

    def check(
        self,
        *,
        rho: Share,
        sensitive: object,
        published: Baskets | None = None,
        max_known: int | None = None,
        knowledge: KnownFrom = "original",
        epsilon: float | None = None,
        delta: float | None = None,
        seed: int = 0,
        seconds: float | None = None,
        progress: Progress = silent,
    ) -> Verdict:
        """Return whether the baskets, or published ones, protect the sensitive items, and which adversaries learn most.

        baskets.check(rho=0.5, sensitive="secrets.csv").safe
        """
        from sudare.baskets.check.uncertainty import check_baskets

        return check_baskets(
            self, self.sensitive(sensitive), rho=rho, published=published, max_known=max_known, knowledge=knowledge,
            epsilon=epsilon, delta=delta, seed=seed, seconds=seconds, progress=progress,
        )  # fmt: skip

    def suppress(
        self,
        *,
        rho: Share,
        sensitive: object,
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
        """Return the baskets with revealing items suppressed, checked as a whole.

        baskets.suppress(rho=0.5, sensitive="secrets.csv").publish("visits-safe.txt")
        """
        from sudare.baskets.suppress.suppression import suppress_baskets

        return suppress_baskets(
            self, self.sensitive(sensitive), rho=rho, max_known=max_known, knowledge=knowledge, strategy=strategy,
            keep_low=keep_low, epsilon=epsilon, delta=delta, seed=seed, seconds=seconds, progress=progress,
        )  # fmt: skip

    def verify(
        self,
        published: Baskets,
        *,
        rho: Share,
        sensitive: object,
        max_known: int | None = None,
        knowledge: KnownFrom = "original",
        epsilon: float | None = None,
        delta: float | None = None,
        seed: int = 0,
        certificate: str | Path | None = None,
        progress: Progress = silent,
    ) -> Verification:
        """Recompute everything about published baskets, and compare it with a certificate if there is one."""
        from sudare.baskets.certificate import read_certificate
        from sudare.baskets.verification import verify_baskets

        return verify_baskets(
            self, published, self.sensitive(sensitive), rho=rho, max_known=max_known, knowledge=knowledge,
            epsilon=epsilon, delta=delta, seed=seed, progress=progress,
            certificate=None if certificate is None else read_certificate(certificate),
        )  # fmt: skip

    def sensitive(self, source: object) -> SensitiveItems:
        """Return which items are sensitive, from a file or dataframe of users and items, a list of items, or a rule."""
        from sudare.baskets.sensitive import read_sensitive

        return source if isinstance(source, SensitiveItems) else read_sensitive(source, self)

    def utility(self, published: Baskets, *, support: float = 0.0005, confidence: float = 0.3) -> BasketUtility:
        """Return the remaining utility after suppression."""
        from sudare.baskets.utility import basket_utility

        return basket_utility(self, published, support=support, confidence=confidence)

    def itemsets(self, support: float, *, max_size: int | None = None) -> FrequentItemsets:
        """Return the itemsets with at least the given support: a share or a number of records."""
        from sudare.statistics.itemsets import frequent_itemsets

        return frequent_itemsets(self, support, max_size=max_size)

    def rules(self, support: float, confidence: float, *, most: int | None = None) -> AssociationRules:
        """Return the association rules: who has which items also has which others."""
        from sudare.statistics.itemsets import association_rules

        return association_rules(self, support, confidence, most=most)

    def km(self, *, k: int, m: int) -> KmAnonymity:
        """Return whether the baskets are k^m-anonymous: any m known items of a record, or fewer, fit k records."""
        from sudare.baskets.check.km_anonymity import check_km_anonymity

        return check_km_anonymity(self, k=k, m=m)

    def write(self, path: str | Path, *, form: str | None = None) -> None:
        """Write the records as text or as a table of users and items, unchanged: they are not made safe."""
        from sudare.baskets.write import write_baskets

        write_baskets(self, path, form)

    def close(self) -> None:
        """Do nothing: baskets are in memory; the method exists as on histories and tables."""

    def __enter__(self) -> Baskets:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@checked
def make_baskets(records: Iterable[Iterable[str]], users: Sequence[str] | None = None) -> Baskets:
    """Make baskets from records of item names; items are numbered in name order.

    An item that appears twice in a record counts once. Without names, users are called by their record numbers from 1.
    """
    sets = [set(record) for record in records]
    names = tuple(sorted(set().union(*sets)))
    numbers = {name: number for number, name in enumerate(names)}
    lists = [sorted(numbers[name] for name in record) for record in sets]
    starts = np.append(0, np.cumsum([len(record) for record in lists])).astype(np.int64)
    items = np.asarray([item for record in lists for item in record], np.int32)
    return Baskets(starts, items, names, tuple(users) if users is not None else numbered(len(lists)))


def numbered(records: int) -> tuple[str, ...]:
    """Return users for records without names: the numbers from 1."""
    return tuple(map(str, range(1, records + 1)))


@dataclass(frozen=True, slots=True)
class SensitiveReading(Result):
    """Where sensitive items come from, a file or a rule, and how many lines name something not in the baskets."""

    source: str
    lines: int
    unknown: int
    sha256: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SensitiveItems:
    """The items that must not be inferred for each user; a user need not have them.

    Users with the same list share a row: `rows[u]` is the row of user u, and bit i % 64 of `words[row, i // 64]` says
    whether item i is sensitive. `described` says in words how the lists were given. `users` and `names` are those of
    the baskets the lists were read for; lists made by hand may have none.
    """

    rows: NDArray[np.int32]
    words: NDArray[np.uint64]
    described: str
    reading: SensitiveReading | None = None
    users: tuple[str, ...] | None = None
    names: tuple[str, ...] | None = None

    @checked
    def has(self, u: int, item: int) -> bool:
        """Return whether an item is sensitive for a user."""
        check_place("u", u, len(self.rows))
        check_place("item", item, 64 * self.words.shape[1])
        return bool(int(self.words[self.rows[u], item // 64]) >> (item % 64) & 1)

    @checked
    def of(self, u: int, items: int) -> NDArray[np.int64]:
        """Return the sensitive items of a user among the first `items` items."""
        check_place("u", u, len(self.rows))
        bits = np.unpackbits(self.words[self.rows[u]].view(np.uint8), bitorder="little")
        return np.flatnonzero(bits[:items])

    @checked
    def select(self, chosen: NDArray[np.bool_]) -> SensitiveItems:
        """Return the lists of some of the users."""
        users = None if self.users is None else tuple(itertools.compress(self.users, chosen.tolist()))
        return SensitiveItems(self.rows[chosen], self.words, self.described, users=users, names=self.names)


def sensitive_rows(masks: NDArray[np.bool_], rows: NDArray[np.int32], described: str) -> SensitiveItems:
    """Make sensitive items from a matrix with one row per distinct list and one column per item."""
    padded = np.zeros((len(masks), -(-masks.shape[1] // 64) * 64), np.bool_)
    padded[:, : masks.shape[1]] = masks
    words = np.packbits(padded, axis=1, bitorder="little").view(np.uint64)
    return SensitiveItems(rows.astype(np.int32), np.ascontiguousarray(words), described)


def refuse_strangers(original: Baskets, sensitive: SensitiveItems, published: Baskets | None = None) -> None:
    """Refuse sensitive items read for other baskets, and published baskets with other users or items.

    Users and items are numbers here: numbers of other data would stand for somebody and something else.
    """
    shown = original if published is None else published
    if not len(sensitive.rows) == len(shown) == len(original):
        counts = {"original": len(original), "published": len(shown), "users": len(sensitive.rows)}
        raise OptionNotUsable("errors.baskets.different_users", **counts)
    if shown.users != original.users or shown.names != original.names:
        raise OptionNotUsable("errors.baskets.not_matched")
    known = (sensitive.users in (None, original.users), sensitive.names in (None, original.names))
    if not all(known) or sensitive.words.shape[1] * 64 < len(original.names):
        raise OptionNotUsable("errors.sensitive.other_baskets", described=sensitive.described)
