"""A contest with synthetic data, teams, submissions and attacks, so that every page shows something."""

from __future__ import annotations

import datetime as dt
import io
import random
from dataclasses import dataclass

from sqlalchemy.orm import Session

from sudare.web.accounts import add_user
from sudare.web.contests import (
    ContestPlan,
    add_round,
    add_team,
    make_contest,
    publish_results,
    set_original,
    set_times,
)
from sudare.web.database import Database, database_now
from sudare.web.files import FileStore, StoredFile
from sudare.web.models import Contest, Membership, Round, Team, User
from sudare.web.phases import TIMES
from sudare.web.security import new_token
from sudare.web.settings import ServerSettings
from sudare.web.submissions import choose_final, submit, submit_guesses
from sudare.web.visibility import Viewer, find_viewer, visible_targets
from sudare.web.worker import Worker

CUSTOMERS = 60
ITEMS = ("22423", "22720", "47566", "84879", "85099B", "85123A")
TEAMS = ("Ami", "Kasuri", "Sudare")
# How often each team guesses right on an A that hides nothing, and how much of that is left on each team's.
SKILLS = (0.9, 0.3, 0.7)
LEFT = (1.0, 0.9, 0.3)


@dataclass(frozen=True, slots=True)
class Demo:
    """Who can log in, all with one password."""

    contest: str
    organizer: str
    teams: tuple[str, ...]
    password: str


def fill(settings: ServerSettings, database: Database, files: FileStore, *, seed: int = 0) -> Demo:
    """Make a contest with a finished round, one in re-identification and one in anonymization."""
    maker = _Maker(settings, database, files, random.Random(seed))  # noqa: S311
    maker.people()
    for name, last in (("Practice", "results"), ("Preliminary", "guesses"), ("Main", "submissions")):
        maker.round(name, last)
    return Demo(maker.contest, "organizer", tuple(name.casefold() for name in TEAMS), maker.password)


class _Maker:
    """Makes everything through the same functions as the pages."""

    def __init__(self, settings: ServerSettings, database: Database, files: FileStore, chance: random.Random) -> None:
        self._settings, self._database, self._files, self._chance = settings, database, files, chance
        self._worker = Worker(settings, database, files)
        self._users: dict[str, str] = {}
        self._original: list[list[str]] = []
        self.contest, self.password = "", new_token()[:16]

    def people(self) -> None:
        with self._database.writing() as session:
            organizer = add_user(session, "organizer", self.password, admin=True)
            contest = make_contest(session, organizer, ContestPlan("Demo", submissions_per_day=50))
            self.contest, self._users["organizer"] = contest.id, organizer.id
            for name in TEAMS:
                team = add_team(session, self._viewer(session, "organizer"), name)
                user = add_user(session, name.casefold(), self.password)
                session.add(Membership(user_id=user.id, contest_id=contest.id, role="team", team_id=team.id))
                self._users[name] = user.id

    def round(self, name: str, last: str) -> None:
        """Play a round up to its submissions, its guesses or its results."""
        self._original = list(_original(self._chance))
        with self._database.writing() as session:
            now = database_now(session)
            moments = (now - dt.timedelta(days=1), *(now + dt.timedelta(days=days) for days in (7, 7, 14)))
            times = {key: moment.isoformat() for key, moment in zip(TIMES, moments, strict=True)}
            round_id = add_round(session, self._viewer(session, "organizer"), name, times).id
            stored = self._keep([",".join(row) for row in self._original])
            set_original(session, self._viewer(session, "organizer"), round_id, stored)
        self._worker.work_off()
        truths = self._hand_in(round_id)
        if last != "submissions":
            self._move(round_id, "anonymization_closes", "reidentification_opens")
            self._attack(round_id, truths)
        if last == "results":
            self._move(round_id, "reidentification_closes")
            with self._database.writing() as session:
                publish_results(session, self._viewer(session, "organizer"), round_id)

    def _hand_in(self, round_id: str) -> dict[str, dict[str, str]]:
        """Hand in a broken and a good A of each team; return who is behind the pseudonyms of the good one."""
        truths: dict[str, dict[str, str]] = {}
        for strength, name in enumerate(TEAMS):
            lines, truths[name] = _anonymized(self._original, strength, self._chance)
            for note, content in (("first try", [*lines[:-1], "broken"]), ("better", lines)):
                with self._database.writing() as session:
                    found = submit(session, self._viewer(session, name), round_id, self._keep(content), note)
            self._worker.work_off()
            with self._database.writing() as session:
                choose_final(session, self._viewer(session, name), found.id)
        return truths

    def _attack(self, round_id: str, truths: dict[str, dict[str, str]]) -> None:
        for skill, name in zip(SKILLS, TEAMS, strict=True):
            with self._database.writing() as session:
                viewer = self._viewer(session, name)
                targets = visible_targets(session, viewer, session.get_one(Round, round_id))
                by_team = {session.get_one(Team, target.team_id).name: target for target in targets}
                # In the order of the names: the numbers of targets are another chance each time.
                for left, other in zip(LEFT, TEAMS, strict=True):
                    if other != name:
                        lines = _guesses(truths[other], skill * left, self._chance)
                        submit_guesses(session, viewer, by_team[other].id, self._keep(lines))
            self._worker.work_off()

    def _move(self, round_id: str, *names: str) -> None:
        """Let phases begin or end now, and do what is due then."""
        with self._database.writing() as session:
            now = database_now(session).isoformat()
            set_times(session, self._viewer(session, "organizer"), round_id, dict.fromkeys(names, now))
        self._worker.work_off()

    def _viewer(self, session: Session, name: str) -> Viewer:
        user = session.get_one(User, self._users[name])
        contest = session.get_one(Contest, self.contest)
        return find_viewer(session, contest.id, user, database_now(session))

    def _keep(self, lines: list[str]) -> StoredFile:
        content = io.BytesIO("".join(f"{line}\n" for line in lines).encode())
        return self._files.keep(content, self._settings.max_upload_bytes, self._settings.upload_seconds)


def _original(chance: random.Random) -> list[list[str]]:
    """Return rows of T: customer, date, item, price, quantity."""
    first = dt.date(2010, 12, 1)
    rows = []
    for customer in range(12001, 12001 + CUSTOMERS):
        for _ in range(chance.randint(2, 6)):
            day = first + dt.timedelta(days=chance.randrange(300))
            price = f"{chance.randint(1, 40)}.{chance.choice(('25', '45', '75', '95'))}"
            date = f"{day.year}/{day.month}/{day.day}"
            rows.append([str(customer), date, chance.choice(ITEMS), price, str(chance.randint(1, 24))])
    return rows


def _anonymized(rows: list[list[str]], strength: int, chance: random.Random) -> tuple[list[str], dict[str, str]]:
    """Return A and who is behind its pseudonyms; of strength 0 are only pseudonyms, 1 has ranges, 2 hardly a value."""
    customers = sorted({row[0] for row in rows})
    pids = [str(number) for number in chance.sample(range(1, 10**6), len(customers))]
    pid_of = dict(zip(customers, pids, strict=True))
    dates = ("{0}", "[2010/12/1;2011/11/30]", "*")[strength]
    items = ("{0}", "{0}", "*")[strength]
    prices = ("{0}", "[0.01;50]", "*")[strength]
    lines = [
        ",".join((pid_of[who], dates.format(date), items.format(item), prices.format(price), quantity))
        for who, date, item, price, quantity in rows
    ]
    return lines, {pid: customer for customer, pid in pid_of.items()}


def _guesses(truth: dict[str, str], skill: float, chance: random.Random) -> list[str]:
    customers = sorted(truth.values())
    return [
        f"{pid},{customer if chance.random() < skill else chance.choice(customers)}"
        for pid, customer in sorted(truth.items())
    ]
