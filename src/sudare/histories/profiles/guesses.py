"""The guesses of an attack by profiles: a line for each pseudonym."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sudare.errors import BadRows
from sudare.histories.profiles.attack import ProfileLinks
from sudare.kernels.common.arrays import Floats
from sudare.showing import dataclass
from sudare.sources.encodings import find_text
from sudare.sources.local.files import check_readable
from sudare.sources.spellings import plain
from sudare.sources.text import csv_line, csv_rows
from sudare.sources.writing import LINES_ENDINGS, check_ending, keeps_inputs, whole_file

HEADER = ("pseudonym", "customer", "confidence")


@dataclass(frozen=True, slots=True, eq=False)
class ProfileGuesses:
    """Guess i says that the pseudonym `pseudonyms[i]` is the customer `customers[i]`, with this confidence."""

    pseudonyms: tuple[str, ...]
    customers: tuple[str, ...]
    confidence: Floats

    def __len__(self) -> int:
        return len(self.pseudonyms)

    @keeps_inputs()
    def write(self, path: str | Path) -> None:
        """Write the guesses with a header, whole or not at all, for their owner only."""
        path = Path(path)
        check_ending(path, LINES_ENDINGS)
        guesses = zip(self.pseudonyms, self.customers, self.confidence.tolist(), strict=True)
        with whole_file(path, private=True) as target, target.open("w", encoding="utf-8", newline="") as file:
            file.write(csv_line(HEADER))
            file.writelines(csv_line((pseudonym, customer, f"{sure:.6f}")) for pseudonym, customer, sure in guesses)


def make_guesses(links: ProfileLinks, known: Sequence[str], published: Sequence[str], seed: int) -> ProfileGuesses:
    """Return the most probable person for each pseudonym; where nobody is like it, one who is drawn.

    `known` and `published` are the names of the numbers of both sides, from 1 on.
    """
    sides = links.sides
    best = links.best()[sides.groups]
    drawn = np.random.default_rng(seed).integers(0, len(sides.customers), len(best))
    places = np.where(best >= 0, np.append(links.candidates.people, 0)[best], drawn)
    confidence = np.where(best >= 0, links.confidence()[sides.groups], 1 / len(sides.customers))
    people = sides.customers[places]
    return ProfileGuesses(
        tuple(published[pid - 1] for pid in sides.pids.tolist()),
        tuple(known[person - 1] for person in people.tolist()),
        confidence,
    )


def read_truth(path: str | Path) -> dict[str, str]:
    """Read who is behind which pseudonym: lines `pseudonym,customer`, with or without that header.

    BadRows names a line without two cells, or with a pseudonym that occurred before.
    """
    path = Path(path)
    check_readable(path)
    found: dict[str, str] = {}
    with path.open(encoding=find_text(path).encoding, newline="") as file:
        for row, line in csv_rows(file, ","):
            cells = [plain(cell) for cell in line]
            if not any(cells) or (row == 1 and tuple(cells[:2]) == HEADER[:2]):
                continue
            if len(cells) < 2 or not cells[0] or not cells[1]:
                raise BadRows("errors.profiles.truth_line", path=path, row=row)
            if cells[0] in found:
                raise BadRows("errors.profiles.truth_twice", path=path, row=row, pseudonym=cells[0])
            found[cells[0]] = cells[1]
    return found
