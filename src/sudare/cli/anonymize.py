"""`sudare anonymize`: a purchase history in which nobody differs from k - 1 others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sudare.cli.frame import (
    EXIT_NOT_SAFE,
    JsonOption,
    LanguageOption,
    SeedOption,
    guarded,
    note,
    show_json,
    shown_progress,
)
from sudare.cli.history_cells import CellOptions
from sudare.cli.options import taking
from sudare.errors import OptionNotUsable
from sudare.progress import Progress

if TYPE_CHECKING:
    from sudare.anonymize.models import AnonymizedResult
    from sudare.data.history_cells import HistoryFile
    from sudare.data.rule_sets import RuleSet
    from sudare.risk.cell_attackers import PublishedAssessment
    from sudare.risk.class_safety import ClassSafety

FastOption = Annotated[bool, typer.Option("--fast", help="Search for less than a minute.")]
TimeLimitOption = Annotated[
    float | None,
    typer.Option(metavar="SECONDS", help="Search so long at most. 600, or 40 if fast, if not given."),
]
ModelOption = Annotated[
    str,
    typer.Option(
        metavar="classes|suppression|levels|concealment",
        help="Equal rows by cells of all kinds, by deletion only or by levels; or rows that K customers can have.",
    ),
]
NoAttacksOption = Annotated[bool, typer.Option("--no-attacks", help="Do not try the built-in attacks on the result.")]


@guarded
@taking(CellOptions)
def anonymize(
    source: CellOptions,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="A", help="File for the anonymized history.")],
    k: Annotated[
        int | None, typer.Option("--k", metavar="K", help="How many customers have the same rows at least.")
    ] = None,
    most_risk: Annotated[
        float | None,
        typer.Option(metavar="R", help="In place of K: levels at which no attacker of the ten has a higher risk."),
    ] = None,
    model: ModelOption = "classes",
    levels: Annotated[
        str | None,
        typer.Option(metavar="COLUMN=LEVEL,...", help="Levels such as date=week,item=prefix2. The best if not given."),
    ] = None,
    published: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File for what can be published of A: sorted, nothing deleted.")
    ] = None,
    report: Annotated[Path | None, typer.Option(metavar="FILE", help="HTML report to write.")] = None,
    no_attacks: NoAttacksOption = False,
    fast: FastOption = False,
    time_limit: TimeLimitOption = None,
    seed: SeedOption = 0,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Anonymize a purchase history: everybody has the same rows as K - 1 others.

    Customers are put in classes, their rows are aligned, and each group of rows gets the exact values, ranges and sets
    that cost least; what has no counterpart is deleted. Shown are U, a bound that no such history is below, how safe
    the classes are, and what the built-in attacks reach. The search ends when it finds nothing better, or when the time
    is over. FILE is a contest's or any other purchase history. Exit code 3: an attack was effective; the files are
    written all the same.
    """
    from sudare.contest.duel import run_duel
    from sudare.messages import Texts

    search = {"seconds": time_limit, "fast": fast}
    texts, request = Texts(lang), _Request.of(k, most_risk, model, levels, search)
    outputs = [path for path in (out, published, report) if path]
    check_outputs([Path(source.file), Path(source.rules)], outputs)
    with shown_progress() as progress:
        original = source.open(progress)
        rules = original.rules
        found = request.run(original, seed=seed, threads=source.threads, progress=progress)
        original.write(out, found.history)
        if published:
            original.publish(published, found.history)
        safety = _safety(found, rules)
        duel = None
        if not no_attacks:
            shares: dict[str, Any] = {"p": rules.p, "alpha": rules.alpha}
            duel = run_duel(original.history, found.history, **shares, seed=seed, progress=progress)
        if report:
            from sudare.report.contest import write_contest_report

            write_contest_report(
                report, original.history, found.history, files=(source.file, out), customers=original.customers,
                rules=rules, anonymization=found, duel=duel, published=_before_after(original, found, progress),
                seed=seed, language=lang, progress=progress,
            )  # fmt: skip
    if json:
        attacks = duel.to_dict() if duel else None
        chances = {"safety": safety.to_dict()} if safety else {}
        show_json({**found.to_dict(), "out": str(out), **chances, "attacks": attacks})
    else:
        from sudare.cli.anonymize_text import show_anonymized

        show_anonymized(found, safety, duel, source.file, texts)
    for path in outputs:
        note(f"Wrote {path}")
    if duel and duel.verdict == "broken":
        raise typer.Exit(EXIT_NOT_SAFE)


@dataclass(frozen=True, slots=True)
class _Request:
    """What is asked for: k or the most risk, how, and with what effort."""

    k: int | None
    most_risk: float | None
    model: str
    levels: Mapping[str, str] | None
    search: Mapping[str, Any]

    @classmethod
    def of(
        cls, k: int | None, most_risk: float | None, model: str, levels: str | None, search: Mapping[str, Any]
    ) -> _Request:
        """Return the request, or refuse words that do not go together."""
        from sudare.anonymize.history_levels import parse_levels
        from sudare.anonymize.models import check_model

        if (k is None) == (most_risk is None):
            raise OptionNotUsable("Give either --k or --most-risk.\nHint: --k 3")
        given = parse_levels(levels) if levels else None
        if most_risk is None:
            check_model(model, given)
        elif model not in ("classes", "levels") or any(search.values()):
            raise OptionNotUsable(
                "--most-risk is kept by levels, whose search is short.\n"
                "Hint: leave out --model, --fast and --time-limit."
            )
        return cls(k, most_risk, model, given, search)

    def run(self, original: HistoryFile, **options: Any) -> AnonymizedResult:
        """Anonymize the history."""
        from sudare.anonymize.history_level_risk import levels_for_risk
        from sudare.anonymize.models import anonymize_by_model

        rules = original.rules
        options = {**options, "levels": self.levels, "most_items": rules.most_items}
        if self.k is not None:
            tests: dict[str, Any] = {"p": rules.p, "alpha": rules.alpha, "attacks": rules.attacks}
            return anonymize_by_model(original.history, self.k, model=self.model, **tests, **self.search, **options)
        return levels_for_risk(original.history, self.most_risk or 0.0, **options)


def check_outputs(inputs: Sequence[Path], outputs: Sequence[Path]) -> None:
    """Refuse files that are to be written over an input or over each other, or that cannot be written."""
    from sudare.data.writing import check_writable

    taken = {path.resolve(): "is read" for path in inputs}
    for path in outputs:
        if path.resolve() in taken:
            raise OptionNotUsable(f"{path} {taken[path.resolve()]} already.\nHint: write to a file of its own.")
        taken[path.resolve()] = "is written"
        check_writable(path)


def _before_after(original: HistoryFile, found: AnonymizedResult, progress: Progress) -> PublishedAssessment | None:
    """Measure the ten attackers, who know of days and items, if the history has such."""
    from sudare.risk.cell_attackers import measure_published

    if not {"date", "item"} <= {column.form for column in original.rules.columns}:
        return None
    return measure_published(original.history, found.history, progress=progress)


def _safety(found: AnonymizedResult, rules: RuleSet) -> ClassSafety | None:
    """Return how safe the published classes are; None if nothing is published, or if other things make it safe."""
    from sudare.anonymize.concealment import ConcealedHistory
    from sudare.risk.class_safety import class_safety
    from sudare.risk.published_classes import published_classes

    sizes = published_classes(found.history).sizes.tolist()
    if isinstance(found, ConcealedHistory) or not sizes:
        return None
    return class_safety(sizes, p=rules.p, alpha=rules.alpha, attacks=rules.attacks)
