"""A contest small enough to follow by hand, made through the same functions as by the pages."""

from __future__ import annotations

import datetime as dt
import io

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from sudare.web.game.accounts import add_user, make_token
from sudare.web.game.contests import ContestPlan, add_round, add_team, make_contest, set_original, set_times
from sudare.web.game.phases import TIMES
from sudare.web.game.submissions import submit, submit_guesses
from sudare.web.game.visibility import Viewer, find_viewer
from sudare.web.jobs.worker import Worker
from sudare.web.settings import ServerSettings
from sudare.web.storage.database import Database, database_now
from sudare.web.storage.files import FileStore, StoredFile
from sudare.web.storage.models import Contest, Job, Membership, Round, Submission, Target
from sudare.web.storage.people import User

TEAMS = ("blue", "green", "red")
PASSWORD = "a long password"
CUSTOMERS = range(101, 113)
ITEMS = ("apple", "bread", "cheese")

# Twelve customers with two rows each, all different.
T = "".join(
    f"{customer},2011/{1 + number % 12}/{10 + visit},{ITEMS[(number + visit) % 3]},{number + 1}.50,{visit + 1}\n"
    for number, customer in enumerate(CUSTOMERS)
    for visit in range(2)
)


def anonymized(*, dates: bool = True, items: bool = True, shift: int = 1) -> str:
    """Return an A with pseudonyms 1 to 12, moved on by `shift`; dates and items as they are or deleted."""
    lines = []
    for line in T.splitlines():
        customer, date, item, price, quantity = line.split(",")
        pid = (int(customer) - 101 + shift) % 12 + 1
        lines.append(f"{pid},{date if dates else '*'},{item if items else '*'},{price},{quantity}")
    return "\n".join(lines) + "\n"


def guesses(*, right: int, shift: int = 1) -> str:
    """Return twelve guesses on such an A, so many of them right."""
    lines = []
    for number, customer in enumerate(CUSTOMERS):
        pid = (number + shift) % 12 + 1
        wrong = 101 + (number + 1) % 12
        lines.append(f"{pid},{customer if number < right else wrong}")
    return "\n".join(lines) + "\n"


class SmallContest:
    """A contest with an organizer, an observer and three teams of one member each; users are named like teams."""

    def __init__(self, settings: ServerSettings, database: Database, files: FileStore) -> None:
        self.settings, self.database, self.files = settings, database, files
        self.contest = self.round = ""
        self.teams: dict[str, str] = {}
        self.users: dict[str, str] = {}

    def make(self) -> None:
        with self.database.writing() as session:
            organizer = add_user(session, "organizer", PASSWORD, admin=True)
            self.users["organizer"] = organizer.id
            self.contest = make_contest(session, organizer, ContestPlan("Small", submissions_per_day=3)).id
            self._join(session, "observer", "observer", None)
            for name in TEAMS:
                self.teams[name] = add_team(session, self.viewer(session, "organizer"), name).id
                self._join(session, name, "team", self.teams[name])
            outsider = add_user(session, "outsider", PASSWORD)
            self.users["outsider"] = outsider.id
            now = database_now(session)
            days = (-1, 7, 8, 14)
            times = {key: (now + dt.timedelta(days=day)).isoformat() for key, day in zip(TIMES, days, strict=True)}
            self.round = add_round(session, self.viewer(session, "organizer"), "Preliminary", times).id
            dataset = set_original(session, self.viewer(session, "organizer"), self.round, self.keep(T))
            # What the worker would find.
            dataset.status = "valid"
            dataset.result = {"valid": True, "rows": 24, "customers": 12, "columns": []}

    def copied_to(self, settings: ServerSettings, database: Database, files: FileStore) -> SmallContest:
        """Return this contest as it is in a copy of the database and the files."""
        found = SmallContest(settings, database, files)
        found.contest, found.round = self.contest, self.round
        found.teams, found.users = dict(self.teams), dict(self.users)
        return found

    def keep(self, text: str) -> StoredFile:
        return self.files.keep(io.BytesIO(text.encode()), 200_000, 5)

    def viewer(self, session: Session, name: str) -> Viewer:
        user = session.get_one(User, self.users[name])
        return find_viewer(session, self.contest, user, database_now(session))

    def submit(self, name: str, text: str) -> str:
        stored = self.keep(text)
        with self.database.writing() as session:
            return submit(session, self.viewer(session, name), self.round, stored).id

    def guess(self, name: str, defender: str, text: str) -> str:
        stored = self.keep(text)
        with self.database.writing() as session:
            return submit_guesses(session, self.viewer(session, name), self.target(session, defender).id, stored).id

    def target(self, session: Session, defender: str) -> Target:
        wanted = select(Target).where(Target.round_id == self.round, Target.team_id == self.teams[defender])
        return session.scalars(wanted).one()

    def move(self, **days: float) -> None:
        """Move times of the round, in days from now; 0 is now."""
        with self.database.writing() as session:
            now = database_now(session)
            times = {name: (now + dt.timedelta(days=day)).isoformat() for name, day in days.items()}
            set_times(session, self.viewer(session, "organizer"), self.round, times)

    def pass_leases(self) -> None:
        """Let the leases of dead workers run out."""
        with self.database.writing() as session:
            past = database_now(session) - dt.timedelta(seconds=1)
            session.execute(update(Job).where(Job.status == "running").values(leased_until=past))

    def work(self) -> None:
        worker = Worker(self.settings, self.database, self.files)
        worker.work_off()
        worker.close()

    def to_reidentification(self) -> None:
        for number, name in enumerate(TEAMS):
            self.submit(name, anonymized(dates=number > 0, shift=number))
        self.work()
        self.move(anonymization_closes=0, reidentification_opens=0)
        self.work()

    def token(self, name: str, *scopes: str) -> str:
        with self.database.writing() as session:
            member = session.scalars(
                select(Membership).where(Membership.user_id == self.users[name], Membership.contest_id == self.contest)
            ).one()
            return make_token(session, member, session.get_one(User, self.users[name]), "test", list(scopes))

    def statuses(self) -> list[str]:
        with self.database.reading() as session:
            wanted = select(Submission.status).order_by(Submission.created_at)
            return list(session.scalars(wanted))

    def found_round(self) -> Round:
        with self.database.reading() as session:
            return session.get_one(Round, self.round)

    def contest_of(self, session: Session, name: str) -> str:
        return session.scalars(select(Contest.id).where(Contest.name == name)).one()

    def _join(self, session: Session, name: str, role: str, team_id: str | None) -> None:
        user = add_user(session, name, PASSWORD)
        self.users[name] = user.id
        session.add(Membership(user_id=user.id, contest_id=self.contest, role=role, team_id=team_id))
        session.flush()
