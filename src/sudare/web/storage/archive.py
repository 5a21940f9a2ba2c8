"""Archives: a contest with all its files for others to recompute, and backups."""

from __future__ import annotations

import errno
import json
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from sudare.contest.recompute import CONTEST_FILE, FILES, SUMS_FILE, file_hash
from sudare.errors import OptionNotUsable, OutputNotWritable, SourceNotReadable
from sudare.histories.generalized.rule_sets import BUILT_IN
from sudare.messages.reasons import reason_of
from sudare.sources.result_folders import make_folder
from sudare.sources.writing import whole_file
from sudare.web.game.audit import first_broken, record
from sudare.web.game.submissions import standing_guesses
from sudare.web.game.visibility import newest_evaluation, published_evaluations, team_names
from sudare.web.settings import DATABASE_FILE, SETTINGS_FILE, ServerSettings
from sudare.web.storage.database import Database
from sudare.web.storage.files import FileStore, is_whole
from sudare.web.storage.models import AuditEntry, Contest, Dataset, GuessFile, Round, Submission, Target
from sudare.web.storage.private import owner_only
from sudare.web.views.shown_administration import people_names
from sudare.web.views.site import write_site

AUDIT_FILE = "audit.json"
SITE = "site"


def export_contest(database: Database, files: FileStore, contest_id: str, folder: Path) -> dict[str, Any]:
    """Write a contest into a new folder and return what its archive.json says.

    There are T, the finals, what was published of them and the guesses that count, each file under its hash; who did
    what; the pages of what is published, as a site; and the hashes of all of it. Secrets of accounts are not in it.
    """
    _check_new(folder)
    with database.reading() as session:
        contest = session.get(Contest, contest_id)
        if contest is None:
            raise OptionNotUsable("errors.server.no_contest", contest=contest_id)
    with _whole_folder(folder) as aside:
        described = _write_archive(database, files, contest_id, aside)
    with database.writing() as session:
        record(session, None, "export", contest.name, contest_id=contest.id)
    return described


def _write_archive(database: Database, files: FileStore, contest_id: str, folder: Path) -> dict[str, Any]:
    make_folder(folder / FILES)
    with database.reading() as session:
        contest = session.get_one(Contest, contest_id)
        described, audit = _described(session, contest), _audit(session, contest)
        write_site(session, contest, folder / SITE)
    for hash in _hashes(described) | ({contest.rules} - set(BUILT_IN)):
        shutil.copyfile(files.path(hash), folder / FILES / hash)
        if not is_whole(folder / FILES / hash):
            raise SourceNotReadable("errors.server.file_corrupt", path=files.path(hash))
    _write(folder / CONTEST_FILE, json.dumps(described, ensure_ascii=False, indent=2) + "\n")
    _write(folder / AUDIT_FILE, json.dumps(audit, ensure_ascii=False, indent=2) + "\n")
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    _write(folder / SUMS_FILE, "".join(f"{file_hash(folder / name)}  {name}\n" for name in names))
    return described


def back_up(settings: ServerSettings, folder: Path) -> int:
    """Copy settings, database and files into a new folder while the server runs, and return the number of files.

    The database is copied first: whatever it knows of has its file. A database on PostgreSQL has its own tools.
    """
    _check_new(folder)
    database = settings.folder / DATABASE_FILE
    if not settings.database_url.startswith("sqlite"):
        raise OptionNotUsable("errors.server.postgresql_backup", files=settings.files)
    if folder.resolve().is_relative_to(settings.files.resolve()):
        raise OptionNotUsable("errors.server.backup_inside", folder=folder, files=settings.files)
    with _whole_folder(folder) as aside:
        with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(aside / DATABASE_FILE)) as target:
            source.backup(target)
        shutil.copyfile(settings.folder / SETTINGS_FILE, aside / SETTINGS_FILE)
        ignored = shutil.ignore_patterns("incoming")
        shutil.copytree(settings.files, aside / "files", ignore=ignored)
    return sum(path.is_file() for path in (folder / "files").rglob("*"))


@contextmanager
def _whole_folder(folder: Path) -> Iterator[Path]:
    """Yield a new folder, for its owner only, that becomes `folder` if the block ends well and vanishes if not."""
    target = folder.resolve()
    make_folder(target.parent)
    try:
        with owner_only(), tempfile.TemporaryDirectory(dir=target.parent) as aside:
            made = Path(aside) / target.name
            make_folder(made)
            yield made
            made.rename(target)
    except sqlite3.Error as error:
        full = error.sqlite_errorname == "SQLITE_FULL"
        reason = reason_of(OSError(errno.ENOSPC, "")) if full else str(error)
        raise OutputNotWritable("errors.server.not_written", folder=folder, reason=reason) from None
    except shutil.Error as error:
        # What failed of a folder, each as (source, target, text).
        first = str(error.args[0][0][2])
        reason = reason_of(OSError(errno.ENOSPC, "")) if f"[Errno {errno.ENOSPC}]" in first else first
        raise OutputNotWritable("errors.server.not_written", folder=folder, reason=reason) from None
    except OSError as error:
        raise OutputNotWritable("errors.server.not_written", folder=folder, reason=reason_of(error)) from None


def list_contests(session: Session) -> list[tuple[str, str]]:
    """Return identity and name of all contests."""
    return [(found.id, found.name) for found in session.scalars(select(Contest).order_by(Contest.created_at))]


def _described(session: Session, contest: Contest) -> dict[str, Any]:
    rounds = session.scalars(select(Round).where(Round.contest_id == contest.id).order_by(Round.position)).all()
    return {
        "contest": {name: getattr(contest, name) for name in ("id", "name", "time_zone", "rules")},
        "rounds": [_round(session, round) for round in rounds],
    }


def _audit(session: Session, contest: Contest) -> dict[str, Any]:
    entries = session.scalars(select(AuditEntry).order_by(AuditEntry.id)).all()
    own = [entry for entry in entries if entry.contest_id == contest.id]
    return {
        "chain_broken_at": first_broken(entries),
        "people": people_names(session, own),
        "entries": [_entry(entry) for entry in own],
    }


def _round(session: Session, round: Round) -> dict[str, Any]:
    names = team_names(session, round.contest_id)
    targets = session.scalars(select(Target).where(Target.round_id == round.id).order_by(Target.number)).all()
    guesses = standing_guesses(session, round)
    dataset = session.get(Dataset, round.dataset_id) if round.dataset_id else None
    published = published_evaluations(session, round)
    evaluation = published[-1] if published else newest_evaluation(session, round)
    return {
        "name": round.name,
        "original": dataset.file_hash if dataset else None,
        "finals": [_final(session, target, guesses, names) for target in targets],
        "evaluation": _named(evaluation.result, names) if evaluation else None,
    }


def _final(session: Session, target: Target, guesses: list[GuessFile], names: dict[str, str]) -> dict[str, Any]:
    submission = session.get_one(Submission, target.submission_id)
    return {
        "team": names[target.team_id],
        "target": target.number,
        "anonymized": submission.file_hash,
        "published": target.file_hash,
        "utility": submission.utility,
        "guesses": [
            {"team": names[guess.team_id], "file": guess.file_hash} for guess in guesses if guess.target_id == target.id
        ],
    }


def _named(result: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """Put names in place of the identities of teams."""
    standings = [
        {**entry, "name": names[entry["name"]], "tied": sorted(names[other] for other in entry["tied"])}
        for entry in result["standings"]
    ]
    standings.sort(key=lambda entry: (entry["outcome"] == "broken", entry["utility"], entry["name"]))
    attacks = [
        {**entry, "attacker": names[entry["attacker"]], "target": names[entry["target"]]} for entry in result["attacks"]
    ]
    finals = [{**entry, "name": names[entry["name"]]} for entry in result.get("finals", [])]
    return {**result, "standings": standings, "attacks": attacks, "finals": finals}


def _hashes(described: dict[str, Any]) -> set[str]:
    found: set[str] = set()
    for round in described["rounds"]:
        found |= {round["original"]} - {None}
        for final in round["finals"]:
            found |= {final["anonymized"], final["published"], *(guess["file"] for guess in final["guesses"])}
    return found


def _entry(entry: AuditEntry) -> dict[str, Any]:
    names = ("id", "actor", "action", "subject", "details", "previous_hash", "hash")
    return {"at": entry.at.isoformat(), **{name: getattr(entry, name) for name in names}}


def _check_new(folder: Path) -> None:
    if folder.exists():
        raise OptionNotUsable("errors.server.folder_exists", folder=folder)


def _write(path: Path, text: str) -> None:
    with whole_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
