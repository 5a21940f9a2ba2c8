"""Ito, Kikuchi, Nakagawa: Evaluation of some attacker models with distinct background knowledge."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import sudare
from papers.rows import Find, Paper, Row, row

DATA = "online-retail-400.csv"
ATTACKERS = f"sudare history attackers {DATA}"
TOY = "sudare history attackers toy.csv"

# Table 5: the toy history T_2.
TOY_ROWS = """\
1,100,2010/12/1,8:45,パン,1.45,2
1,100,2010/12/1,8:45,本,3.75,1
1,200,2010/12/1,20:10,お茶,0.85,2
2,300,2010/12/1,10:03,パン,1.45,3
1,400,2010/12/2,15:07,お茶,0.85,3
3,500,2010/12/2,11:57,パン,1.45,4
3,500,2010/12/2,11:57,ジュース,1.25,4
3,600,2010/12/3,15:54,本,3.75,1
3,600,2010/12/3,15:54,お茶,0.85,10
3,600,2010/12/3,15:54,ジュース,1.45,10
"""

# Table 10, attackers 0 to 9: measured and theory. Table 11: the attackers by measured risk and by theory.
MEASURED = "0.0025 0.0965 0.0807 0.7974 0.9788 0.1851 0.8945 0.9400 0.9750 0.9994".split()
THEORY = "0.0025 0.0730 0.0030 8.3239 4.5436 0.0076 21.1749 0.8680 2,413.9433 1,317.6433".split()
BY_MEASURED, BY_THEORY = "9 4 8 7 6 3 5 1 2 0", "8 9 6 3 4 7 1 5 2 0"

EIGHT = (
    "0.9750 is the value with |R_x|, the rows that carry x, in place of |U_x|, the customers who have it: {found:.4f}. "
    "With |U_x|, as defined in section 4.1, it is 0.9972, and attacker 8 comes before attacker 4."
)
ITEMS = "Table 3 prints 2871; the text and Table 4 have 2781, which is the number of different items of T."
SHARE = "1,473 of 33,060 are 4.46 %; the paper prints 0.46 %."


def rows(find: Find) -> Iterator[Row]:
    """Find the numbers of the paper."""
    with tempfile.TemporaryDirectory() as folder:
        toy = Path(folder) / "toy.csv"
        toy.write_text(TOY_ROWS, encoding="utf-8")
        with sudare.read_history(toy) as small, sudare.read_history(find(DATA)) as history:
            yield from _data(small, history)
            yield from _toy(small)
            yield from _retail(history)


def _data(small: sudare.History, history: sudare.History) -> Iterator[Row]:
    found, toy = (sudare.histories.assess_attackers(one) for one in (history, small))
    parts, toy_parts = ({part.part: part for part in one.statistics} for one in (found, toy))
    counts = (found.records, found.customers, parts["item"].values)
    yield row("Table 3", "T: records, customers, items", "38,087, 400, 2,871", counts, ATTACKERS, remark=ITEMS)
    counts = (toy.records, toy.customers, toy_parts["item"].values)
    yield row("Table 3", "T_2: records, customers, items", "10, 3, 4", counts, TOY)
    for part, name, printed in (
        ("day", "days", "290, 5.4, 21, 5"),
        ("count", "rows of a visit", "114, 13.75, 71, 1"),
        ("item", "items", "2,781, 13.7, 1,012, 1"),
    ):
        one = parts[part]
        values = (one.values, one.mean, one.largest, one.mode)
        yield row("Table 4", f"{name}: values, mean frequency, largest, mode", printed, values, ATTACKERS)
    what = "visits by day, visits by number of rows, items by rank"
    yield Row("Figures 1 to 3", what, "", "charts", f"{ATTACKERS} --report r.html")
    visits = sudare.histories.list_visits(small)
    counts = (len(visits), visits[0].kinds, visits[0].rows)
    yield row("Table 6", "T_2: visits; items and rows of the first", "5, 3, 3", counts, "sudare history visits toy.csv")


def _toy(small: sudare.History) -> Iterator[Row]:
    ten = sudare.histories.assess_attackers(small)
    by_rows = sudare.histories.assess_attackers(small, weighting="record").attackers[5]
    five = ten.attackers[5]
    yield row("Section 3.2.1", "T_2: attacker 0", "0.3333", (ten.attackers[0].measured,), TOY)
    yield row("Table 8", "T_2: attacker 5, by records", "0.65", (by_rows.measured,), f"{TOY} --weighting record")
    yield row("Table 9", "T_2: attacker 3", "0.8", (ten.attackers[3].measured,), TOY)
    equal = (five.rows_equal or 0, (five.values or 0) - (five.rows_equal or 0))
    yield row("Example 4.2", "T_2: days for which assumption 4.1 holds, and does not", "0, 3", equal, f"{TOY} --theory")
    yield row("Theorem 4.1", "example 4.3: attacker 5 by theory", "0.3", (five.theory,), f"{TOY} --theory")
    seven = ten.attackers[7]
    yield row("Theorem 4.2", "example 4.4: attacker 7 by theory", "0.9", (seven.theory,), f"{TOY} --theory")


def _retail(history: sudare.History) -> Iterator[Row]:
    found = sudare.histories.assess_attackers(history)
    eight = EIGHT.format(found=(found.attackers[8].values or 0) / history.records)
    for risk, measured, theory in zip(found.attackers, MEASURED, THEORY, strict=True):
        what = f"attacker {risk.attacker}: measured / theory (Theorem 4.3)"
        values, remark = (risk.measured, risk.theory), eight if risk.attacker == 8 else ""
        yield row("Table 10", what, f"{measured} / {theory}", values, f"{ATTACKERS} --theory", remark=remark)
    for name, printed, remark in (("measured", BY_MEASURED, eight), ("theory", BY_THEORY, "")):
        ranked = sorted(found.attackers, key=lambda risk: getattr(risk, f"rank_{name}"))
        numbers = [risk.attacker or 0 for risk in ranked]
        yield row("Table 11", f"attackers by {name}", printed, numbers, f"{ATTACKERS} --theory", remark=remark)
    what = "correlation of frequency and customers: days, rows, items"
    correlations = [part.correlation or 0 for part in found.statistics]
    yield row("Figures 4 to 6", what, "1.000, 0.985, 0.924", correlations, ATTACKERS)
    seven = found.attackers[7]
    what = "days with numbers of rows: occurring, possible, share in %"
    values = (seven.values or 0, seven.possible, 100 * (seven.values or 0) / seven.possible)
    yield row("Section 4.4.1", what, "1,473, 33,060, 0.46", values, f"{ATTACKERS} --json", remark=SHARE)
    yield from _beyond(history, found)


def _beyond(history: sudare.History, found: sudare.histories.AttackersAssessment) -> Iterator[Row]:
    """Find what the paper leaves to later work."""
    for knowledge, name in {"day*2": "two days", "item*2": "two items of a visit", "item*3": "three items"}.items():
        risk = sudare.histories.assess_knowledge(history, knowledge)
        command = f"sudare history knowledge {DATA} '{knowledge}'"
        yield Row("Section 4.4.2", f"knows {name}", "", f"{risk.measured:.4f}", command)
    persons = sudare.histories.assess_persons(history, "day", persons=2)
    what, command = "knows a day of each of two persons, finds one", f"sudare history knowledge {DATA} day --persons 2"
    yield Row("Section 4.4.2", what, "", f"{persons.measured:.4f}", command)
    nine = found.attackers[1:]
    for name, theory in (("occurring values", "theory_occurring"), ("marginals", "theory_marginal")):
        largest = max(abs(getattr(risk, theory) - risk.measured) for risk in nine)
        yield Row("Section 5", f"better theory by {name}: largest error", "", f"{largest:.4f}", f"{ATTACKERS} --theory")


PAPER = Paper(
    "Ito, Kikuchi, Nakagawa: Evaluation of some attacker models",
    "Their full title goes on: with distinct background knowledge of de-identified dataset. T is Online Retail of 400 "
    "customers, T_2 the toy history of Table 5 (`toy.csv`). The attackers of Table 7 and definition 4.1: "
    "[attackers](attackers.md).",
    rows,
)
