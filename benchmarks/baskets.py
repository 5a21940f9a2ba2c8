"""Personalized rho-uncertainty: checking against plain Python and pyroaring, suppressing, and how both grow."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pyroaring

import sudare
from measuring import Clock, Measured, exponent, in_child, real_data
from results import Found, Line
from sudare.baskets.check.uncertainty import check_baskets
from sudare.baskets.suppress.suppression import suppress_baskets

TITLE = "Baskets that keep personal secrets (rho 0.5, 40 % personalized sensitive items)"
PACKAGES = ("pyroaring",)
FILES = {"BMS-WebView-1": "bms-webview-1.txt", "BMS-WebView-2": "bms-webview-2.txt"}
LONGEST = 5
SENSITIVE = "random:0.4"
RHO = "0.5"

Inferred = dict[tuple[int, ...], list[int]]


def read(name: str, longest: int | None, share: float = 1.0) -> tuple[sudare.Baskets, sudare.baskets.SensitiveItems]:
    baskets = sudare.read_baskets(real_data(FILES[name]))
    if longest is not None:
        baskets = baskets.select(baskets.lengths <= longest)
    chosen = np.random.default_rng(1).random(len(baskets)) < share
    baskets = baskets.select(chosen)
    return baskets, sudare.baskets.read_sensitive(SENSITIVE, baskets)


def warm_up() -> None:
    """Compile before the clock starts, or load what is compiled."""
    baskets = sudare.baskets.make_baskets([["a", "b"], ["a", "b", "c"], ["a"]])
    sensitive = sudare.baskets.read_sensitive("random:0.7", baskets)
    check_baskets(baskets, sensitive, rho=RHO)
    for strategy in ("paper", "best"):
        suppress_baskets(baskets, sensitive, rho=RHO, strategy=strategy)
    suppress_baskets(baskets, sensitive, rho=RHO, max_known=2, epsilon=0.1, delta=0.1)


def ours(clock: Clock, name: str, longest: int, share: float) -> int:
    warm_up()
    baskets, sensitive = read(name, longest, share)
    clock.restart()
    verdict = check_baskets(baskets, sensitive, rho=RHO)
    clock.lap("check")
    return verdict.unsafe_adversaries


def dictionary(clock: Clock, name: str, longest: int, share: float) -> int:
    """Count every itemset that occurs in a dictionary."""
    records, secrets = plain(*read(name, longest, share))
    clock.restart()
    supports = Counter(found for record in records for found in subsets(record))
    unsafe = count_unsafe(records, secrets, supports)
    clock.lap("check")
    return unsafe


def bitmaps(clock: Clock, name: str, longest: int, share: float) -> int:
    """Intersect the compressed bitmaps of the records of each item."""
    records, secrets = plain(*read(name, longest, share))
    clock.restart()
    owners: dict[int, list[int]] = {}
    for number, record in enumerate(records):
        for item in record:
            owners.setdefault(item, []).append(number)
    maps = {item: pyroaring.BitMap(numbers) for item, numbers in owners.items()}
    different = {found for record in records for found in subsets(record)}
    supports = {found: len(pyroaring.BitMap.intersection(*(maps[item] for item in found))) for found in different}
    unsafe = count_unsafe(records, secrets, supports)
    clock.lap("check")
    return unsafe


def plain(baskets: sudare.Baskets, sensitive: sudare.baskets.SensitiveItems) -> tuple[list[tuple[int, ...]], list[int]]:
    """Return records as tuples and each user's sensitive items as the bits of a number."""
    records = [tuple(baskets.record(u).tolist()) for u in range(len(baskets))]
    rows = [int.from_bytes(words.tobytes(), "little") for words in sensitive.words]
    return records, [rows[row] for row in sensitive.rows.tolist()]


def subsets(record: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [found for size in range(1, len(record) + 1) for found in combinations(record, size)]


def count_unsafe(records: list[tuple[int, ...]], secrets: list[int], supports: dict[tuple[int, ...], int]) -> int:
    inferred: Inferred = {}
    for found, support in supports.items():
        for place in range(len(found) if len(found) > 1 else 0):
            known = found[:place] + found[place + 1 :]
            if 2 * support > supports[known]:
                inferred.setdefault(known, []).append(found[place])
    return sum(
        any(secret >> item & 1 for item in inferred.get(known, ()))
        for record, secret in zip(records, secrets, strict=True)
        for known in subsets(record)
    )


def suppress(clock: Clock, name: str, longest: int | None, share: float, strategy: str, sampled: bool) -> list[float]:
    warm_up()
    baskets, sensitive = read(name, longest, share)
    sampling = {"max_known": 5, "epsilon": 0.05, "delta": 0.05} if sampled else {}
    clock.restart()
    found = suppress_baskets(baskets, sensitive, rho=RHO, strategy=strategy, **sampling)
    clock.lap("suppress")
    assert found.safe or sampled
    return [found.suppressed_share, sudare.baskets.kl_divergence(baskets, found.published), found.passes, len(baskets)]


def itemsets(clock: Clock, name: str, support: float) -> int:
    sudare.baskets.frequent_itemsets(sudare.baskets.make_baskets([["a", "b"]]), 1)
    baskets = sudare.read_baskets(real_data(FILES[name]))
    clock.restart()
    found = sudare.baskets.frequent_itemsets(baskets, support)
    clock.lap("mine")
    return len(found)


def run() -> Found:
    """Measure and return the section of the results."""
    for file in FILES.values():
        real_data(file)
    checks, check_lines = checking()
    growth, check_exponents, suppress_lines = growing()
    check_lines = [replace(line, exponent=e) for line, e in zip(check_lines, check_exponents, strict=True)]
    return Found("\n\n".join([checks, suppressing(), growth, mining()]), (*check_lines, *suppress_lines))


def best_of(rounds: int, function: str, *words: object) -> Measured:
    return min((in_child("baskets", function, *words) for _ in range(rounds)), key=lambda run: sum(run.parts.values()))


def seconds(run: Measured) -> float:
    return sum(run.parts.values())


def checking() -> tuple[str, list[Line]]:
    found = []
    lines = ["| checked exactly, records of up to 5 items | sudare | dictionary | pyroaring | unsafe adversaries |"]
    lines.append("|---|---:|---:|---:|---:|")
    for name in FILES:
        first = best_of(3, "ours", name, LONGEST, 1.0)
        others = [best_of(2, function, name, LONGEST, 1.0) for function in ("dictionary", "bitmaps")]
        assert {other.answer for other in others} == {first.answer}, [first.answer, *(o.answer for o in others)]
        named = dict(zip(("dictionary", "pyroaring"), map(seconds, others), strict=True))
        found.append(Line(f"Check of {name}, up to {LONGEST} items", seconds(first), named))
        cells = [f"{seconds(other):.2f} s ({seconds(other) / seconds(first):.0f} x)" for other in others]
        lines.append(f"| {name} | {seconds(first):.3f} s | {' | '.join(cells)} | {first.answer:,} |")
    lines.append("")
    lines.append(
        "In brackets: how many times as long as sudare. All find the same number of unsafe adversaries (checked). The "
        "dictionary counts every itemset that occurs; pyroaring intersects the bitmaps of its items. Reading is not in "
        "the times."
    )
    return "\n".join(lines), found


def suppressing() -> str:
    lines = ["| suppressed and verified | time | peak memory | items suppressed | KL | passes |"]
    lines.append("|---|---:|---:|---:|---:|---:|")
    for name in FILES:
        for strategy in ("paper", "best"):
            label = f"{name}, up to 5 items, {strategy}"
            lines.append(line(label, in_child("baskets", "suppress", name, LONGEST, 1.0, strategy, False)))
        whole = in_child("baskets", "suppress", name, None, 1.0, "paper", True)
        lines.append(line(f"{name}, all records, sampled (epsilon = delta = 0.05, m = 5)", whole))
    return "\n".join(lines)


def line(label: str, run: Measured) -> str:
    share, divergence, passes, _ = run.answer
    return (
        f"| {label} | {seconds(run):.2f} s | {run.gigabytes:.2f} GB | {share:.2%} | {divergence:.4f} | {passes:.0f} |"
    )


def growing() -> tuple[str, list[float], list[Line]]:
    """Return the table, how checks grow with the records of each file, and the lines of suppressing."""
    exponents, found = [], []
    lines = ["| growth | records | check | suppress (paper) |", "|---|---:|---:|---:|"]
    for name in FILES:
        places = [(LONGEST, share) for share in (0.25, 0.5, 1.0)] + [(longest, 1.0) for longest in (3, 4, 6, 7)]
        checked, suppressed = [], []
        for longest, share in places:
            check = best_of(2, "ours", name, longest, share)
            done = in_child("baskets", "suppress", name, longest, share, "paper", False)
            if longest == LONGEST:
                checked.append((done.answer[3], seconds(check)))
                suppressed.append((done.answer[3], seconds(done)))
            label = f"{name}, up to {longest} items" + (f", {share:.0%} of the records" if share < 1 else "")
            lines.append(f"| {label} | {done.answer[3]:,.0f} | {seconds(check):.3f} s | {seconds(done):.2f} s |")
        exponents.append(exponent(checked[0], checked[-1]))
        grows = exponent(suppressed[0], suppressed[-1])
        found.append(Line(f"Suppression in {name}, up to {LONGEST} items", suppressed[-1][1], exponent=grows))
    return "\n".join(lines), exponents, found


def mining() -> str:
    lines = ["| frequent itemsets, all records | threshold | itemsets | time |", "|---|---:|---:|---:|"]
    for name in FILES:
        for support in (0.001, 0.0007):
            found = best_of(2, "itemsets", name, support)
            lines.append(f"| {name} | {support:.2%} | {found.answer:,} | {seconds(found):.3f} s |")
    return "\n".join(lines)
