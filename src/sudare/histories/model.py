"""Purchase histories: who bought what on which day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sudare.errors import SourceNotReadable
from sudare.lazy import above
from sudare.limits import MOST_COMBINATIONS, MOST_PERSON_COMBINATIONS, SAMPLES
from sudare.messages import Language
from sudare.progress import Progress, silent
from sudare.showing import dataclass
from sudare.sources.purchases.load import PurchaseForm
from sudare.sources.purchases.model import Purchases

if TYPE_CHECKING:
    from sudare.histories.anonymize.earlier.release import EarlierRelease
    from sudare.histories.anonymize.publication import Publication
    from sudare.histories.attack.attack import Attack
    from sudare.histories.attackers.assessment import AttackerRisk, AttackersAssessment
    from sudare.histories.attackers.crowds import Weighting
    from sudare.histories.attackers.customers import CustomerRisks
    from sudare.histories.attackers.knowledge import Knowledge
    from sudare.histories.attackers.persons import PersonsRisk
    from sudare.histories.attackers.values import KnowledgeValue
    from sudare.histories.generalized.conversion import HistoryRows
    from sudare.histories.generalized.model import CellHistory
    from sudare.histories.profiles.assessment import ProfileAssessment
    from sudare.histories.releases.assessment import ReleasesAssessment
    from sudare.histories.visit_list import Visit


@dataclass(eq=False)
class History(Purchases):
    """A purchase history: who bought what on which day, from any source.

        history = sudare.read_history("purchases.csv")
        print(history.attackers())
        history.anonymize(k=3, seconds=40).publish("published.csv")

    It is stored in tables on an engine. `cells` returns its rows in source order, for everything that works row by row.
    Use it in a `with` block, or close it, to release memory and temporary files.
    """

    _source: object = field(default=None, repr=False)
    _form: PurchaseForm = field(default_factory=PurchaseForm, repr=False)
    _rows: HistoryRows | None = field(default=None, repr=False)
    _names: dict[str, str] | None = field(default=None, repr=False)

    @property
    def names(self) -> Mapping[str, str]:
        """The names of items beside their codes, if the source has a name column; the most frequent name wins.

        They are read from the source on first use; a file that has changed since is refused.
        """
        from sudare.sources.purchases.item_names import read_item_names

        if self._names is None:
            self._names = read_item_names(self._source, self._form, self.reading, self.engine)
        return self._names

    def item_name(self, item: str) -> str | None:
        """Return the name of an item beside its code, or None."""
        return self.names.get(item)

    def attackers(
        self,
        *,
        knowledge: Sequence[str | Knowledge] = (),
        weighting: Weighting = "occurrence",
        seed: int = 0,
        most_combinations: int = MOST_COMBINATIONS,
        samples: int = SAMPLES,
        progress: Progress = silent,
    ) -> AttackersAssessment:
        """Return how well the ten attackers of the paper, and further knowledge, recognize the customers.

        history.attackers(knowledge=["day + item*2"]).to_frame()
        """
        from sudare.histories.attackers.assessment import assess_attackers

        return assess_attackers(
            self, knowledge=knowledge, weighting=weighting, seed=seed, most_combinations=most_combinations,
            samples=samples, progress=progress,
        )  # fmt: skip

    def knowledge(
        self,
        knowledge: str | Knowledge,
        *,
        weighting: Weighting = "occurrence",
        seed: int = 0,
        most_combinations: int = MOST_COMBINATIONS,
        samples: int = SAMPLES,
        progress: Progress = silent,
    ) -> AttackerRisk:
        """Return how dangerous one kind of knowledge is.

        history.knowledge("day + item*2").measured
        """
        from sudare.histories.attackers.assessment import assess_knowledge

        return assess_knowledge(
            self, knowledge, weighting=weighting, seed=seed, most_combinations=most_combinations, samples=samples,
            progress=progress,
        )  # fmt: skip

    def persons(
        self,
        knowledge: str | Knowledge,
        *,
        persons: int = 2,
        weighting: Weighting = "occurrence",
        seed: int = 0,
        most_combinations: int = MOST_PERSON_COMBINATIONS,
        samples: int = SAMPLES,
        progress: Progress = silent,
    ) -> PersonsRisk:
        """Return how dangerous it is if an attacker knows this much about each of several persons."""
        from sudare.histories.attackers.persons import assess_persons

        return assess_persons(
            self, knowledge, persons=persons, weighting=weighting, seed=seed, most_combinations=most_combinations,
            samples=samples, progress=progress,
        )  # fmt: skip

    def values(
        self, knowledge: str | Knowledge, *, weighting: Weighting = "occurrence", most: int | None = 10
    ) -> list[KnowledgeValue]:
        """Return the values of a kind of knowledge that identify people most, most dangerous first."""
        from sudare.histories.attackers.values import most_identifying

        return most_identifying(self, knowledge, weighting=weighting, most=most)

    def risks(
        self, knowledge: str | Knowledge, *, weighting: Weighting = "occurrence", most: int = 10
    ) -> CustomerRisks:
        """Return how likely each customer is to be recognized: the distribution, and the highest risks."""
        from sudare.histories.attackers.customers import customer_risks

        return customer_risks(self, knowledge, weighting=weighting, most=most)

    def visits(self, *, most: int | None = None) -> list[Visit]:
        """Return what each customer bought on one day."""
        from sudare.histories.visit_list import list_visits

        return list_visits(self, most=most)

    def rows(self, *, progress: Progress = silent) -> HistoryRows:
        """Return the rows in source order, each cell a single value, with the rules of the columns.

        They are read from the source on first use; a file that has changed since is refused. A row without a price or
        quantity, where the others have one, is bad here.
        """
        from sudare.histories.generalized.conversion import rows_of_source

        if self._rows is None:
            found = rows_of_source(self._source, self._form, engine=self.engine, progress=progress)
            if found.sha256 != self.reading.sha256:
                raise SourceNotReadable("errors.sources.changed", name=self.reading.source)
            self._rows = found
        return self._rows

    def cells(self, *, progress: Progress = silent) -> CellHistory:
        """Return the rows as cells, for everything that works on generalized histories; see `rows`."""
        return self.rows(progress=progress).history

    def anonymize(
        self,
        k: int | None = None,
        *,
        mean_limit: float | None = None,
        model: str = "classes",
        levels: Mapping[str, str] | None = None,
        untouched: int | None = None,
        earlier: Sequence[EarlierRelease] = (),
        attacks: bool = True,
        seed: int = 0,
        seconds: float | None = None,
        rounds: int | None = None,
        fast: bool = False,
        threads: int | None = None,
        progress: Progress = silent,
    ) -> Publication:
        """Return a history in which everybody has the same rows as k - 1 others, at the least loss found.

        In place of k, `mean_limit` bounds the mean risk of each of the ten attackers. The built-in attacks are tried
        on the result unless `attacks` is False. If releases of the same customers were published before, give them as
        `earlier`: the classes are then the same people, so that whoever links the releases still finds k alike.

            safe = history.anonymize(k=3, seconds=40)
            safe.publish("published.csv")
            safe.report("report.html")
        """
        from sudare.histories.anonymize.publication import anonymize_rows

        return anonymize_rows(
            self.rows(progress=progress), k, mean_limit=mean_limit, model=model, levels=levels, untouched=untouched,
            earlier=earlier, attacks=attacks, seed=seed, seconds=seconds, rounds=rounds, fast=fast, threads=threads,
            progress=progress,
        )  # fmt: skip

    def attack(
        self,
        published: CellHistory,
        *,
        method: str = "best",
        share: float = 1.0,
        columns: Sequence[str] | None = None,
        noisy_dates: int = 0,
        guesses: int | None = None,
        seed: int = 0,
        progress: Progress = silent,
    ) -> Attack:
        """Guess who is behind each pseudonym of a published history, given this history or a part of it."""
        from sudare.histories.attack.attack import attack_history
        from sudare.histories.attack.known import know_history

        known = know_history(
            self.cells(progress=progress), share=share, columns=columns, noisy_dates=noisy_dates, seed=seed
        )
        return attack_history(known, published, method=method, guesses=guesses, seed=seed, progress=progress)

    def profiles(
        self,
        *others: object,
        split: str | date | Sequence[str | date] | None = None,
        truth: Mapping[str, str] | str | Path | None = None,
        trained: bool | None = None,
        closed: bool | None = None,
        what_if: bool = False,
        seed: int = 0,
        progress: Progress = silent,
    ) -> ProfileAssessment | ReleasesAssessment:
        """Return how well people are recognized by what they bought at another time.

        The history is what is known of them; another one, exact or published, has their pseudonyms. With several more,
        all are releases, whose pseudonyms are linked. Without another, the history is split by a day ("half": the
        middle of its period), or by several.

            history.profiles(split="2011-06-10").one_to_one
            known.profiles("published.csv").write_guesses("guesses.csv")
        """
        from sudare.histories.another_time import assess_profiles

        return assess_profiles(
            self, *others, split=split, truth=truth, trained=trained, closed=closed, what_if=what_if, seed=seed,
            engine=self.engine, progress=progress,
        )  # fmt: skip

    def report(
        self,
        path: str | Path,
        *,
        knowledge: Sequence[str | Knowledge] = (),
        weighting: Weighting = "occurrence",
        legal: Sequence[str] = (),
        language: Language = "en",
        seed: int = 0,
        progress: Progress = silent,
    ) -> None:
        """Write one page about how well customers can be recognized, for readers who do not have sudare."""
        found = self.attackers(knowledge=knowledge, weighting=weighting, seed=seed, progress=progress)
        write: Any = above("sudare.report.history.report", "write_history_report")
        write(self, found, path, legal=legal, language=language, progress=progress)
