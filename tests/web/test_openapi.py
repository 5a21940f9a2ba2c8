"""The API under whatever its own description allows and forbids, for those who may and those who may not."""

from __future__ import annotations

import random
from collections.abc import Iterator

import httpx
import hypothesis
import pytest
import schemathesis
from schemathesis import APIOperation, Case, GenerationMode
from schemathesis.checks import CHECKS
from sqlalchemy import select

from sudare.web.contests import ContestPlan
from sudare.web.database import Database
from sudare.web.files import FileStore
from sudare.web.models import Job, Target
from sudare.web.settings import ServerSettings
from tests.web.conftest import RunningServer
from tests.web.small_contest import SmallContest, anonymized, guesses

EXAMPLES = 6
# A server error, and an answer of a status, a type or a shape that the description does not name.
NAMES = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)
# Rules are sent as they are, like any text.
schemathesis.serializer.alias("application/toml", "text/plain")

TEAM = ("read", "submit", "guess")
# Who asks, with which scopes, and how far the contest is.
VIEWERS = {
    "team-anonymization": ("blue", TEAM),
    "team-reidentification": ("blue", TEAM),
    "organizer-evaluation": ("organizer", ("read", "organize")),
    "nobody-evaluation": (None, ()),
}


@pytest.fixture(params=VIEWERS)
def asked(
    request: pytest.FixtureRequest, settings: ServerSettings, database: Database, files: FileStore
) -> Iterator[tuple[RunningServer, dict[str, str], dict[str, str]]]:
    """A server, the header of who asks, and identities that are there."""
    name, scopes = VIEWERS[request.param]
    small = SmallContest(settings, database, files)
    small.make(ContestPlan("Small", submissions_per_day=1000))
    known = {"round_id": small.round}
    if request.param.endswith("anonymization"):
        known["submission_id"] = small.submit("blue", anonymized())
        small.work()
    else:
        small.to_reidentification()
        known["guess_id"] = small.guess("blue", "green", guesses(right=3))
        small.work()
    if request.param.endswith("evaluation"):
        small.move(reidentification_closes=0)
        small.work()
    with database.reading() as session:
        known["target_id"] = session.scalars(select(Target.id).limit(1)).first() or "none"
        known["job_id"] = str(session.scalars(select(Job.id).limit(1)).one())
    header = {"Authorization": f"Bearer {small.token(name, *scopes)}"} if name else {}
    running = RunningServer(settings)
    running.start("web")
    yield running, header, known
    running.stop()


def test_nothing_breaks_the_api_and_every_answer_is_described(
    asked: tuple[RunningServer, dict[str, str], dict[str, str]],
) -> None:
    server, header, known = asked
    url = server.settings.public_url
    description = httpx.get(f"{url}/api/v1/openapi.json").json()
    schema = schemathesis.openapi.from_dict(description)
    schema.config.update(base_url=url)
    operations = [found.ok() for found in schema.get_all_operations()]
    assert operations
    for operation in operations:
        for mode in GenerationMode:
            send_all(operation, mode, header, known)


def send_all(operation: APIOperation, mode: GenerationMode, header: dict[str, str], known: dict[str, str]) -> None:
    """Send what the description allows or, in the other mode, what it forbids; half of the time about what is there."""
    checks = CHECKS.get_by_names(NAMES)
    chance = random.Random(operation.label)

    @hypothesis.seed(7)
    @hypothesis.settings(max_examples=EXAMPLES, database=None, suppress_health_check=list(hypothesis.HealthCheck))
    @hypothesis.given(case=operation.as_strategy(generation_mode=mode))
    def send(case: Case) -> None:
        if chance.random() < 0.5:
            case.path_parameters = {**case.path_parameters, **{k: v for k, v in known.items() if k in case.path}}
        response = case.call(headers=header, timeout=30)
        case.validate_response(response, checks=checks)

    send()
