"""Several web processes on one database at the same moment: quotas, deadlines and choices hold."""

from __future__ import annotations

import datetime as dt
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from sqlalchemy import func, select, update

from sudare.web.game.contests import set_times
from sudare.web.settings import ServerSettings
from sudare.web.storage.database import ROUND_LOCK, database_now, wait_for_turn
from sudare.web.storage.models import Contest, GuessFile, Job, Submission
from tests.web.conftest import RunningServer, free_port
from tests.web.small_contest import SmallContest, anonymized, guesses


@pytest.fixture
def two(settings: ServerSettings, running: RunningServer) -> Iterator[list[RunningServer]]:
    """Two web processes of one server."""
    port = free_port()
    other = RunningServer(replace(settings, port=port, public_url=f"http://127.0.0.1:{port}"))
    for server in (running, other):
        server.start("web")
    yield [running, other]
    other.stop()


def at_once(action: Callable[[int], None], times: int) -> None:
    threads = [threading.Thread(target=action, args=(number,)) for number in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_the_quota_holds_over_processes(small: SmallContest, two: list[RunningServer]) -> None:
    token = small.token("blue", "read", "submit")
    statuses: Counter[int] = Counter()

    def upload(number: int) -> None:
        api = two[number % 2].client(token, "/api/v1")
        statuses[api.post(f"/rounds/{small.round}/submissions", content=anonymized()).status_code] += 1

    at_once(upload, 12)
    assert statuses == {201: 3, 429: 9}
    with small.database.reading() as session:
        assert sorted(session.scalars(select(Submission.number))) == [1, 2, 3]
        assert session.scalar(select(func.count()).select_from(Job).where(Job.kind == "anonymized")) == 3


def test_nothing_is_dated_at_or_after_the_deadline(small: SmallContest, two: list[RunningServer]) -> None:
    tokens = [small.token(name, "read", "submit") for name in ("blue", "green", "red")]
    with small.database.writing() as session:
        session.execute(update(Contest).values(submissions_per_day=1000))
    taken: list[str] = []
    codes: set[str] = set()
    deadlines: list[dt.datetime] = []

    def upload(number: int) -> None:
        api = two[number % 2].client(tokens[number % 3], "/api/v1")
        while (answer := api.post(f"/rounds/{small.round}/submissions", content=b"x")).status_code == 201:
            taken.append(answer.json()["id"])
        codes.add(answer.json()["error"]["code"])

    def close_soon() -> None:
        while len(taken) < 6:
            time.sleep(0.01)
        with small.database.writing() as session:
            wait_for_turn(session, ROUND_LOCK, small.round)
            deadlines.append(database_now(session) + dt.timedelta(seconds=0.1))
            times = {"anonymization_closes": deadlines[0].isoformat()}
            set_times(session, small.viewer(session, "organizer"), small.round, times)

    at_once(lambda number: upload(number) if number else close_soon(), 7)
    with small.database.reading() as session:
        found = {submission.id: submission.created_at for submission in session.scalars(select(Submission))}
    assert codes == {"not_anonymization"}
    assert set(found) == set(taken)
    assert max(found.values()) < deadlines[0]


def test_guesses_that_cannot_be_replaced_are_taken_once(small: SmallContest, two: list[RunningServer]) -> None:
    small.to_reidentification()
    with small.database.writing() as session:
        session.execute(update(Contest).values(guesses_replaceable=False))
        target = small.target(session, "green").id
    token = small.token("blue", "read", "guess")
    statuses: Counter[int] = Counter()

    def guess(number: int) -> None:
        api = two[number % 2].client(token, "/api/v1")
        statuses[api.post(f"/targets/{target}/guesses", content=guesses(right=number)).status_code] += 1

    at_once(guess, 8)
    assert statuses == {201: 1, 409: 7}
    with small.database.reading() as session:
        assert session.scalar(select(func.count()).select_from(GuessFile)) == 1
