"""Adult made k-anonymous and l-diverse: what a record loses and how long it takes, against what others publish."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars

import sudare
from cell_tables import read_cells
from many_records import write_records
from measuring import Clock, Measured, exponent, in_child, real_data
from median_mondrian import median_mondrian
from results import Found, Line
from sudare.tables.anonymize import local
from sudare.tables.anonymize.class_search.search import ClassSearch
from sudare.tables.recoded.losses import table_loss
from sudare.tables.roles import find_roles

TITLE = "Adult anonymized: loss of nine attributes for k = 5, 10, 100 alone and with l = 3; a million records"
PACKAGES = ("anonypy", "anjana", "pycanon", "polars")
SENSITIVE = "occupation"
SECONDS = 30
# The lines of the tables, in their order; what was not measured in a unit is left out of its table.
LINES = (
    "levels, optimal", "plain median Mondrian", "sudare, best cuts alone", "sudare", "sudare, best cuts by NCP",
    "sudare, by NCP", "lower bound", "anjana", "anonypy, raised to nodes", "anonypy, its sets and ranges",
    "sudare, sets as cells",
)  # fmt: skip
# Records of the growing tables, and how long a search may improve each.
GROWTH = ((60_000, 30), (250_000, 120), (1_000_000, 480))


@dataclass(frozen=True)
class Setting:
    """What a table is to satisfy."""

    k: int
    diverse: int | None

    @property
    def sensitive(self) -> list[str]:
        return [SENSITIVE] if self.diverse else []

    def __str__(self) -> str:
        return f"k = {self.k}" + (f", l = {self.diverse}" if self.diverse else "")


SETTINGS = tuple(Setting(k, diverse) for diverse in (None, 3) for k in (5, 10, 100))


def search(
    clock: Clock, path: str, folder: str, k: int, diverse: int | None, options: dict[str, Any], out: str | None
) -> dict[str, Any]:
    """Anonymize a table, with the options given, and write it where a file is named.

    A first call with a thousand records loads the kernels and is not timed. Use and attacks are not measured.
    """
    asked = {"k": k, "l": diverse, "sensitive": [SENSITIVE] if diverse else [], "attacks": False, "utility": False}
    with sudare.read_table(path) as table, first_records(path) as few:
        hierarchies = dict(table.hierarchies(folder))
        clock.lap("read")
        sudare.tables.anonymize_table(few, hierarchies=hierarchies, **asked, **{**options, "seconds": SECONDS})
        clock.restart()
        found = sudare.tables.anonymize_table(table, hierarchies=hierarchies, **asked, **options)
        clock.lap("anonymize")
        if out:
            found.publish(out)
            clock.lap("publish")
        answer = {"entropy": found.loss.entropy, "ncp": found.loss.ncp, "bound": found.bound, "ended": found.ended}
        return {**answer, "classes": found.classes, "different": len(table.counts)}


def first_records(path: str) -> sudare.Table:
    return sudare.read_table(polars.read_csv(path, separator=";", infer_schema=False, n_rows=1000))


def cuts(clock: Clock, path: str, folder: str, k: int, diverse: int | None, options: dict[str, Any]) -> dict[str, Any]:
    """Anonymize a table by best cuts, and merging where it is needed, without any exchange and without a bound."""
    ClassSearch.improve = lambda _: "converged"  # type: ignore[method-assign]
    local.requested_bound = lambda *_, **__: None
    return search(clock, path, folder, k, diverse, options, None)


def mondrian(clock: Clock, path: str, folder: str, k: int, diverse: int | None) -> dict[str, Any]:
    with sudare.read_table(path) as table:
        hierarchies = dict(table.hierarchies(folder))
        roles = find_roles(table, known=quasi(table, diverse), sensitive=[SENSITIVE] if diverse else [])
        clock.lap("read")
        found = median_mondrian(table, hierarchies, roles, k=k, diverse=diverse)
        clock.lap("anonymize")
        assert found.sizes.min() >= k
        loss = table_loss(found)
        return {"entropy": loss.entropy, "ncp": loss.ncp, "highest": loss.highest_entropy}


def quasi(table: sudare.Table, diverse: int | None) -> list[str]:
    return [name for name in table.attributes if not (diverse and name == SENSITIVE)]


class Bench:
    """The measurements on a file: losses and seconds by the name of the line, for one setting after the other."""

    def __init__(self, path: Path, folder: Path, scratch: Path, *, seconds: float = SECONDS) -> None:
        self.path, self.folder, self.scratch, self.seconds = path, folder, scratch, seconds
        self.entropy: dict[str, list[float]] = {}
        self.ncp: dict[str, list[float]] = {}
        self.taken: dict[str, list[float]] = {}
        self.confirmed: list[str] = []
        self.highest = 0.0
        with sudare.read_table(path) as table:
            self.table = table
            self.hierarchies = dict(table.hierarchies(folder))

    def measure(self, setting: Setting) -> None:
        """Measure everything for a setting, one after the other."""
        self._sudare(setting)
        plain = in_child("anonymize_tables", "mondrian", *self._files, setting.k, setting.diverse)
        self._keep("plain median Mondrian", plain)
        # Of all nine attributes, which are quasi-identifiers only where none is sensitive.
        self.highest = max(self.highest, plain.answer["highest"])
        self._anonypy(setting)
        self._anjana(setting)

    @property
    def _files(self) -> tuple[str, str]:
        return str(self.path), str(self.folder)

    def _sudare(self, setting: Setting) -> None:
        self._keep("levels, optimal", self._search(setting, {"model": "levels"}))
        self._keep("sudare, best cuts alone", self._cuts(setting, {}))
        self._keep("sudare, sets as cells", self._search(setting, {"cells": "sets", "seconds": self.seconds}))
        out = self.scratch / "sudare.csv"
        found = self._search(setting, {"seconds": self.seconds}, str(out))
        self._keep("sudare", found, self.entropy)
        self._confirm(setting, out)
        self._keep("sudare, best cuts by NCP", self._cuts(setting, {"loss": "ncp"}))
        self._keep("sudare, by NCP", self._search(setting, {"loss": "ncp", "seconds": self.seconds}), self.ncp)

    def _cuts(self, setting: Setting, options: dict[str, Any]) -> Measured:
        return in_child("anonymize_tables", "cuts", *self._files, setting.k, setting.diverse, options)

    def _search(self, setting: Setting, options: dict[str, Any], out: str | None = None) -> Measured:
        return in_child("anonymize_tables", "search", *self._files, setting.k, setting.diverse, options, out)

    def _confirm(self, setting: Setting, path: Path) -> None:
        """Let pycanon find k and l of the written file."""
        separator = ";" if ";" in path.read_text(encoding="utf-8").splitlines()[0] else ","
        known = quasi(self.table, setting.diverse)
        found = in_child("rivals", "pycanon_confirms", str(path), separator, known, setting.sensitive).answer
        assert found["k"] >= setting.k, f"pycanon: {found} is not {setting}"
        assert not setting.diverse or found["l"] >= setting.diverse, f"pycanon: {found} is not {setting}"
        self.confirmed.append(f"{setting}: k = {found['k']}" + (f", l = {found['l']}" if setting.diverse else ""))

    def _anonypy(self, setting: Setting) -> None:
        out = str(self.scratch / "anonypy.parquet")
        known = quasi(self.table, setting.diverse)
        sensitive = SENSITIVE if setting.diverse else None
        asked = str(self.path), ["age"], known, setting.k, setting.diverse, sensitive, out
        found = in_child("rivals", "anonypy_table", *asked)
        self._keep("anonypy, its sets and ranges", self._priced(setting, found, out))
        self._keep("anonypy, raised to nodes", self._priced(setting, found, out, raised=True))

    def _anjana(self, setting: Setting) -> None:
        out = str(self.scratch / "anjana.parquet")
        known = quasi(self.table, setting.diverse)
        sensitive = SENSITIVE if setting.diverse else None
        files = sudare.tables.find_hierarchies(self.folder, known)
        named = {name: str(file) for name, file in files.items()}
        found = in_child("rivals", "anjana_table", str(self.path), named, setting.k, setting.diverse, sensitive, out)
        self._keep("anjana", self._priced(setting, found, out))

    def _priced(self, setting: Setting, found: Measured, out: str, *, raised: bool = False) -> Measured:
        """Return a measurement of a rival with the loss of what it wrote, by sudare's measures."""
        roles = find_roles(self.table, known=quasi(self.table, setting.diverse), sensitive=setting.sensitive)
        table = read_cells(self.table, roles, str(self.path), out, self.hierarchies, raised=raised)
        assert table.sizes.min() >= setting.k
        loss = table_loss(table)
        return Measured(found.seconds, found.gigabytes, found.parts, {"entropy": loss.entropy, "ncp": loss.ncp})

    def _keep(self, name: str, found: Measured, bounded: dict[str, list[float]] | None = None) -> None:
        """Keep what was measured; the bound of a search goes where the loss that it is about is kept."""
        self.entropy.setdefault(name, []).append(found.answer["entropy"])
        self.ncp.setdefault(name, []).append(found.answer["ncp"])
        self.taken.setdefault(name, []).append(found.parts["anonymize"])
        if bounded is not None and found.answer["bound"] is not None:
            bounded.setdefault("lower bound", []).append(found.answer["bound"])


def listed(title: str, rows: dict[str, list[float]], form: str) -> list[str]:
    """Return a table with a line for each row and a column for each setting."""
    head = [f"| {title} | {' | '.join(map(str, SETTINGS))} |", "|---|" + "---:|" * len(SETTINGS)]
    named = [(name, rows[name]) for name in LINES if name in rows]
    return [*head, *(f"| {name} | {' | '.join(form.format(value) for value in row)} |" for name, row in named)]


def grown(source: Path, folder: Path, scratch: Path, sizes: tuple[tuple[int, int], ...]) -> tuple[list[str], Line]:
    """Measure tables of more and more records for k = 5, and return the lines of a table and one of the summary."""
    head = "| records | different | best cuts | loss | search | loss | less lost | memory | with reading and writing |"
    lines = [head, "|" + "---:|" * 9]
    taken, memory = [], []
    for records, seconds in sizes:
        path = scratch / "records.csv"
        write_records(source, path, records=records)
        files = str(path), str(folder)
        fast = in_child("anonymize_tables", "cuts", *files, 5, None, {})
        whole = in_child("anonymize_tables", "search", *files, 5, None, {"seconds": seconds}, str(scratch / "out.csv"))
        first, last = fast.answer["entropy"], whole.answer["entropy"]
        assert last <= first + 1e-9, f"{last} is above what best cuts lose, {first}"
        taken.append((records, fast.parts["anonymize"]))
        memory.append((records, whole.gigabytes))
        lines.append(
            f"| {records:,} | {whole.answer['different']:,} | {fast.parts['anonymize']:.1f} s | {first:.2f} bits "
            f"| {whole.parts['anonymize']:.0f} s | {last:.2f} bits | {1 - last / first:.1%} "
            f"| {whole.gigabytes:.2f} GB | {sum(whole.parts.values()):.0f} s |"
        )
    time, room = exponent(taken[0], taken[-1]), exponent(memory[0], memory[-1])
    lines += ["", f"Best cuts take rows^{time:.2f}, memory grows as rows^{room:.2f}."]
    return lines, Line(f"Best cuts of {sizes[-1][0]:,} records, k = 5", taken[-1][1], exponent=time)


def summary(bench: Bench) -> list[Line]:
    """Return the lines of the summary: what a record loses by entropy, and the time of best cuts."""
    others = ("levels, optimal", "plain median Mondrian", "anonypy, raised to nodes", "anjana")
    lines = []
    for place, setting in enumerate(SETTINGS):
        lost = {name: bench.entropy[name][place] for name in others}
        lines.append(Line(f"Adult, {setting}, hierarchy nodes", bench.entropy["sudare"][place], lost, unit="bits"))
    sets = {"anonypy": bench.entropy["anonypy, its sets and ranges"][0]}
    lines.append(Line("Adult, k = 5, sets", bench.entropy["sudare, sets as cells"][0], sets, unit="bits"))
    rivals = {"anonypy": bench.taken["anonypy, its sets and ranges"][0], "anjana": bench.taken["anjana"][0]}
    return [*lines, Line("Adult, k = 5, best cuts alone", bench.taken["sudare, best cuts alone"][0], rivals)]


def run() -> Found:
    """Measure and return the section of the results."""
    path = real_data("adult/adult.csv")
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(path, path.parent, Path(scratch))
        for setting in SETTINGS:
            bench.measure(setting)
        growth, last = grown(path, path.parent, Path(scratch), GROWTH)
    return Found("\n".join(section(bench, growth)), (*summary(bench), last))


def section(bench: Bench, growth: list[str]) -> list[str]:
    """Return the lines of the section."""
    by_entropy = {name: row for name, row in bench.entropy.items() if "NCP" not in name}
    return [
        f"Searches of {bench.seconds:.0f} s on {os.cpu_count()} cores, their lower bounds included. "
        f"Everything `*` loses {bench.highest:.2f} bits.",
        "",
        *listed("Entropy lost, bits a record", by_entropy, "{:.2f}"),
        "",
        *listed("NCP", bench.ncp, "{:.4f}"),
        "",
        *listed("Seconds", bench.taken, "{:.2f}"),
        "",
        "pycanon finds in the files that sudare wrote: " + "; ".join(bench.confirmed) + ".",
        "",
        "Adult resampled and perturbed, k = 5, nine attributes:",
        "",
        *growth,
        "",
        REMARKS,
    ]


REMARKS = (
    "Adult has 30,162 records; with l = 3, occupation is sensitive and the other eight attributes are the "
    "quasi-identifiers. All losses are measured by sudare on the table that was found, by the same code. Seconds are "
    "those of the search alone, after reading and, for sudare, after a first call that loads the compiled kernels. "
    "The plain median Mondrian is that of this benchmark: strict cuts at the median of the widest attribute, in the "
    "order of the hierarchies, and the lowest node that covers the class. anonypy's Mondrian has no hierarchies. It "
    "publishes the range of the ages and the list of the other values that occur in a class; the first line reads "
    "these as they are (a range covers the ages of Adult within it), the second raises each to the lowest node that "
    "covers it. Its cuts are the calls that `Preserver` makes, which itself returns classes without saying which "
    "record is in which. anjana raises whole columns, that with the most values first, until k and then l hold; its "
    "cells are nodes. Nobody suppresses records here. The lower bound is below every table of the same hierarchy "
    "nodes. The growing tables are drawn from Adult with replacement; each value is that of another record in 10 % "
    "of the cases, and ages move by up to three years (`benchmarks/many_records.py`). Their searches end by the "
    "clock."
)
