"""`sudare contest utility | use-cases | correlate`: what generalization costs, and how useful the data still are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sudare.cli.contest.files import (
    DEFAULT_RULES,
    AnonymizedArgument,
    ComparedOptions,
    OriginalArgument,
    RulesOption,
)
from sudare.cli.files import READ, InputFolder, OutputFolder
from sudare.cli.frame import JsonOption, SeedOption, guarded, note, show_json, shown_progress, spoken
from sudare.cli.options import support_of, taking
from sudare.errors import OptionNotUsable
from sudare.messages import Joined
from sudare.progress import Progress

if TYPE_CHECKING:
    from sudare.contest.correlation import UtilityCorrelation
    from sudare.histories.generalized.model import CellHistory
    from sudare.histories.generalized.rule_sets import RuleSet
    from sudare.histories.utility.cost import CellUtility

# The endings of the files of a folder that are anonymized histories, and the file that is the original.
ENDINGS = (".csv", ".txt")
ORIGINAL = "T.csv"
CHART = "correlation.svg"

UncheckedOption = Annotated[bool, typer.Option("--unchecked")]
DrawsOption = Annotated[int, typer.Option(metavar="N")]
SupportOption = Annotated[
    str,
    typer.Option(metavar="SHARE|N"),
]
MaxSizeOption = Annotated[int, typer.Option(metavar="N")]
MostDozensOption = Annotated[
    int | None,
    typer.Option(metavar="N"),
]


@guarded
@taking(ComparedOptions)
def utility(
    source: ComparedOptions,
    unchecked: UncheckedOption = False,
    top: Annotated[int, typer.Option(min=0, metavar="N")] = 10,
    json: JsonOption = False,
) -> None:
    """Measure the utility U of an anonymized history, and show where it comes from."""
    texts = spoken()
    with shown_progress() as progress:
        found = _measured(source, progress, unchecked=unchecked, top=top)
    if json:
        show_json("cell-utility", found.to_dict())
    else:
        from sudare.report.contest.utility_text import show_utility

        show_utility(found, source.anonymized, texts)


def _measured(source: ComparedOptions, progress: Progress, *, unchecked: bool, top: int) -> CellUtility:
    """Return U, of histories in memory or on the engine that was named."""
    if source.engine_name is None:
        from sudare.histories.utility.cost import cell_utility

        read = _Source(source.original, source.rules, progress, unchecked=unchecked)
        return cell_utility(read.original, read.read(source.anonymized), rules=read.rules, most=top)
    if unchecked:
        raise OptionNotUsable("errors.usage.unchecked_engine")
    from sudare.histories.utility.held import held_utility

    with source.held(progress) as held:
        if top and not held.engine.shows_people:
            note("notes.only_counts")
        return held_utility(held, most=top)


@guarded
def use_cases(
    original: OriginalArgument,
    anonymized: AnonymizedArgument,
    draws: DrawsOption = 100,
    support: SupportOption = "0.027",
    max_size: MaxSizeOption = 3,
    most_dozens: MostDozensOption = None,
    rules: RulesOption = DEFAULT_RULES,
    unchecked: UncheckedOption = False,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Measure what an anonymized history is still good for."""
    from sudare.histories.utility.use_cases import check_draws, measure_use_cases

    texts, least = spoken(), support_of(support)
    options: dict[str, Any] = {"draws": draws, "seed": seed, "length": max_size, "most_dozens": most_dozens}
    check_draws(draws, seed)
    with shown_progress() as progress:
        source = _Source(original, rules, progress, unchecked=unchecked)
        history = source.read(anonymized)
        found = measure_use_cases(
            source.original, history, support=least, first_day=source.rules.first_day, progress=progress, **options
        )
    if json:
        show_json("use-cases", found.to_dict())
    else:
        from sudare.report.contest.utility_text import show_use_cases

        show_use_cases(found, anonymized, source.rules.first_day, texts)


@guarded
def correlate(
    source: Annotated[Path, InputFolder(), typer.Argument(metavar="DIR|TABLE|RULES")],
    original: Annotated[str | None, READ, typer.Argument(metavar="T")] = None,
    out: Annotated[Path | None, OutputFolder(), typer.Option("--out", "-o", metavar="OUT")] = None,
    draws: DrawsOption = 100,
    support: SupportOption = "0.027",
    max_size: MaxSizeOption = 3,
    most_dozens: MostDozensOption = None,
    rules: RulesOption = DEFAULT_RULES,
    unchecked: UncheckedOption = False,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Show how U correlates with what anonymized histories are good for."""
    from sudare.histories.utility.use_cases import check_draws

    texts, least = spoken(), support_of(support)
    options: dict[str, Any] = {"draws": draws, "seed": seed, "length": max_size, "most_dozens": most_dozens}
    check_draws(draws, seed)
    measured = source.is_dir()
    if measured:
        whole = Path(original) if original else source / ORIGINAL
        found = _correlated(source, whole, rules, out, unchecked=unchecked, support=least, **options)
    else:
        found = _correlated_values(source, original, out)
    if out:
        _draw(found, out / CHART, texts)
    if json:
        show_json("correlation", found.to_dict())
    else:
        from sudare.report.contest.utility_text import show_correlation

        show_correlation(found, texts)
    if out:
        note("notes.wrote_names", names=Joined([CHART, *(["measures.csv"] if measured else [])]), folder=out)


def _correlated(
    folder: Path, original: Path, rules: str, out: Path | None, *, unchecked: bool, **options: Any
) -> UtilityCorrelation:
    """Measure the anonymized histories of a folder, and return how U correlates."""
    from sudare.contest.correlation import correlate_utility
    from sudare.sources.writing import protect

    files = _files(folder, original)
    protect([original, *files.values()])
    with shown_progress() as progress:
        source = _Source(str(original), rules, progress, unchecked=unchecked)
        if not unchecked:
            # Before long work: one history that is refused would end it.
            for path in files.values():
                source.read(str(path))
        first_day = source.rules.first_day
        try:
            return correlate_utility(
                source.original, source.all(files), first_day=first_day, folder=out, progress=progress, **options
            )
        except KeyboardInterrupt:
            if out:
                note("notes.kept", folder=out)
            raise


def _correlated_values(source: Path, original: str | None, out: Path | None) -> UtilityCorrelation:
    """Return how U correlates with measures in a table, or in the published results of a contest."""
    from sudare.contest.correlation import correlate_measures
    from sudare.contest.measured_histories import keep_values, published_results, read_measured_histories
    from sudare.histories.generalized.rule_sets import BUILT_IN, load_rules
    from sudare.sources.writing import protect

    if original is not None:
        raise OptionNotUsable("errors.usage.no_folder", source=source, original=original)
    if str(source) in BUILT_IN or source.suffix == ".toml":
        histories = published_results(load_rules(str(source)))
    else:
        protect([source])
        histories = read_measured_histories(source)
    found = correlate_measures(histories)
    if out:
        keep_values(out, histories)
    return found


def _draw(found: Any, path: Path, texts: Any) -> None:
    from sudare.report.charts.correlation import correlation_chart
    from sudare.report.charts.vega import render
    from sudare.sources.writing import whole_file

    drawing = render(correlation_chart(found, texts))
    with whole_file(path) as temporary:
        temporary.write_text(f"{drawing}\n", encoding="utf-8", newline="\n")


def _files(folder: Path, original: Path) -> dict[str, Path]:
    """Return the anonymized histories of a folder by their names."""
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
        from sudare.histories.generalized.rule_sets import load_rules
        from sudare.histories.generalized.text import read_original

        self.rules: RuleSet = load_rules(rules)
        self.path = original
        self.original = read_original(original, self.rules, progress=progress)
        self._progress, self._unchecked = progress, unchecked

    def read(self, path: str) -> CellHistory:
        """Read an anonymized history; one that breaks the rules is refused unless it need not be checked."""
        from sudare.histories.generalized.text import read_anonymized, read_valid_anonymized

        if not self._unchecked:
            return read_valid_anonymized(path, self.original, self.rules, progress=self._progress)
        found = read_anonymized(path, self.original, self.rules, most_complaints=1, progress=self._progress)
        if found.complaints.total:
            note("notes.breaks_rules", path=path, rules=self.rules.name, count=found.complaints.total)
        return found.history

    def all(self, files: dict[str, Path]) -> Iterator[tuple[str, CellHistory]]:
        """Yield the histories of files with their names, one at a time."""
        for name, path in files.items():
            yield name, self.read(str(path))
