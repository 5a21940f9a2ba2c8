"""`sudare baskets experiment`: personalized against fixed protection, as figures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sudare.cli.baskets.options import KeepLowOption, StrategyOption
from sudare.cli.files import READ, OutputFolder
from sudare.cli.frame import JsonOption, LanguageOption, SeedOption, guarded, note, show_json, shown_progress
from sudare.errors import OptionNotUsable
from sudare.progress import Progress
from sudare.report.terminal import console

if TYPE_CHECKING:
    from sudare.baskets.experiments.experiments import Experiments
    from sudare.baskets.model import Baskets
    from sudare.messages import Texts


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
    strategy: StrategyOption = "paper",
    keep_low: KeepLowOption = None,
    sample: Annotated[
        float, typer.Option(metavar="SHARE", help="Share of the records that each repetition draws.")
    ] = 0.1,
    sensitive_share: Annotated[
        float, typer.Option(metavar="SHARE", help="Share of sensitive items in figures 3, 4 and 5.")
    ] = 0.4,
    noise: Annotated[
        float,
        typer.Option(metavar="SHARE", help="Probability that a user differs on an item in figures 6 and 7."),
    ] = 0.01,
    rho: Annotated[str, typer.Option(metavar="RHO", help="Highest confidence allowed in figures 5, 6 and 7.")] = "0.5",
    max_known: Annotated[
        int | None,
        typer.Option(
            metavar="M", help="Most items adversaries know. 5 in figure 5 and any number elsewhere, if not given."
        ),
    ] = None,
    threads: Annotated[int, typer.Option(min=1, metavar="N", help="Runs to work on at the same time.")] = 2,
    seed: SeedOption = 0,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Repeat the experiments on personalized and fixed protection.

    Table 1 (the data sets) is printed. Written are the figures 3 to 7 of the paper as SVG files, the values behind
    them as CSV, and a page with all of them. Finished values are kept: after an interruption the same command goes
    on, and more repetitions, figures or data can be asked for.
    """
    from sudare.baskets.experiments.experiments import Circumstances, run_experiments, summarize_experiments
    from sudare.messages import Texts
    from sudare.report.baskets.experiment import write_experiment_page

    texts = Texts(lang)
    numbers = _numbers(figures)
    circumstances = Circumstances(
        sample=sample, sensitive=sensitive_share, noise=noise, rho=rho, max_known=5 if max_known is None else max_known,
        max_known_exact=max_known,
    )  # fmt: skip
    circumstances.check()
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
                keep_low=keep_low,
                circumstances=circumstances,
                threads=threads,
                progress=progress,
            )
        except KeyboardInterrupt:
            note(f"What is finished is kept in {out}; the same command goes on from there.")
            raise
    written = write_experiment_page(found, out, language=lang)
    if json:
        show_json("basket-experiments", _told(found, summarize_experiments(found.rows)))
    else:
        _show_data(found.data, texts)
    note(f"Wrote {', '.join(path.name for path in written)} in {out}")


def _numbers(words: str) -> list[int]:
    try:
        return [int(word) for word in words.split(",")]
    except ValueError:
        raise OptionNotUsable(f"--figures {words!r} are not numbers.\nHint: --figures 3,4,5,6,7") from None


def _read(files: list[str], progress: Progress) -> dict[str, Baskets]:
    from sudare.baskets.read import read_baskets
    from sudare.cli.baskets.options import tell_baskets

    found: dict[str, Baskets] = {}
    for file in files:
        name = Path(file).stem
        if name in found:
            raise OptionNotUsable(f"Two data sets are named {name!r}.\nHint: rename one of the files.")
        found[name] = read_baskets(file, progress=progress)
        tell_baskets(found[name])
    return found


def _told(found: Experiments, spreads: Any) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "data": {name: _described(baskets) for name, baskets in found.data.items()},
        "circumstances": asdict(found.circumstances),
        "figures": [spread.to_dict() for spread in spreads],
        "rows": [row.to_dict() for row in found.rows],
    }


def _described(baskets: Baskets) -> dict[str, float]:
    """Return what Table 1 of the paper says of a data set."""
    lengths = baskets.lengths
    return {
        "records": len(baskets),
        "items": len(baskets.names),
        "longest": int(lengths.max(initial=0)),
        "mean_length": float(lengths.mean()) if len(lengths) else 0.0,
    }


def _show_data(data: Mapping[str, Baskets], texts: Texts) -> None:
    """Print Table 1: what the data sets are."""
    from rich.table import Table as TextTable

    table = TextTable(title=texts("report.experiment.data"), show_edge=False, pad_edge=False, title_justify="left")
    for place, name in enumerate(("data_set", "records", "items", "longest", "mean_length")):
        table.add_column(texts(f"report.experiment.{name}"), justify="right" if place else "left")
    for name, baskets in data.items():
        told = _described(baskets)
        counts = (f"{told[key]:,}" for key in ("records", "items", "longest"))
        table.add_row(name, *counts, f"{told['mean_length']:.1f}")
    console().print(table)
