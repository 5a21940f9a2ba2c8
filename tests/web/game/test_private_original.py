"""Where T is private, a team learns how many of its errors depend on T, and nothing else of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sudare.web.jobs import work
from sudare.web.storage.models import Contest, GuessFile, Submission
from sudare.web.views.shown_submissions import show_submission
from sudare.web.views.shown_targets import show_guesses
from tests.web.conftest import RunningServer, log_in
from tests.web.small_contest import SmallContest, T, anonymized, guesses

pytestmark = [pytest.mark.slow, pytest.mark.parametrize("settings", ["sqlite"], indirect=True)]
QUANTITIES = [line.rsplit(",", 1)[1] for line in T.splitlines()]


@pytest.fixture
def private(small: SmallContest) -> SmallContest:
    with small.database.writing() as session:
        contest = session.get_one(Contest, small.contest)
        contest.teams_may_download, contest.submissions_per_day = False, 1000
    return small


def told(small: SmallContest, text: str, name: str = "blue") -> dict[str, Any]:
    """Hand in an A and return what its team is told, or another member."""
    identity = small.submit("blue", text)
    small.work()
    with small.database.reading() as session:
        found = show_submission(session, small.viewer(session, name), session.get_one(Submission, identity)).result
    assert found is not None
    return found


def changed(*changes: tuple[int, Callable[[list[str]], None]]) -> str:
    """Return an A with rows changed."""
    lines = [line.split(",") for line in anonymized().splitlines()]
    for row, change in changes:
        change(lines[row])
    return "\n".join(",".join(cells) for cells in lines) + "\n"


def put(cell: int, text: str) -> Callable[[list[str]], None]:
    return lambda cells: cells.__setitem__(cell, text)


def test_a_search_by_ranges_finds_no_row(private: SmallContest) -> None:
    """Each row says a range; which rows it does not cover was told, and ten A's gave nearly all quantities."""
    ranges = changed(*((row, put(4, "[1;1]" if row % 2 else "1")) for row in range(24)))
    found = told(private, ranges)
    wrong = sum(quantity != "1" for quantity in QUANTITIES)
    assert (found["total_errors"], found["totals"]) == (wrong, {"original": wrong})
    assert found["errors"] == {"en": [], "ja": []}
    # Nothing is told of which rows they are: other rows, as many of them, look the same.
    other = told(private, changed(*((row, put(4, "7")) for row in range(wrong))))
    assert {name: other[name] for name in found} == found


def test_an_item_that_t_does_not_have_looks_like_one_that_does_not_fit(private: SmallContest) -> None:
    unknown, unfit = (told(private, changed((0, put(2, item)))) for item in ("durian", "bread"))
    assert unknown == unfit
    assert "durian" in str(told(private, changed((0, put(2, "durian"))), "organizer"))


def test_pseudonyms_of_two_customers_are_counted_only(private: SmallContest) -> None:
    found = told(private, changed((2, put(0, "2"))))
    assert set(found["totals"]) == {"original"}
    assert found["errors"]["en"] == []


def test_errors_of_form_are_told_whole_and_as_many_whatever_else_is_wrong(private: SmallContest) -> None:
    form = [(row, put(1, "soon")) for row in range(24)]
    fits, fits_not = (
        told(private, changed(*form, *((row, put(4, text)) for row in range(24) if text))) for text in ("", "9")
    )
    assert fits["totals"] == {"invalid": 24}
    assert fits_not["totals"] == {"invalid": 24, "original": 24}
    assert fits["errors"] == fits_not["errors"]
    assert [error["row"] for error in fits["errors"]["en"]] == list(range(1, 25))
    assert "soon" in fits["errors"]["ja"][0]["message"]


def test_more_errors_than_are_examined_are_one_number(private: SmallContest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "MOST_EXAMINED", 5)
    rules, original = "pwscup2018", private.files.path(private.keep(T).hash)
    path = private.files.path(private.keep(changed(*((row, put(4, "9")) for row in range(24)))).hash)
    found = work.check_anonymized({"rules": rules, "original": str(original), "path": str(path)})
    assert found["private"]["totals"] == {"original": 24}


def test_guesses_tell_no_customers_either(private: SmallContest) -> None:
    private.to_reidentification()
    lines = guesses(right=12).splitlines()
    lines[3] = "5,999"
    lines[4] = lines[0]
    identity = private.guess("blue", "green", "\n".join(lines) + "\n")
    private.work()
    with private.database.reading() as session:
        found = {
            name: show_guesses(session, private.viewer(session, name), session.get_one(GuessFile, identity)).result
            for name in ("blue", "organizer")
        }
    assert found["blue"] and found["organizer"]
    assert "999" in str(found["organizer"])
    assert "999" not in str(found["blue"])
    assert found["blue"]["totals"] == {"consistency": 1, "original": 1}
    assert [error["row"] for error in found["blue"]["errors"]["en"]] == [5]
    assert not any("private" in result for result in found.values() if result)


def test_the_page_says_how_many_errors_depend_on_t(private: SmallContest, running: RunningServer) -> None:
    running.start("web")
    identity = private.submit("blue", changed((0, put(2, "bread")), (1, put(1, "soon"))))
    private.work()
    page = log_in(running, "blue").get(f"/submissions/{identity}").text
    assert "1 error depends on the original data" in page
    assert "soon" in page
    assert "apple" not in page
