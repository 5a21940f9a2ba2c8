"""Dates and numbers as people in Japan write them, against an independent account of the eras."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import polars
import pytest
from hypothesis import given, settings, strategies as st

import sudare
from sudare.engine import DuckDBEngine, quote_text
from tests.engine.looking import rows_of

# Written down from the law, not from the code: the first and the last day of each era.
LAST = {
    "明治": (dt.date(1868, 1, 25), dt.date(1912, 7, 30), "M"),
    "大正": (dt.date(1912, 7, 30), dt.date(1926, 12, 25), "T"),
    "昭和": (dt.date(1926, 12, 25), dt.date(1989, 1, 7), "S"),
    "平成": (dt.date(1989, 1, 8), dt.date(2019, 4, 30), "H"),
    "令和": (dt.date(2019, 5, 1), dt.date(2099, 12, 31), "R"),
}
WIDE = str.maketrans("0123456789./-()", "０１２３４５６７８９．／－（）")


def read(engine: DuckDBEngine, text: str) -> dt.datetime | None:
    query = f"SELECT read_moment(trimmed(normal({quote_text(text)})))"
    found: dt.datetime | None = rows_of(engine, query)[0][0]
    return found


@st.composite
def era_dates(draw: st.DrawFn) -> tuple[str, dt.date | None]:
    """Return a date of some era, in any of the usual ways, and what it is: None beyond the era or the calendar."""
    era = draw(st.sampled_from(list(LAST)))
    first, last, letter = LAST[era]
    year, month, day = draw(st.integers(1, 70)), draw(st.integers(1, 12)), draw(st.integers(1, 31))
    try:
        meant: dt.date | None = dt.date(first.year + year - 1, month, day)
    except ValueError:
        meant = None
    if meant is not None and not first <= meant <= last:
        meant = None
    number = "元" if year == 1 and draw(st.booleans()) else str(year)
    name = draw(st.sampled_from([era, era[0], letter]))
    divider = draw(st.sampled_from(["年", ".", "/", "-"]))
    text = (
        f"{name}{number}年{month}月{day}日"
        if divider == "年"
        else divider.join([f"{name}{number}", str(month), str(day)])
    )
    if draw(st.booleans()):
        text = text.translate(WIDE)
    return text, meant


@settings(max_examples=400, deadline=None)
@given(found=era_dates())
def test_dates_of_eras_are_those_of_the_calendar(engine: DuckDBEngine, found: tuple[str, dt.date | None]) -> None:
    text, meant = found
    assert read(engine, text) == (None if meant is None else dt.datetime.combine(meant, dt.time()))


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("2010年12月1日", (2010, 12, 1)),
        ("２０１０年１２月１日", (2010, 12, 1)),
        ("2010年12月1日(水)", (2010, 12, 1)),
        ("2010年12月1日（水曜日） 8:26", (2010, 12, 1, 8, 26)),
        ("2010年12月1日8時26分", (2010, 12, 1, 8, 26)),
        ("平成22年12月1日 8時26分5秒", (2010, 12, 1, 8, 26, 5)),
        ("㍻22年12月1日", (2010, 12, 1)),
        ("H22.12.1", (2010, 12, 1)),
        ("R1/5/1", (2019, 5, 1)),
        ("令和元年5月1日", (2019, 5, 1)),
        ("昭和64年1月7日", (1989, 1, 7)),
        ("2010.12.1", (2010, 12, 1)),
    ],
)
def test_ways_to_write_a_day(engine: DuckDBEngine, text: str, meant: tuple[int, int, int]) -> None:
    assert read(engine, text) == dt.datetime(*meant)


@pytest.mark.parametrize(
    "text",
    ["平成32年1月1日", "平成31年5月1日", "昭和64年1月8日", "令和0年1月1日", "H22.12/1", "22年12月1日", "2010年12月",
     "元年1月1日", "2010年13月1日", "2010年2月30日", "平成22年12月1", "H22.12.1日", "X22.12.1"],
)  # fmt: skip
def test_what_is_no_day(engine: DuckDBEngine, text: str) -> None:
    assert read(engine, text) is None


def days(engine: DuckDBEngine, *texts: str, **options: str) -> list[str]:
    rows = polars.DataFrame({"customer": [str(n) for n in range(len(texts))], "day": texts, "item": "x"})
    with sudare.read_history(rows, engine=engine, **options) as found:  # type: ignore[arg-type]
        rows_and_names = f"{found.table('purchase')} JOIN {found.table('customer')} ON code = customer"
        query = f"SELECT day FROM {rows_and_names} ORDER BY CAST(name AS INTEGER)"
        return [str(row[0]) for row in rows_of(engine, query)]


def test_each_row_is_read_in_its_own_form(engine: DuckDBEngine) -> None:
    written = ("2010-12-01", "2010年12月2日", "平成22年12月3日", "H22.12.4", "20101205", "6.12.2010", "17/12/2010")
    assert days(engine, *written) == [f"2010-12-{day:02}" for day in (1, 2, 3, 4, 5, 6, 17)]


def test_the_order_of_day_and_month_is_decided_by_the_whole_column(engine: DuckDBEngine) -> None:
    assert days(engine, "01/12/2010", "13/12/2010 8:26") == ["2010-12-01", "2010-12-13"]
    assert days(engine, "01/12/2010", "12/13/2010 8:26") == ["2010-01-12", "2010-12-13"]


@pytest.mark.parametrize("texts", [("01/12/2010", "02/11/2010"), ("13/12/2010", "12/13/2010")])
def test_an_order_that_is_not_clear_is_asked_for(engine: DuckDBEngine, texts: tuple[str, str]) -> None:
    with pytest.raises(sudare.BadRows, match="day and month cannot be told apart"):
        days(engine, *texts)


def test_both_readings_are_said_with_what_chooses_them(engine: DuckDBEngine) -> None:
    with pytest.raises(sudare.BadRows) as caught:
        days(engine, "2010-12-01", "1/12/2010 8:26")
    said = str(caught.value)
    assert '1/12/2010 8:26 is 2010-12-01 with date_format="%d/%m/%Y %H:%M" and ' in said
    assert 'and 2010-01-12 with date_format="%m/%d/%Y %H:%M"' in said
    assert days(engine, "1/12/2010 8:26", date_format="%d/%m/%Y %H:%M") == ["2010-12-01"]


def test_unclear_days_among_others_are_dropped_with_their_reason(engine: DuckDBEngine) -> None:
    rows = polars.DataFrame({"customer": ["a", "b", "c"], "day": ["2010-12-01", "1/2/2010", "31/31/2010"], "item": "x"})
    with sudare.read_history(rows, engine=engine, bad_rows="drop") as found:
        reasons = [str(part.reason) for part in found.reading.dropped]
    assert reasons == ["day and month cannot be told apart", "not a date in a known format"]


def number(engine: DuckDBEngine, text: str) -> float | None:
    found: float | None = rows_of(engine, f"SELECT read_number(trimmed(normal({quote_text(text)})))")[0][0]
    return found


@settings(max_examples=300, deadline=None)
@given(
    value=st.integers(0, 10**12), cents=st.sampled_from(["", ".5", ".25"]), sign=st.sampled_from(["", "-"]),
    before=st.sampled_from(["", "¥", "￥", "\\"]), after=st.sampled_from(["", "円"]), wide=st.booleans(),
)  # fmt: skip
def test_amounts_are_their_numbers(
    engine: DuckDBEngine, value: int, cents: str, sign: str, before: str, after: str, wide: bool
) -> None:
    text = f"{sign}{before}{value:,}{cents}{after}"
    assert number(engine, text.translate(WIDE | {ord(","): "，"}) if wide else text) == float(
        f"{sign}{value}{cents or ''}"
    )


@settings(max_examples=300, deadline=None)
@given(text=st.text("0123456789,", min_size=1, max_size=9).filter(lambda text: "," in text))
def test_odd_groups_are_no_numbers(engine: DuckDBEngine, text: str) -> None:
    digits = text.replace(",", "")
    usual = bool(digits) and f"{int(digits):,}" == text
    assert number(engine, text) == (float(digits) if usual else None)


@pytest.mark.parametrize("text", ["1,20", "1.200,50", "0,5", "1,2000", "¥", "円", ",", "1,200ドル", "--5", "1 200"])
def test_what_is_no_number(engine: DuckDBEngine, text: str) -> None:
    assert number(engine, text) is None


def test_prices_and_quantities_of_a_japanese_file(engine: DuckDBEngine, tmp_path: Path) -> None:
    text = '会員番号,購入日,商品コード,単価,数量\n１,平成22年12月1日,x,"￥1,200","１，０００"\n２,H22.12.2,y,"1,20",1\n'
    (tmp_path / "h.csv").write_bytes(text.encode("cp932"))
    with sudare.read_history(tmp_path / "h.csv", engine=engine, bad_rows="drop") as found:
        assert rows_of(engine, f"SELECT price, quantity FROM {found.table('purchase')}") == [(1200.0, 1000.0)]
        assert [str(part.reason) for part in found.reading.dropped] == ["the price is not a number"]
