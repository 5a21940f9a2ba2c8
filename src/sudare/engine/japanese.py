"""Japanese dates and numbers, in SQL that all engines understand.

Cells are in Unicode's form NFKC before, so that digits are ASCII and ㍻ is 平成.
"""

from __future__ import annotations

from collections.abc import Callable

# Each era: its names, the year before its first one, its first and its last day. The day on which the emperor died is
# of both eras, except in 1989 and 2019, when the next one began at midnight.
ERAS = (
    (("明治", "明", "M"), 1867, "1868-01-25", "1912-07-30"),
    (("大正", "大", "T"), 1911, "1912-07-30", "1926-12-25"),
    (("昭和", "昭", "S"), 1925, "1926-12-25", "1989-01-07"),
    (("平成", "平", "H"), 1988, "1989-01-08", "2019-04-30"),
    (("令和", "令", "R"), 2018, "2019-05-01", "9999-12-31"),
)
# Era, year, divider, month, divider, day, 日, and whatever follows.
DATE = (
    "^(明治|大正|昭和|平成|令和|[明大昭平令MTSHR])?[.]? ?(元|[0-9]{1,4}) ?(年|[./-]) ?([0-9]{1,2}) ?(月|[./-]) ?"
    "([0-9]{1,2}) ?(日?)(.*)$"
)
_WEEKDAY = "^ ?([(][月火水木金土日](曜日?)?[)]|[月火水木金土日]曜日?)"
_CLOCK = "^([0-9]{1,2}(:[0-9]{1,2}){1,2}|[0-9]{1,2}時[0-9]{1,2}分([0-9]{1,2}秒)?)?$"
# Digits, or groups of three of them with commas between; a sign of yen before or 円 after. In cp932 a backslash is yen.
_AMOUNT = r"^[-+]?([¥\\] ?)?[-+]?([0-9]+|[1-9][0-9]{0,2}(,[0-9]{3})+)([.][0-9]*)?( ?円)?$"


# How the eight parts of a date are called where they are a value of their own.
PARTS = tuple(f"part{number}" for number in range(1, 9))


def _era_case(era: str, values: list[str], otherwise: str) -> str:
    cases = " ".join(
        f"WHEN {era} IN ({', '.join(repr(name) for name in names)}) THEN {value}"
        for (names, *_), value in zip(ERAS, values, strict=True)
    )
    return f"CASE {cases} ELSE {otherwise} END"


def western_day(part: Callable[[int], str]) -> str:
    """Return an expression for the day of a Japanese date as 2010-12-01, whether that day exists or not.

    `part` gives the expressions of the parts of the date, which are empty where the text is not a date.
    """
    number = f"CAST(nullif(replace({part(2)}, '元', '1'), '') AS INTEGER)"
    year = f"{number} + {_era_case(part(1), [str(before) for _, before, _, _ in ERAS], '0')}"
    return f"lpad(CAST({year} AS STRING), 4, '0') || '-' || lpad({part(4)}, 2, '0') || '-' || lpad({part(6)}, 2, '0')"


def western_date(part: Callable[[int], str], day: str) -> str:
    """Return an expression for a Japanese date as 2010-12-01 with the time after it; of other texts it is NULL.

    A year without an era has four digits. A date before or after its era is none. `part` gives the expressions of the
    parts of the date, and `day` is that of its day.
    """
    inside = _era_case(
        part(1),
        [f"{day} BETWEEN '{first}' AND '{last}'" for _, _, first, last in ERAS],
        f"length({part(2)}) = 4 AND {part(3)} IN ('年', '.')",
    )
    divided = (
        f"CASE {part(3)} WHEN '年' THEN {part(5)} = '月' AND {part(7)} = '日' "
        f"ELSE {part(5)} = {part(3)} AND {part(7)} = '' END"
    )
    rest = f"trim(regexp_replace({part(8)}, '{_WEEKDAY}', ''))"
    clock = f"regexp_replace(replace(replace(replace({rest}, '時', ':'), '分', ':'), '秒', ''), ':$', '')"
    return (
        f"CASE WHEN {part(6)} <> '' AND ({divided}) AND ({inside}) AND regexp_extract({rest}, '{_CLOCK}', 0) = {rest} "
        f"THEN trim({day} || ' ' || {clock}) END"
    )


# An expression over a text called `words`, NULL if it is not an amount.
AMOUNT = f"CASE WHEN regexp_extract(words, '{_AMOUNT}', 0) <> '' THEN translate(words, ',¥円\\ ', '') END"
