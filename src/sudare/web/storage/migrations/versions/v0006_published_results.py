"""Published results are versions that stay; guesses, targets and evaluations are not changed either."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

KEPT = {
    "guess_files": "file_hash, size, team_id, round_id, target_id, number, created_at",
    "targets": "file_hash, size, team_id, round_id, submission_id, number, rows",
    "evaluations": "round_id, created_at, result",
}


def upgrade() -> None:
    """Add the columns; of what is published, the newest version is what everybody sees."""
    op.add_column("evaluations", sa.Column("published_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("evaluations", sa.Column("reason", sa.String(length=200), nullable=False, server_default=""))
    op.execute(
        "UPDATE evaluations SET published_at = (SELECT published_at FROM rounds WHERE rounds.id = round_id)"
        " WHERE id IN (SELECT max(id) FROM evaluations GROUP BY round_id)"
    )
    for trigger in _sqlite() if op.get_bind().dialect.name == "sqlite" else _postgresql():
        op.execute(trigger)


def _sqlite() -> list[str]:
    found = []
    for table, columns in KEPT.items():
        refuse = f"BEGIN SELECT RAISE(ABORT, '{table} are not changed'); END"
        found.append(f"CREATE TRIGGER {table}_keep BEFORE UPDATE OF {columns} ON {table} {refuse}")
        found.append(f"CREATE TRIGGER {table}_stay BEFORE DELETE ON {table} {refuse}")
    published = "WHEN OLD.published_at IS NOT NULL BEGIN SELECT RAISE(ABORT, 'published results are not changed'); END"
    return [*found, f"CREATE TRIGGER evaluations_published BEFORE UPDATE ON evaluations {published}"]


def _postgresql() -> list[str]:
    found = []
    refuse = "EXECUTE FUNCTION refuse_change()"
    for table, columns in KEPT.items():
        keep = f"CREATE TRIGGER {table}_keep BEFORE UPDATE OF {columns} ON {table} FOR EACH STATEMENT {refuse}"
        stay = f"CREATE TRIGGER {table}_stay BEFORE DELETE OR TRUNCATE ON {table} FOR EACH STATEMENT {refuse}"
        found += [keep, stay]
    published = f"FOR EACH ROW WHEN (OLD.published_at IS NOT NULL) {refuse}"
    return [*found, f"CREATE TRIGGER evaluations_published BEFORE UPDATE ON evaluations {published}"]
