"""Published results: they stay, and are replaced only by a later version with a date and a reason."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import DBAPIError

from sudare.web.game.audit import result_hash
from sudare.web.game.contests import take_step
from sudare.web.game.refusals import Refused
from sudare.web.storage.models import AuditEntry, Evaluation, Round
from sudare.web.views.results import ShownResults, show_results
from tests.web.conftest import RunningServer, csrf, log_in
from tests.web.small_contest import SmallContest, guesses

pytestmark = pytest.mark.slow


def step(small: SmallContest, name: str, reason: str = "") -> None:
    with small.database.writing() as session:
        take_step(session, small.viewer(session, "organizer"), small.round, name, reason)


def code(action: Callable[[], object]) -> str:
    with pytest.raises(Refused) as refused:
        action()
    return refused.value.code


def shown(small: SmallContest, name: str, version: int | None = None) -> ShownResults:
    with small.database.reading() as session:
        return show_results(session, small.viewer(session, name), session.get_one(Round, small.round), version)


def hits(results: ShownResults) -> int:
    return sum(attack.hits for attack in results.attacks)


@pytest.fixture
def over(small: SmallContest) -> SmallContest:
    """A round whose guesses are all in, with one file of which the server had changed the result."""
    small.to_reidentification()
    small.guess("blue", "red", guesses(right=5, shift=2))
    small.guess("green", "red", guesses(right=4, shift=2))
    small.work()
    path = small.files.path(small.keep(guesses(right=4, shift=2)).hash)
    whole = path.read_bytes()
    path.write_bytes(b"")
    small.move(reidentification_closes=0)
    small.work()
    path.write_bytes(whole)
    return small


def test_an_evaluation_after_publishing_changes_nothing_until_it_is_published_with_a_reason(over: SmallContest) -> None:
    small = over
    assert code(lambda: shown(small, "red")) == "not_there"
    step(small, "publish")
    assert code(lambda: step(small, "publish")) == "published_already"
    assert hits(shown(small, "red")) == 5
    step(small, "evaluate")
    small.work()
    assert hits(shown(small, "red")) == 5
    assert (hits(shown(small, "organizer")), shown(small, "organizer").published) == (9, False)
    assert code(lambda: step(small, "publish")) == code(lambda: step(small, "publish", "  ")) == "reason_needed"
    assert code(lambda: step(small, "publish", "x" * 201)) == "text_too_long"
    step(small, "publish", "A file of green was restored.")
    found = shown(small, "red")
    assert (hits(found), hits(shown(small, "red", 1)), hits(shown(small, "red", 2))) == (9, 5, 9)
    assert code(lambda: shown(small, "red", 3)) == code(lambda: shown(small, "red", 0)) == "not_there"
    assert [(entry.version, entry.reason) for entry in found.versions] == [
        (1, ""),
        (2, "A file of green was restored."),
    ]
    assert found.versions[0].published_at < found.versions[1].published_at
    with small.database.reading() as session:
        results = [found.result for found in session.scalars(select(Evaluation).order_by(Evaluation.id))]
        entries = session.scalars(select(AuditEntry).where(AuditEntry.action == "publish_results")).all()
    assert all(result_hash(result) in entry.details for result, entry in zip(results, entries, strict=True))
    assert "A file of green was restored." in entries[1].details


def test_the_pages_show_versions_and_ask_for_the_reason(over: SmallContest, running: RunningServer) -> None:
    small = over
    step(small, "publish")
    step(small, "evaluate")
    small.work()
    running.start("web")
    organizer, team = log_in(running, "organizer"), log_in(running, "red")
    path = f"/rounds/{small.round}"
    page = organizer.get(path)
    assert f'href="{path}/publish"' in page.text
    assert f'href="{path}/publish"' not in team.get(path).text
    page = organizer.get(f"{path}/publish")
    asked = re.search(r'name="evaluation" value="(\d+)"', page.text)
    assert asked and 'name="reason"' in page.text
    form = {"csrf": csrf(page), "step": "publish", "evaluation": asked[1]}
    assert organizer.post(f"{path}/steps", data=form).status_code == 422
    form["reason"] = "Restored <b>."
    assert organizer.post(f"{path}/steps", data=form).status_code == 303
    found = team.get(f"{path}/results").text
    assert "Restored &lt;b&gt;." in found
    assert "were replaced" not in found
    assert "were replaced" in team.get(f"{path}/results?version=1").text
    assert team.get(f"{path}/results?version=7").status_code == 404
    api = running.client(small.token("red", "read"), "/api/v1")
    assert [len(api.get(f"{path}/results", params=words).json()["versions"]) for words in ({}, {"version": 1})] == [
        2,
        2,
    ]


def test_the_database_refuses_changes(over: SmallContest) -> None:
    step(over, "publish")
    for statement in (
        "UPDATE guess_files SET file_hash = 'x'",
        "DELETE FROM guess_files",
        "UPDATE targets SET file_hash = 'x'",
        "DELETE FROM targets",
        "UPDATE evaluations SET result = '{}'",
        "UPDATE evaluations SET reason = 'x'",
        "UPDATE evaluations SET published_at = NULL",
        "DELETE FROM evaluations",
    ):
        with pytest.raises(DBAPIError, match=r"not changed|append-only"), over.database.writing() as session:
            session.execute(text(statement))
