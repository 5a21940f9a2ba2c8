"""The rules of PWSCUP 2018 as a straightforward check, cell by cell: what the reader of cells must agree with."""

from __future__ import annotations

import re
from datetime import date
from fractions import Fraction

Place = tuple[int, int, str]
COLUMNS = 5
MOST_CHARACTERS, MOST_ITEMS = 8000, 100


class Invalid(Exception):
    pass


def check(original: list[list[str]], text: bytes) -> list[Place]:
    """Return row, cell and kind of every complaint about an anonymized history."""
    lines = text.split(b"\n")
    last = lines.pop()
    ended = [line.removesuffix(b"\r") for line in lines] + ([last] if last else [])
    found: list[Place] = []
    pids: dict[str, str] = {}
    customers: dict[str, str] = {}
    for row, (truth, line) in enumerate(zip(original, ended, strict=False), start=1):
        found += [(row, cell, kind) for cell, kind in _check_line(truth, line, original, pids, customers)]
    if len(ended) != len(original):
        found.append((min(len(ended), len(original)) + 1, 1, "rows"))
    return found


def _check_line(
    truth: list[str], line: bytes, original: list[list[str]], pids: dict[str, str], customers: dict[str, str]
) -> list[tuple[int, str]]:
    text = line.decode(errors="surrogateescape")
    if len(text) > MOST_CHARACTERS:
        return [(text[: MOST_CHARACTERS + 1].count(",") + 1, "length")]
    cells = text.split(",")
    broken = [number for number, cell in enumerate(cells, start=1) if "\r" in cell]
    if broken:
        return [(broken[0], "newline")]
    if len(cells) != COLUMNS:
        return [(min(len(cells), COLUMNS) + 1, "columns")]
    if cells == ["*"] * COLUMNS:
        return []
    kinds = [_check_person(cells[0], truth[0], pids, customers)]
    kinds += [_check_cell(cells[place], truth[place], place, {row[2] for row in original}) for place in range(1, 5)]
    return [(place, kind) for place, kind in enumerate(kinds, start=1) if kind]


def _check_person(cell: str, customer: str, pids: dict[str, str], customers: dict[str, str]) -> str:
    if not re.fullmatch("[1-9][0-9]{0,8}", cell):
        return "invalid"
    if pids.get(cell, customer) != customer or customers.get(customer, cell) != cell:
        return "consistency"
    pids[cell], customers[customer] = customer, cell
    return ""


def _check_cell(cell: str, truth: str, place: int, items: set[str]) -> str:
    if cell == "*":
        return ""
    try:
        if place == 2:
            return "" if truth in _members(cell, items) else "must-cover"
        low, high = _ends(cell, place)
        return "" if low <= _value(truth, place) <= high else "must-cover"
    except Invalid:
        return "invalid"


def _members(cell: str, items: set[str]) -> list[str]:
    members = cell[1:-1].split(";") if cell[:1] == "{" and cell[-1:] == "}" and len(cell) > 1 else [cell]
    if any(member not in items for member in members) or not len(set(members)) == len(members) <= MOST_ITEMS:
        raise Invalid
    return members


def _ends(cell: str, place: int) -> tuple[Fraction, Fraction]:
    found = re.fullmatch(r"\[([^;]*);([^;]*)\]", cell)
    low, high = (_value(text, place) for text in (found.groups() if found else (cell, cell)))
    if low > high:
        raise Invalid
    return low, high


def _value(text: str, place: int) -> Fraction:
    pattern = {1: "[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}", 3: r"(0|[1-9][0-9]*)([.][0-9]{1,2})?", 4: "0|[1-9][0-9]*"}[place]
    if not re.fullmatch(pattern, text):
        raise Invalid
    if place == 1:
        try:
            day = date(*map(int, text.split("/")))
        except ValueError:
            raise Invalid from None
        if not date(2010, 1, 1) <= day <= date(2011, 12, 31):
            raise Invalid
        return Fraction(day.toordinal())
    number = Fraction(text)
    if not (Fraction("0.01") if place == 3 else 1) <= number <= (Fraction("99999.99") if place == 3 else 999999):
        raise Invalid
    return number
