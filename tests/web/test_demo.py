"""The demonstration: every page has something to show."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import select

from sudare.web.demo import TEAMS, fill
from sudare.web.game.phases import phase_at
from sudare.web.game.visibility import find_viewer
from sudare.web.storage.database import Database, database_now
from sudare.web.storage.files import FileStore
from sudare.web.storage.models import Preview, Round, Submission
from sudare.web.storage.people import User
from sudare.web.views.results import show_results
from tests.web.conftest import new_settings


def test_the_demo_has_a_round_in_each_phase_and_results_that_make_sense(tmp_path: Path) -> None:
    settings = new_settings(tmp_path / "server")
    database, files = Database(settings.database_url), FileStore(settings.files)
    database.migrate()
    files.make()
    made = fill(settings, database, files, seed=1)
    with database.reading() as session:
        now = database_now(session)
        rounds = session.scalars(select(Round).order_by(Round.position)).all()
        assert [phase_at(round, now) for round in rounds] == ["evaluation", "reidentification", "anonymization"]
        user = session.scalars(select(User).where(User.login == made.teams[0])).one()
        results = show_results(session, find_viewer(session, made.contest, user, now), rounds[0])
        statuses = set(session.scalars(select(Submission.status)))
        previews = list(session.scalars(select(Preview.status)))
    assert statuses == {"valid", "invalid"}
    assert previews == ["done"] * 8  # of two valid submissions of three teams, and one of two
    # What hides nothing or little is broken; larger classes cost more.
    assert [(entry.team, entry.rank, entry.outcome) for entry in results.standings] == [
        ("Sudare", 1, "withstood"),
        ("Shoji", 2, "withstood"),
        ("Noren", 3, "withstood"),
        ("Ami", None, "broken"),
        ("Kasuri", None, "broken"),
    ]
    assert len(results.finals) == len(TEAMS)
    assert len(results.attacks) == len(TEAMS) * (len(TEAMS) - 1)
    database.close()
