"""Recognizing people from another time: which words go together, and before and after anonymization."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars
import pytest

import sudare
from sudare.engine import DuckDBEngine
from sudare.errors import OptionNotUsable, OutputNotWritable
from sudare.histories import ProfileAssessment, ReleasesAssessment, assess_profiles
from sudare.histories.another_time import profiles_before_and_after
from sudare.histories.attack.duel import with_pseudonyms
from sudare.histories.generalized.model import CellHistory
from sudare.histories.generalized.text import write_cells
from sudare.statistics.intervals import share_interval
from tests.histories.attack.histories import anonymize, anonymize_classes, history
from tests.histories.generalized.small_cells import cells
from tests.histories.profiles.small_profiles import habitual_rows, halves

ROWS = habitual_rows(1, 30)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of the whole period and of both halves."""
    found = tmp_path_factory.mktemp("halves")
    for name, rows in (("whole", history(ROWS)), *zip(("early", "late"), halves(ROWS), strict=True)):
        write_cells(rows, found / f"{name}.csv")
    return found


def test_one_file_is_split_and_two_are_compared(folder: Path, engine: DuckDBEngine) -> None:
    split = assess_profiles(folder / "whole.csv", split="2011-04-11", trained=False, engine=engine)
    truth = {str(n): str(n) for n in range(1, 31)}
    two = assess_profiles(
        folder / "early.csv", folder / "late.csv", truth=truth, closed=True, trained=False, engine=engine
    )
    assert isinstance(split, ProfileAssessment)
    assert isinstance(two, ProfileAssessment)
    assert (two.one_to_one, two.expected, two.habits) == (split.one_to_one, split.expected, split.habits)
    (folder / "key.csv").write_text("pseudonym,customer\n" + "".join(f"{n},{n}\n" for n in range(1, 31)))
    read = assess_profiles(
        folder / "early.csv", folder / "late.csv", truth=folder / "key.csv", closed=True, trained=False, engine=engine
    )
    assert read.to_dict() == two.to_dict()


def test_guesses_are_not_written_over_what_was_read(folder: Path, engine: DuckDBEngine) -> None:
    (folder / "truth.csv").write_text("".join(f"{n},{n}\n" for n in range(1, 31)))
    files = [folder / f"{name}.csv" for name in ("early", "late", "truth")]
    found = assess_profiles(*files[:2], truth=files[2], trained=False, engine=engine)
    assert isinstance(found, ProfileAssessment)
    for file in files:
        before = file.read_bytes()
        with pytest.raises(OutputNotWritable, match="is read"):
            found.write_guesses(file)
        assert file.read_bytes() == before
    found.write_guesses(folder / "guesses.csv")
    assert len((folder / "guesses.csv").read_text().splitlines()) == 31


@pytest.mark.slow
def test_several_days_or_files_make_releases(folder: Path, engine: DuckDBEngine) -> None:
    days = ["2011-03-01", "2011-05-01"]
    found = assess_profiles(folder / "whole.csv", split=days, engine=engine)
    assert isinstance(found, ReleasesAssessment)
    assert (len(found.releases), found.whole is None) == (3, False)
    months = assess_profiles(folder / "whole.csv", split="months", engine=engine)
    assert len(months.releases) == 7  # type: ignore[union-attr]
    three = assess_profiles(*[folder / f"{name}.csv" for name in ("early", "late", "late")], engine=engine)
    assert isinstance(three, ReleasesAssessment)
    assert (three.whole, [one.same_time for one in three.releases]) == (None, [False, False, True])


def test_a_history_has_the_method(folder: Path, engine: DuckDBEngine) -> None:
    with sudare.read_history(folder / "early.csv", engine=engine) as known:
        found = known.profiles(folder / "late.csv", trained=False)
        assert found.pseudonyms == 30  # type: ignore[union-attr]
        assert known.profiles(split="half", trained=False, what_if=True).what_if  # type: ignore[union-attr]


def test_half_is_the_split_if_nothing_is_said(folder: Path, engine: DuckDBEngine) -> None:
    found = assess_profiles(folder / "whole.csv", trained=False, engine=engine)
    assert (
        found.to_dict() == assess_profiles(folder / "whole.csv", split="half", trained=False, engine=engine).to_dict()
    )


@pytest.mark.parametrize(
    ("others", "words", "said"),
    [
        (1, {"split": "half"}, "split is for one history; here several are given"),
        (0, {"truth": {}}, "truth is only for a known and a published history"),
        (2, {"truth": {}}, "truth is only for a known and a published history"),
        (0, {"closed": True}, "closed is only for a known and a published history"),
        (2, {"closed": False}, "closed is only for a known and a published history"),
        (1, {"what_if": True}, "what_if needs to know who is behind each pseudonym"),
        (2, {"what_if": True}, "what_if needs to know who is behind each pseudonym"),
        (2, {"trained": True}, "trained=True is not for several releases"),
        (2, {"trained": False}, "trained=False is not for several releases"),
        (0, {"split": ["2011-03-01", "2011-05-01"], "trained": False}, "trained=False is not for several releases"),
        (0, {"split": ["2011-03-01", "2011-05-01"], "what_if": True}, "what_if is not for several releases"),
    ],
)
def test_words_that_do_not_go_together_are_refused(
    folder: Path, engine: DuckDBEngine, others: int, words: dict[str, object], said: str
) -> None:
    files = [folder / "whole.csv", *[folder / "late.csv"] * others]
    with pytest.raises(OptionNotUsable, match=said):
        assess_profiles(*files, engine=engine, **words)  # type: ignore[arg-type]


def test_frames_are_compared_as_files_are(engine: DuckDBEngine, folder: Path) -> None:
    names = ["customer", "day", "item", "price", "quantity"]
    frames = [
        polars.read_csv(folder / f"{name}.csv", has_header=False, new_columns=names) for name in ("early", "late")
    ]
    found = assess_profiles(*frames, trained=False, engine=engine)
    files = assess_profiles(folder / "early.csv", folder / "late.csv", trained=False, engine=engine)
    assert found.to_dict() == files.to_dict()


def test_pseudonyms_alone_change_nothing_for_who_knows_the_earlier_half() -> None:
    original = history(ROWS)
    found = profiles_before_and_after(original, with_pseudonyms(original, seed=3))
    assert found.before == found.after
    before = found.before
    assert (before.pseudonyms, before.shared, before.ceiling, before.right_class) == (30, 30, 1, None)
    assert before.right is not None
    assert before.right > 0.8
    assert before.interval == pytest.approx(share_interval(before.right * 30, 30))


def test_classes_lower_what_is_identified_to_their_ceiling() -> None:
    found = profiles_before_and_after(history(ROWS), anonymize_classes(ROWS, 3))
    assert found.after.rows < found.before.rows
    assert found.after.ceiling is not None
    assert found.after.right is not None
    assert found.after.right <= found.after.ceiling


def test_only_what_is_certainly_later_is_attacked() -> None:
    original = history(ROWS)
    later = (original.column("date").low >= original.column("date").low.min() + 100).sum()  # type: ignore[union-attr]
    found = profiles_before_and_after(original, anonymize(ROWS, "dates"))
    assert 0 < found.after.rows < found.before.rows
    assert abs(int(later) - found.before.rows) <= 12
    names = original.column("item").names  # type: ignore[union-attr]
    gone = cells([["*"] * 5] * len(ROWS), names)
    nothing = profiles_before_and_after(original, gone).after
    assert (nothing.rows, nothing.pseudonyms, nothing.shared, nothing.right, nothing.ceiling) == (0, 0, 0, None, None)
    assert nothing.interval is None


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([(1, 0, 1, 100, 1), (1, 50, 1, 100, 1), (2, 0, 1, 100, 1)], "Fewer than two people buy in both periods"),
        ([(1, 5, 1, 100, 1), (2, 5, 1, 100, 1)], "leaves nothing on one side"),
        ([], "has no rows"),
    ],
)
def test_where_nothing_can_be_measured_it_is_said_why(rows: list[tuple[int, int, int, int, int]], said: str) -> None:
    original = history(rows)
    with pytest.raises(OptionNotUsable, match=said):
        profiles_before_and_after(original, CellHistory(original.persons.copy(), original.columns))
    assert np.array_equal(original.persons, [row[0] for row in rows])
