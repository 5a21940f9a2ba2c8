"""Options for which releases were published before."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from sudare.cli.files import READ
from sudare.cli.history.cells import CellOptions
from sudare.errors import OptionNotUsable
from sudare.progress import Progress
from sudare.showing import dataclass

if TYPE_CHECKING:
    from sudare.histories.anonymize.earlier.release import EarlierRelease
    from sudare.histories.generalized.conversion import HistoryRows


@dataclass(frozen=True, slots=True)
class EarlierOptions:
    """The words that say what was published before: the files of each release, in the same order."""

    earlier: Annotated[list[str] | None, READ, typer.Option(metavar="RELEASE")] = None
    aligned_key: Annotated[list[str] | None, READ, typer.Option(metavar="KEY")] = None
    earlier_original: Annotated[list[str] | None, READ, typer.Option(metavar="ORIGINAL")] = None

    def check(self) -> None:
        """Refuse releases without a key, and originals that belong to no release."""
        releases, keys, originals = (
            len(given or []) for given in (self.earlier, self.aligned_key, self.earlier_original)
        )
        if releases != keys:
            raise OptionNotUsable("errors.usage.earlier_keys", releases=releases, keys=keys)
        if originals not in (0, releases):
            raise OptionNotUsable("errors.usage.earlier_originals", originals=originals, releases=releases)

    def read(self, source: CellOptions, rows: HistoryRows, progress: Progress) -> list[EarlierRelease]:
        """Read the releases; their originals are FILE itself, or read in the same way, each file once."""
        from sudare.histories.anonymize.earlier.release import read_earlier_release

        released, keys = self.earlier or [], self.aligned_key or []
        opened, found = {source.file: rows}, []
        for release, key, original in zip(
            released, keys, self.earlier_original or [source.file] * len(released), strict=True
        ):
            if original not in opened:
                # Rows that cannot be used were listed when that release was made.
                opened[original] = replace(source, file=original, rejects=None).open(progress, tell=False)
            found.append(read_earlier_release(opened[original], release, key, progress=progress))
        return found
