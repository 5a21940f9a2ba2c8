"""`sudare contest utility | usecases | correlate`: what generalization costs, and what is left of the use of data."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sudare.cli.contest_files import (
    DEFAULT_RULES,
    AnonymizedArgument,
    ComparedOptions,
    OriginalArgument,
    RulesOption,
)
from sudare.cli.files import READ, InputFolder, OutputFolder
from sudare.cli.frame import JsonOption, LanguageOption, SeedOption, guarded, note, show_json, shown_progress
from sudare.cli.options import support_of, taking
from sudare.errors import OptionNotUsable
from sudare.progress import Progress

if TYPE_CHECKING:
    from sudare.data.cells import CellHistory
    from sudare.data.rule_sets import RuleSet
    from sudare.utility.cells import CellUtility

# The endings of the files of a folder that are anonymized histories, and the file that is the original.
ENDINGS = (".csv", ".txt")
ORIGINAL = "T.csv"
CHART = "correlation.svg"

UncheckedOption = Annotated[
    bool, typer.Option("--unchecked", help="Measure A even if it breaks the rules; malformed cells count as deleted.")
]
DrawsOption = Annotated[int, typer.Option(metavar="N", help="How often rows are drawn from the cells.")]
SupportOption = Annotated[
    str, typer.Option(metavar="SHARE|N", help="Least support of a frequent itemset: share of the visits, or number.")
]
LengthOption = Annotated[int, typer.Option(metavar="N", help="Most items of a frequent itemset.")]


@guarded
@taking(ComparedOptions)
def utility(
    source: ComparedOptions,
    unchecked: UncheckedOption = False,
    top: Annotated[int, typer.Option(min=0, metavar="N", help="How many customers and cells to list.")] = 10,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Measure the utility U of an anonymized history, and show where it comes from.

    U is the mean error of all cells; 0 is best. Shown are the share of each column and each kind of cell, the customers
    and cells that cost most, and ranges that cost more than a deleted cell would. With --engine, histories that no
    memory holds are measured too; Spark lists no customers and cells.
    """
    from sudare.messages import Texts

    texts = Texts(lang)
    with shown_progress() as progress:
        found = _measured(source, progress, unchecked=unchecked, top=top)
    if json:
        show_json(found.to_dict())
    else:
        from sudare.cli.contest_utility_text import show_utility

        show_utility(found, source.anonymized, texts)


def _measured(source: ComparedOptions, progress: Progress, *, unchecked: bool, top: int) -> CellUtility:
    """Return U, of histories in memory or on the engine that was named."""
    if source.engine_name is None:
        from sudare.utility.cells import cell_utility

        read = _Source(source.original, source.rules, progress, unchecked=unchecked)
        return cell_utility(read.original, read.read(source.anonymized), rules=read.rules, most=top)
    if unchecked:
        raise OptionNotUsable("An engine measures no history that breaks the rules.\nHint: leave --engine out.")
    from sudare.utility.held_cells import held_utility

    with source.held(progress) as held:
        if top and not held.engine.shows_people:
            note("The customers and cells that cost most are not shown: only counts leave the cluster.")
        return held_utility(held, most=top)


@guarded
def usecases(
    original: OriginalArgument,
    anonymized: AnonymizedArgument,
    draws: DrawsOption = 100,
    support: SupportOption = "0.01",
    length: LengthOption = 3,
    rules: RulesOption = DEFAULT_RULES,
    unchecked: UncheckedOption = False,
    seed: SeedOption = 0,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Measure what an anonymized history is still good for.

    Rows are drawn from its cells many times and compared with T: frequent itemsets, the RFM table, three matrices of
    similar items, the top 100 items, the number of rows, and statistics of dates, prices and quantities.
    """
    from sudare.messages import Texts
    from sudare.utility.use_cases import check_draws, measure_use_cases

    texts, options, least = Texts(lang), {"draws": draws, "seed": seed, "length": length}, support_of(support)
    check_draws(draws, seed)
    with shown_progress() as progress:
        source = _Source(original, rules, progress, unchecked=unchecked)
        history = source.read(anonymized)
        found = measure_use_cases(
            source.original, history, support=least, first_day=source.rules.first_day, progress=progress, **options
        )
    if json:
        show_json(found.to_dict())
    else:
        from sudare.cli.contest_utility_text import show_use_cases

        show_use_cases(found, anonymized, source.rules.first_day, texts)


@guarded
def correlate(
    folder: Annotated[
        Path,
        InputFolder(),
        typer.Argument(metavar="DIR", help="Folder of anonymized histories, .csv or .txt, three or more."),
    ],
    original: Annotated[
        str | None, READ, typer.Argument(metavar="T", help=f"The original history. {ORIGINAL} of DIR if not given.")
    ] = None,
    out: Annotated[
        Path | None,
        OutputFolder(),
        typer.Option("--out", "-o", metavar="OUT", help="Folder for the chart and all values; it allows to go on."),
    ] = None,
    draws: DrawsOption = 100,
    support: SupportOption = "0.01",
    length: LengthOption = 3,
    rules: RulesOption = DEFAULT_RULES,
    unchecked: UncheckedOption = False,
    seed: SeedOption = 0,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Show how U correlates with what anonymized histories are good for.

    U and all measures of `sudare contest usecases` are computed for each history of DIR. Written to OUT are all values
    as CSV and the correlations as SVG; after an interruption the same command goes on.
    """
    from sudare.contest.correlation import correlate_utility
    from sudare.data.writing import protect
    from sudare.messages import Texts
    from sudare.utility.use_cases import check_draws

    texts, options, least = Texts(lang), {"draws": draws, "seed": seed, "length": length}, support_of(support)
    check_draws(draws, seed)
    whole = Path(original) if original else folder / ORIGINAL
    files = _files(folder, whole)
    protect([whole, *files.values()])
    with shown_progress() as progress:
        source = _Source(str(whole), rules, progress, unchecked=unchecked)
        if not unchecked:
            # Before long work: one history that is refused would end it.
            for path in files.values():
                source.read(str(path))
        try:
            found = correlate_utility(
                source.original, source.all(files), support=least, first_day=source.rules.first_day, folder=out,
                progress=progress, **options,
            )  # fmt: skip
        except KeyboardInterrupt:
            if out:
                note(f"What is finished is kept in {out}; the same command goes on from there.")
            raise
    if out:
        _draw(found, out / CHART, texts)
    if json:
        show_json(found.to_dict())
    else:
        from sudare.cli.contest_utility_text import show_correlation

        show_correlation(found, texts)
    if out:
        note(f"Wrote {CHART} and measures.csv in {out}")


def _draw(found: Any, path: Path, texts: Any) -> None:
    from sudare.data.writing import whole_file
    from sudare.report.charts import render
    from sudare.report.correlation_chart import correlation_chart

    drawing = render(correlation_chart(found, texts))
    with whole_file(path) as temporary:
        temporary.write_text(f"{drawing}\n", encoding="utf-8", newline="\n")


def _files(folder: Path, original: Path) -> dict[str, Path]:
    """Return the anonymized histories of a folder by their names."""
    if not folder.is_dir():
        raise OptionNotUsable(f"{folder} is no folder.\nHint: name the folder that has the anonymized histories.")
    found = sorted(
        path
        for path in folder.iterdir()
        if path.suffix in ENDINGS and path.is_file() and path.resolve() != original.resolve()
    )
    stems = [path.stem for path in found]
    return {path.stem if stems.count(path.stem) == 1 else path.name: path for path in found}


class _Source:
    """The original history, its rules, and how anonymized ones are read."""

    def __init__(self, original: str, rules: str, progress: Progress, *, unchecked: bool) -> None:
        from sudare.data.cell_text import read_original
        from sudare.data.rule_sets import load_rules

        self.rules: RuleSet = load_rules(rules)
        self.path = original
        self.original = read_original(original, self.rules, progress=progress)
        self._progress, self._unchecked = progress, unchecked

    def read(self, path: str) -> CellHistory:
        """Read an anonymized history; one that breaks the rules is refused unless it need not be checked."""
        from sudare.data.cell_text import read_anonymized, read_valid_anonymized

        if not self._unchecked:
            return read_valid_anonymized(path, self.original, self.rules, progress=self._progress)
        found = read_anonymized(path, self.original, self.rules, most_complaints=1, progress=self._progress)
        if found.complaints.total:
            note(f"{path} breaks the rules {self.rules.name}; errors: {found.complaints.total:,}.")
        return found.history

    def all(self, files: dict[str, Path]) -> Iterator[tuple[str, CellHistory]]:
        """Yield the histories of files with their names, one at a time."""
        for name, path in files.items():
            yield name, self.read(str(path))
