"""A synthetic contest whose teams anonymize and attack with sudare's own methods, so that every page has content."""

from __future__ import annotations

import calendar
import datetime as dt
import io
import random
from collections.abc import Iterable

from sqlalchemy.orm import Session

from sudare.histories.anonymize.classes import anonymize_history
from sudare.histories.attack.attack import attack_history
from sudare.histories.attack.duel import with_pseudonyms
from sudare.histories.attack.known import know_history
from sudare.histories.generalized.model import CellHistory
from sudare.histories.generalized.text import format_rows, read_original, read_published
from sudare.showing import dataclass
from sudare.web.game.accounts import add_user
from sudare.web.game.contests import (
    ContestPlan,
    add_round,
    add_team,
    make_contest,
    publish_results,
    set_original,
    set_preview,
    set_times,
)
from sudare.web.game.phases import TIMES
from sudare.web.game.submissions import choose_final, submit, submit_guesses
from sudare.web.game.visibility import Viewer, find_viewer, visible_targets
from sudare.web.http.security import new_token
from sudare.web.jobs.worker import Worker
from sudare.web.settings import ServerSettings
from sudare.web.storage.database import Database, database_now
from sudare.web.storage.files import FileStore, StoredFile
from sudare.web.storage.models import Contest, Membership, Round
from sudare.web.storage.people import User

CUSTOMERS = 60
ITEMS = ("22423", "22720", "47566", "84879", "85099B", "85123A")
# The search ends by rounds, never by the clock, so that the same seed gives the same contest on any machine.
SEARCH_ROUNDS = 20
# The k of what the more careful teams tried first.
CAREFUL = 5


@dataclass(frozen=True, slots=True)
class DemoTeam:
    """A team: what it hands in last (classes of k; of k = 1, ranges; of k = 0, pseudonyms only), and its attack."""

    name: str
    k: int
    method: str


TEAMS = (
    DemoTeam("Ami", 0, "item-sets"),
    DemoTeam("Kasuri", 1, "unique-rows"),
    DemoTeam("Noren", 4, "likelihood"),
    DemoTeam("Shoji", 3, "scoreboard"),
    DemoTeam("Sudare", 2, "best"),
)


@dataclass(frozen=True, slots=True)
class Demo:
    """Who can log in, all with one password."""

    contest: str
    organizer: str
    teams: tuple[str, ...]
    password: str


def fill(settings: ServerSettings, database: Database, files: FileStore, *, seed: int = 0) -> Demo:
    """Make a contest with a finished round, one in re-identification and one in anonymization."""
    maker = _Maker(settings, database, files, seed)
    maker.people()
    for name, last in (("Practice", "results"), ("Preliminary", "guesses"), ("Main", "submissions")):
        maker.round(name, last)
    return Demo(maker.contest, "organizer", tuple(team.name.casefold() for team in TEAMS), maker.password)


class _Maker:
    """Makes everything through the same functions as the pages."""

    def __init__(self, settings: ServerSettings, database: Database, files: FileStore, seed: int) -> None:
        self._settings, self._database, self._files, self._seed = settings, database, files, seed
        self._chance = random.Random(seed)  # noqa: S311
        self._worker = Worker(settings, database, files)
        self._users: dict[str, str] = {}
        self.contest, self.password = "", new_token()[:16]

    def people(self) -> None:
        with self._database.writing() as session:
            organizer = add_user(session, "organizer", self.password, admin=True)
            contest = make_contest(session, organizer, ContestPlan("Demo", submissions_per_day=50))
            self.contest, self._users["organizer"] = contest.id, organizer.id
            for name in (team.name for team in TEAMS):
                team = add_team(session, self._viewer(session, "organizer"), name)
                user = add_user(session, name.casefold(), self.password)
                session.add(Membership(user_id=user.id, contest_id=contest.id, role="team", team_id=team.id))
                self._users[name] = user.id

    def round(self, name: str, last: str) -> None:
        """Play a round up to its submissions, its guesses or its results; the last one has previews."""
        stored = self._keep(_original(self._chance))
        with self._database.writing() as session:
            now = database_now(session)
            moments = (now - dt.timedelta(days=1), *(now + dt.timedelta(days=days) for days in (7, 7, 14)))
            times = {key: moment.isoformat() for key, moment in zip(TIMES, moments, strict=True)}
            round_id = add_round(session, self._viewer(session, "organizer"), name, times).id
            set_original(session, self._viewer(session, "organizer"), round_id, stored)
            if last == "submissions":
                set_preview(session, self._viewer(session, "organizer"), round_id, True)
        self._worker.work_off()
        original = read_original(self._files.path(stored.hash))
        self._hand_in(round_id, original)
        if last != "submissions":
            self._move(round_id, "anonymization_closes", "reidentification_opens")
            self._attack(round_id, original)
        if last == "results":
            self._move(round_id, "reidentification_closes")
            with self._database.writing() as session:
                publish_results(session, self._viewer(session, "organizer"), round_id)

    def _hand_in(self, round_id: str, original: CellHistory) -> None:
        """Hand in a few A of each team and choose the last one."""
        careful = _anonymized(original, CAREFUL, self._seed)
        chosen: dict[str, str] = {}
        for number, team in enumerate(TEAMS):
            final = _anonymized(original, team.k, self._seed + number)
            drafts = [("first try", _careless(final)), ("better", final)]
            if team.k > 1:
                drafts.insert(1, ("large classes", careful))
            for note, lines in drafts:
                with self._database.writing() as session:
                    viewer = self._viewer(session, team.name)
                    chosen[team.name] = submit(session, viewer, round_id, self._keep(lines), note).id
        self._worker.work_off()
        for name, identity in chosen.items():
            with self._database.writing() as session:
                choose_final(session, self._viewer(session, name), identity)

    def _attack(self, round_id: str, original: CellHistory) -> None:
        known = know_history(original)
        for number, team in enumerate(TEAMS):
            with self._database.writing() as session:
                viewer = self._viewer(session, team.name)
                for target in visible_targets(session, viewer, session.get_one(Round, round_id)):
                    if target.team_id == viewer.team_id:
                        continue
                    published = read_published(self._files.path(target.file_hash), original)
                    found = attack_history(known, published, method=team.method, seed=self._seed + number)
                    pairs = zip(found.pids.tolist(), found.customers.tolist(), strict=True)
                    submit_guesses(session, viewer, target.id, self._keep(b"%d,%d\n" % pair for pair in pairs))
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

    def _keep(self, lines: Iterable[bytes]) -> StoredFile:
        content = io.BytesIO(b"".join(lines))
        return self._files.keep(content, self._settings.max_upload_bytes, self._settings.upload_seconds)


def _original(chance: random.Random) -> list[bytes]:
    """Return lines of T: customer, date, item, price, quantity."""
    first = dt.date(2010, 12, 1)
    lines = []
    for customer in range(12001, 12001 + CUSTOMERS):
        for _ in range(chance.randint(2, 6)):
            day = first + dt.timedelta(days=chance.randrange(300))
            price = f"{chance.randint(1, 40)}.{chance.choice(('25', '45', '75', '95'))}"
            cells = (customer, f"{day:%Y}/{day.month}/{day.day}", chance.choice(ITEMS), price, chance.randint(1, 24))
            lines.append(f"{','.join(map(str, cells))}\n".encode())
    return lines


def _anonymized(original: CellHistory, k: int, seed: int) -> list[bytes]:
    """Return the lines of an A: classes of k, or ranges if k is 1, or pseudonyms only."""
    if k > 1:
        return _lines(anonymize_history(original, k, seed=seed, rounds=SEARCH_ROUNDS, fast=True).history)
    lines = _lines(with_pseudonyms(original, seed=seed))
    return [_with_ranges(line) for line in lines] if k else lines


def _lines(history: CellHistory) -> list[bytes]:
    return b"".join(format_rows(history)).splitlines(keepends=True)


def _careless(lines: list[bytes]) -> list[bytes]:
    """Return an A with a cell too few, a word in place of a number, and a range from the end to the beginning."""
    first, second, third, *others = (line.split(b",") for line in lines)
    second[4], third[1] = b"many\n", b"[2011/3/31;2011/3/1]"
    return [b",".join(cells) for cells in ([*first[:3], b"1\n"], second, third, *others)]


def _with_ranges(line: bytes) -> bytes:
    """Put the month in place of the day, and a range of prices."""
    pid, date, item, _, quantity = line.decode().split(",")
    year, month, _ = date.split("/")
    last = calendar.monthrange(int(year), int(month))[1]
    return f"{pid},[{year}/{month}/1;{year}/{month}/{last}],{item},[0.01;50],{quantity}".encode()
