"""Draws docs/images/house.svg from the packages themselves: the layers from the top down, and the rooms in each."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from html import escape

from house_rooms import SOURCE, Room, docline, layer_rows

WIDTH, MARGIN, GAP, PADDING = 900, 16, 8, 12
# Heights of lines of text, and the mean width of a character of it.
TITLE, LINE, CHIP, CHARACTER, CHIP_CHARACTER = 20, 16, 24, 6.0, 6.4
CHIP_GAP = 6
# Where the rooms of a layer begin that is one box: beside what is said of it.
BESIDE = 450
FONT = "'Liberation Sans', Arial, Helvetica, sans-serif"
CAPTION = (
    "A box imports from the boxes below it, never from above. Histories, tables and baskets never import each other. "
    "Numbers count modules."
)
# Background, border and text of a box, by what the layer is: shown to people, the game, kinds of data, ground, common.
COLOURS = {
    "people": ("#eef3fb", "#9db7dd", "#1f3c66"),
    "game": ("#f3eefa", "#b9a3d9", "#46296b"),
    "kind": ("#eaf6ef", "#8fc3a4", "#174d2f"),
    "ground": ("#fdf4e7", "#dfbd86", "#6b4514"),
    "common": ("#f4f4f2", "#c4c4bd", "#3f3f3a"),
}
TONES = {
    **dict.fromkeys(("cli", "web", "report"), "people"),
    "contest": "game",
    **dict.fromkeys(("histories", "tables", "baskets"), "kind"),
    **dict.fromkeys(("statistics", "sources", "engine", "kernels"), "ground"),
}


@dataclass(frozen=True)
class Chip:
    """A small frame with a name, and how many modules are in it."""

    name: str
    count: str = ""

    @property
    def width(self) -> float:
        return len(f"{self.name} {self.count}".strip()) * CHIP_CHARACTER + 16


@dataclass(frozen=True)
class Box:
    """A package or module: its name, what it is about, and its rooms, below that text or beside it."""

    name: str
    width: float
    beside: bool

    @property
    def room(self) -> Room | None:
        return Room(SOURCE / self.name, 0) if (SOURCE / self.name).is_dir() else None

    @property
    def title(self) -> str:
        return f"{self.name}/" if self.room else f"{self.name}.py"

    @property
    def about(self) -> list[str]:
        path = SOURCE / self.name / "__init__.py" if self.room else SOURCE / f"{self.name}.py"
        width = BESIDE if self.beside and self.chips else self.width
        return textwrap.wrap(docline(path), int((width - 2 * PADDING) / CHARACTER))

    @property
    def chips(self) -> list[list[Chip]]:
        """The rooms inside, in lines that fit."""
        rooms = self.room.inner if self.room else []
        width = self.width - BESIDE if self.beside else self.width
        return in_lines([Chip(room.name, f"{size(room)}") for room in rooms], width)

    @property
    def height(self) -> int:
        text, chips = TITLE + LINE * len(self.about), chips_height(self.chips)
        return 2 * PADDING + (max(text, chips) if self.beside else text + (chips + 8 if chips else 0))

    def draw(self, left: float, top: float, height: float) -> list[str]:
        tone = TONES.get(self.name, "common")
        ink, baseline = COLOURS[tone][2], top + PADDING + 13
        count = f"  <tspan {COUNT}>{size(self.room)} modules</tspan>" if self.room else ""
        parts = [
            frame(left, top, self.width, height, tone),
            text(left + PADDING, baseline, escape(self.title) + count, ink, size=15, weight="bold"),
        ]
        for place, line in enumerate(self.about, start=1):
            parts.append(text(left + PADDING, baseline + place * LINE + 2, escape(line), "#333333", size=12))
        if self.beside:
            return [*parts, *draw_chips(self.chips, left + BESIDE, top + (height - chips_height(self.chips)) / 2, tone)]
        return [
            *parts,
            *draw_chips(self.chips, left + PADDING, top + PADDING + TITLE + LINE * len(self.about) + 8, tone),
        ]


# How numbers of modules are written beside names.
COUNT = 'font-size="11" font-weight="normal" fill="#777777"'


def draw() -> str:
    """Return the picture as SVG."""
    parts, top = [], MARGIN
    for row in layer_rows():
        bodies, height = draw_layer(row, top)
        parts += bodies
        top += height + GAP
    parts.append(text(MARGIN, top + 14, CAPTION, "#555555", size=12))
    height = top + 14 + MARGIN
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'font-family="{FONT}" role="img">'
    )
    title = "<title>The rooms of sudare, layer by layer</title>"
    ground = f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>'
    return "\n".join([head, title, ground, *parts, "</svg>"]) + "\n"


def draw_layer(row: list[str], top: int) -> tuple[list[str], int]:
    """Return a layer as boxes side by side, or small things without rooms in one box, and its height."""
    whole = WIDTH - 2 * MARGIN
    width = (whole - GAP * (len(row) - 1)) / len(row)
    boxes = [Box(name, width, beside=len(row) == 1) for name in row]
    if len(row) > 1 and not any(box.chips for box in boxes):
        lines = in_lines([Chip(box.title) for box in boxes], whole)
        height = 2 * PADDING + chips_height(lines)
        drawn = draw_chips(lines, MARGIN + PADDING, top + PADDING, "common")
        return [frame(MARGIN, top, whole, height, "common"), *drawn], height
    height = max(box.height for box in boxes)
    drawn = [box.draw(MARGIN + place * (width + GAP), top, height) for place, box in enumerate(boxes)]
    return [part for box in drawn for part in box], height


def size(room: Room) -> int:
    """Return the modules of a room and of the rooms inside it."""
    return room.modules + sum(size(inner) for inner in room.inner)


def in_lines(chips: list[Chip], width: float) -> list[list[Chip]]:
    """Divide chips into lines that fit."""
    lines: list[list[Chip]] = []
    for chip in chips:
        used = sum(other.width + CHIP_GAP for other in lines[-1]) if lines else width
        if used + chip.width > width - 2 * PADDING:
            lines.append([])
        lines[-1].append(chip)
    return lines


def chips_height(lines: list[list[Chip]]) -> int:
    return len(lines) * CHIP + max(len(lines) - 1, 0) * CHIP_GAP


def draw_chips(lines: list[list[Chip]], left: float, top: float, tone: str) -> list[str]:
    parts = []
    for place, line in enumerate(lines):
        x, y = left, top + place * (CHIP + CHIP_GAP)
        for chip in line:
            parts += draw_chip(chip, x, y, tone)
            x += chip.width + CHIP_GAP
    return parts


def draw_chip(chip: Chip, x: float, y: float, tone: str) -> list[str]:
    border, ink = COLOURS[tone][1:]
    words = escape(chip.name) + (f" <tspan {COUNT}>{chip.count}</tspan>" if chip.count else "")
    return [
        f'<rect x="{x:g}" y="{y:g}" width="{chip.width:.1f}" height="{CHIP}" rx="5" fill="#ffffff" stroke="{border}"/>',
        text(x + chip.width / 2, y + 16, words, ink, size=12, anchor="middle"),
    ]


def frame(x: float, y: float, width: float, height: float, tone: str) -> str:
    fill, border, _ = COLOURS[tone]
    return f'<rect x="{x:g}" y="{y:g}" width="{width:.1f}" height="{height}" rx="8" fill="{fill}" stroke="{border}"/>'


def text(x: float, y: float, words: str, ink: str, *, size: int, weight: str = "normal", anchor: str = "start") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:g}" font-size="{size}" font-weight="{weight}" text-anchor="{anchor}" fill="{ink}">'
        f"{words}</text>"
    )
