"""The experiments of T. Nakagawa, Arai, H. Nakagawa: Personalized anonymization of set-valued data, section 4.

Each run draws a tenth of the records and the sensitive items anew, suppresses, and measures what is lost. `fixed` is
one random list of sensitive items for all users, `personalized` another one for each. In the more realistic settings
many items are sensitive to most users: `personalized+` turns that over for each user and item with a small
probability, and `fixed+` protects whatever is sensitive to anybody, which is what a model without personal lists has to
do.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.anonymize.experiment_rows import ExperimentRow, RowsFile
from sudare.anonymize.suppression import Strategy, suppress_baskets
from sudare.arguments import checked
from sudare.data.baskets import Baskets, SensitiveItems, sensitive_rows
from sudare.data.sensitive import random_lists
from sudare.errors import OptionNotUsable
from sudare.interruption import safe_point
from sudare.progress import Progress, silent
from sudare.showing import dataclass
from sudare.utility.baskets import kl_divergence, rules_distance, suppressed_share

# Section 4.1: records that Algorithm 1 is given, the share of records drawn, the share of sensitive items, and how
# often a user differs from most others on an item.
LONGEST = 5
DRAWN = 0.1
SENSITIVE = 0.4
NOISE = 0.01
# Section 4.2: what is kept where something else varies.
RHO = "0.5"
MAX_KNOWN = 5
THREADS = 2
# Seconds between two looks at whether the work is to stop.
_LOOK = 0.2

_MEASURES: dict[str, Callable[[Baskets, Baskets], float]] = {
    "suppressed_share": suppressed_share,
    "kl_divergence": kl_divergence,
    "rules_distance": rules_distance,
}


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

    def rows(self, values: Mapping[int, float], *, safe: bool) -> list[ExperimentRow]:
        """Return the rows of the figures."""
        return [
            ExperimentRow(figure, self.data, self.setting, float(self.x), self.repetition, value, safe)
            for figure, value in values.items()
        ]


@dataclass(frozen=True, slots=True)
class Experiments:
    """The values of experiments, and what they were computed from and how."""

    data: Mapping[str, Baskets] = field(repr=False, compare=False)
    seed: int
    strategy: Strategy
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
    threads: int = THREADS,
    progress: Progress = silent,
) -> Experiments:
    """Run the experiments behind some of the figures 3 to 7; the rows are kept in `folder`.

    Rows that an earlier call with the same data, seed and strategy left there are not computed again, be it that it
    was interrupted or that more repetitions, figures or data are asked for now. A row depends on the seed and on what
    the row is, not on the order or on what else is computed.
    """
    _check(figures, repetitions)
    kept = RowsFile(Path(folder), data, seed=seed, strategy=strategy)
    wanted = [run for run in _runs(data, repetitions) if run.study.figures.keys() & set(figures)]
    missing = [run for run in wanted if not kept.has(run.rows(dict.fromkeys(run.study.figures, 0.0), safe=True))]
    # Long runs first, so that no thread is left alone with one at the end.
    missing.sort(key=lambda run: (run.study.varied != "epsilon", float(run.x)))
    tasks = [(data[run.data], run, seed, strategy) for run in missing]
    progress("experiments", len(wanted) - len(missing), len(wanted))
    for number, rows in enumerate(_performed(tasks, threads), len(wanted) - len(missing) + 1):
        kept.add(rows)
        progress("experiments", number, len(wanted))
    return Experiments(data, seed, strategy, kept.chosen(figures, data, repetitions))


def _check(figures: Collection[int], repetitions: int) -> None:
    strange = sorted(set(figures) - set(FIGURES))
    if strange or not len(figures):
        raise OptionNotUsable(
            f"There is no figure {strange[0] if strange else 'asked for'}.\n"
            f"Hint: --figures {','.join(map(str, FIGURES))}, or some of them."
        )
    if repetitions < 1:
        raise OptionNotUsable(f"Nothing is done in {repetitions} repetitions.\nHint: --repetitions 10")


def _runs(data: Collection[str], repetitions: int) -> Iterator[Run]:
    for study in STUDIES:
        for name in data:
            for x in study.values:
                for repetition in range(1, repetitions + 1):
                    yield from (Run(study, name, setting, x, repetition) for setting in study.settings)


def _performed(tasks: Sequence[tuple[Baskets, Run, int, Strategy]], threads: int) -> Iterator[list[ExperimentRow]]:
    """Perform runs on several threads, which kernels leave free for each other; yield their rows as they come."""
    with ThreadPoolExecutor(threads) as pool:
        waiting = {
            pool.submit(perform, baskets, run, seed=seed, strategy=strategy) for baskets, run, seed, strategy in tasks
        }
        try:
            while waiting:
                finished, waiting = wait(waiting, timeout=_LOOK, return_when=FIRST_COMPLETED)
                # What is finished first: it is kept even if another run was interrupted or failed.
                for one in sorted(finished, key=lambda one: one.exception() is not None):
                    yield one.result()
                safe_point()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def perform(baskets: Baskets, run: Run, *, seed: int, strategy: Strategy) -> list[ExperimentRow]:
    """Draw records and sensitive items, suppress and measure."""
    short = baskets if run.study.varied == "epsilon" else baskets.select(baskets.lengths <= LONGEST)
    sample = draw_records(short, run.seed("sample", seed))
    found = suppress_baskets(
        sample,
        sensitive_items(sample, run, seed),
        strategy=strategy,
        seed=run.seed("suppression", seed),
        **_guarantee(run),
    )
    if found.interrupted:
        raise KeyboardInterrupt
    values = {figure: _MEASURES[measure](sample, found.published) for figure, measure in run.study.figures.items()}
    return run.rows(values, safe=found.safe)


def _guarantee(run: Run) -> dict[str, Any]:
    if run.study.varied == "rho":
        return {"rho": run.x}
    if run.study.varied == "epsilon":
        return {"rho": RHO, "max_known": MAX_KNOWN, "epsilon": float(run.x), "delta": float(run.x)}
    return {"rho": RHO}


def draw_records(baskets: Baskets, seed: int) -> Baskets:
    """Return a tenth of the records, drawn at random, in their order."""
    chosen = np.zeros(len(baskets), np.bool_)
    number = max(1, round(DRAWN * len(baskets))) if len(baskets) else 0
    chosen[np.random.default_rng(seed).choice(len(baskets), number, replace=False)] = True
    return baskets.select(chosen)


def sensitive_items(baskets: Baskets, run: Run, seed: int) -> SensitiveItems:
    """Return the sensitive items of the users of the sample, as the setting of a run says."""
    users, items = len(baskets), len(baskets.names)
    for_all, own = np.zeros(users, np.int32), np.arange(users, dtype=np.int32)
    if run.setting == "fixed":
        return SensitiveItems(for_all, random_lists(1, items, SENSITIVE, run.seed("lists", seed)), run.setting)
    if run.setting == "personalized":
        return SensitiveItems(own, random_lists(users, items, SENSITIVE, run.seed("lists", seed)), run.setting)
    lists = noisy_lists(users, items, float(run.x), run.seed("often", seed))
    if run.setting == "personalized+":
        return sensitive_rows(lists, own, run.setting)
    anybody = np.logical_or.reduce(lists, axis=0, keepdims=True)
    return sensitive_rows(anybody, for_all, run.setting)


def noisy_lists(users: int, items: int, share: float, seed: int) -> NDArray[np.bool_]:
    """Return a row of items a user: a random share is sensitive to most, and each may be otherwise to some."""
    rng = np.random.default_rng(seed)
    often = np.zeros(items, np.bool_)
    often[rng.choice(items, round(share * items), replace=False)] = True
    found: NDArray[np.bool_] = often ^ (rng.random((users, items), np.float32) < NOISE)
    return found


@dataclass(frozen=True, slots=True)
class ExperimentSpread:
    """Mean and standard deviation of the repetitions at one place of a figure; the deviation of one value is 0."""

    figure: int
    data: str
    setting: str
    x: float
    repetitions: int
    mean: float
    deviation: float


@checked
def summarize_experiments(rows: Sequence[ExperimentRow]) -> tuple[ExperimentSpread, ...]:
    """Return mean and standard deviation (of a sample) for each figure, data set, setting and x, in that order."""
    values: dict[tuple[int, str, str, float], list[float]] = {}
    for row in rows:
        values.setdefault((row.figure, row.data, row.setting, row.x), []).append(row.value)
    return tuple(
        ExperimentSpread(
            *place, len(found), float(np.mean(found)), float(np.std(found, ddof=1)) if len(found) > 1 else 0.0
        )
        for place, found in sorted(values.items())
    )
