"""`sudare anonymize`: a purchase history in which nobody differs from k - 1 others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

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
    from sudare.histories.anonymize.levels import parse_levels
    from sudare.histories.anonymize.publication import anonymize_rows, check_request
    from sudare.messages import Texts

    texts, given = Texts(lang), parse_levels(levels) if levels else None
    check_request(k, mean_limit, model, given, untouched, search=bool(time_limit or rounds or fast))
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
        with keeping_answers():
            made = anonymize_rows(
                original, k, mean_limit=mean_limit, model=model, levels=given, untouched=untouched, attacks=False,
                seconds=time_limit, rounds=rounds, fast=fast, seed=seed, threads=source.threads, progress=progress,
            )  # fmt: skip
        # Each file is announced when it is there: whatever comes after may be interrupted.
        if out:
            made.publish(out)
            note(f"Wrote {out}")
        if aligned:
            made.write_aligned(aligned)
            note_aligned(aligned, texts)
        try:
            check_not_interrupted()
            if not no_attacks:
                made = replace(made, duel=made.attack(seed=seed, progress=progress))
            if report:
                made.report(report, published=out or aligned, seed=seed, language=lang, progress=progress)
                note(f"Wrote {report}")
        except KeyboardInterrupt:
            # What was made is shown; attacks that were not tried and a report that is not there are left out.
            settle()
    if json:
        written = {name: str(path) if path else None for name, path in {"out": out, "aligned": aligned}.items()}
        show_json("anonymized-history", {**made.to_dict(), **written})
    else:
        from sudare.report.history.anonymized_text import show_anonymized

        show_anonymized(made.found, made.safety, made.duel, source.file, texts)
    if made.duel and made.duel.verdict == "broken":
        raise typer.Exit(EXIT_NOT_SAFE)
