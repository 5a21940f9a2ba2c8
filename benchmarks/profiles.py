"""Recognizing customers by what they bought at another time, beside plain comparisons of their items."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

import sudare
from measuring import Clock, exponent, in_child, real_data
from results import Found, Line
from sudare.histories.generalized.model import CellHistory, ItemColumn, Kind, OrderedColumn
from sudare.histories.generalized.purchases import role_columns
from sudare.histories.profiles.assessment import split_profiles
from sudare.histories.profiles.periods import cut_days, cut_rows
from sudare.histories.profiles.read import NamedCells, cells_of_history

TITLE = "Profiles: customers recognized by what they bought at another time"
PACKAGES = ("scikit-learn", "scipy")
# File, split, how it is read.
SPLITS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "Online Retail": (
        "online-retail.parquet", "2011-06-10", {"missing_values": {"customer": ["0"]}, "bad_rows": "drop"}
    ),
    "T of PWSCUP 2018": ("pwscup2018-T.csv", "2011-06-01", {}),
}  # fmt: skip
CUSTOMERS = (2_000, 10_000, 50_000, 100_000)
SEED = 1
# Of T, customers with rows in both halves that are made alike, and how many of them.
CLASSES, K = 300, 3
# Letters of an item that are published where it is coarsened.
LETTERS = 3


def read(name: str) -> NamedCells:
    file, _, how = SPLITS[name]
    with sudare.read_history(real_data(file), **how) as history:
        return cells_of_history(history)


def baselines(clock: Clock, name: str) -> dict[str, float]:
    """Return the share of the customers of both periods that plain comparisons of items identify, each alone."""
    cells = read(name).cells
    early, late = (cells.taken(rows) for rows in cut_rows(cells, cut_days(cells, SPLITS[name][1])))
    both = np.intersect1d(early.persons, late.persons)
    known, published = (counts(part, both) for part in (early, late))
    found = {}
    for label, compare in COMPARISONS.items():
        clock.restart()
        found[label] = share_right(compare(published, known))
        clock.lap(label)
    return found


def counts(history: CellHistory, people: np.ndarray) -> sparse.csr_array:
    """Return how many rows each customer has of each item."""
    column = role_columns(history).item
    rows = np.isin(history.persons, people)
    places = np.searchsorted(people, history.persons[rows]), column.sets[rows]
    shape = len(people), len(column.names)
    return sparse.csr_array((np.ones(int(rows.sum())), places), shape)


def cosine(one: sparse.csr_array, other: sparse.csr_array) -> np.ndarray:
    lengths = [np.sqrt((part.multiply(part)).sum(axis=1))[:, None] for part in (one, other)]
    return (one @ other.T).toarray() / lengths[0] / lengths[1].T


def binary_cosine(published: sparse.csr_array, known: sparse.csr_array) -> np.ndarray:
    return cosine((published > 0).astype(float), (known > 0).astype(float))


def log_cosine(published: sparse.csr_array, known: sparse.csr_array) -> np.ndarray:
    return cosine(published.log1p(), known.log1p())


def bm25(published: sparse.csr_array, known: sparse.csr_array) -> np.ndarray:
    """Okapi BM25: customers are documents, the items of a pseudonym are a query (k1 = 1.2, b = 0.75)."""
    k1, b = 1.2, 0.75
    lengths = known.sum(axis=1)
    norm = k1 * (1 - b + b * lengths / lengths.mean())
    holders = np.bincount(known.indices, minlength=known.shape[1])
    rarity = np.log1p((known.shape[0] - holders + 0.5) / (holders + 0.5))
    own = sparse.coo_array(known)
    weights = own.data * (k1 + 1) / (own.data + norm[own.row]) * rarity[own.col]
    weighted = sparse.csr_array((weights, (own.row, own.col)), known.shape)
    return ((published > 0).astype(float) @ weighted.T).toarray()


def dirichlet(published: sparse.csr_array, known: sparse.csr_array, prior: float = 100.0) -> np.ndarray:
    """Logarithm of the likelihood of a pseudonym's rows by each customer's shares of items, smoothed."""
    usual = (known.sum(axis=0) + 1) / (known.sum() + known.shape[1])
    lengths = known.sum(axis=1)
    own = sparse.coo_array(known)
    gains = np.log1p(own.data / (prior * usual[own.col]))
    gained = sparse.csr_array((gains, (own.row, own.col)), known.shape)
    rows = published.sum(axis=1)
    return (published @ gained.T).toarray() - rows[:, None] * np.log(lengths + prior)[None]


COMPARISONS = {
    "binary cosine": binary_cosine,
    "cosine of log counts": log_cosine,
    "BM25": bm25,
    "Dirichlet likelihood": dirichlet,
}


def share_right(scores: np.ndarray) -> float:
    """Return how often the greatest score of a row is on the diagonal, ties being broken at random."""
    best = scores.max(axis=1)
    ties = np.isclose(scores, best[:, None], rtol=1e-12, atol=0).sum(axis=1)
    right = np.isclose(np.diag(scores), best, rtol=1e-12, atol=0)
    return float((right / ties).mean())


def attack(clock: Clock, name: str, trained: bool) -> dict[str, Any]:
    """Split a history and attack its later part, from reading to the whole answer."""
    warm_up()
    clock.restart()
    cells = read(name)
    clock.lap("read")
    found = split_profiles(cells, SPLITS[name][1], trained=trained, seed=0)
    clock.lap("attack")
    sure = next(one for one in found.surest if one.share == 0.3)
    return {
        **{key: getattr(found, key) for key in ("pseudonyms", "alone", "one_to_one", "best_ten", "calibration_error")},
        "open": found.open_world.one_to_one if found.open_world else None,
        "surest": sure.right,
    }


def warm_up() -> None:
    """Load what is compiled, and libraries."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "small.csv"
        sudare.generate_history(made, customers=100, seed=0)
        with sudare.read_history(made) as history:
            history.profiles(split="half")


def classes(clock: Clock) -> dict[str, Any]:
    """Publish the later half of customers of T in classes of k, and attack it knowing the earlier half."""
    cells = read("T of PWSCUP 2018").cells
    early, late = (cells.taken(rows) for rows in cut_rows(cells, cut_days(cells, "2011-06-01")))
    both = np.random.default_rng(SEED).permutation(np.intersect1d(early.persons, late.persons))[:CLASSES]
    known, shown = (part.taken(np.flatnonzero(np.isin(part.persons, both))) for part in (early, late))
    clock.restart()
    made = sudare.histories.anonymize_history(shown, K, seed=SEED, seconds=40, fast=True)
    clock.lap("anonymize")
    return {"U": made.utility, **attacked(known, made.history, shown)}


def levels(_: Clock, trained: bool) -> dict[str, Any]:
    """Publish the later half of T with months, items of three letters, and prices and quantities by powers of two."""
    cells = read("T of PWSCUP 2018").cells
    early, late = (cells.taken(rows) for rows in cut_rows(cells, cut_days(cells, "2011-06-01")))
    both = np.intersect1d(early.persons, late.persons)
    known, shown = (part.taken(np.flatnonzero(np.isin(part.persons, both))) for part in (early, late))
    return attacked(known, replace(shown, columns=tuple(map(coarse, shown.columns))), shown, trained=trained)


def coarse(column: OrderedColumn | ItemColumn) -> OrderedColumn | ItemColumn:
    """Return cells of months, of powers of two, or of the items that begin with the same letters."""
    if isinstance(column, ItemColumn):
        _, of_item = np.unique([name[:LETTERS] for name in column.names], return_inverse=True)
        order = np.argsort(of_item, kind="stable").astype(np.int32)
        sizes = np.bincount(of_item)
        count = len(column.names)
        starts = np.concatenate([np.arange(count), count + np.cumsum([0, *sizes])])
        members = np.concatenate([np.arange(count, dtype=np.int32), order])
        sets = (count + of_item[column.sets]).astype(np.int32)
        kinds = np.where(sizes[of_item[column.sets]] > 1, Kind.SET, Kind.EXACT).astype(np.uint8)
        return replace(column, kinds=kinds, sets=sets, starts=starts, members=members)
    if column.form == "date":
        month = column.low.astype("datetime64[D]").astype("datetime64[M]")
        low, high = (month + step for step in (0, 1))
        ends = low.astype("datetime64[D]").astype(np.int64), high.astype("datetime64[D]").astype(np.int64) - 1
    else:
        power = np.floor(np.log2(np.maximum(column.low, 1))).astype(np.int64)
        ends = 2**power, 2 ** (power + 1) - 1
    return replace(column, kinds=np.full(len(column.kinds), Kind.RANGE, np.uint8), low=ends[0], high=ends[1])


def attacked(known: CellHistory, made: CellHistory, shown: CellHistory, *, trained: bool = False) -> dict[str, Any]:
    """Attack what was made, row by row, of rows whose customers are known."""
    people = int(max(known.persons.max(), shown.persons.max()))
    names = tuple(str(person) for person in range(1, people + 1))
    rows = np.flatnonzero(~made.deleted)
    pids, first = np.unique(made.persons[rows], return_index=True)
    truth = {str(pid): str(shown.persons[rows[place]]) for pid, place in zip(pids, first, strict=True)}
    pseudonyms = tuple(str(pid) for pid in range(1, int(pids.max()) + 1))
    found = sudare.histories.assess_profiles(
        NamedCells(known, names), NamedCells(made.taken(rows), pseudonyms), truth=truth, trained=trained, closed=True
    )
    right_class = found.classes.right_class if found.classes else None
    return {"pseudonyms": found.pseudonyms, "one_to_one": found.one_to_one, "right_class": right_class}


def grown(clock: Clock, customers: int, trained: bool) -> dict[str, Any]:
    """Generate customers and attack the later half of their year."""
    warm_up()
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "made.parquet"
        rows = sudare.generate_history(made, customers=customers, seed=SEED).rows
        clock.restart()
        with sudare.read_history(made) as history:
            clock.lap("read")
            found = history.profiles(split="half", trained=trained)
        clock.lap("attack")
    return {"rows": rows, "pseudonyms": found.pseudonyms, "one_to_one": found.one_to_one, "best_ten": found.best_ten}


def percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


def run() -> Found:
    """Measure and return the section of the results."""
    text, lines = _splits()
    made = in_child("profiles", "classes").answer
    plain, learnt = (in_child("profiles", "levels", trained).answer for trained in (False, True))
    text += [
        "",
        f"Classes of {K} of {CLASSES} customers of T's later half (U {made['U']:.3f}): {percent(made['one_to_one'])} "
        f"of the pseudonyms are identified, of at most {percent(1 / K)}; {percent(made['right_class'])} of the "
        "customers are assigned to the right class. With months, items of three letters, and prices and quantities "
        f"between powers of two, {percent(plain['one_to_one'])} of T's pseudonyms are identified untrained and "
        f"{percent(learnt['one_to_one'])} trained.",
        "",
    ]
    grown_text, grown_lines = _growth()
    return Found("\n".join(text + grown_text), (*lines, *grown_lines))


def _splits() -> tuple[list[str], list[Line]]:
    text = [
        "| data | attack | alone | one-to-one | best ten | calibration error | surest 30 % right | open world | time |"
    ]
    text.append("|---|---|---:|---:|---:|---:|---:|---:|---:|")
    lines = []
    for name in SPLITS:
        plain = in_child("profiles", "baselines", name)
        for label, share in plain.answer.items():
            text.append(f"| {name} | {label} | {percent(share)} | | | | | | {plain.parts[label]:.2f} s |")
        for trained in (False, True):
            done = in_child("profiles", "attack", name, trained)
            found, label = done.answer, "sudare, trained" if trained else "sudare, untrained"
            shares = [percent(found[key]) for key in ("alone", "one_to_one", "best_ten")]
            shares += [f"{found['calibration_error']:.3f}", percent(found["surest"]), percent(found["open"])]
            text.append(
                f"| {name} | {label} | {' | '.join(shares)} | {done.parts['read'] + done.parts['attack']:.1f} s |"
            )
            missed = {key: 100 * (1 - share) for key, share in plain.answer.items()}
            work = f"Pseudonyms not identified, {name}, {label.removeprefix('sudare, ')}"
            lines.append(Line(work, 100 * (1 - found["one_to_one"]), missed, unit="%"))
    text += [
        "",
        "Customers of both periods, in a closed world. Plain comparisons are of items only, each pseudonym alone; "
        "their time is that of comparing alone, sudare's includes reading, both worlds, calibration and evidence.",
    ]
    return text, lines


def _growth() -> tuple[list[str], list[Line]]:
    text = ["| generated customers | rows | attack | in both halves | one-to-one | best ten | time | memory |"]
    text.append("|---:|---:|---|---:|---:|---:|---:|---:|")
    lines = []
    for trained in (False, True):
        points = []
        for customers in CUSTOMERS:
            done = in_child("profiles", "grown", customers, trained)
            found, label = done.answer, "trained" if trained else "untrained"
            points.append((found["rows"], done.parts["attack"]))
            shares = f"{found['pseudonyms']:,} | {percent(found['one_to_one'])} | {percent(found['best_ten'])}"
            cost = f"{done.parts['attack']:.1f} s | {done.gigabytes:.2f} GB"
            text.append(f"| {customers:,} | {found['rows']:,} | {label} | {shares} | {cost} |")
        growth = exponent(points[0], points[-1])
        lines.append(Line(f"Profiles, {label}, {points[-1][0]:,} rows", points[-1][1], exponent=growth))
    text += ["", "Each generated year is split in the middle; the time is that of the closed and the open world."]
    return text, lines
