"""`sudare baskets experiment`: personalized against fixed protection, as figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from sudare.cli.files import READ, OutputFolder
from sudare.cli.frame import (
    JsonOption,
    LanguageOption,
    SeedOption,
    guarded,
    note,
    show_json,
    shown_progress,
)
from sudare.errors import OptionNotUsable
from sudare.progress import Progress

if TYPE_CHECKING:
    from sudare.data.baskets import Baskets


@guarded
def experiment(
    data: Annotated[
        list[str],
        READ,
        typer.Option(metavar="FILE", help="Baskets: one record a line, or a user and an item (repeatable)."),
    ],
    out: Annotated[
        Path,
        OutputFolder(),
        typer.Option("--out", "-o", metavar="DIR", help="Folder for the figures and their numbers."),
    ],
    repetitions: Annotated[
        int, typer.Option(metavar="N", help="Repetitions with new samples; 2 for a quick look.")
    ] = 10,
    figures: Annotated[str, typer.Option(metavar="3,4,...", help="Figures to make, of 3 to 7.")] = "3,4,5,6,7",
    strategy: Annotated[
        Literal["paper", "best"],
        typer.Option(metavar="paper|best", help="What is suppressed: as the paper says, or with less loss."),
    ] = "paper",
    threads: Annotated[int, typer.Option(min=1, metavar="N", help="Runs to work on at the same time.")] = 2,
    seed: SeedOption = 0,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Repeat the experiments on personalized and fixed protection.

    Written are the figures 3 to 7 of the paper as SVG files, the values behind them as CSV, and a page with all of
    them. Finished values are kept: after an interruption the same command goes on, and more repetitions, figures or
    data can be asked for.
    """
    from sudare.anonymize.experiments import run_experiments, summarize_experiments
    from sudare.messages import Texts
    from sudare.report.basket_experiment import write_experiment_page

    Texts(lang)
    numbers = _numbers(figures)
    with shown_progress() as progress:
        baskets = _read(data, progress)
        try:
            found = run_experiments(
                baskets,
                out,
                figures=numbers,
                repetitions=repetitions,
                seed=seed,
                strategy=strategy,
                threads=threads,
                progress=progress,
            )
        except KeyboardInterrupt:
            note(f"What is finished is kept in {out}; the same command goes on from there.")
            raise
    written = write_experiment_page(out, found, language=lang)
    if json:
        show_json(_told(summarize_experiments(found.rows)))
    note(f"Wrote {', '.join(path.name for path in written)} in {out}")


def _numbers(words: str) -> list[int]:
    try:
        return [int(word) for word in words.split(",")]
    except ValueError:
        raise OptionNotUsable(f"--figures {words!r} are not numbers.\nHint: --figures 3,4,5,6,7") from None


def _read(files: list[str], progress: Progress) -> dict[str, Baskets]:
    from sudare.cli.basket_options import tell_baskets
    from sudare.data.basket_reading import read_baskets

    found: dict[str, Baskets] = {}
    for file in files:
        name = Path(file).stem
        if name in found:
            raise OptionNotUsable(f"Two data sets are named {name!r}.\nHint: rename one of the files.")
        found[name] = read_baskets(file, progress=progress)
        tell_baskets(found[name])
    return found


def _told(spreads: Any) -> dict[str, Any]:
    from dataclasses import asdict

    return {"figures": [asdict(spread) for spread in spreads]}
