"""Contests have a description and announcements."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column and the table."""
    op.add_column("contests", sa.Column("description", sa.Text(), nullable=False, server_default=""))
    op.create_table(
        "announcements",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("contest_id", sa.String(length=16), nullable=False),
        sa.Column("title", sa.String(length=80), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_by", sa.String(length=16), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["contest_id"], ["contests.id"], name=op.f("fk_announcements_contest_id")),
        sa.ForeignKeyConstraint(["created_by"], ["users.id"], name=op.f("fk_announcements_created_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_announcements")),
    )
    for column in ("contest_id", "created_by"):
        op.create_index(op.f(f"ix_announcements_{column}"), "announcements", [column])
