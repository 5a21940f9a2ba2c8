"""Files that nothing refers to: refused uploads, results of workers that died."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from sudare.web.storage.database import Database
from sudare.web.storage.files import FileStore
from sudare.web.storage.models import Contest, Dataset, GuessFile, Submission, Target

# A file is on disk before the transaction that refers to it; a day is longer than any upload or job.
ORPHAN_SECONDS = 24 * 3600.0


def remove_orphans(database: Database, files: FileStore, seconds: float = ORPHAN_SECONDS) -> int:
    """Remove files that nothing refers to and that are older than that; return how many."""
    # First the files, then what the database knows: what is handed in between is young, or known.
    old = files.old_hashes(seconds)
    with database.reading() as session:
        known = _known(session)
    return sum(files.remove_orphan(hash, seconds) for hash in old if hash not in known)


def _known(session: Session) -> set[str]:
    found = set(session.scalars(select(Contest.rules)))
    for table in (Dataset, Submission, Target, GuessFile):
        found |= set(session.scalars(select(table.file_hash)))
    return found
