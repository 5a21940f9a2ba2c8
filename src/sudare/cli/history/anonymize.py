"""`sudare anonymize`: a purchase history in which nobody differs from k - 1 others."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sudare.cli.files import HISTORY, REPORT
from sudare.cli.frame import (
    EXIT_NOT_SAFE,
    JsonOption,
    LanguageOption,
    SeedOption,
    guarded,
    note,
    note_aligned,
    show_json,
    shown_progress,
)
from sudare.cli.history.cells import CellOptions
from sudare.cli.options import taking
from sudare.errors import OptionNotUsable
from sudare.histories.anonymize.registry import DEFAULT_MODEL, MODELS
from sudare.interruption import check_not_interrupted, keeping_answers, settle
from sudare.progress import Progress
from sudare.showing import dataclass

if TYPE_CHECKING:
    from sudare.histories.anonymize.models import AnonymizedResult
    from sudare.histories.attackers.published import PublishedAssessment
    from sudare.histories.generalized.conversion import HistoryFile
    from sudare.histories.generalized.rule_sets import RuleSet
    from sudare.histories.safety.classes import ClassSafety

FastOption = Annotated[bool, typer.Option("--fast", help="Search for less than a minute.")]
TimeLimitOption = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        help="Longest time for one search: 600 by default, 40 with --fast. "
        "Reading, writing and the built-in attacks take extra time.",
    ),
]
RoundsOption = Annotated[
    int | None,
    typer.Option(metavar="N", help="Stop each step of the search after N rounds, not by the clock: always the same."),
]
# Version 0.1.0 had it. Without an answer of its own, the nearest option would be suggested: that of the secret file.
PublishedOption = Annotated[str | None, typer.Option(metavar="TEXT", hidden=True, help="Now: -o.")]
NoAttacksOption = Annotated[
    bool, typer.Option("--no-attacks", help="Do not try the built-in attacks on the result; no time limit covers them.")
]


@guarded
@taking(CellOptions)
def anonymize(
    source: CellOptions,
    out: Annotated[
        Path | None,
        HISTORY,
        typer.Option("--out", "-o", metavar="OUT", help="File for what is published: sorted, nothing deleted in it."),
    ] = None,
    aligned: Annotated[
        Path | None,
        HISTORY,
        typer.Option(
            metavar="A",
            help="File for the anonymized history row by row as FILE. It links rows to people: keep it secret. "
            "A contest takes such a file.",
        ),
    ] = None,
    published: PublishedOption = None,
    k: Annotated[
        int | None, typer.Option("--k", metavar="K", help="How many customers have the same rows at least.")
    ] = None,
    mean_limit: Annotated[
        float | None,
        typer.Option(
            metavar="R",
            help="In place of K: levels at which the mean risk of each of the ten attackers is at most R. "
            "Single customers may be unique all the same; the output says how many.",
        ),
    ] = None,
    model: Annotated[
        str,
        typer.Option(
            metavar="|".join(MODELS),
            help="Equal rows by cells of all kinds, by deletion only or by levels; or rows that K customers can have; "
            "or equal rows for all but some customers, who are left as they were.",
        ),
    ] = DEFAULT_MODEL,
    levels: Annotated[
        str | None,
        typer.Option(metavar="COLUMN=LEVEL,...", help="Levels such as date=week,item=prefix2. The best if not given."),
    ] = None,
    untouched: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Customers left as they were by --model untouched: 2 if not given. "
            "Whoever knows what they bought recognizes them.",
        ),
    ] = None,
    report: Annotated[Path | None, REPORT, typer.Option(metavar="FILE", help="HTML report to write.")] = None,
    no_attacks: NoAttacksOption = False,
    fast: FastOption = False,
    time_limit: TimeLimitOption = None,
    rounds: RoundsOption = None,
    seed: SeedOption = 0,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Anonymize a purchase history: everybody is one of at least K with the same rows.

    Customers are put in classes, their rows are aligned, and each group of rows gets the exact values, ranges and sets
    that cost least; what has no counterpart is deleted. Shown are U, a bound that no such history is below, how safe
    the classes are, and what the built-in attacks reach. The search ends when it finds nothing better, or when its time
    is over; the attacks come after it and have no time limit. FILE is a contest's or any other purchase history.
    OUT is what a publication would be; A is secret, since row i of it belongs to row i of FILE, and only its owner can
    read it.
    Interrupted by Ctrl-C once it knows what pairs of customers cost, it writes and shows the best so far, without
    attacks and report.
    Exit code 3: an attack was effective; the files are written all the same.
    """
    from sudare.histories.attack.duel import run_duel
    from sudare.messages import Texts

    search = {"seconds": time_limit, "rounds": rounds, "fast": fast}
    texts, request = Texts(lang), _Request.of(k, mean_limit, model, levels, untouched, search)
    if published is not None:
        raise OptionNotUsable(
            "There is no --published any more: -o writes what may be published.\n"
            f"Hint: -o {published}; --aligned A writes the secret file, row by row as FILE."
        )
    if not (out or aligned):
        raise OptionNotUsable(
            "Nothing is to be written.\nHint: -o OUT for the published form, --aligned A for a contest."
        )
    with shown_progress() as progress:
        original = source.open(progress)
        rules = original.rules
        with keeping_answers():
            found = request.run(original, seed=seed, threads=source.threads, progress=progress)
            safety = _safety(found, rules)
        # Each file is announced when it is there: whatever comes after may be interrupted.
        if out:
            original.publish(found.history, out)
            note(f"Wrote {out}")
        if aligned:
            original.write_aligned(found.history, aligned)
            note_aligned(aligned, texts)
        duel = None
        try:
            check_not_interrupted()
            if not no_attacks:
                shares: dict[str, Any] = {"p": rules.p, "alpha": rules.alpha}
                duel = run_duel(original.history, found.history, **shares, seed=seed, progress=progress)
            if report:
                from sudare.report.contest.report import write_contest_report

                write_contest_report(
                    original.history, found.history.in_file(out or aligned or ""), report,
                    customers=original.customers, rules=rules, anonymization=found, duel=duel,
                    published=_before_after(original, found, progress),
                    seed=seed, language=lang, progress=progress,
                )  # fmt: skip
                note(f"Wrote {report}")
        except KeyboardInterrupt:
            # What was made is shown; attacks that were not tried and a report that is not there are left out.
            settle()
    if json:
        attacks = duel.to_dict() if duel else None
        chances = {"safety": safety.to_dict()} if safety else {}
        written = {name: str(path) if path else None for name, path in {"out": out, "aligned": aligned}.items()}
        show_json({**found.to_dict(), **written, **chances, "attacks": attacks})
    else:
        from sudare.report.history.anonymized_text import show_anonymized

        show_anonymized(found, safety, duel, source.file, texts)
    if duel and duel.verdict == "broken":
        raise typer.Exit(EXIT_NOT_SAFE)


@dataclass(frozen=True, slots=True)
class _Request:
    """What is asked for: k or a limit on mean risks, how, and with what effort."""

    k: int | None
    mean_limit: float | None
    model: str
    levels: Mapping[str, str] | None
    untouched: int | None
    search: Mapping[str, Any]

    @classmethod
    def of(
        cls,
        k: int | None,
        mean_limit: float | None,
        model: str,
        levels: str | None,
        untouched: int | None,
        search: Mapping[str, Any],
    ) -> _Request:
        """Return the request, or refuse words that do not go together."""
        from sudare.histories.anonymize.levels import parse_levels
        from sudare.histories.anonymize.models import check_model

        if (k is None) == (mean_limit is None):
            raise OptionNotUsable("Give either --k or --mean-limit.\nHint: --k 3")
        given = parse_levels(levels) if levels else None
        if mean_limit is None:
            check_model(model, given, untouched)
        elif model not in ("classes", "levels") or untouched is not None or any(search.values()):
            raise OptionNotUsable(
                "--mean-limit is kept by levels, whose search is short.\n"
                "Hint: leave out --model, --untouched, --fast, --time-limit and --rounds."
            )
        return cls(k, mean_limit, model, given, untouched, search)

    def run(self, original: HistoryFile, **options: Any) -> AnonymizedResult:
        """Anonymize the history."""
        from sudare.histories.anonymize.level_risk import levels_for_risk
        from sudare.histories.anonymize.models import anonymize_by_model

        rules = original.rules
        options = {**options, "levels": self.levels, "most_items": rules.most_items}
        if self.k is not None:
            tests: dict[str, Any] = {"p": rules.p, "alpha": rules.alpha, "attacks": rules.attacks}
            tests["untouched"] = self.untouched
            return anonymize_by_model(original.history, self.k, model=self.model, **tests, **self.search, **options)
        return levels_for_risk(original.history, self.mean_limit or 0.0, **options)


def _before_after(original: HistoryFile, found: AnonymizedResult, progress: Progress) -> PublishedAssessment | None:
    """Measure the ten attackers, who know of days and items, if the history has such."""
    from sudare.histories.attackers.published import measure_published

    if not {"date", "item"} <= {column.form for column in original.rules.columns}:
        return None
    return measure_published(original.history, found.history, progress=progress)


def _safety(found: AnonymizedResult, rules: RuleSet) -> ClassSafety | None:
    """Return how safe the published classes are; None if nothing is published, or if other things make it safe."""
    from sudare.histories.safety.classes import class_safety
    from sudare.histories.safety.published_classes import published_classes

    sizes = published_classes(found.history).sizes.tolist()
    if found.safety or not sizes:
        return None
    return class_safety(sizes, p=rules.p, alpha=rules.alpha, attacks=rules.attacks)
