"""Subjects of the audit log are longer: a name of 80 letters, and what is said beside it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sudare.web.storage.migrations.versions.v0001_first_tables import SQLITE_TRIGGERS

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Lengthen the column; SQLite makes the table anew, and its triggers with it."""
    with op.batch_alter_table("audit_log") as table:
        table.alter_column("subject", existing_type=sa.String(80), type_=sa.String(200), existing_nullable=False)
    if op.get_bind().dialect.name == "sqlite":
        for trigger in SQLITE_TRIGGERS:
            if " ON audit_log" in trigger:
                op.execute(trigger)
