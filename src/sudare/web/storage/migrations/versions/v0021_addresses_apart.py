"""Addresses of the audit log are kept apart, where they expire."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table; what older entries say stays, since their hashes hold it."""
    op.create_table(
        "audit_addresses",
        sa.Column("entry_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("user_id", sa.String(length=16), nullable=True),
        sa.Column("address", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["entry_id"], ["audit_log.id"], name=op.f("fk_audit_addresses_entry_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_audit_addresses_user_id")),
        sa.PrimaryKeyConstraint("entry_id", name=op.f("pk_audit_addresses")),
    )
    for column in ("user_id", "at"):
        op.create_index(op.f(f"ix_audit_addresses_{column}"), "audit_addresses", [column])
