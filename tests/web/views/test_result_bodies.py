"""Results that were drawn once: the same for all who may see them, and nothing for others."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from sqlalchemy.orm import Session

from sudare.web.game.contests import publish_results
from sudare.web.game.refusals import Refused
from sudare.web.game.visibility import Viewer
from sudare.web.storage.database import database_now
from sudare.web.storage.models import Evaluation, Round, Target, Team
from sudare.web.views import result_bodies
from sudare.web.views.result_bodies import MOST_BODIES, ResultBodies
from sudare.web.views.results import ShownResults, show_results
from tests.web.small_contest import SmallContest, anonymized

pytestmark = pytest.mark.parametrize("settings", ["sqlite"], indirect=True)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The rounds whose results were drawn, in order."""
    found: list[str] = []

    def show(session: Session, viewer: Viewer, round: Round, version: int | None) -> ShownResults:
        found.append(round.id)
        return show_results(session, viewer, round, version)

    monkeypatch.setattr(result_bodies, "show_results", show)
    return found


def evaluate(small: SmallContest, utility: float) -> None:
    """Evaluate the round: blue alone took part, and nobody attacked."""
    blue = small.teams["blue"]
    entry = {"name": blue, "utility": utility, "attacks": 0, "effective": 0, "outcome": "not_attacked", "rank": 1}
    result: dict[str, Any] = {"standings": [{**entry, "tied": []}], "attacks": [], "finals": []}
    with small.database.writing() as session:
        session.add(Evaluation(round_id=small.round, created_at=database_now(session), result=result))


def finish(small: SmallContest) -> None:
    submission = small.submit("blue", anonymized())
    with small.database.writing() as session:
        session.add(
            Target(
                round_id=small.round,
                team_id=small.teams["blue"],
                submission_id=submission,
                number=1,
                file_hash="0" * 64,
                size=1,
                rows=1,
            )
        )
    small.move(anonymization_closes=0, reidentification_opens=0)
    small.move(reidentification_closes=0)
    evaluate(small, 0.25)


def publish(small: SmallContest, reason: str = "") -> None:
    with small.database.writing() as session:
        publish_results(session, small.viewer(session, "organizer"), small.round, reason)


def look(small: SmallContest, bodies: ResultBodies, name: str, language: str = "en") -> str:
    with small.database.reading() as session:
        round = session.get_one(Round, small.round)
        return str(bodies.find(session, small.viewer(session, name), round, language))


def test_what_an_organizer_has_drawn_is_hidden_until_it_is_published(small: SmallContest, drawn: list[str]) -> None:
    finish(small)
    bodies = ResultBodies()
    body = look(small, bodies, "organizer")
    for name in ("blue", "observer"):
        with pytest.raises(Refused):
            look(small, bodies, name)
    publish(small)
    assert look(small, bodies, "blue") == look(small, bodies, "observer") == body
    with pytest.raises(Refused):
        look(small, bodies, "outsider")
    assert drawn == [small.round]


def test_nothing_of_the_viewer_is_in_it(small: SmallContest) -> None:
    finish(small)
    publish(small)
    assert len({look(small, ResultBodies(), name) for name in ("organizer", "blue", "red", "observer")}) == 1


def test_another_evaluation_name_or_language_is_drawn_anew(small: SmallContest, drawn: list[str]) -> None:
    finish(small)
    publish(small)
    bodies = ResultBodies()
    assert "0.250000" in look(small, bodies, "blue")
    assert "有効になりうる攻撃がない" in look(small, bodies, "blue", "ja")
    evaluate(small, 0.5)
    assert "0.250000" in look(small, bodies, "blue")
    publish(small, "a better measure")
    assert "0.500000" in look(small, bodies, "blue")
    with small.database.writing() as session:
        session.get_one(Team, small.teams["blue"]).name = "azure"
    assert "azure" in look(small, bodies, "blue")
    assert len(drawn) == 4


def test_few_are_kept_the_newest(small: SmallContest, drawn: list[str]) -> None:
    finish(small)
    bodies = ResultBodies()
    for number in range(MOST_BODIES + 1):
        evaluate(small, number / 100)
        look(small, bodies, "organizer")
    assert len(drawn) == len(set(bodies._kept)) + 1 == MOST_BODIES + 1
    look(small, bodies, "organizer")
    assert len(drawn) == MOST_BODIES + 1


def test_many_who_look_at_once_have_it_drawn_once(small: SmallContest, drawn: list[str]) -> None:
    finish(small)
    bodies, seen = ResultBodies(), list[str]()
    threads = [threading.Thread(target=lambda: seen.append(look(small, bodies, "organizer"))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 6 and len(set(seen)) == 1
    assert drawn == [small.round]
