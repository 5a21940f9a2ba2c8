"""Who sees what, by the functions that pages and the API share, for every role and phase."""

from __future__ import annotations

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from sudare.web.game.contests import publish_results
from sudare.web.game.refusals import Refused
from sudare.web.game.visibility import (
    Viewer,
    find_viewer,
    may_download_original,
    visible_guess,
    visible_round,
    visible_submission,
    visible_submissions,
    visible_target,
    without_original,
)
from sudare.web.storage.models import Contest, GuessFile, Submission
from sudare.web.views.results import show_results
from sudare.web.views.shown_administration import show_audit, show_members
from sudare.web.views.shown_contests import show_contest, show_round
from sudare.web.views.shown_submissions import show_submission
from sudare.web.views.shown_targets import show_targets
from tests.web.small_contest import TEAMS, SmallContest, anonymized, guesses

NAMES = ("organizer", *TEAMS, "observer")


def sees(action: object) -> bool:
    """Say whether an action goes through."""
    try:
        action()  # type: ignore[operator]
    except Refused:
        return False
    return True


def who(small: SmallContest, session: Session, action: object) -> set[str]:
    """Return the members for whom an action goes through."""
    return {name for name in NAMES if sees(lambda name=name: action(small.viewer(session, name)))}  # type: ignore[operator, misc]


def test_an_outsider_sees_nothing_and_everybody_a_public_contest(small: SmallContest) -> None:
    with small.database.writing() as session:
        assert not sees(lambda: small.viewer(session, "outsider"))
        session.get_one(Contest, small.contest).public = True
        viewer = small.viewer(session, "outsider")
        assert show_contest(session, viewer).role is None
        round = visible_round(session, viewer, small.round)
        assert not may_download_original(viewer, round)
        assert show_targets(session, viewer, round) == []
        assert not sees(lambda: visible_submissions(session, viewer, round))
        assert not sees(lambda: show_audit(session, viewer))
        assert find_viewer(session, small.contest, None, viewer.now).role is None


def test_a_submission_is_for_its_team_and_the_organizer(small: SmallContest) -> None:
    identity = small.submit("blue", anonymized())
    with small.database.reading() as session:
        assert who(small, session, lambda viewer: visible_submission(session, viewer, identity)) == {
            "organizer",
            "blue",
        }
        listed = {
            name: len(visible_submissions(session, viewer, visible_round(session, viewer, small.round)))
            for name in ("organizer", "blue", "green")
            for viewer in [small.viewer(session, name)]
        }
    assert listed == {"organizer": 1, "blue": 1, "green": 0}


def test_members_audit_and_jobs_are_for_the_organizer(small: SmallContest) -> None:
    with small.database.reading() as session:
        assert who(small, session, lambda viewer: show_audit(session, viewer)) == {"organizer"}
        assert who(small, session, lambda viewer: show_members(session, viewer)) == {"organizer"}


@pytest.mark.parametrize(("allowed", "opens", "expected"), [
    (True, -1.0, {"organizer", *TEAMS}),
    (True, 1.0, {"organizer"}),
    (False, -1.0, {"organizer"}),
])  # fmt: skip
def test_the_original_is_for_teams_if_so_set_and_not_before_the_opening(
    small: SmallContest, allowed: bool, opens: float, expected: set[str]
) -> None:
    small.move(anonymization_opens=opens)
    with small.database.writing() as session:
        session.get_one(Contest, small.contest).teams_may_download = allowed

    def download(viewer: Viewer) -> None:
        if not may_download_original(viewer, visible_round(session, viewer, small.round)):
            raise Refused("not_there", 404)

    with small.database.reading() as session:
        assert who(small, session, download) == expected
        hashes = {name: shown_hash(small, session, name) for name in NAMES}
    assert {name for name, hash in hashes.items() if hash} == expected


def shown_hash(small: SmallContest, session: Session, name: str) -> str | None:
    viewer = small.viewer(session, name)
    data = show_round(session, viewer, visible_round(session, viewer, small.round)).data
    assert data is not None
    return data.sha256


def test_targets_are_for_teams_from_the_opening_on_and_names_stay_hidden(small: SmallContest) -> None:
    small.submit("blue", anonymized())
    small.work()
    small.move(anonymization_closes=0, reidentification_opens=1)
    small.work()
    with small.database.reading() as session:
        identity = small.target(session, "blue").id
        assert who(small, session, lambda viewer: visible_target(session, viewer, identity)) == {"organizer"}
        for name in ("blue", "green"):
            viewer = small.viewer(session, name)
            assert show_targets(session, viewer, visible_round(session, viewer, small.round)) == []
    small.move(reidentification_opens=0)
    with small.database.reading() as session:
        assert who(small, session, lambda viewer: visible_target(session, viewer, identity)) == {"organizer", *TEAMS}
        names = {
            name: show_targets(session, viewer, visible_round(session, viewer, small.round))[0].team
            for name in ("organizer", *TEAMS)
            for viewer in [small.viewer(session, name)]
        }
    assert names == {"organizer": "blue", "blue": "blue", "green": None, "red": None}


def test_guesses_are_for_their_team_and_hits_for_nobody_before_the_results_are_published(small: SmallContest) -> None:
    small.to_reidentification()
    identity = small.guess("blue", "red", guesses(right=12, shift=2))
    small.work()
    with small.database.reading() as session:
        assert who(small, session, lambda viewer: visible_guess(session, viewer, identity)) == {"organizer", "blue"}
        found = session.get_one(GuessFile, identity)
        assert found.status == "valid"
        assert "hits" not in str(found.result)
    small.move(reidentification_closes=0)
    small.work()

    def results(viewer: Viewer) -> None:
        shown = show_results(session, viewer, visible_round(session, viewer, small.round))
        assert [attack.hits for attack in shown.attacks] == [12]

    with small.database.reading() as session:
        assert who(small, session, results) == {"organizer"}
        for name in ("blue", "observer"):
            viewer = small.viewer(session, name)
            assert not show_round(session, viewer, visible_round(session, viewer, small.round)).results_open
    with small.database.writing() as session:
        publish_results(session, small.viewer(session, "organizer"), small.round)
    with small.database.reading() as session:
        assert who(small, session, results) == set(NAMES)
        assert who(small, session, lambda viewer: visible_guess(session, viewer, identity)) == {"organizer", "blue"}


def test_where_the_original_is_private_errors_and_costs_do_not_tell_it(small: SmallContest) -> None:
    with small.database.writing() as session:
        session.get_one(Contest, small.contest).teams_may_download = False
    wrong = small.submit("blue", anonymized().replace("apple", "bread", 1))
    fine = small.submit("blue", anonymized(dates=False))
    small.work()
    with small.database.reading() as session:
        shown = {
            name: show_submission(session, small.viewer(session, name), session.get_one(Submission, wrong)).result
            for name in ("organizer", "blue")
        }
        costs = show_submission(session, small.viewer(session, "blue"), session.get_one(Submission, fine)).result
    assert shown["organizer"] and "apple" in shown["organizer"]["errors"]["en"][0]["message"]
    assert shown["blue"] and shown["blue"]["errors"] == {"en": [], "ja": []}
    assert (shown["blue"]["totals"], shown["blue"]["total_errors"]) == ({"original": 1}, 1)
    assert costs and set(costs["utility"]) & {"customers", "cells"} == set()


def test_what_failed_has_no_values_to_hide() -> None:
    assert without_original({"failure": "time"})["failure"] == "time"


def test_what_an_older_server_found_tells_its_number_only() -> None:
    error = {"row": 1, "cell": 3, "kind": "invalid", "message": "durian is not an item of T"}
    found = without_original({"valid": False, "total_errors": 1, "totals": {"invalid": 1}, "errors": {"en": [error]}})
    assert (found["errors"], found["totals"], found["total_errors"]) == ({"en": []}, {"original": 1}, 1)


def test_things_of_another_contest_are_not_there(small: SmallContest) -> None:
    identity = small.submit("blue", anonymized())
    with small.database.writing() as session:
        other = Contest(
            name="Other", time_zone="UTC", rules="pwscup2018", submissions_per_day=1, teams_may_download=True,
            hide_names=True, guesses_replaceable=True, public=True, created_at=small.viewer(session, "blue").now,
        )  # fmt: skip
        session.add(other)
        session.flush()
        viewer = small.viewer(session, "organizer")
        foreign = Viewer(other, viewer.user, "organizer", None, viewer.scopes, viewer.now)
        assert not sees(lambda: visible_round(session, foreign, small.round))
        assert not sees(lambda: visible_submission(session, foreign, identity))
        assert session.scalars(select(Submission)).one().id == identity
