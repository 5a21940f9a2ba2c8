"""`sudare baskets experiment`: personalized against fixed protection, as figures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sudare.cli.baskets.options import KeepLowOption, StrategyOption
from sudare.cli.files import READ, OutputFolder
from sudare.cli.frame import JsonOption, SeedOption, guarded, note, show_json, shown_progress, spoken
from sudare.cli.options import ShareOption
from sudare.cli.settings import Settings
from sudare.errors import OptionNotUsable
from sudare.messages import Joined
from sudare.progress import Progress
from sudare.report.terminal import console

if TYPE_CHECKING:
    from sudare.baskets.experiments.experiments import Experiments
    from sudare.baskets.model import Baskets
    from sudare.messages import Texts


@guarded
def experiment(
    files: Annotated[list[str], READ, typer.Argument(metavar="FILE...")],
    out: Annotated[Path, OutputFolder(), typer.Option("--out", "-o", metavar="DIR")],
    repetitions: Annotated[int, typer.Option(metavar="N")] = 10,
    figures: Annotated[str, typer.Option(metavar="3,4,...")] = "3,4,5,6,7",
    strategy: StrategyOption = "paper",
    keep_low: KeepLowOption = None,
    record_share: ShareOption = 0.1,
    sensitive_share: ShareOption = 0.4,
    noise: ShareOption = 0.01,
    rho: Annotated[str, typer.Option(metavar="RHO")] = "0.5",
    max_known: Annotated[int | None, typer.Option(metavar="M")] = None,
    threads: Annotated[int, typer.Option(min=1, metavar="N")] = 2,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Repeat the experiments on personalized and fixed protection."""
    from sudare.baskets.experiments.experiments import Circumstances, run_experiments, summarize_experiments
    from sudare.report.baskets.experiment import write_experiment_page

    texts = spoken()
    numbers = _numbers(figures)
    circumstances = Circumstances(
        sample=record_share, sensitive=sensitive_share, noise=noise, rho=rho,
        max_known=5 if max_known is None else max_known, max_known_exact=max_known,
    )  # fmt: skip
    circumstances.check()
    with shown_progress() as progress:
        baskets = _read(files, progress)
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
            note("notes.kept", folder=out)
            raise
    written = write_experiment_page(found, out, language=Settings.language)
    if json:
        show_json("basket-experiments", _told(found, summarize_experiments(found.rows)))
    else:
        _show_data(found.data, texts)
    note("notes.wrote_names", names=Joined([path.name for path in written]), folder=out)


def _numbers(words: str) -> list[int]:
    try:
        return [int(word) for word in words.split(",")]
    except ValueError:
        raise OptionNotUsable("errors.usage.figures", words=words) from None


def _read(files: list[str], progress: Progress) -> dict[str, Baskets]:
    from sudare.baskets.read import read_baskets
    from sudare.cli.baskets.options import tell_baskets

    found: dict[str, Baskets] = {}
    for file in files:
        name = Path(file).stem
        if name in found:
            raise OptionNotUsable("errors.usage.two_named", name=name)
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
