"""What pages and the API show of targets and the guesses on them to one viewer."""

from __future__ import annotations

import datetime as dt
from typing import Any

from pydantic import BaseModel
from sqlalchemy.orm import Session

from sudare.web.game.visibility import Viewer, may_see_name, shown_result, team_names, visible_guesses, visible_targets
from sudare.web.storage.models import GuessFile, Round, Target, Team


class ShownGuesses(BaseModel):
    """A file of guesses, and when it was checked, what is wrong with it; never how many are right."""

    id: str
    round: str
    target: int
    team: str
    number: int
    sha256: str
    size: int
    created_at: dt.datetime
    status: str
    result: dict[str, Any] | None = None


class ShownTarget(BaseModel):
    """A target: what was published of a final submission, and the viewer's own guesses on it."""

    id: str
    number: int
    team: str | None
    own: bool
    rows: int
    size: int
    sha256: str
    guesses: list[ShownGuesses]


def show_targets(session: Session, viewer: Viewer, round: Round) -> list[ShownTarget]:
    """Show the targets of a round, and on each the guesses that the viewer may see."""
    targets = visible_targets(session, viewer, round)
    if not targets:
        return []
    names, numbers = team_names(session, round.contest_id), {target.id: target.number for target in targets}
    guesses: dict[str, list[ShownGuesses]] = {target.id: [] for target in targets}
    for guess in visible_guesses(session, viewer, round):
        guesses[guess.target_id].append(_guesses(guess, numbers[guess.target_id], names[guess.team_id]))
    return [
        ShownTarget(
            id=target.id,
            number=target.number,
            team=names[target.team_id] if may_see_name(viewer, round, target) else None,
            own=target.team_id == viewer.team_id,
            rows=target.rows,
            size=target.size,
            sha256=target.file_hash,
            guesses=guesses[target.id],
        )
        for target in targets
    ]


def show_guesses(session: Session, viewer: Viewer, found: GuessFile) -> ShownGuesses:
    """Show a file of guesses with what is wrong with it."""
    target, team = session.get_one(Target, found.target_id), session.get_one(Team, found.team_id)
    return _guesses(found, target.number, team.name).model_copy(update={"result": shown_result(viewer, found.result)})


def _guesses(found: GuessFile, target: int, team: str) -> ShownGuesses:
    return ShownGuesses(
        id=found.id,
        round=found.round_id,
        target=target,
        team=team,
        number=found.number,
        sha256=found.file_hash,
        size=found.size,
        created_at=found.created_at,
        status=found.status,
    )
