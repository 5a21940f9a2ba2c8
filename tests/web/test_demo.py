"""The demonstration: every page has something to show."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import select

from sudare.web.database import Database, database_now
from sudare.web.demo import fill
from sudare.web.files import FileStore
from sudare.web.models import Round, User
from sudare.web.phases import phase_at
from sudare.web.shown import show_results
from sudare.web.visibility import find_viewer
from tests.web.conftest import new_settings


def test_the_demo_has_a_round_in_each_phase_and_results(tmp_path: Path) -> None:
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
    assert len(results.standings) == 3
    # The same seed gives the same hits.
    assert [attack.hits for attack in results.attacks] == [23, 42, 47, 38, 17, 8]
    assert {standing.outcome for standing in results.standings} == {"withstood", "broken"}
    database.close()
