"""Names beside points."""

from __future__ import annotations

from hypothesis import given, strategies as st

from sudare.messages import Texts
from sudare.report.charts.axes import text_width
from sudare.report.charts.point_names import LINE, MOST_NAMES, Corner, NamedPoint, PlacedName, place_names

END = Corner(400, 200)
EN = Texts("en")


def corners(name: PlacedName) -> tuple[float, float, float, float]:
    left = name.x if name.align == "left" else name.x - text_width(name.text)
    return left, name.y - LINE / 2, left + text_width(name.text), name.y + LINE / 2


def test_a_name_stands_at_the_right_and_half_a_line_above() -> None:
    assert place_names([NamedPoint("red", 100, 50)], END, EN) == [PlacedName("red", 108, 50 + LINE / 2, "left")]


def test_points_at_the_same_place_share_a_name() -> None:
    points = [NamedPoint("red", 100, 50), NamedPoint("green", 300, 50), NamedPoint("blue", 100, 50)]
    assert [name.text for name in place_names(points, END, EN)] == ["red, blue", "green"]


def test_a_name_without_room_at_the_right_stands_at_the_left() -> None:
    assert place_names([NamedPoint("red", 395, 50)], END, EN) == [PlacedName("red", 387, 50 + LINE / 2, "right")]


def test_near_points_have_names_apart() -> None:
    placed = place_names([NamedPoint("red", 100, 50), NamedPoint("green", 104, 52)], END, EN)
    assert [(name.text, name.align) for name in placed] == [("red", "right"), ("green", "left")]


def test_long_names_are_cut_alone_and_joined() -> None:
    points = [NamedPoint("a" * 30, 100, 50), *(NamedPoint(f"team {number}", 100, 50) for number in range(9))]
    assert [name.text for name in place_names(points, END, EN)] == ["a" * 16 + "…, team 0, team 1,…"]


@given(
    st.lists(
        st.builds(NamedPoint, st.text("abc名", max_size=20), st.integers(0, 400), st.integers(0, 200)), max_size=40
    )
)
def test_names_are_inside_over_no_point_and_over_no_other(points: list[NamedPoint]) -> None:
    boxes = [corners(name) for name in place_names(points, END, EN)]
    assert len(boxes) <= MOST_NAMES
    for number, (left, low, right, high) in enumerate(boxes):
        assert left >= 0 and low >= 0 and right <= END.x and high <= END.y
        assert not any(left < point.x < right and low < point.y < high for point in points)
        for other in boxes[:number]:
            assert right <= other[0] or other[2] <= left or high <= other[1] or other[3] <= low
