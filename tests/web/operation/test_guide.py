"""The guide to upgrading and restoring, followed line by line, in both languages."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select, text

from sudare.web.operation.check import check_server
from sudare.web.settings import DATABASE_FILE, ServerSettings
from sudare.web.storage.database import Database
from sudare.web.storage.models import Submission
from tests.web.conftest import COMMAND, PROGRAMS, RunningServer, new_settings
from tests.web.operation.test_check import wrong
from tests.web.operation.test_monitoring import let_sign
from tests.web.small_contest import SmallContest, anonymized

pytestmark = pytest.mark.slow
DOCS = Path(__file__).parents[3] / "docs"
PAGES = {"en": DOCS / "how-to", "ja": DOCS / "ja" / "how-to"}
SECTIONS = {
    "en": {"upgrade": "Upgrade", "restore": "Restore a backup", "stored": "What is stored, and how"},
    "ja": {"upgrade": "更新する", "restore": "復元する", "stored": "何をどのように保存するか"},
}


def commands(language: str, section: str) -> list[str]:
    """Return the commands of a section of the guide, in their order."""
    page = (PAGES[language] / "operate-the-contest-server.md").read_text(encoding="utf-8")
    body = page.partition(f"\n## {SECTIONS[language][section]}\n")[2].partition("\n## ")[0]
    found = [line[4:] for line in body.splitlines() if re.match(r"    [a-z]", line)]
    assert found, section
    return found


class Operator:
    """Somebody who types what the guide says; systemctl is played by processes of the test."""

    def __init__(self, settings: ServerSettings, backup: Path) -> None:
        self.settings, self._backup = settings, backup
        self._running = RunningServer(settings)
        self.typed: list[str] = []

    def type(self, line: str) -> None:
        self.typed.append(line)
        if line == "systemctl stop sudare":
            self._running.stop()
            self._running = RunningServer(self.settings)
        elif line == "systemctl start sudare":
            self._running.start("web")
            database = Database(self.settings.database_url)
            let_sign(database)  # as a worker does at once
            database.close()
        elif not line.startswith("pip "):
            # Its output says what is wrong, should anything be.
            done = subprocess.run(self._words(line), capture_output=True, text=True)
            assert done.returncode == 0, (line, done.stdout, done.stderr)

    def _words(self, line: str) -> list[str]:
        url = self.settings.database.replace("+psycopg", "")
        put = {"DIR": str(self.settings.folder), "BACKUP": str(self._backup), "URL": url}
        first, *rest = [re.sub(r"\b(DIR|BACKUP|URL)\b", lambda name: put[name[1]], word) for word in line.split()]
        if first.startswith("pg_"):
            first = str(PROGRAMS[-1].parent / first)
        return [*(COMMAND if first == "sudare" else [first]), *rest]

    def close(self) -> None:
        self._running.stop()


@pytest.fixture
def old(tmp_path: Path) -> Iterator[ServerSettings]:
    """A server as an older version has left it, with an account."""
    settings = new_settings(tmp_path / "server")
    (settings.files / "incoming").mkdir(parents=True)
    settings.files.chmod(0o700)
    database = Database(settings.database_url)
    database.migrate("0003")
    with database.writing() as session:
        session.execute(
            text(
                "INSERT INTO users (id, login, password_hash, admin, disabled, created_at)"
                " VALUES ('u', 'maria', 'x', true, false, '2025-01-01 00:00:00')"
            )
        )
    database.close()
    yield settings


@pytest.mark.parametrize("language", SECTIONS)
def test_an_upgrade_by_the_guide_keeps_what_is_there(old: ServerSettings, tmp_path: Path, language: str) -> None:
    assert wrong(check_server(old.folder, stopped=True)) == {"tables_older": "failed"}
    operator = Operator(old, tmp_path / "backup")
    try:
        for line in commands(language, "upgrade"):
            operator.type(line)
    finally:
        operator.close()
    assert any(line.startswith("pip install --upgrade") for line in operator.typed)
    listed = subprocess.run([*COMMAND, "server", "user", "list", str(old.folder)], capture_output=True, text=True)
    assert listed.stdout == "maria (admin)\n"
    # The backup is what the older version had, so that one can go back to it.
    assert wrong(check_server(tmp_path / "backup", stopped=True)) == {"tables_older": "failed"}


@pytest.mark.parametrize("language", SECTIONS)
def test_a_restore_by_the_guide_brings_back_what_was_copied(small: SmallContest, tmp_path: Path, language: str) -> None:
    kept = small.submit("blue", anonymized())
    with small.database.reading() as session:
        hash = session.get_one(Submission, kept).file_hash
    operator = Operator(small.settings, tmp_path / "backup")
    postgresql = small.database.dialect == "postgresql"
    backup = [line for line in commands(language, "stored") if line.startswith("sudare") != postgresql]
    restore = commands(language, "restore")
    database = [line for line in restore if line.startswith("pg_")]
    steps = [line for line in restore if line not in database]
    if postgresql:
        place = steps.index("cp -a BACKUP DIR") + 1
        steps[place:place] = database
    try:
        for line in backup:
            operator.type(line.replace(" OUT", " BACKUP"))
        later = small.submit("green", anonymized(shift=2))
        small.database.close()
        if postgresql:
            with small.database.writing() as session:
                session.execute(text("DROP TABLE jobs"))
            small.database.close()
        else:
            (small.settings.folder / DATABASE_FILE).write_bytes(b"nothing")
        small.files.path(hash).write_text("nothing")
        assert "failed" in wrong(check_server(small.settings.folder, stopped=True)).values()
        for line in steps:
            operator.type(line)
    finally:
        operator.close()
    assert wrong(check_server(small.settings.folder, stopped=True, hashes=True)) == {}
    with small.database.reading() as session:
        assert session.scalars(select(Submission.id)).all() == [kept]
    assert later != kept
    assert small.files.path(hash).read_text() == anonymized()
    shutil.rmtree(f"{small.settings.folder}.old")
