"""The experiments of T. Nakagawa, Arai, H. Nakagawa: Personalized anonymization of set-valued data, section 4.

Each run draws some of the records and the sensitive items anew, suppresses, and measures what is lost. `fixed` is
one random list of sensitive items for all users, `personalized` another one for each. In the more realistic settings
many items are sensitive to most users: `personalized+` turns that over for each user and item with a small
probability, and `fixed+` protects whatever is sensitive to anybody, which is what a model without personal lists has to
do.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import asdict, astuple, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.baskets.check.adversaries import check_max_known
from sudare.baskets.check.rho import exact_rho
from sudare.baskets.experiments.rows import ExperimentRow, RowsFile
from sudare.baskets.model import Baskets, SensitiveItems, sensitive_rows
from sudare.baskets.sensitive import random_lists
from sudare.baskets.suppress.choice import KeepLow
from sudare.baskets.suppress.suppression import Strategy, suppress_baskets
from sudare.baskets.utility import BasketLoss
from sudare.errors import OptionNotUsable
from sudare.interruption import safe_point
from sudare.messages import Joined, message
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass

# Section 4.1: records that Algorithm 1 is given.
LONGEST = 5
THREADS = 2
# Seconds between two looks at whether the work is to stop.
_LOOK = 0.2


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What stays fixed within a figure; the defaults are those of section 4.

    The share of the records that is drawn (`sample`), the share of sensitive items (for most users; it varies in
    figures 6 and 7), how often a user differs from most others on an item (`noise`), rho where it does not vary, and
    the maximum number of items that adversaries know: `max_known` with samples, and `max_known_exact` (None: any
    number) without.
    """

    sample: float = 0.1
    sensitive: float = 0.4
    noise: float = 0.01
    rho: str = "0.5"
    max_known: int = 5
    max_known_exact: int | None = None

    def check(self) -> None:
        """Refuse impossible values."""
        exact_rho(self.rho)
        if not 0 < self.sample <= 1:
            raise OptionNotUsable("errors.experiments.sample", share=self.sample)
        if not 0 <= self.sensitive <= 1:
            raise OptionNotUsable("errors.experiments.sensitive", share=self.sensitive)
        if not 0 <= self.noise <= 1:
            raise OptionNotUsable("errors.experiments.noise", share=self.noise)
        for known in (self.max_known, self.max_known_exact):
            check_max_known(known)


PAPER = Circumstances()


@dataclass(frozen=True, slots=True)
class Study:
    """What is varied, for which settings, and what each figure shows of it."""

    varied: str
    values: tuple[str, ...]
    settings: tuple[str, str]
    figures: Mapping[int, str]


STUDIES = (
    Study(
        "rho",
        ("0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9"),
        ("fixed", "personalized"),
        {3: "suppressed_share", 4: "kl_divergence"},
    ),
    Study("epsilon", ("0.01", "0.05", "0.1"), ("fixed", "personalized"), {5: "suppressed_share"}),
    Study(
        "share",
        ("0.05", "0.1", "0.2", "0.4", "0.6", "0.8"),
        ("fixed+", "personalized+"),
        {6: "suppressed_share", 7: "rules_distance"},
    ),
)
FIGURES = tuple(sorted(number for study in STUDIES for number in study.figures))


@dataclass(frozen=True, slots=True)
class Run:
    """One suppression of a sample, which gives a row for each figure of its study."""

    study: Study
    data: str
    setting: str
    x: str
    repetition: int

    def seed(self, part: str, seed: int) -> int:
        """Return a seed for a part of the run that depends on nothing but what the part is to depend on."""
        parts = {
            "sample": (self.data, self.repetition),
            # The two settings of a study differ in who has the lists, not in the items that are on them.
            "often": (self.data, self.repetition, self.x),
            "lists": (self.data, self.repetition, self.study.varied),
            "suppression": (self.data, self.repetition, self.study.varied, self.setting, self.x),
        }
        digest = sha256(repr((seed, part, *parts[part])).encode()).digest()
        return int.from_bytes(digest[:6])

    def rows(self, loss: BasketLoss, *, safe: bool) -> list[ExperimentRow]:
        """Return the rows of the figures, each with all measures."""
        place = (self.data, self.setting, float(self.x), self.repetition)
        return [
            ExperimentRow(figure, *place, getattr(loss, measure), safe, *astuple(loss))
            for figure, measure in self.study.figures.items()
        ]


@dataclass(frozen=True, slots=True)
class Experiments(Result):
    """The values of experiments, with their data and settings."""

    _hidden = ("data",)
    _rows = ("rows",)
    _row = ExperimentRow

    data: Mapping[str, Baskets] = field(repr=False, compare=False)
    seed: int
    strategy: Strategy
    keep_low: KeepLow | None
    circumstances: Circumstances
    rows: tuple[ExperimentRow, ...] = field(repr=False)


@checked
def run_experiments(
    data: Mapping[str, Baskets],
    folder: str | Path,
    *,
    figures: Collection[int] = FIGURES,
    repetitions: int = 10,
    seed: int = 0,
    strategy: Strategy = "paper",
    keep_low: KeepLow | None = None,
    circumstances: Circumstances = PAPER,
    threads: int = THREADS,
    progress: Progress = silent,
) -> Experiments:
    """Run the experiments behind some of the figures 3 to 7; the rows are kept in `folder`.

    Rows left there by an earlier call with the same data, seed, strategy and circumstances are reused, whether that
    call was interrupted or this one asks for more repetitions, figures or data. A row depends only on the seed and on
    what it describes, not on the order or on what else is computed.
    """
    _check(figures, repetitions)
    circumstances.check()
    given = {"seed": seed, "strategy": strategy, "keep_low": keep_low, **asdict(circumstances)}
    kept = RowsFile(Path(folder), data, given)
    wanted = [run for run in _runs(data, repetitions) if run.study.figures.keys() & set(figures)]
    nothing = BasketLoss(0.0, 0.0, 0.0)
    missing = [run for run in wanted if not kept.has(run.rows(nothing, safe=True))]
    # Long runs first, so that no thread is left alone with one at the end.
    missing.sort(key=lambda run: (run.study.varied != "epsilon", float(run.x)))
    how = partial(perform, seed=seed, strategy=strategy, keep_low=keep_low, circumstances=circumstances)
    tasks = [partial(how, data[run.data], run) for run in missing]
    progress(message("progress.experiments"), len(wanted) - len(missing), len(wanted))
    for number, rows in enumerate(_performed(tasks, threads), len(wanted) - len(missing) + 1):
        kept.add(rows)
        progress(message("progress.experiments"), number, len(wanted))
    return Experiments(data, seed, strategy, keep_low, circumstances, kept.chosen(figures, data, repetitions))


def _check(figures: Collection[int], repetitions: int) -> None:
    strange = sorted(set(figures) - set(FIGURES))
    if strange:
        raise OptionNotUsable("errors.experiments.figure", figure=strange[0], figures=Joined(FIGURES))
    if not len(figures):
        raise OptionNotUsable("errors.experiments.no_figures", figures=Joined(FIGURES))
    if repetitions < 1:
        raise OptionNotUsable("errors.experiments.repetitions", repetitions=repetitions)


def _runs(data: Collection[str], repetitions: int) -> Iterator[Run]:
    for study in STUDIES:
        for name in data:
            for x in study.values:
                for repetition in range(1, repetitions + 1):
                    yield from (Run(study, name, setting, x, repetition) for setting in study.settings)


def _performed(tasks: Sequence[Callable[[], list[ExperimentRow]]], threads: int) -> Iterator[list[ExperimentRow]]:
    """Perform runs on several threads, which kernels leave free for each other; yield their rows as they come."""
    with ThreadPoolExecutor(threads) as pool:
        waiting = {pool.submit(task) for task in tasks}
        try:
            while waiting:
                finished, waiting = wait(waiting, timeout=_LOOK, return_when=FIRST_COMPLETED)
                # What is finished first: it is kept even if another run was interrupted or failed.
                for one in sorted(finished, key=lambda one: one.exception() is not None):
                    yield one.result()
                safe_point()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def perform(
    baskets: Baskets,
    run: Run,
    *,
    seed: int,
    strategy: Strategy = "paper",
    keep_low: KeepLow | None = None,
    circumstances: Circumstances = PAPER,
) -> list[ExperimentRow]:
    """Draw records and sensitive items, suppress and measure."""
    short = baskets if run.study.varied == "epsilon" else baskets.select(baskets.lengths <= LONGEST)
    sample = draw_records(short, circumstances.sample, run.seed("sample", seed))
    found = suppress_baskets(
        sample,
        sensitive_items(sample, run, seed, circumstances),
        strategy=strategy,
        keep_low=keep_low,
        seed=run.seed("suppression", seed),
        **_guarantee(run, circumstances),
    )
    if found.interrupted:
        raise KeyboardInterrupt
    return run.rows(found.loss, safe=found.safe)


def _guarantee(run: Run, circumstances: Circumstances) -> dict[str, Any]:
    if run.study.varied == "rho":
        return {"rho": run.x, "max_known": circumstances.max_known_exact}
    if run.study.varied == "epsilon":
        drawn = {"epsilon": float(run.x), "delta": float(run.x)}
        return {"rho": circumstances.rho, "max_known": circumstances.max_known, **drawn}
    return {"rho": circumstances.rho, "max_known": circumstances.max_known_exact}


def draw_records(baskets: Baskets, share: float, seed: int) -> Baskets:
    """Return a share of the records, at least one, drawn at random, in their order."""
    chosen = np.zeros(len(baskets), np.bool_)
    number = max(1, round(share * len(baskets))) if len(baskets) else 0
    chosen[np.random.default_rng(seed).choice(len(baskets), number, replace=False)] = True
    return baskets.select(chosen)


def sensitive_items(baskets: Baskets, run: Run, seed: int, circumstances: Circumstances = PAPER) -> SensitiveItems:
    """Return the sensitive items of the users of the sample, as the setting of a run says."""
    users, items = len(baskets), len(baskets.names)
    for_all, own = np.zeros(users, np.int32), np.arange(users, dtype=np.int32)
    if run.setting == "fixed":
        return SensitiveItems(
            for_all, random_lists(1, items, circumstances.sensitive, run.seed("lists", seed)), run.setting
        )
    if run.setting == "personalized":
        return SensitiveItems(
            own, random_lists(users, items, circumstances.sensitive, run.seed("lists", seed)), run.setting
        )
    lists = noisy_lists(users, items, float(run.x), circumstances.noise, run.seed("often", seed))
    if run.setting == "personalized+":
        return sensitive_rows(lists, own, run.setting)
    anybody = np.logical_or.reduce(lists, axis=0, keepdims=True)
    return sensitive_rows(anybody, for_all, run.setting)


def noisy_lists(users: int, items: int, share: float, noise: float, seed: int) -> NDArray[np.bool_]:
    """Return a row of items a user: a random share is sensitive to most, and each may be otherwise to some."""
    rng = np.random.default_rng(seed)
    often = np.zeros(items, np.bool_)
    often[rng.choice(items, round(share * items), replace=False)] = True
    found: NDArray[np.bool_] = often ^ (rng.random((users, items), np.float32) < noise)
    return found


@dataclass(frozen=True, slots=True)
class ExperimentSpread(Result):
    """Mean and standard deviation of the repetitions at one point of a figure; the deviation of a single value is 0."""

    figure: int
    data: str
    setting: str
    x: float
    repetitions: int
    mean: float
    deviation: float


@checked
def summarize_experiments(rows: Sequence[ExperimentRow]) -> tuple[ExperimentSpread, ...]:
    """Return mean and sample standard deviation for each figure, data set, setting and x, in that order."""
    values: dict[tuple[int, str, str, float], list[float]] = {}
    for row in rows:
        values.setdefault((row.figure, row.data, row.setting, row.x), []).append(row.value)
    return tuple(
        ExperimentSpread(
            *place, len(found), float(np.mean(found)), float(np.std(found, ddof=1)) if len(found) > 1 else 0.0
        )
        for place, found in sorted(values.items())
    )
