import re

from sudare.report.charts.stacked import COLOURS, PartedBar, parted_bars
from sudare.report.charts.vega import render


def drawn(*bars: PartedBar) -> str:
    kinds = [("range", "a range"), ("set", "a <set>")]
    chart = parted_bars(bars, kinds=kinds, axis="axis", number_format=".2f", title="title", description="said")
    return render(chart)


def test_every_part_is_drawn_in_its_colour_and_named() -> None:
    svg = drawn(PartedBar("one", (1.0, 2.0), "3.00"), PartedBar("two", (2.0, 1.0)))
    assert svg.count(f'fill="{COLOURS["range"]}"') == 3  # two bars and the legend
    assert svg.count(f'fill="{COLOURS["set"]}"') == 3
    assert "a &lt;set&gt;" in svg
    assert ">3.00<" in svg


def test_parts_stand_beside_each_other_in_the_order_of_their_kinds() -> None:
    svg = drawn(PartedBar("one", (1.0, 3.0)))
    bars = re.findall(r'd="M([\d.]+),[\d.]+h([\d.]+)v[^"]*" fill="(#\w+)"', svg)
    (start, width, first), (next_start, next_width, second) = bars[-2:]
    assert (first, second) == (COLOURS["range"], COLOURS["set"])
    assert abs(float(start) + float(width) - float(next_start)) < 0.1
    assert abs(float(next_width) / float(width) - 3) < 0.01


def test_bars_without_length_are_drawn() -> None:
    assert ">one<" in drawn(PartedBar("one", (0.0, 0.0), "0"))
