"""The API under whatever its own description allows and forbids, for those who may and those who may not."""

from __future__ import annotations

import random

import hypothesis
import pytest
import requests
import schemathesis
from schemathesis import APIOperation, Case, GenerationMode
from schemathesis.checks import CHECKS
from sqlalchemy import select, update

from sudare.web.storage.models import Contest, Job, Target
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


# Each viewer on one database, and who may ask for most on both.
CASES = [
    ("postgresql", "team-anonymization"),
    ("sqlite", "team-reidentification"),
    ("sqlite", "organizer-evaluation"),
    ("postgresql", "organizer-evaluation"),
    ("sqlite", "nobody-evaluation"),
]


@pytest.fixture
def asked(
    request: pytest.FixtureRequest, small: SmallContest, running: RunningServer
) -> tuple[RunningServer, dict[str, str], dict[str, str]]:
    """A server, the header of who asks, and identities that are there."""
    name, scopes = VIEWERS[request.param]
    with small.database.writing() as session:
        session.execute(update(Contest).values(submissions_per_day=1000))
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
    with small.database.reading() as session:
        known["target_id"] = session.scalars(select(Target.id).limit(1)).first() or "none"
        known["job_id"] = str(session.scalars(select(Job.id).limit(1)).one())
    header = {"Authorization": f"Bearer {small.token(name, *scopes)}"} if name else {}
    running.start("web")
    return running, header, known


@pytest.mark.parametrize(("settings", "asked"), CASES, indirect=True)
def test_nothing_breaks_the_api_and_every_answer_is_described(
    asked: tuple[RunningServer, dict[str, str], dict[str, str]],
) -> None:
    server, header, known = asked
    schema = schemathesis.openapi.from_dict(server.client().get("/api/v1/openapi.json").json())
    schema.config.update(base_url=server.settings.public_url)
    operations = [found.ok() for found in schema.get_all_operations()]
    assert operations
    with requests.Session() as session:
        session.headers.update(header)
        for operation in operations:
            for mode in GenerationMode:
                send_all(operation, mode, session, known)


def send_all(operation: APIOperation, mode: GenerationMode, session: requests.Session, known: dict[str, str]) -> None:
    """Send what the description allows or, in the other mode, what it forbids; half of the time about what is there."""
    checks = CHECKS.get_by_names(NAMES)
    chance = random.Random(operation.label)

    @hypothesis.seed(7)
    @hypothesis.settings(max_examples=EXAMPLES, database=None, suppress_health_check=list(hypothesis.HealthCheck))
    @hypothesis.given(case=operation.as_strategy(generation_mode=mode))
    def send(case: Case) -> None:
        if chance.random() < 0.5:
            case.path_parameters = {**case.path_parameters, **{k: v for k, v in known.items() if k in case.path}}
        response = case.call(session=session, timeout=30)
        case.validate_response(response, checks=checks)

    send()
