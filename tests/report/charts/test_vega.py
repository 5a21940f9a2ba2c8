"""Charts as SVG: labels in any language, no script, no fixed width, text from users stays text."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

from sudare.report.charts.axes import Point, needs_log_axes, text_width
from sudare.report.charts.vega import (
    Chart,
    Pair,
    ShareBar,
    cumulative_curve,
    cumulative_shares,
    heat_map,
    pairs_on_log_scale,
    render,
    scatter,
    share_bars,
)

EVIL = "<script>alert(1)</script> & \"q\" 'x'"


def bars(*shares: ShareBar, title: str = "識別確率") -> Chart:
    return share_bars(shares, axis="確率", title=title, description="説明")


def every_kind() -> dict[str, Chart]:
    words = {"title": "題名", "description": "説明"}
    return {
        "bars": share_bars(
            [ShareBar("購買日", 0.5, "50%"), ShareBar("商品×3", 0.9, "90%", 0.8, 0.95)], axis="確率", **words
        ),
        "pairs": pairs_on_log_scale(
            [Pair("購買日", 0.5, 0.01), Pair("全商品", 1, 2414)], names=("実測値", "理論値"), axis="確率", **words
        ),
        "cumulative": cumulative_shares([n / 100 for n in range(101)], axes=("購買日", "顧客"), **words),
        "curve": cumulative_curve([(0.25, 0.5), (1, 1)], axes=("購買日", "顧客"), limit=0.2, **words),
        "heat map": heat_map([("購買日", [None, 0.25]), ("b", [1, 0.75])], columns=[1, 2], axis="属性", **words),
        "wide heat map": heat_map([("購買日", [0.5] * 40)], columns=range(1, 41), axis="属性", line_below=0, **words),
        "scatter": scatter([Point(1, 1, 20), Point(3, 2), Point(5, 5)], axes=("購買日", "顧客"), **words),
        "log scatter": scatter([Point(1, 1, 20), Point(1012, 289)], axes=("購買日", "顧客"), **words),
    }


@pytest.mark.parametrize("kind", every_kind())
def test_every_chart_is_svg_with_japanese_labels_a_description_and_no_script(kind: str) -> None:
    svg = render(every_kind()[kind])
    root = ET.fromstring(svg)
    assert root.tag.endswith("svg")
    assert root.get("role") == "img"
    assert root.get("aria-label") == "題名"
    assert svg.count("aria-label") == 1  # the library would name parts in English
    assert [child.text for child in root[:2]] == ["題名", "説明"]
    assert "購買日" in "".join(root.itertext())
    assert "<script" not in svg
    assert not re.search(r"\son\w+=|href|url\(", svg)


@pytest.mark.parametrize("kind", every_kind())
def test_every_chart_takes_the_width_of_its_place(kind: str) -> None:
    root = ET.fromstring(render(every_kind()[kind]))
    assert root.get("viewBox")
    assert root.get("width") == "100%"
    assert root.get("height") is None


def test_the_same_chart_gives_the_same_bytes() -> None:
    assert render(every_kind()["pairs"]) == render(every_kind()["pairs"])


def test_labels_from_users_are_shown_as_text() -> None:
    svg = render(bars(ShareBar(EVIL, 0.5, EVIL), title=EVIL))
    root = ET.fromstring(svg)
    assert "<script" not in svg
    assert root.get("aria-label") == EVIL
    assert sum(text == EVIL for text in root.itertext()) == 3


def test_long_labels_are_cut_and_leave_room_for_the_bars() -> None:
    svg = render(bars(ShareBar("長" * 100, 0.5, "50%")))
    assert "長" * 100 not in svg
    assert "…" in svg


def test_room_for_labels_does_not_depend_on_the_fonts_of_the_machine() -> None:
    assert text_width("漢字") > text_width("ab") > 0


def test_a_label_that_comes_twice_is_not_added_up() -> None:
    drawn = render(bars(ShareBar("a", 0.5, "50%"), ShareBar("a", 0.5, "50%")))
    widths = re.findall(r"h([\d.]+)v", drawn)
    assert max(float(width) for width in widths) < 460


def test_an_estimate_is_drawn_with_its_bounds() -> None:
    plain, bounded = bars(ShareBar("a", 0.5, "50%")), bars(ShareBar("a", 0.5, "50%", 0.4, 0.6))
    assert 'stroke-width="3"' not in render(plain)
    assert 'stroke-width="3"' in render(bounded)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.0025, 2414, ["0.01", "1", "100", "10⁴"]),
        (0.3, 4.5, ["0.1", "1", "10"]),
        (1, 1, ["1", "10"]),
        (1e-9, 1e12, ["10⁻⁶", "1", "10⁶", "10¹²"]),
    ],
)
def test_logarithmic_axes_have_few_round_ticks_and_always_one(low: float, high: float, expected: list[str]) -> None:
    chart = pairs_on_log_scale([Pair("a", low, high)], names=("b", "c"), axis="d", title="e", description="f")
    texts = [text for text in ET.fromstring(render(chart)).itertext() if re.match(r"[\d.]", text)]
    assert texts == expected


@pytest.mark.parametrize(("most", "expected"), [(2, ["0", "1", "2"]), (21, ["0", "10", "20", "30"])])
def test_axes_of_whole_numbers_have_whole_ticks_once(most: int, expected: list[str]) -> None:
    chart = scatter([Point(1, 1), Point(most, 1)], axes=("a", "b"), title="c", description="d")
    texts = [text for text in ET.fromstring(render(chart)).itertext() if text.isdecimal()]
    assert [text for text in expected if text not in texts] == []
    assert texts[: len(expected)] == expected


def test_scatter_plots_of_large_numbers_are_logarithmic() -> None:
    assert not needs_log_axes([Point(100, 3)])
    assert needs_log_axes([Point(101, 3)])


def test_few_columns_of_a_heat_map_have_their_percentages_in_the_cells() -> None:
    drawn = render(heat_map([("a", [0.25, 1])], columns=[7, 8], axis="b", title="c", description="d"))
    assert [text for text in ET.fromstring(drawn).itertext() if text.isdecimal()] == ["25", "100", "7", "8"]


@pytest.mark.parametrize(("share", "text"), [(0.0001, "<1"), (0.9999, ">99"), (0.0, "0"), (0.006, "1"), (0.994, "99")])
def test_only_none_and_all_are_written_as_0_and_100(share: float, text: str) -> None:
    drawn = render(heat_map([("a", [share])], columns=[7], axis="b", title="c", description="d"))
    assert text in list(ET.fromstring(drawn).itertext())


def test_many_columns_of_a_heat_map_have_a_legend_instead() -> None:
    drawn = render(heat_map([("a", [0.25] * 30)], columns=range(1, 31), axis="b", title="c", description="d"))
    texts = list(ET.fromstring(drawn).itertext())
    assert [text for text in texts if "%" in text] == ["0%", "25%", "50%", "75%", "100%"]


def test_a_row_of_a_heat_map_without_cells_keeps_its_place() -> None:
    drawn = render(heat_map([("a", [1]), ("empty", [None])], columns=[1], axis="b", title="c", description="d"))
    assert "empty" in list(ET.fromstring(drawn).itertext())


def test_a_limit_is_a_dashed_line() -> None:
    words = {"axes": ("a", "b"), "title": "c", "description": "d"}
    assert "stroke-dasharray" not in render(cumulative_curve([(1, 1)], **words))  # type: ignore[arg-type]
    assert "stroke-dasharray" in render(cumulative_curve([(1, 1)], limit=0.2, **words))  # type: ignore[arg-type]


def test_many_points_stay_small() -> None:
    points = [Point(n, 1 + n // 3) for n in range(1, 801)]
    assert len(render(scatter(points, axes=("a", "b"), title="c", description="d"))) < 150_000


def test_the_percent_sign_is_that_of_the_language() -> None:
    assert "100\u00a0%" in render(bars(ShareBar("a", 1, "")), percent_sign="\u00a0%")


def test_the_drawing_library_is_loaded_only_to_draw() -> None:
    code = "import sys, sudare.report.history.report; sys.exit('vl_convert' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
