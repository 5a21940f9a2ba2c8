"""T. Nakagawa, Arai, H. Nakagawa: Personalized anonymization of set-valued data."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping

import numpy as np

import sudare
from papers.rows import Find, Paper, Row, row
from sudare.baskets.check.sample_sizes import paper_sample_size
from sudare.baskets.experiments.experiments import LONGEST
from sudare.baskets.suppress.suppression import Strategy

DATA = {"BMS-WebView-1": "bms-webview-1.txt", "BMS-WebView-2": "bms-webview-2.txt"}
RULES = "sudare baskets rules B --support 1 --confidence 0.1"
SUPPRESS = "sudare baskets suppress {file} --sensitive {secrets} --rho 0.5 -o published.txt"
PERSONAL = "random:0.4"
STRATEGIES: dict[str, Strategy] = {"Algorithm {}": "paper", "Section 5, a better one": "best"}
# Records of which Algorithm 2 is run here.
FIRST = 5000

# Figure 1: the original records, and those that are published.
ORIGINAL = "milk bread medicine", "apple", "milk coffee bread", "milk medicine", "coffee bread apple", "orange medicine"
PUBLISHED = "bread medicine", "apple", "milk coffee", "milk medicine", "coffee bread apple", "orange"
# Figure 2: x and y of four users, y is to be kept from who knows x.
TWO = "x y", "x y", "x y", "x"

# Table 1: records, items, longest record, mean length; and section 4.1: records of at most five items.
TABLE = {"BMS-WebView-1": "59,602, 497, 267, 2.5", "BMS-WebView-2": "77,512, 3,340, 161, 5.0"}
SHORT = {"BMS-WebView-1": "54,737", "BMS-WebView-2": "58,044"}
OTHER_FILE = {
    "BMS-WebView-1": "The public file has one record less than the paper's.",
    "BMS-WebView-2": "The public file has the records, items and longest record of the paper, and 4.6 items a record.",
}


def rows(find: Find) -> Iterator[Row]:
    """Find the numbers of the paper, and small runs of its algorithms and experiments."""
    yield from _examples()
    data = {name: sudare.read_baskets(find(file)) for name, file in DATA.items()}
    yield from _data(data)
    yield from _algorithms(data)
    yield from _figures(data)


def _examples() -> Iterator[Row]:
    for part, records, printed in (("Figure 1a", ORIGINAL, "0.667"), ("Figure 1c", PUBLISHED, "0.500")):
        rules = sudare.baskets.association_rules(_baskets(records), 1, 0.1).rules
        found = next(rule for rule in rules if (rule.known, rule.inferred) == (("milk",), ("medicine",)))
        yield row(part, "confidence of milk -> medicine", printed, (found.confidence,), RULES)
    baskets = _baskets(TWO)
    made = sudare.baskets.suppress_baskets(
        baskets, sudare.baskets.read_sensitive("item:y", baskets), rho="0.5", max_known=1
    )
    command = SUPPRESS.format(file="B", secrets="item:y")
    yield row("Figure 2b", "formula (4): y to suppress", "1", (made.suppressed,), command)
    for epsilon, printed in {0.1: "116", 0.05: "600", 0.01: "23,026"}.items():
        what = f"draws for epsilon = delta = {epsilon}"
        command = f"{SUPPRESS.format(file='B', secrets='S')} --epsilon {epsilon} --delta {epsilon}"
        yield row("Theorem 1", what, printed, (paper_sample_size(epsilon, epsilon),), command)


def _data(data: Mapping[str, sudare.Baskets]) -> Iterator[Row]:
    for name, baskets in data.items():
        lengths, command = baskets.lengths, f"sudare baskets experiment {DATA[name]} -o DIR"
        values = (len(baskets), len(baskets.names), int(lengths.max()), float(lengths.mean()))
        remark = OTHER_FILE[name]
        what = f"{name}: records, items, longest, mean length"
        yield row("Table 1", what, TABLE[name], values, command, remark=remark)
        short = (int((lengths <= LONGEST).sum()),)
        what = f"{name}: records of at most {LONGEST} items"
        yield row("Section 4.1", what, SHORT[name], short, command, remark=remark if name == "BMS-WebView-1" else "")


def _algorithms(data: Mapping[str, sudare.Baskets]) -> Iterator[Row]:
    for name, baskets in data.items():
        short = baskets.select(baskets.lengths <= LONGEST)
        for part, strategy in STRATEGIES.items():
            made = sudare.baskets.suppress_baskets(
                short, sudare.baskets.read_sensitive(PERSONAL, short), rho="0.5", strategy=strategy
            )
            command = SUPPRESS.format(file="short.txt", secrets=PERSONAL) + f" --strategy {strategy}"
            what = f"{name}, at most {LONGEST} items: suppressed / KL / rules lost"
            yield Row(part.format(1), what, "", _losses(made), command)
    yield from _sampled(data["BMS-WebView-1"])


def _sampled(baskets: sudare.Baskets) -> Iterator[Row]:
    first = baskets.select(np.arange(len(baskets)) < FIRST)
    for part, strategy in STRATEGIES.items():
        made = sudare.baskets.suppress_baskets(
            first, sudare.baskets.read_sensitive(PERSONAL, first), rho="0.5", max_known=5, epsilon=0.1, delta=0.1,
            strategy=strategy,
        )  # fmt: skip
        command = SUPPRESS.format(file="first.txt", secrets=PERSONAL)
        command += f" --max-known 5 --epsilon 0.1 --delta 0.1 --strategy {strategy}"
        what = f"BMS-WebView-1, the first {FIRST:,} records: suppressed / KL / rules lost"
        yield Row(part.format(2), what, "", _losses(made), command)


def _losses(made: sudare.baskets.Suppression) -> str:
    loss = made.loss
    return f"{made.suppressed_share:.4f} / {loss.kl_divergence:.5f} / {loss.rules_distance or 0:.3f}"


def _figures(data: Mapping[str, sudare.Baskets]) -> Iterator[Row]:
    name = "BMS-WebView-1"
    with tempfile.TemporaryDirectory() as folder:
        found = sudare.baskets.run_experiments({name: data[name]}, folder, repetitions=1, figures=[3, 4, 6, 7])
    shown = {
        3: (0.5, "rho 0.5"),
        4: (0.5, "rho 0.5"),
        6: (0.05, "5 % often sensitive"),
        7: (0.05, "5 % often sensitive"),
    }
    titles = {3: "suppressed share", 4: "KL divergence", 6: "suppressed share", 7: "rules lost"}
    for figure, (x, where) in shown.items():
        values = [one for one in found.rows if (one.figure, one.x) == (figure, x)]
        text = ", ".join(f"{one.setting} {one.value:.4f}" for one in sorted(values, key=lambda one: one.setting))
        command = f"sudare baskets experiment {DATA[name]} --figures {figure} --repetitions 1 -o DIR"
        yield Row(f"Figure {figure}", f"{name}, {where}: {titles[figure]}", "", text, command)
    command = f"sudare baskets experiment {DATA[name]} --figures 5 -o DIR"
    yield Row("Figure 5", "epsilon and delta: suppressed share", "", "chart", command)


def _baskets(records: tuple[str, ...]) -> sudare.Baskets:
    return sudare.baskets.make_baskets(record.split() for record in records)


PAPER = Paper(
    "T. Nakagawa, Arai, H. Nakagawa: Personalized anonymization of set-valued data",
    "Definitions 1 to 5 and what a sample proves: [baskets](baskets.md). Curves are printed without numbers; of each "
    "figure one place is shown, from one repetition on a tenth of the records, and `sudare baskets experiment` draws "
    "all of it ([the use of baskets](baskets-utility.md)).",
    rows,
)
