"""`sudare history profiles`: recognizing people by what they bought at another time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sudare.cli.files import LINES, READ
from sudare.cli.frame import (
    JsonOption,
    SeedOption,
    guarded,
    note_secret,
    note_written,
    pairs,
    show_json,
    shown_progress,
    spoken,
)
from sudare.cli.history.source import HistoryOptions, single_columns, tell_reading
from sudare.cli.options import FailAboveOption, fail_if_above, taking
from sudare.errors import OptionNotUsable
from sudare.showing import dataclass

if TYPE_CHECKING:
    from sudare.histories.profiles.assessment import ProfileAssessment
    from sudare.histories.profiles.read import NamedCells
    from sudare.progress import Progress
    from sudare.sources.purchases.load import PurchaseForm


@dataclass(frozen=True, slots=True)
class KnownOptions(HistoryOptions):
    """The words that say which history is known and how to read it."""

    file: Annotated[str, READ, typer.Argument(metavar="KNOWN")]

    def purchase_form(self, file: str) -> PurchaseForm:
        """Return how one of the files is to be read; rejected rows are listed of the known one."""
        from sudare.sources.purchases.load import PurchaseForm

        rejects = self.rejects if file == self.file else None
        return PurchaseForm(
            columns=single_columns(pairs(self.column, "--column", "customer=CustomerID")),
            date_format=self.date_format,
            missing_values=pairs(self.missing_value, "--missing-value", "customer=0"),
            bad_rows=self.bad_rows,
            **{**self.form(), "rejects": rejects},
        )

    def cells(self, file: str, progress: Progress) -> NamedCells:
        """Read one of the files, and tell how it was read."""
        from sudare.histories.profiles.read import cells_of

        with self.engine() as engine:
            found = cells_of(file, self.purchase_form(file), engine=engine, progress=progress)
        if found.reading:
            tell_reading(found.reading, self.rejects if file == self.file else None)
        return found


@guarded
@taking(KnownOptions)
def profiles(
    source: KnownOptions,
    published: Annotated[list[str] | None, READ, typer.Argument(metavar="[PUBLISHED]...")] = None,
    split: Annotated[str | None, typer.Option(metavar="DAY")] = None,
    truth: Annotated[str | None, READ, typer.Option(metavar="FILE")] = None,
    trained: Annotated[bool | None, typer.Option("--trained/--untrained")] = None,
    closed: Annotated[bool | None, typer.Option("--closed-world/--open-world")] = None,
    what_if: Annotated[bool, typer.Option("--what-if")] = False,
    guesses: Annotated[Path | None, LINES, typer.Option(metavar="FILE")] = None,
    fail_above: FailAboveOption = None,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Recognize people by what they bought at another time."""
    from sudare.histories.another_time import assess_profiles, check_words
    from sudare.histories.profiles.assessment import ProfileAssessment
    from sudare.report.history.profiles_text import show_profiles
    from sudare.report.history.releases_text import show_releases

    others = published or []
    check_words(len(others), split=split, truth=truth, trained=trained, closed=closed, what_if=what_if)
    only_for_two = "guesses" if guesses else "fail_above" if fail_above is not None else None
    days = split.split(",") if split and "," in split else split
    if only_for_two and (len(others) > 1 or isinstance(days, list)):
        raise OptionNotUsable("errors.profiles.not_for_releases", option=only_for_two)
    with shown_progress() as progress:
        read = [source.cells(file, progress) for file in (source.file, *others)]
        found = assess_profiles(
            *read, split=days, truth=truth, trained=trained, closed=closed,
            what_if=what_if, seed=seed, progress=progress,
        )  # fmt: skip
    if not isinstance(found, ProfileAssessment):
        if only_for_two:
            raise OptionNotUsable("errors.profiles.not_for_releases", option=only_for_two)
        show_json("releases", found.to_dict()) if json else show_releases(found, spoken())
        return
    if guesses:
        found.write_guesses(guesses)
    show_json("profiles", found.to_dict()) if json else show_profiles(found, source.file, spoken())
    if guesses:
        note_written(guesses)
        note_secret(guesses)
    fail_if_above(_risk(found), fail_above)


def _risk(found: ProfileAssessment) -> float:
    """Return the share that is identified, or that the attacker expects where it is not known."""
    return found.expected if found.one_to_one is None else found.one_to_one
