"""A history made safe to publish: the result, how safe its classes are, and the attacks tried on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sudare.arguments import checked
from sudare.errors import OptionNotUsable
from sudare.histories.anonymize.earlier.release import EarlierRelease, earlier_groups
from sudare.histories.anonymize.level_risk import levels_for_risk
from sudare.histories.anonymize.models import AnonymizedResult, anonymize_by_model, check_model
from sudare.histories.anonymize.registry import find_model, models_with
from sudare.histories.attack.duel import Duel, run_duel
from sudare.histories.generalized.conversion import HistoryRows
from sudare.histories.generalized.model import CellHistory
from sudare.histories.safety.classes import ClassSafety, class_safety
from sudare.histories.safety.published_classes import published_classes
from sudare.lazy import above
from sudare.messages import Language
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass

if TYPE_CHECKING:
    from sudare.histories.attackers.crowds import Weighting
    from sudare.histories.attackers.knowledge import Knowledge
    from sudare.histories.attackers.published import PublishedAssessment

_WITHOUT_SEARCH = ("classes", "levels")


@dataclass(frozen=True, slots=True, eq=False)
class Publication(Result):
    """What may be published of a history, and what was found out about it.

    `rows` are the original rows. `found` has the anonymized rows, their cost and the model that made them. `safety`
    says how safe the equivalence classes of customers are; it is None if nothing is published, or if the model does not
    rely on classes. `duel` holds the built-in attacks; None means that none were tried, which proves nothing.
    """

    rows: HistoryRows
    found: AnonymizedResult
    safety: ClassSafety | None
    duel: Duel | None = None

    @property
    def history(self) -> CellHistory:
        """The anonymized rows; row i belongs to row i of the original. They link rows to people."""
        return self.found.history

    @property
    def utility(self) -> float:
        """U, the mean error of all cells; 0 is best."""
        return self.found.utility

    @property
    def bound(self) -> float:
        """A lower bound on U for all histories of the model; 0 if there is none."""
        return self.found.bound

    def publish(self, path: str | Path) -> int:
        """Write what may be published, whole or not at all, and return its number of rows."""
        return self.rows.publish(self.history, path)

    def write_aligned(self, path: str | Path) -> None:
        """Write the anonymized rows in the original order: a secret file, since it links rows to people."""
        self.rows.write_aligned(self.history, path)

    def attack(self, *, seed: int = 0, progress: Progress = silent) -> Duel:
        """Run every built-in attack, with its control, on what would be published."""
        return attack_rows(self.rows, self.history, seed=seed, progress=progress)

    def attackers(
        self,
        *,
        knowledge: Sequence[str | Knowledge] = (),
        weighting: Weighting = "occurrence",
        seed: int = 0,
        threads: int | None = None,
        progress: Progress = silent,
    ) -> PublishedAssessment:
        """Return how well the ten attackers, and further knowledge, recognize customers before and after."""
        from sudare.histories.attackers.published import measure_published

        return measure_published(
            self.rows.history, self.history, knowledge=knowledge, weighting=weighting, seed=seed, threads=threads,
            progress=progress,
        )  # fmt: skip

    def report(
        self,
        path: str | Path,
        *,
        published: str | Path | None = None,
        legal: Sequence[str] = (),
        seed: int = 0,
        command: str | None = None,
        language: Language = "en",
        progress: Progress = silent,
    ) -> None:
        """Write one page: what was made, what it costs, how safe it is and how useful the data still are.

        `published` is the written file, if the page should name it, and `command` the command line to show.
        """
        measured = self.attackers(progress=progress) if self._has_visits else None
        made = self.history if published is None else self.history.in_file(published)
        write: Any = above("sudare.report.contest.report", "write_contest_report")
        write(
            self.rows.history, made, path, customers=self.rows.customers,
            rules=self.rows.rules, anonymization=self.found, duel=self.duel, published=measured, legal=legal,
            seed=seed, reading=self.rows.reading, command=command, language=language, progress=progress,
        )  # fmt: skip

    @property
    def _has_visits(self) -> bool:
        """Whether the history has days and items, of which the ten attackers know."""
        return {"date", "item"} <= {column.form for column in self.rows.rules.columns}

    def __repr__(self) -> str:
        tried = self.duel.verdict if self.duel else "not_tried"
        return f"Publication({self.found!r}, attacks={tried})"

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the rows as plain values."""
        safety = {"safety": self.safety.to_dict()} if self.safety else {}
        return {**self.found.to_dict(), **safety, "attacks": self.duel.to_dict() if self.duel else None}


def attack_rows(rows: HistoryRows, anonymized: CellHistory, *, seed: int = 0, progress: Progress = silent) -> Duel:
    """Try every built-in attack, with its control, on an anonymized form whose row i belongs to row i of the rows."""
    found = run_duel(
        rows.history, anonymized, p=rows.rules.p, alpha=rows.rules.alpha, seed=seed, progress=progress
    )  # fmt: skip
    # Within a plain history customers have numbers of ours, which nobody else knows.
    return replace(found, same_numbers=rows.own_names(anonymized))


@checked
def anonymize_rows(
    rows: HistoryRows,
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
    """Make a history safe to publish by the named model, and run the built-in attacks on it.

    Give either `k` or `mean_limit`; the latter searches for levels at which the mean risk of each of the ten attackers
    is at most that limit. The rules of the rows define when an attack is effective and how many items a set may have.
    With `earlier` releases, everybody is one of k who have the same rows now and had the same rows, or none, in each of
    them; customers for whom that cannot be are not published (`unpublished_customers` of what is found).
    """
    check_request(
        k, mean_limit, model, levels, untouched, earlier=bool(earlier), search=bool(seconds or rounds or fast)
    )  # fmt: skip
    rules = rows.rules
    options: dict[str, Any] = {"levels": levels, "most_items": rules.most_items, "seed": seed, "threads": threads}
    found: AnonymizedResult
    if k is not None:
        found = anonymize_by_model(
            rows.history, k, model=model, untouched=untouched,
            groups=earlier_groups(rows, earlier) if earlier else None, p=rules.p, alpha=rules.alpha,
            attacks=rules.attacks, seconds=seconds, rounds=rounds, fast=fast, progress=progress, **options,
        )  # fmt: skip
    else:
        found = levels_for_risk(rows.history, mean_limit or 0.0, progress=progress, **options)
    made = Publication(rows, found, _safety(found, rows))
    if not attacks:
        return made
    return Publication(rows, found, made.safety, made.attack(seed=seed, progress=progress))


def check_request(
    k: int | None,
    mean_limit: float | None,
    model: str,
    levels: Mapping[str, str] | None,
    untouched: int | None,
    *,
    earlier: bool,
    search: bool,
) -> None:
    """Refuse words that do not go together.

    `earlier` says whether there are earlier releases, `search` whether something was said about the search.
    """
    if (k is None) == (mean_limit is None):
        raise OptionNotUsable("errors.anonymize.k_or_mean_limit")
    if mean_limit is None:
        check_model(model, levels, untouched)
    elif model not in _WITHOUT_SEARCH or untouched is not None or search:
        raise OptionNotUsable("errors.anonymize.mean_limit_alone")
    elif earlier:
        raise OptionNotUsable("errors.anonymize.mean_limit_with_earlier")
    if earlier and "groups" not in find_model(model).options:
        raise OptionNotUsable("errors.anonymize.model_without_earlier", model=model, models=models_with("groups"))


def _safety(found: AnonymizedResult, rows: HistoryRows) -> ClassSafety | None:
    """Return how safe the published classes are; None if nothing is published, or if other things make it safe."""
    sizes = published_classes(found.history).sizes.tolist()
    if found.safety is not None or not sizes:
        return None
    return class_safety(sizes, p=rows.rules.p, alpha=rows.rules.alpha, attacks=rows.rules.attacks)
