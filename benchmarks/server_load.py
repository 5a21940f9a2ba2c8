"""The contest server under load: many read while others upload and their files are checked and scored."""

from __future__ import annotations

import asyncio
import datetime as dt
import io
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from sudare.web.accounts import add_user, make_token
from sudare.web.contests import ContestPlan, add_round, add_team, make_contest, publish_results, set_original, set_times
from sudare.web.database import Database, database_now
from sudare.web.files import FileStore, StoredFile
from sudare.web.models import Contest, GuessFile, Job, Membership, Target, User
from sudare.web.phases import TIMES
from sudare.web.settings import ServerSettings, write_settings
from sudare.web.submissions import submit, submit_guesses
from sudare.web.visibility import Viewer, find_viewer
from sudare.web.worker import Worker

TITLE = "Contest server: 200 readers during 20 uploads of 3 MB at a time"
TEAMS, READERS, UPLOADS, ATTACKED = 50, 200, 20, 10
SECONDS = 60
# Each reader looks at a page for some seconds before the next one.
SECONDS_PER_PAGE = (2.0, 8.0)
PASSWORD = "a long password"
CUSTOMERS, ROWS, ITEMS = 500, 92_000, 3000
PORT = 8123


def run() -> str:
    """Return what readers and uploaders saw, and the memory of the server."""
    with tempfile.TemporaryDirectory() as folder:
        plan = prepare(Path(folder) / "server")
        command = [sys.executable, "-c", "from sudare.cli import main; main()", "server", "run", plan["folder"]]
        server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        try:
            wait(plan["url"])
            memory = Memory(server.pid)
            memory.start()
            readers, uploaders = (start(kind, plan) for kind in ("readers", "uploaders"))
            read, sent = (json.loads(process.communicate()[0].splitlines()[-1]) for process in (readers, uploaders))
            memory.stop()
        finally:
            server.terminate()
            server.wait(30)
    return table(read, sent, memory.peaks)


def table(read: dict[str, Any], sent: dict[str, Any], peaks: dict[str, float]) -> str:
    every = sorted(second for seconds in read["pages"].values() for second in seconds)
    lines = [
        f"{TEAMS} teams, {READERS} readers who open a page every {sum(SECONDS_PER_PAGE) / 2:.0f} s, {UPLOADS} teams "
        f"that upload 3 MB, wait for the outcome and upload again, for {SECONDS} s. Server, worker and clients share "
        f"{os.cpu_count()} cores; SQLite.",
        "",
        "| page | opened | median | 95 % | slowest |",
        "|---|---|---|---|---|",
    ]
    pages = {**dict(sorted(read["pages"].items())), "**all pages**": every, "log-in": read["log_ins"]}
    pages |= {"upload, 3 MB": sent["uploads"], "from upload to score": sent["scored"]}
    for name, seconds in ((name, seconds) for name, seconds in pages.items() if seconds):
        times = (statistics.median(seconds), high(seconds), max(seconds))
        lines.append(f"| {name} | {len(seconds)} | {' | '.join(map(shown, times))} |")
    errors = read["errors"] + sent["errors"]
    told = f": {', '.join(sorted(set(errors))[:5])}" if errors else ""
    memory = ", ".join(f"{name} {gigabytes:.2f} GB" for name, gigabytes in peaks.items())
    lines += ["", f"Errors: {len(errors)}{told}. Peak memory: {memory}."]
    return "\n".join(lines)


def shown(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 10 else f"{seconds:.1f} s"


def high(seconds: list[float]) -> float:
    """Return the time that 95 of 100 do not exceed."""
    return sorted(seconds)[max(0, -(-95 * len(seconds) // 100) - 1)]


class Memory(threading.Thread):
    """Watches the memory of the web process, of the worker and of its jobs, which are their descendants."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._pid, self._ended = pid, threading.Event()
        self.peaks = {"web": 0.0, "worker and jobs": 0.0}

    def run(self) -> None:
        while not self._ended.wait(0.2):
            children = [pid for pid in descendants(self._pid) if pid != self._pid]
            found = {"web": resident(self._pid), "worker and jobs": sum(resident(pid) for pid in children)}
            self.peaks = {name: max(self.peaks[name], gigabytes) for name, gigabytes in found.items()}

    def stop(self) -> None:
        self._ended.set()
        self.join()


def descendants(pid: int) -> list[int]:
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        children = [int(child) for task in tasks for child in (task / "children").read_text().split()]
    except OSError:
        return []
    return [pid, *(found for child in children for found in descendants(child))]


def resident(pid: int) -> float:
    """Return the memory of a process in gigabytes; pages that several share count for each its part."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    found = re.search(r"^Pss:\s+(\d+)", text, re.MULTILINE)
    return int(found[1]) / 1e6 if found else 0.0


def wait(url: str) -> None:
    for _ in range(600):
        try:
            httpx.get(f"{url}/login")
            return
        except httpx.TransportError:
            time.sleep(0.1)
    raise TimeoutError("the server did not start")


def start(kind: str, plan: dict[str, Any]) -> subprocess.Popen[str]:
    command = [sys.executable, __file__, kind, json.dumps(plan)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


# The contest


def prepare(folder: Path) -> dict[str, Any]:
    """Make a contest with a round that is over and one whose anonymization is open."""
    folder.mkdir()
    settings = ServerSettings(folder, port=PORT, public_url=f"http://127.0.0.1:{PORT}")
    write_settings(settings)
    database, files = Database(settings.database_url), FileStore(settings.files)
    files.make()
    database.migrate()
    made = Maker(settings, database, files)
    made.people()
    practice = made.practice()
    main = made.round("Main", original(random.Random(1), CUSTOMERS, ROWS))
    upload = folder / "A.csv"
    upload.write_text(anonymized(random.Random(2), (folder / "T.csv").read_text()))
    with database.writing() as session:
        tokens = [made.token(session, number) for number in range(UPLOADS)]
    made.worker.close()
    database.close()
    pages = {
        "start": "/",
        "contest": f"/contests/{made.contest}",
        "round, anonymization": f"/rounds/{main}",
        "round, closed": f"/rounds/{practice}",
        "results of 50 teams": f"/rounds/{practice}/results",
        "account": "/account",
    }
    return {
        "folder": str(folder),
        "url": settings.public_url,
        "pages": pages,
        "round": main,
        "tokens": tokens,
        "file": str(upload),
    }


class Maker:
    """Makes teams and rounds by the same functions as the pages."""

    def __init__(self, settings: ServerSettings, database: Database, files: FileStore) -> None:
        self.settings, self.database, self.files = settings, database, files
        self.worker = Worker(settings, database, files)
        self.contest, self.users = "", list[str]()

    def people(self) -> None:
        with self.database.writing() as session:
            organizer = add_user(session, "organizer", PASSWORD, admin=True)
            plan = ContestPlan("Load", submissions_per_day=1000)
            self.contest = make_contest(session, organizer, plan).id
            self.organizer = organizer.id
            for number in range(TEAMS):
                team = add_team(session, self.viewer(session, self.organizer), f"Team {number:02}")
                user = User(login=f"user{number}", password_hash=organizer.password_hash, admin=False)
                user.created_at = database_now(session)
                session.add(user)
                session.flush()
                session.add(Membership(user_id=user.id, contest_id=self.contest, role="team", team_id=team.id))
                self.users.append(user.id)

    def viewer(self, session: Session, user: str) -> Viewer:
        contest = session.get_one(Contest, self.contest)
        return find_viewer(session, contest.id, session.get_one(User, user), database_now(session))

    def keep(self, text: str) -> StoredFile:
        return self.files.keep(io.BytesIO(text.encode()), 1 << 30, 600)

    def round(self, name: str, text: str) -> str:
        """Add a round with its data, in anonymization; T lies in the server's folder too."""
        (self.settings.folder / "T.csv").write_text(text)
        with self.database.writing() as session:
            now = database_now(session)
            moments = (now - dt.timedelta(days=1), *(now + dt.timedelta(days=days) for days in (7, 7, 14)))
            times = {key: moment.isoformat() for key, moment in zip(TIMES, moments, strict=True)}
            viewer = self.viewer(session, self.organizer)
            found = add_round(session, viewer, name, times).id
            set_original(session, viewer, found, self.keep(text))
        self.worker.work_off(600)
        return found

    def practice(self) -> str:
        """Play a small round of all teams to its results."""
        text = original(random.Random(3), 40, 120)
        round_id = self.round("Practice", text)
        history = anonymized(random.Random(4), text)
        for user in self.users:
            with self.database.writing() as session:
                submit(session, self.viewer(session, user), round_id, self.keep(history), "practice")
        self.worker.work_off(600)
        self.move(round_id, "anonymization_closes", "reidentification_opens")
        customers = sorted({line.split(",")[0] for line in text.splitlines()})
        guesses = self.keep("".join(f"{customer},{customer}\n" for customer in customers[:5]))
        with self.database.writing() as session:
            targets = session.scalars(select(Target).where(Target.round_id == round_id).order_by(Target.number)).all()
            numbers = {target.team_id: place for place, target in enumerate(targets)}
            for user in self.users:
                viewer = self.viewer(session, user)
                place = numbers[viewer.own_team]
                for step in range(1, ATTACKED + 1):
                    submit_guesses(session, viewer, targets[(place + step) % len(targets)].id, guesses)
            # What the worker would find, without checking the same file five hundred times.
            session.execute(update(GuessFile).values(status="valid", result={"valid": True, "rows": 5, "errors": {}}))
            session.execute(update(Job).where(Job.kind == "guesses").values(status="done"))
        self.move(round_id, "reidentification_closes")
        with self.database.writing() as session:
            publish_results(session, self.viewer(session, self.organizer), round_id)
        return round_id

    def move(self, round_id: str, *names: str) -> None:
        with self.database.writing() as session:
            now = database_now(session).isoformat()
            set_times(session, self.viewer(session, self.organizer), round_id, dict.fromkeys(names, now))
        self.worker.work_off(600)

    def token(self, session: Session, number: int) -> str:
        user = session.get_one(User, self.users[number])
        member = session.scalars(select(Membership).where(Membership.user_id == user.id)).one()
        return make_token(session, member, user, "load", ["read", "submit"])


def original(chance: random.Random, customers: int, rows: int) -> str:
    first = dt.date(2010, 12, 1)
    days = [first + dt.timedelta(days=day) for day in range(365)]
    dates = [f"{day.year}/{day.month}/{day.day}" for day in days]
    lines = [
        f"{12000 + row % customers},{chance.choice(dates)},{20000 + chance.randrange(ITEMS)}A,"
        f"{chance.randint(1, 99)}.{chance.randint(10, 99)},{chance.randint(1, 24)}\n"
        for row in range(rows)
    ]
    return "".join(lines)


def anonymized(chance: random.Random, text: str) -> str:
    """Return an A of ranges and deleted cells; pseudonyms are the customers' own numbers."""
    lines = []
    for line in text.splitlines():
        who, date, item, price, quantity = line.split(",")
        draw = chance.random()
        date = "*" if draw < 0.2 else date
        item = "*" if draw > 0.8 else item
        price = f"[{max(0.01, float(price) - 1):.2f};{float(price) + 1:.2f}]" if draw > 0.5 else price
        lines.append(f"{who},{date},{item},{price},{quantity}\n")
    return "".join(lines)


# The clients, each kind in a process of its own


async def readers(plan: dict[str, Any]) -> dict[str, Any]:
    """Log in and open pages, each reader in his own time."""
    found: dict[str, Any] = {"pages": {name: [] for name in plan["pages"]}, "log_ins": [], "errors": []}
    turns, chance = asyncio.Semaphore(4), random.Random(5)
    clients = [httpx.AsyncClient(base_url=plan["url"], timeout=60) for _ in range(READERS)]
    await asyncio.gather(*(log_in(client, number, turns, found) for number, client in enumerate(clients)))
    end = time.monotonic() + SECONDS
    seeds = [chance.random() for _ in clients]
    await asyncio.gather(*(read(client, plan, end, seed, found) for client, seed in zip(clients, seeds, strict=True)))
    for client in clients:
        await client.aclose()
    return found


async def log_in(client: httpx.AsyncClient, number: int, turns: asyncio.Semaphore, found: dict[str, Any]) -> None:
    async with turns:
        page = await client.get("/login")
        secret = re.search(r'name="csrf" value="([^"]+)"', page.text)
        began = time.perf_counter()
        form = {"csrf": secret[1] if secret else "", "login": f"user{number % TEAMS}", "password": PASSWORD}
        answer = await client.post("/login", data=form)
        found["log_ins"].append(time.perf_counter() - began)
        if answer.status_code != 303:
            found["errors"].append(f"log-in {answer.status_code}")


async def read(client: httpx.AsyncClient, plan: dict[str, Any], end: float, seed: float, found: dict[str, Any]) -> None:
    chance, names = random.Random(seed), list(plan["pages"])
    await asyncio.sleep(chance.uniform(0, SECONDS_PER_PAGE[1]))
    while time.monotonic() < end:
        name = chance.choice(names)
        began = time.perf_counter()
        try:
            answer = await client.get(plan["pages"][name])
            found["pages"][name].append(time.perf_counter() - began)
            if answer.status_code != 200:
                found["errors"].append(f"{name} {answer.status_code}")
        except httpx.HTTPError as error:
            found["errors"].append(f"{name} {type(error).__name__}")
        await asyncio.sleep(chance.uniform(*SECONDS_PER_PAGE))


async def uploaders(plan: dict[str, Any]) -> dict[str, Any]:
    """Upload, wait for the score, and upload again."""
    found: dict[str, Any] = {"uploads": [], "scored": [], "errors": []}
    content, end = Path(plan["file"]).read_bytes(), time.monotonic() + SECONDS
    await asyncio.gather(*(upload(token, plan, content, end, found) for token in plan["tokens"]))
    return found


async def upload(token: str, plan: dict[str, Any], content: bytes, end: float, found: dict[str, Any]) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=plan["url"] + "/api/v1", headers=headers, timeout=120) as client:
        while time.monotonic() < end:
            began = time.perf_counter()
            answer = await client.post(f"/rounds/{plan['round']}/submissions", content=content)
            found["uploads"].append(time.perf_counter() - began)
            if answer.status_code != 201:
                found["errors"].append(f"upload {answer.status_code}")
                return
            status = "queued"
            while status == "queued":
                await asyncio.sleep(1)
                status = (await client.get(f"/submissions/{answer.json()['id']}")).json()["status"]
            found["scored"].append(time.perf_counter() - began)
            if status != "valid":
                found["errors"].append(f"submission {status}")


if __name__ == "__main__":
    work = {"readers": readers, "uploaders": uploaders}[sys.argv[1]]
    print(json.dumps(asyncio.run(work(json.loads(sys.argv[2])))))
