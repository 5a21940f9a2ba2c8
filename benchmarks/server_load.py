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
from urllib.parse import urlencode, urlsplit

import httpx
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from results import Found, Line
from sudare.web.game.accounts import add_user, make_token
from sudare.web.game.contests import (
    ContestPlan,
    add_round,
    add_team,
    make_contest,
    publish_results,
    set_original,
    set_times,
)
from sudare.web.game.phases import TIMES
from sudare.web.game.submissions import submit, submit_guesses
from sudare.web.game.visibility import Viewer, find_viewer
from sudare.web.jobs.worker import Worker
from sudare.web.settings import ServerSettings, write_settings
from sudare.web.storage.database import Database, database_now
from sudare.web.storage.files import FileStore, StoredFile
from sudare.web.storage.models import Contest, GuessFile, Job, Membership, Target
from sudare.web.storage.people import User

TITLE = "Contest server: 200 readers during 20 uploads of 3 MB at a time"
PACKAGES = ("fastapi", "httpx", "sqlalchemy", "uvicorn")
TEAMS, READERS, UPLOADS, ATTACKED = 50, 200, 20, 10
SECONDS = 60
# Each reader looks at a page for some seconds before the next one.
SECONDS_PER_PAGE = (2.0, 8.0)
PASSWORD = "a long password"
CUSTOMERS, ROWS, ITEMS = 500, 92_000, 3000
PORT = 8123


def run() -> Found:
    """Return what readers and uploaders saw, and the memory of the server."""
    with tempfile.TemporaryDirectory() as folder:
        plan = prepare(Path(folder) / "server")
        command = [sys.executable, "-c", "from sudare.cli import main; main()", "server", "run", plan["folder"]]
        server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        try:
            wait(plan["url"])
            memory = Memory(server.pid)
            memory.start()
            command = [sys.executable, __file__, json.dumps(plan)]
            seen = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
            memory.stop()
        finally:
            server.terminate()
            server.wait(30)
    pages = [second for seconds in seen["pages"].values() for second in seconds]
    return Found(table(seen, memory.peaks), (Line("Pages of the contest server, 95 % of them within", high(pages)),))


def table(seen: dict[str, Any], peaks: dict[str, float]) -> str:
    every = sorted(second for seconds in seen["pages"].values() for second in seconds)
    lines = [
        f"{TEAMS} teams, {READERS} readers who each log in and for {SECONDS} s open a page every "
        f"{sum(SECONDS_PER_PAGE) / 2:.0f} s, {UPLOADS} teams that upload 3 MB, wait for the outcome and upload again. "
        f"Each keeps a connection open, as browsers do, and the style sheet and script of the pages; a page is timed "
        f"from the request to the last byte. Server, worker and clients share {os.cpu_count()} cores; SQLite.",
        "",
        "| page | opened | median | 95 % | slowest |",
        "|---|---|---|---|---|",
    ]
    pages = {**dict(sorted(seen["pages"].items())), "**all pages**": every, "log-in": seen["log_ins"]}
    pages |= {"upload, 3 MB": seen["uploads"], "from upload to score": seen["scored"]}
    for name, seconds in ((name, seconds) for name, seconds in pages.items() if seconds):
        times = (statistics.median(seconds), high(seconds), max(seconds))
        lines.append(f"| {name} | {len(seconds)} | {' | '.join(map(shown, times))} |")
    errors = seen["errors"]
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
        while not self._ended.wait(1):
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


# The clients, all in one process


class Browser:
    """A connection that is kept open, with cookies: as much of a browser as the server needs, and cheap."""

    def __init__(self, url: str, **headers: str) -> None:
        self._address = urlsplit(url)
        self._headers = {"Host": self._address.netloc, **headers}
        self._cookies: dict[str, str] = {}
        self._stream: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, bytes]:
        """Return the status and the body of an answer; a connection that the server has closed is opened again."""
        cookies = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        lines = {**self._headers, **headers, "Content-Length": str(len(body)), "Cookie": cookies}
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        request = f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body
        for again in (True, False):
            try:
                async with asyncio.timeout(120):
                    return await self._exchange(request)
            except (ConnectionError, asyncio.IncompleteReadError):
                self.close()
                if not again:
                    raise
        raise AssertionError

    async def _exchange(self, request: bytes) -> tuple[int, bytes]:
        if self._stream is None:
            self._stream = await asyncio.open_connection(self._address.hostname, self._address.port)
        reader, writer = self._stream
        writer.write(request)
        await writer.drain()
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().splitlines()
        size = 0
        for name, _, value in (line.partition(": ") for line in lines):
            if name.lower() == "content-length":
                size = int(value)
            elif name.lower() == "set-cookie":
                cookie, _, content = value.partition(";")[0].partition("=")
                self._cookies[cookie] = content
        return int(first.split()[1]), await reader.readexactly(size)

    def close(self) -> None:
        if self._stream:
            self._stream[1].close()
            self._stream = None


class Clients:
    """Readers and teams that upload, and what they saw."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self._plan, self._ended = plan, False
        self._turns = asyncio.Semaphore(4)
        self.pages: dict[str, list[float]] = {name: [] for name in plan["pages"]}
        self.log_ins, self.uploads, self.scored = list[float](), list[float](), list[float]()
        self.errors: list[str] = []

    async def run(self) -> None:
        """Upload without pause while readers log in and then open pages for a while."""
        content = Path(self._plan["file"]).read_bytes()
        uploading = [asyncio.create_task(self._upload(token, content)) for token in self._plan["tokens"]]
        readers = [Browser(self._plan["url"]) for _ in range(READERS)]
        await asyncio.gather(*(self._log_in(reader, number) for number, reader in enumerate(readers)))
        end = time.monotonic() + SECONDS
        await asyncio.gather(*(self._read(reader, end, random.Random(n)) for n, reader in enumerate(readers)))
        self._ended = True
        await asyncio.gather(*uploading)
        for reader in readers:
            reader.close()

    async def _log_in(self, reader: Browser, number: int) -> None:
        async with self._turns:
            _, page = await reader.ask("GET", "/login")
            secret = re.search(rb'name="csrf" value="([^"]+)"', page)
            for path in re.findall(rb'(?:href|src)="(/static/[^"]+)"', page):
                await reader.ask("GET", path.decode())
            form = {"csrf": secret[1] if secret else b"", "login": f"user{number % TEAMS}", "password": PASSWORD}
            began = time.perf_counter()
            kind = {"Content-Type": "application/x-www-form-urlencoded"}
            status, _ = await reader.ask("POST", "/login", urlencode(form).encode(), **kind)
            self.log_ins.append(time.perf_counter() - began)
            if status != 303:
                self.errors.append(f"log-in {status}")

    async def _read(self, reader: Browser, end: float, chance: random.Random) -> None:
        await asyncio.sleep(chance.uniform(0, SECONDS_PER_PAGE[1]))
        while time.monotonic() < end:
            name = chance.choice(list(self.pages))
            began = time.perf_counter()
            try:
                status, _ = await reader.ask("GET", self._plan["pages"][name])
                self.pages[name].append(time.perf_counter() - began)
                if status != 200:
                    self.errors.append(f"{name} {status}")
            except (OSError, EOFError) as error:
                self.errors.append(f"{name} {type(error).__name__}")
            await asyncio.sleep(chance.uniform(*SECONDS_PER_PAGE))

    async def _upload(self, token: str, content: bytes) -> None:
        client = Browser(self._plan["url"], Authorization=f"Bearer {token}")
        while not self._ended:
            began = time.perf_counter()
            status, answer = await client.ask("POST", f"/api/v1/rounds/{self._plan['round']}/submissions", content)
            self.uploads.append(time.perf_counter() - began)
            if status != 201:
                self.errors.append(f"upload {status}")
                break
            state, path = "queued", f"/api/v1/submissions/{json.loads(answer)['id']}"
            while state == "queued":
                await asyncio.sleep(1)
                state = json.loads((await client.ask("GET", path))[1])["status"]
            self.scored.append(time.perf_counter() - began)
            if state != "valid":
                self.errors.append(f"submission {state}")
        client.close()


async def clients(plan: dict[str, Any]) -> dict[str, Any]:
    found = Clients(plan)
    await found.run()
    return {name: getattr(found, name) for name in ("pages", "log_ins", "uploads", "scored", "errors")}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(clients(json.loads(sys.argv[1])))))
