"""Previews: what the built-in attacks did to a submission, and whether a round has them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the setting and the table."""
    op.add_column("rounds", sa.Column("preview", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_table(
        "previews",
        sa.Column("submission_id", sa.String(length=16), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("result", sa.JSON(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("status IN ('queued', 'done', 'failed')", name=op.f("ck_previews_status")),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name=op.f("fk_previews_submission_id")),
        sa.PrimaryKeyConstraint("submission_id", name=op.f("pk_previews")),
    )
