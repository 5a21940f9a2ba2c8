"""The tables of the server. Times are UTC; identifiers that people see are random, so that none can be guessed.

Results are large, and most who load what they belong to want its status only: they are fetched when they are looked at.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from sudare.web.storage.base import Base, identity, link, maybe_link, one_of
from sudare.web.storage.people import User

ROLES = ("organizer", "team", "observer")
# What becomes of an upload: it waits, follows the rules or not, or the server could not check it.
STATUSES = ("queued", "valid", "invalid", "failed")
JOB_STATUSES = ("queued", "running", "done", "failed")
PREVIEW_STATUSES = ("queued", "done", "failed")
# Names of 80 letters, and what is said beside them.
SUBJECT_LETTERS = 200


class Contest(Base):
    """A contest: its rules and what its organizers decided.

    `rules` is the name of built-in rules, or the hash of the file with those of the contest; `description` is Markdown.
    `leaderboard` is when teams see each other's U; a frozen one stands still `leaderboard_hours` before the end.
    """

    __tablename__ = "contests"

    id: Mapped[str] = identity()
    name: Mapped[str]
    time_zone: Mapped[str] = mapped_column(String(80))
    rules: Mapped[str] = mapped_column(String(80))
    submissions_per_day: Mapped[int]
    teams_may_download: Mapped[bool]
    hide_names: Mapped[bool]
    guesses_replaceable: Mapped[bool]
    public: Mapped[bool]
    description: Mapped[str] = mapped_column(Text, default="")
    leaderboard: Mapped[str] = mapped_column(String(10), default="hidden")
    leaderboard_hours: Mapped[int] = mapped_column(default=24)
    created_at: Mapped[dt.datetime]


class Announcement(Base):
    """What organizers tell everybody who sees the contest; the text is Markdown."""

    __tablename__ = "announcements"

    id: Mapped[str] = identity()
    contest_id: Mapped[str] = link("contests.id")
    title: Mapped[str] = mapped_column(String(80))
    text: Mapped[str] = mapped_column(Text)
    created_by: Mapped[str] = link("users.id")
    created_at: Mapped[dt.datetime]


class Team(Base):
    """A team of a contest."""

    __tablename__ = "teams"
    __table_args__ = (UniqueConstraint("contest_id", "name"),)

    id: Mapped[str] = identity()
    contest_id: Mapped[str] = link("contests.id")
    name: Mapped[str] = mapped_column(String(80))
    created_at: Mapped[dt.datetime]


class Membership(Base):
    """What a user is in a contest."""

    __tablename__ = "memberships"
    __table_args__ = (
        UniqueConstraint("user_id", "contest_id"),
        one_of("role", ROLES),
        CheckConstraint("(role = 'team') = (team_id IS NOT NULL)", name="team"),
    )

    id: Mapped[str] = identity()
    user_id: Mapped[str] = link("users.id")
    contest_id: Mapped[str] = link("contests.id")
    role: Mapped[str] = mapped_column(String(10))
    team_id: Mapped[str | None] = maybe_link("teams.id")

    user: Mapped[User] = relationship(lazy="raise")
    contest: Mapped[Contest] = relationship(lazy="raise")
    team: Mapped[Team | None] = relationship(lazy="raise")


class Invitation(Base):
    """A link that makes one person a member."""

    __tablename__ = "invitations"
    __table_args__ = (one_of("role", ROLES),)

    id: Mapped[str] = identity()
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    contest_id: Mapped[str] = link("contests.id")
    role: Mapped[str] = mapped_column(String(10))
    team_id: Mapped[str | None] = maybe_link("teams.id")
    created_by: Mapped[str] = link("users.id")
    created_at: Mapped[dt.datetime]
    expires_at: Mapped[dt.datetime]
    used_at: Mapped[dt.datetime | None]
    used_by: Mapped[str | None] = maybe_link("users.id")


class ApiToken(Base):
    """A token for programs: as much as its user may do in one contest, limited to its scopes (words)."""

    __tablename__ = "api_tokens"

    id: Mapped[str] = identity()
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    user_id: Mapped[str] = link("users.id")
    contest_id: Mapped[str] = link("contests.id")
    name: Mapped[str] = mapped_column(String(80))
    scopes: Mapped[str] = mapped_column(String(80))
    created_at: Mapped[dt.datetime]
    revoked_at: Mapped[dt.datetime | None]

    user: Mapped[User] = relationship(lazy="joined", innerjoin=True)


class Dataset(Base):
    """An original history T: its file, and when it was found valid, its numbers."""

    __tablename__ = "datasets"
    __table_args__ = (one_of("status", STATUSES),)

    id: Mapped[str] = identity()
    contest_id: Mapped[str] = link("contests.id")
    file_hash: Mapped[str] = mapped_column(String(64))
    size: Mapped[int] = mapped_column(BigInteger)
    status: Mapped[str] = mapped_column(String(10))
    result: Mapped[dict[str, Any] | None]
    created_by: Mapped[str] = link("users.id")
    created_at: Mapped[dt.datetime]


class Round(Base):
    """A round of a contest and when its phases begin and end; see phases.py.

    With `preview`, the built-in attacks are run on every valid submission, for its team to see.
    """

    __tablename__ = "rounds"
    __table_args__ = (
        UniqueConstraint("contest_id", "position"),
        CheckConstraint(
            "anonymization_opens < anonymization_closes AND anonymization_closes <= reidentification_opens"
            " AND reidentification_opens < reidentification_closes",
            name="order",
        ),
    )

    id: Mapped[str] = identity()
    contest_id: Mapped[str] = link("contests.id")
    position: Mapped[int]
    name: Mapped[str] = mapped_column(String(80))
    dataset_id: Mapped[str | None] = maybe_link("datasets.id")
    anonymization_opens: Mapped[dt.datetime]
    anonymization_closes: Mapped[dt.datetime]
    reidentification_opens: Mapped[dt.datetime]
    reidentification_closes: Mapped[dt.datetime]
    frozen: Mapped[bool] = mapped_column(default=False)
    preview: Mapped[bool] = mapped_column(default=False)
    targets_at: Mapped[dt.datetime | None]
    published_at: Mapped[dt.datetime | None]
    closed_at: Mapped[dt.datetime | None]

    contest: Mapped[Contest] = relationship(lazy="joined", innerjoin=True)
    dataset: Mapped[Dataset | None] = relationship(lazy="joined")


class Submission(Base):
    """An anonymized history A as it was handed in; nothing but what was found of it is ever changed."""

    __tablename__ = "submissions"
    __table_args__ = (UniqueConstraint("round_id", "team_id", "number"), one_of("status", STATUSES))

    id: Mapped[str] = identity()
    round_id: Mapped[str] = link("rounds.id")
    team_id: Mapped[str] = link("teams.id")
    number: Mapped[int]
    file_hash: Mapped[str] = mapped_column(String(64))
    size: Mapped[int] = mapped_column(BigInteger)
    note: Mapped[str]
    created_by: Mapped[str] = link("users.id")
    created_at: Mapped[dt.datetime]
    status: Mapped[str] = mapped_column(String(10))
    utility: Mapped[float | None]
    result: Mapped[dict[str, Any] | None] = mapped_column(deferred=True)


class Preview(Base):
    """What the built-in attacks did to a submission; for its team only."""

    __tablename__ = "previews"
    __table_args__ = (one_of("status", PREVIEW_STATUSES),)

    submission_id: Mapped[str] = mapped_column(String(16), ForeignKey("submissions.id"), primary_key=True)
    status: Mapped[str] = mapped_column(String(10))
    result: Mapped[dict[str, Any] | None]
    created_at: Mapped[dt.datetime]


class Final(Base):
    """The submission that a team has chosen."""

    __tablename__ = "finals"

    round_id: Mapped[str] = mapped_column(String(16), ForeignKey("rounds.id"), primary_key=True)
    team_id: Mapped[str] = mapped_column(String(16), ForeignKey("teams.id"), primary_key=True)
    submission_id: Mapped[str] = link("submissions.id")
    chosen_by: Mapped[str] = link("users.id")
    chosen_at: Mapped[dt.datetime]


class Target(Base):
    """What was published of a team's final submission: A', under a number that says nothing of the team."""

    __tablename__ = "targets"
    __table_args__ = (UniqueConstraint("round_id", "team_id"), UniqueConstraint("round_id", "number"))

    id: Mapped[str] = identity()
    round_id: Mapped[str] = link("rounds.id")
    team_id: Mapped[str] = link("teams.id")
    submission_id: Mapped[str] = link("submissions.id")
    number: Mapped[int]
    file_hash: Mapped[str] = mapped_column(String(64))
    size: Mapped[int] = mapped_column(BigInteger)
    rows: Mapped[int]


class GuessFile(Base):
    """Guesses F' of a team on a target; the last valid file counts."""

    __tablename__ = "guess_files"
    __table_args__ = (UniqueConstraint("target_id", "team_id", "number"), one_of("status", STATUSES))

    id: Mapped[str] = identity()
    round_id: Mapped[str] = link("rounds.id")
    target_id: Mapped[str] = link("targets.id")
    team_id: Mapped[str] = link("teams.id")
    number: Mapped[int]
    file_hash: Mapped[str] = mapped_column(String(64))
    size: Mapped[int] = mapped_column(BigInteger)
    created_by: Mapped[str] = link("users.id")
    created_at: Mapped[dt.datetime]
    status: Mapped[str] = mapped_column(String(10))
    result: Mapped[dict[str, Any] | None] = mapped_column(deferred=True)


class Evaluation(Base):
    """The outcome of a round, never changed; one that is published stays until a later one is, for a `reason`."""

    __tablename__ = "evaluations"

    id: Mapped[int] = mapped_column(primary_key=True)
    round_id: Mapped[str] = link("rounds.id")
    created_at: Mapped[dt.datetime]
    result: Mapped[dict[str, Any]] = mapped_column(deferred=True)
    published_at: Mapped[dt.datetime | None]
    reason: Mapped[str] = mapped_column(default="")


class Job(Base):
    """Work for a worker. `key` is unique among jobs that must not be there twice.

    `attempts` are those of workers that died, `failures` those of the work itself, the last one for the reason
    `failure`; a job that is tried again waits until `not_before`.
    """

    __tablename__ = "jobs"
    __table_args__ = (one_of("status", JOB_STATUSES), Index("ix_jobs_status_team_id", "status", "team_id"))

    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(String(20))
    subject_id: Mapped[str] = mapped_column(String(16), index=True)
    contest_id: Mapped[str] = link("contests.id")
    team_id: Mapped[str | None] = maybe_link("teams.id")
    key: Mapped[str | None] = mapped_column(String(80), unique=True)
    status: Mapped[str] = mapped_column(String(10), default="queued")
    attempts: Mapped[int] = mapped_column(default=0)
    failures: Mapped[int] = mapped_column(default=0)
    not_before: Mapped[dt.datetime | None]
    worker: Mapped[str | None] = mapped_column(String(80))
    failure: Mapped[str | None] = mapped_column(String(20))
    created_at: Mapped[dt.datetime]
    started_at: Mapped[dt.datetime | None]
    leased_until: Mapped[dt.datetime | None]
    finished_at: Mapped[dt.datetime | None]


class WorkerSign(Base):
    """When a worker was last heard of; the line goes when it stops."""

    __tablename__ = "worker_signs"

    name: Mapped[str] = mapped_column(String(80), primary_key=True)
    seen_at: Mapped[dt.datetime]


class AuditEntry(Base):
    """One thing that was done, with the hash of the entry before it; triggers refuse to change or delete it.

    `actor` and `subject` name people by their identities, after an @: their names can be erased.
    """

    __tablename__ = "audit_log"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    at: Mapped[dt.datetime]
    actor_id: Mapped[str | None] = mapped_column(String(16))
    actor: Mapped[str] = mapped_column(String(80))
    contest_id: Mapped[str | None] = mapped_column(String(16), index=True)
    action: Mapped[str] = mapped_column(String(40))
    subject: Mapped[str] = mapped_column(String(SUBJECT_LETTERS))
    details: Mapped[str] = mapped_column(Text)
    previous_hash: Mapped[str] = mapped_column(String(64))
    hash: Mapped[str] = mapped_column(String(64), unique=True)


class AuditAddress(Base):
    """From where an entry of the audit log came, apart from it: it expires, and is erased with its user."""

    __tablename__ = "audit_addresses"

    entry_id: Mapped[int] = mapped_column(ForeignKey("audit_log.id"), primary_key=True, autoincrement=False)
    user_id: Mapped[str | None] = maybe_link("users.id")
    address: Mapped[str] = mapped_column(String(64))
    at: Mapped[dt.datetime] = mapped_column(index=True)


# All tables, those of people too.
METADATA = Base.metadata
