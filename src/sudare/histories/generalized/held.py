"""An original history and an anonymized one side by side on an engine, where they do not fit in memory.

The text is that of contests (`sudare.histories.generalized.text`), and the same rules are checked; only how many cells
break one is told, not where they are.
"""

from __future__ import annotations

from pathlib import Path
from typing import Self

from sudare.arguments import checked
from sudare.engine import Engine, closed, fresh_name
from sudare.errors import BadRows, OptionNotUsable, SourceNotReadable
from sudare.histories.generalized.model import Kind
from sudare.histories.generalized.rule_sets import MOST_CHARACTERS, ColumnRule, RuleSet, load_rules
from sudare.messages import Joined, message
from sudare.progress import Progress, silent
from sudare.showing import dataclass

# Digits of numbers; more are outside of any domain.
_WHOLE = "(0|[1-9][0-9]{0,13})"
_NAME = "[^;{}]+"
_SET = r"\{[^;{}]+(;[^;{}]+)*\}"
_RANGE = r"\[[^;]*;[^;]*\]"
# What can be wrong with a line or cell, in the words of `sudare contest check`.
_LINE_FAULTS = ("length", "columns")
_CELL_FAULTS = ("invalid", "must-cover")


@dataclass(eq=False)
class HeldCells:
    """Row i of an original history and of an anonymized one, side by side in a table on an engine.

    The table has `row`, `customer`, `pid` (0 in a deleted row), and for each column i of `rules.cell_columns`: `v{i}`
    the original value, `k{i}` the kind of the cell, for ordered values the ends `l{i}` and `h{i}`, for items `s{i}` the
    sorted set as text, `n{i}` its size, `w{i}` the cell as written, and `c{i}` whether it holds v{i}.
    """

    engine: Engine
    rules: RuleSet
    rows: int
    original: str
    anonymized: str
    _name: str
    _closed: bool = False

    @property
    def table(self) -> str:
        """The SQL name of the table."""
        if self._closed:
            raise closed("history")
        return self._name

    def close(self) -> None:
        """Drop the rows."""
        self._closed = True
        self.engine.drop(self._name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@checked
def hold_cells(
    original: str | Path,
    anonymized: str | Path,
    rules: RuleSet | None = None,
    *,
    engine: Engine,
    progress: Progress = silent,
) -> HeldCells:
    """Put an original history T and an anonymized history A, texts without a header, on an engine, and check them.

    Each may be a text file or a folder of text files, and on Spark an address. Blank lines are skipped. An A that
    breaks the rules is refused with the number of errors of each kind: results for it would be meaningless.
    """
    rules = rules or load_rules()
    name = fresh_name("cells")
    made = HeldCells(engine, rules, 0, str(original), str(anonymized), name)
    sides = {f"{name}_original": original, f"{name}_anonymized": anonymized}
    try:
        for done, (table, source) in enumerate(sides.items()):
            progress(message("progress.reading_file", file=Path(source).name), done, 3)
            engine.hold_lines(table, source)
        made.rows = _count_rows(made, *sides)
        progress(message("progress.comparing_cells"), 2, 3)
        engine.keep(name, _pair(rules, *sides))
        _refuse_wrong(made)
    except BaseException:
        made.close()
        raise
    finally:
        engine.drop(*sides, *(f"{table}_blocks" for table in sides))
    progress(message("progress.comparing_cells"), 3, 3)
    return made


def _count_rows(held: HeldCells, original: str, anonymized: str) -> int:
    rows, others = (int(held.engine.total(f"SELECT count(*) FROM {table}")[0]) for table in (original, anonymized))
    if not rows:
        raise SourceNotReadable("errors.cells.empty", path=held.original)
    if rows != others:
        raise OptionNotUsable("errors.cells.row_numbers", rows=rows, others=others)
    return rows


def _pair(rules: RuleSet, original: str, anonymized: str) -> str:
    """Return the query of both sides, row by row, with what is wrong: `x{i}` of a cell, `xp` of a person."""
    columns = [
        "t.row", "customer", "CASE WHEN gone THEN 0 ELSE pid END AS pid",
        "coalesce(t.fault, a.fault) AS fault", "t.fault IS NOT NULL AS t_fault",
        "customer IS NULL AS t_xp", "NOT gone AND pid IS NULL AS xp",
    ]  # fmt: skip
    for i, rule in enumerate(rules.cell_columns):
        covered = f"(array_contains(m{i}, v{i}))" if rule.form == "item" else f"(v{i} BETWEEN l{i} AND h{i})"
        covered = f"coalesce({covered}, false)"
        columns += [f"v{i}", f"k{i}", f"{covered} AS c{i}", f"NOT coalesce(t.ok{i}, false) AS t_x{i}"]
        columns += [f"joined(m{i}) AS s{i}", f"n{i}", f"w{i}"] if rule.form == "item" else [f"l{i}", f"h{i}"]
        columns.append(
            f"CASE WHEN NOT coalesce(a.ok{i}, false) THEN 1 WHEN k{i} <> {Kind.DELETED} AND NOT {covered} THEN 2 "
            f"ELSE 0 END AS x{i}"
        )
    return (
        f"SELECT {', '.join(columns)} FROM ({_original(rules, original)}) AS t "
        f"JOIN ({_anonymized(rules, anonymized)}) AS a ON t.row = a.row"
    )


def _divided(rules: RuleSet, lines: str, most_characters: int) -> str:
    """Return the query of the cells of lines: p the person, c0, c1, ... the others; and what is wrong with a line."""
    number = len(rules.columns)
    cells = [f"text_at(cells, {rules.person + 1}) AS p"]
    places = [place for place, rule in enumerate(rules.columns) if rule.form != "person"]
    cells += [f"text_at(cells, {place + 1}) AS c{i}" for i, place in enumerate(places)]
    fault = (
        f"CASE WHEN length(line) > {most_characters} THEN 'length' "
        f"WHEN line IS NULL OR texts_in(cells) <> {number} THEN 'columns' END"
    )
    return (
        f"SELECT row, {fault} AS fault, {', '.join(cells)} "
        f"FROM (SELECT row, line, split(coalesce(line, ''), ',') AS cells FROM {lines})"
    )


def _person(rules: RuleSet) -> str:
    digits = rules.columns[rules.person].digits
    return f"CASE WHEN is_like(p, '[1-9][0-9]{{0,{digits - 1}}}') THEN try_cast(p AS BIGINT) END"


def _original(rules: RuleSet, lines: str) -> str:
    values, checks = [], []
    for i, rule in enumerate(rules.cell_columns):
        if rule.form == "item":
            values.append(f"c{i} AS v{i}")
            checks.append(f"is_like(v{i}, '{_NAME}') AND v{i} <> '*' AS ok{i}")
        else:
            values.append(f"{_number(f'c{i}', rule)} AS v{i}")
            checks.append(f"v{i} BETWEEN {rule.low} AND {rule.high} AS ok{i}")
    divided = _divided(rules, lines, MOST_CHARACTERS)
    read = f"SELECT row, fault, {_person(rules)} AS customer, {', '.join(values)} FROM ({divided})"
    return f"SELECT *, {', '.join(checks)} FROM ({read})"


def _anonymized(rules: RuleSet, lines: str) -> str:
    every = range(len(rules.cell_columns))
    gone = " AND ".join(["p = '*'", *(f"c{i} = '*'" for i in every)])
    several = [
        (f"'{{%' THEN {Kind.SET}" if rule.form == "item" else f"'[%' THEN {Kind.RANGE}") for rule in rules.cell_columns
    ]
    kinds = ", ".join(
        f"CASE WHEN c{i} = '*' THEN {Kind.DELETED} WHEN c{i} LIKE {several[i]} ELSE {Kind.EXACT} END AS k{i}"
        for i in every
    )
    added = f"coalesce({gone}, false) AS gone, {_person(rules)} AS pid, {kinds}"
    query = f"SELECT *, {added} FROM ({_divided(rules, lines, rules.most_characters)})"
    # Layer by layer: an engine that puts one expression into another has no large ones to put.
    layers: list[list[str]] = [[], [], []]
    for i, rule in enumerate(rules.cell_columns):
        read = _items_read(i, rules.most_items) if rule.form == "item" else _ends_read(i, rule)
        for layer, expressions in zip(layers, read, strict=True):
            layer += expressions
    for layer in layers:
        query = f"SELECT *, {', '.join(layer)} FROM ({query})"
    return query


def _items_read(i: int, most: int) -> tuple[list[str], ...]:
    """Return what is read of a cell of items: its members, how many they are, and whether it is well formed."""
    inner = f"CASE WHEN k{i} = {Kind.SET} THEN substr(c{i}, 2, length(c{i}) - 2) ELSE c{i} END"
    several = f"is_like(c{i}, '{_SET}') AND n{i} <= {most} AND texts_in(array_distinct(m{i})) = n{i}"
    right = (
        f"CASE k{i} WHEN {Kind.DELETED} THEN true WHEN {Kind.EXACT} THEN n{i} = 1 WHEN {Kind.SET} THEN {several} END"
    )
    return [f"split({inner}, ';') AS m{i}", f"c{i} AS w{i}"], [f"texts_in(m{i}) AS n{i}"], [f"{right} AS ok{i}"]


def _ends_read(i: int, rule: ColumnRule) -> tuple[list[str], ...]:
    """Return what is read of a cell of ordered values: the texts of its ends, these, and whether it is well formed."""
    inner = f"split(substr(c{i}, 2, length(c{i}) - 2), ';')"
    parts = [
        f"CASE WHEN k{i} = {Kind.RANGE} THEN text_at({inner}, {n}) ELSE c{i} END AS {end}{i}"
        for n, end in enumerate("ab", start=1)
    ]
    right = f"l{i} >= {rule.low} AND h{i} <= {rule.high} AND l{i} <= h{i}"
    shape = f"k{i} = {Kind.EXACT} OR k{i} = {Kind.RANGE} AND is_like(c{i}, '{_RANGE}')"
    ends = [f"{_number(f'a{i}', rule)} AS l{i}", f"{_number(f'b{i}', rule)} AS h{i}"]
    return parts, ends, [f"k{i} = {Kind.DELETED} OR ({right} AND ({shape})) AS ok{i}"]


def _number(text: str, rule: ColumnRule) -> str:
    """Return an expression for the number that a text stands for, NULL if it is not written as it must be."""
    if rule.form == "date":
        form = f"[0-9]{{4}}[{rule.separator}][0-9]{{1,2}}[{rule.separator}][0-9]{{1,2}}"
        day = f"try_cast(replace({text}, '{rule.separator}', '-') AS DATE)"
        return f"CASE WHEN is_like({text}, '{form}') THEN day_number({day}) END"
    sign = "-?" if rule.low < 0 else ""
    if rule.form == "integer":
        return f"CASE WHEN is_like({text}, '{sign}{_WHOLE}') AND {text} <> '-0' THEN try_cast({text} AS BIGINT) END"
    right = f"is_like({text}, '{sign}{_WHOLE}([.][0-9]{{1,2}})?') AND NOT is_like({text}, '-0([.]0{{1,2}})?')"
    return f"CASE WHEN {right} THEN CAST(try_cast({text} AS DECIMAL(18, 2)) * 100 AS BIGINT) END"


def _refuse_wrong(held: HeldCells) -> None:
    """Refuse histories that break the rules, with the number of errors of each kind."""
    every = range(len(held.rules.cell_columns))
    cells = [" + ".join(f"CASE WHEN x{i} = {n} THEN 1 ELSE 0 END" for i in every) for n in (1, 2)]
    wrong = " + ".join(f"CASE WHEN {name} THEN 1 ELSE 0 END" for name in ["t_xp", *(f"t_x{i}" for i in every)])
    sums = [
        *(f"CASE WHEN fault = '{fault}' THEN 1 ELSE 0 END" for fault in _LINE_FAULTS),
        f"CASE WHEN fault IS NULL THEN {cells[0]} + CASE WHEN xp THEN 1 ELSE 0 END ELSE 0 END",
        f"CASE WHEN fault IS NULL THEN {cells[1]} ELSE 0 END",
        f"CASE WHEN t_fault THEN 1 ELSE {wrong} END",
    ]
    added = ", ".join(f"sum({one})" for one in sums)
    *found, in_original = (int(count) for count in held.engine.total(f"SELECT {added} FROM {held.table}"))
    if in_original:
        _refuse(held.original, "held_not_original", held.rules.name, {"invalid": in_original})
    totals = dict(zip((*_LINE_FAULTS, *_CELL_FAULTS), found, strict=True))
    if not any(totals.values()):
        totals["invalid"] = _unknown_items(held)
        totals["consistency"] = _not_one_to_one(held)
    if any(totals.values()):
        _refuse(held.anonymized, "held_breaks_rules", held.rules.name, totals)


def _unknown_items(held: HeldCells) -> int:
    """Return how many cells have items that the original does not have."""
    found = 0
    for i, rule in enumerate(held.rules.cell_columns):
        if rule.form == "item":
            sets = f"SELECT DISTINCT s{i} AS s FROM {held.table} WHERE k{i} = {Kind.SET}"
            strange = (
                f"SELECT DISTINCT s FROM (SELECT s, explode(split(s, ';')) AS item FROM ({sets})) AS a "
                f"LEFT JOIN (SELECT DISTINCT v{i} AS known FROM {held.table}) AS t ON t.known = a.item "
                "WHERE t.known IS NULL"
            )
            counted = f"SELECT count(*) FROM {held.table} JOIN ({strange}) AS x ON x.s = s{i} AND k{i} = {Kind.SET}"
            found += int(held.engine.total(counted)[0])
    return found


def _not_one_to_one(held: HeldCells) -> int:
    """Return how many pseudonyms stand for several customers, and customers for several pseudonyms."""
    pairs = f"SELECT DISTINCT customer, pid FROM {held.table} WHERE pid > 0"
    several = " UNION ALL ".join(
        f"SELECT count(*) AS n FROM (SELECT {one} FROM ({pairs}) GROUP BY {one} HAVING count(*) > 1)"
        for one in ("customer", "pid")
    )
    return int(held.engine.total(f"SELECT sum(n) FROM ({several})")[0])


def _refuse(source: str, name: str, rules: str, totals: dict[str, int]) -> None:
    wrong = {kind.replace("-", "_"): number for kind, number in totals.items() if number}
    listed = [
        message("errors.cells.of_kind", kind=message(f"contest_check.kinds.{kind}"), number=number)
        for kind, number in wrong.items()
    ]
    raise BadRows(f"errors.cells.{name}", path=source, rules=rules, kinds=Joined(listed, "comma"))
