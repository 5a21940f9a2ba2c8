"""Permissions: who may see and do what, in one place for pages and API.

Whatever a viewer may not see is as if it were not there; nobody learns that it exists.

| what                          | organizer | team                              | observer, public                  |
|-------------------------------|-----------|-----------------------------------|-----------------------------------|
| contest, rounds, team names   | yes       | yes                               | yes                               |
| T in numbers                  | yes       | yes                               | yes                               |
| T itself                      | yes       | if so set, from the opening on    | no                                |
| A, its errors, U, its classes | yes       | its own                           | no                                |
| the preview of attacks on A   | no        | its own                           | no                                |
| A' of the targets             | yes       | from the opening of that phase on | no                                |
| whose A' it is                | yes       | its own; all if so set, or at the end | at the end                    |
| guesses and their errors      | yes       | its own                           | no                                |
| hits, safety, standings       | evaluated | when they are published           | when they are published           |
| audit log, members            | yes       | no                                | no                                |
"""

from __future__ import annotations

import datetime as dt
from typing import Any, TypeVar

from sqlalchemy import select
from sqlalchemy.orm import Session

from sudare.messages import Language, message
from sudare.showing import dataclass
from sudare.web.game.phases import phase_at
from sudare.web.game.refusals import Refused, not_there
from sudare.web.storage.models import (
    Contest,
    Evaluation,
    GuessFile,
    Membership,
    Preview,
    Round,
    Submission,
    Target,
    Team,
)
from sudare.web.storage.people import User

# What teams hand in.
HandedIn = TypeVar("HandedIn", Submission, GuessFile)

ALL_SCOPES = frozenset({"read", "submit", "guess", "organize"})


@dataclass(frozen=True, slots=True)
class Viewer:
    """Somebody before one contest: a member, or anybody if the contest is public.

    A browser has all scopes, a program those of its token. `now` is the moment of the database at which this was found.
    What is kept in all languages is shown in `language`.
    """

    contest: Contest
    user: User | None
    role: str | None
    team_id: str | None
    scopes: frozenset[str]
    now: dt.datetime
    language: Language = "en"

    @property
    def organizes(self) -> bool:
        """Whether the viewer may change the contest."""
        return self.role == "organizer"

    @property
    def actor(self) -> User:
        """The user, where there must be one."""
        if self.user is None:
            raise not_there()
        return self.user

    @property
    def own_team(self) -> str:
        """The identity of the viewer's team."""
        if self.role != "team" or self.team_id is None:
            raise Refused("errors.requests.not_yours", 403)
        return self.team_id

    def need(self, scope: str) -> None:
        """Refuse a token that is not made for this."""
        if scope not in self.scopes:
            raise Refused("errors.requests.no_such_scope", 403, scope=message(f"web.scope.{scope}"))


def find_viewer(
    session: Session,
    contest_id: str,
    user: User | None,
    now: dt.datetime,
    scopes: frozenset[str] = ALL_SCOPES,
    language: Language = "en",
) -> Viewer:
    """Return a viewer of a contest; not there unless a member, or the contest is public."""
    contest = session.get(Contest, contest_id)
    if contest is None:
        raise not_there()
    member = None
    if user is not None:
        wanted = select(Membership).where(Membership.user_id == user.id, Membership.contest_id == contest_id)
        member = session.scalars(wanted).first()
    if member is None and not contest.public:
        raise not_there()
    return Viewer(
        contest,
        user,
        member.role if member else None,
        member.team_id if member else None,
        scopes,
        now,
        language,
    )


def check_organizer(viewer: Viewer) -> None:
    """Refuse whoever does not organize the contest: members learn that they may not, others nothing."""
    viewer.need("organize")
    if not viewer.organizes:
        raise Refused("errors.requests.not_yours", 403) if viewer.role else not_there()


def visible_round(session: Session, viewer: Viewer, identity: str) -> Round:
    """Return a round of the viewer's contest."""
    viewer.need("read")
    found = session.get(Round, identity)
    if found is None or found.contest_id != viewer.contest.id:
        raise not_there()
    return found


def may_download_original(viewer: Viewer, round: Round) -> bool:
    """Say whether T may be downloaded."""
    if round.dataset is None or round.dataset.status != "valid":
        return False
    if viewer.organizes:
        return True
    opened = phase_at(round, viewer.now) != "registration"
    return viewer.role == "team" and viewer.contest.teams_may_download and opened


def _visible_file(session: Session, viewer: Viewer, table: type[HandedIn], identity: str) -> HandedIn:
    """Return a file that was handed in: organizers may see those of all teams, teams their own."""
    viewer.need("read")
    found = session.get(table, identity)
    if found is None or not _same_contest(session, viewer, found.round_id):
        raise not_there()
    if not viewer.organizes and (viewer.role != "team" or found.team_id != viewer.team_id):
        raise not_there()
    return found


def _visible_files(
    session: Session, viewer: Viewer, table: type[HandedIn], round: Round, most: int | None = None, after: int = 0
) -> list[HandedIn]:
    """Return the files that were handed in for a round and that the viewer may see, the newest first."""
    viewer.need("read")
    wanted = select(table).where(table.round_id == round.id)
    if not viewer.organizes:
        wanted = wanted.where(table.team_id == viewer.own_team)
    ordered = wanted.order_by(table.created_at.desc(), table.number.desc(), table.id)
    return list(session.scalars(ordered.limit(most).offset(after)))


def visible_submission(session: Session, viewer: Viewer, identity: str) -> Submission:
    """Return a submission that the viewer may see."""
    return _visible_file(session, viewer, Submission, identity)


def visible_submissions(
    session: Session, viewer: Viewer, round: Round, *, most: int | None = None, after: int = 0
) -> list[Submission]:
    """Return the submissions of a round that the viewer may see, the newest first; `most` of them, after others."""
    return _visible_files(session, viewer, Submission, round, most, after)


def visible_preview(session: Session, viewer: Viewer, submission: Submission) -> Preview | None:
    """Return what the built-in attacks did to a submission, to its own team."""
    if viewer.role != "team" or submission.team_id != viewer.team_id:
        return None
    return session.get(Preview, submission.id)


def shown_result(viewer: Viewer, result: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return what was found of an A or of guesses; where T is private, without what would tell its values."""
    if result is None:
        return None
    if not (viewer.organizes or viewer.contest.teams_may_download):
        result = without_original(result)
    return {name: value for name, value in result.items() if name != "private"}


def without_original(result: dict[str, Any]) -> dict[str, Any]:
    """Leave out of what was found whatever tells values or customers of T.

    Of errors that depend on T, only their number stays: neither where they are nor of which kind. What was found by an
    older server is not told apart, and all of it counts as such.
    """
    total = result.get("total_errors", 0)
    known = {"errors": {name: [] for name in result.get("errors", {})}, "totals": {"original": total}}
    shown = {**result, **result.get("private", known if total else {})}
    utility = shown.get("utility")
    if utility:
        shown["utility"] = {name: value for name, value in utility.items() if name not in ("customers", "cells")}
    return shown


def targets_open(viewer: Viewer, round: Round) -> bool:
    """Say whether the viewer may see what was published of the finals."""
    if round.targets_at is None:
        return False
    return viewer.organizes or (viewer.role == "team" and viewer.now >= round.reidentification_opens)


def visible_targets(session: Session, viewer: Viewer, round: Round) -> list[Target]:
    """Return the targets of a round, by number; none before re-identification opens."""
    viewer.need("read")
    if not targets_open(viewer, round):
        return []
    return list(session.scalars(select(Target).where(Target.round_id == round.id).order_by(Target.number)))


def visible_target(session: Session, viewer: Viewer, identity: str) -> tuple[Target, Round]:
    """Return a target that the viewer may see, and its round."""
    viewer.need("read")
    found = session.get(Target, identity)
    if found is None or not _same_contest(session, viewer, found.round_id):
        raise not_there()
    round = session.get_one(Round, found.round_id)
    if not targets_open(viewer, round):
        raise not_there()
    return found, round


def may_see_name(viewer: Viewer, round: Round, target: Target) -> bool:
    """Say whether the viewer may know whose target it is."""
    if viewer.organizes or results_open(viewer, round):
        return True
    return viewer.role == "team" and (not viewer.contest.hide_names or target.team_id == viewer.team_id)


def visible_guess(session: Session, viewer: Viewer, identity: str) -> GuessFile:
    """Return a file of guesses that the viewer may see."""
    return _visible_file(session, viewer, GuessFile, identity)


def visible_guesses(session: Session, viewer: Viewer, round: Round) -> list[GuessFile]:
    """Return the files of guesses of a round that the viewer may see, the newest first."""
    return _visible_files(session, viewer, GuessFile, round)


def results_open(viewer: Viewer, round: Round) -> bool:
    """Say whether the viewer may see hits, safety and standings, if there are any."""
    return viewer.organizes or (round.published_at is not None and round.published_at <= viewer.now)


def visible_evaluation(session: Session, viewer: Viewer, round: Round, version: int | None = None) -> Evaluation:
    """Return the newest evaluation of a round, for all but organizers the newest published one; or a published version.

    Versions count from 1. Not there before it is published.
    """
    viewer.need("read")
    if not results_open(viewer, round):
        raise not_there()
    found: Evaluation | None
    if version is not None:
        published = published_evaluations(session, round)
        found = published[version - 1] if 1 <= version <= len(published) else None
    elif viewer.organizes:
        found = newest_evaluation(session, round)
    else:
        found = next(reversed(published_evaluations(session, round)), None)
    if found is None:
        raise not_there()
    return found


def newest_evaluation(session: Session, round: Round) -> Evaluation | None:
    """Return the last evaluation, published or not."""
    wanted = select(Evaluation).where(Evaluation.round_id == round.id).order_by(Evaluation.id.desc()).limit(1)
    return session.scalars(wanted).first()


def published_evaluations(session: Session, round: Round) -> list[Evaluation]:
    """Return the published evaluations in order; the last one stands."""
    wanted = select(Evaluation).where(Evaluation.round_id == round.id, Evaluation.published_at.is_not(None))
    return list(session.scalars(wanted.order_by(Evaluation.published_at, Evaluation.id)))


def visible_teams(session: Session, viewer: Viewer) -> list[Team]:
    """Return the teams of the contest by name."""
    viewer.need("read")
    return list(session.scalars(select(Team).where(Team.contest_id == viewer.contest.id).order_by(Team.name)))


def team_names(session: Session, contest_id: str) -> dict[str, str]:
    """Return the names of a contest's teams by their identities, for those who may see them."""
    found = session.execute(select(Team.id, Team.name).where(Team.contest_id == contest_id))
    return {row.id: row.name for row in found}


def _same_contest(session: Session, viewer: Viewer, round_id: str) -> bool:
    return session.get_one(Round, round_id).contest_id == viewer.contest.id
