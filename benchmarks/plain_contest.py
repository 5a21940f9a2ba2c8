"""The contest's check, utility and publication as one writes them first: cell by cell, in plain Python."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from pathlib import Path

PERSON = re.compile(r"[1-9][0-9]{0,8}")
DAY = re.compile(r"([0-9]{4})/([0-9]{1,2})/([0-9]{1,2})")
PRICE = re.compile(r"(0|[1-9][0-9]*)(?:\.([0-9]{1,2}))?")
ITEM = re.compile(r"[^;{}\[\]\"\x00-\x1f]+")
QUANTITY = re.compile(r"0|[1-9][0-9]*")
FIRST, LAST = date(2010, 1, 1).toordinal(), date(2011, 12, 31).toordinal()
COLUMNS = 5
DELETED = ["*"] * COLUMNS
MOST_CHARACTERS, MOST_ITEMS = 8000, 100


def read_day(text: str) -> int:
    found = DAY.fullmatch(text)
    if not found:
        raise ValueError(text)
    day = date(*map(int, found.groups())).toordinal()
    if not FIRST <= day <= LAST:
        raise ValueError(text)
    return day


def read_price(text: str) -> int:
    found = PRICE.fullmatch(text)
    if not found:
        raise ValueError(text)
    cents = int(found[1]) * 100 + int((found[2] or "").ljust(2, "0"))
    if not 1 <= cents <= 9999999:
        raise ValueError(text)
    return cents


def read_quantity(text: str) -> int:
    if not QUANTITY.fullmatch(text) or not 1 <= int(text) <= 999999:
        raise ValueError(text)
    return int(text)


READERS: dict[int, Callable[[str], int]] = {1: read_day, 3: read_price, 4: read_quantity}


def read_rows(path: str) -> list[list[str]]:
    text = Path(path).read_bytes().decode()
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    if any("\r" in line or len(line) > MOST_CHARACTERS for line in lines):
        raise ValueError(path)
    return [line.split(",") for line in lines]


def ends(text: str, column: int) -> tuple[int, int]:
    read = READERS[column]
    if text.startswith("[") and text.endswith("]"):
        low, high = text[1:-1].split(";")
        return read(low), read(high)
    return read(text), read(text)


def check(original: list[list[str]], rows: list[list[str]]) -> list[tuple[int, int]]:
    """Return row and cell of everything that is wrong."""
    items = {row[2] for row in original}
    customers: dict[str, str] = {}
    pids: dict[str, str] = {}
    wrong = []
    for number, (truth, row) in enumerate(zip(original, rows, strict=True), start=1):
        if len(row) != COLUMNS:
            wrong.append((number, 1))
            continue
        if row == DELETED:
            continue
        if not PERSON.fullmatch(row[0]) or not are_partners(customers, pids, truth[0], row[0]):
            wrong.append((number, 1))
        bad = (n for n in range(1, COLUMNS) if row[n] != "*" and not is_right(row[n], truth[n], n, items))
        wrong.extend((number, n + 1) for n in bad)
    return wrong


def are_partners(customers: dict[str, str], pids: dict[str, str], customer: str, pid: str) -> bool:
    return customers.setdefault(pid, customer) == customer and pids.setdefault(customer, pid) == pid


def is_right(cell: str, truth: str, column: int, items: set[str]) -> bool:
    if column == 2:
        if not (cell.startswith("{") and cell.endswith("}")):
            return cell == truth
        members = cell[1:-1].split(";")
        known = all(member in items for member in members)
        return known and len(set(members)) == len(members) <= MOST_ITEMS and truth in members
    try:
        low, high = ends(cell, column)
    except ValueError:
        return False
    return low <= READERS[column](truth) <= high


def utility(original: list[list[str]], rows: list[list[str]]) -> float:
    total = 0.0
    for column in range(1, COLUMNS):
        values = [READERS[column](row[column]) for row in original] if column != 2 else []
        deviation = spread(values) if values else 0.0
        total += sum(error(row[column], column, values[n] if values else 0, deviation) for n, row in enumerate(rows))
    return total / (COLUMNS - 1) / len(rows)


def spread(values: list[int]) -> float:
    mean = sum(values) / len(values)
    return (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5


def error(cell: str, column: int, value: int, deviation: float) -> float:
    if cell == "*":
        return 1.0
    if column == 2:
        return 1 - 1 / (cell.count(";") + 1)
    if not cell.startswith("["):
        return 0.0
    low, high = ends(cell, column)
    return ((value - low) ** 2 + (high - value) ** 2 + (high - low)) / (2 * (high - low + 1) * deviation)


def publish(rows: list[list[str]], path: str) -> int:
    if not all(is_row(row) for row in rows):
        raise ValueError(path)
    lines = sorted(",".join(row) for row in rows if row != DELETED)
    Path(path).write_bytes("".join(f"{line}\n" for line in lines).encode())
    return len(lines)


def is_row(row: list[str]) -> bool:
    """Tell whether a row is well formed, as far as one can tell without the original."""
    if row == DELETED:
        return True
    if len(row) != COLUMNS or not PERSON.fullmatch(row[0]):
        return False
    return all(cell == "*" or is_formed(cell, column) for column, cell in enumerate(row) if column)


def is_formed(cell: str, column: int) -> bool:
    if column == 2:
        members = cell[1:-1].split(";") if cell.startswith("{") and cell.endswith("}") else [cell]
        named = all(ITEM.fullmatch(member) for member in members)
        return named and len(set(members)) == len(members) <= MOST_ITEMS
    try:
        low, high = ends(cell, column)
    except ValueError:
        return False
    return low <= high
