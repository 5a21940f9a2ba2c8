"""Jobs that failed are tried again by themselves: how often they have, and when."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add both columns."""
    op.add_column("jobs", sa.Column("failures", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("jobs", sa.Column("not_before", sa.DateTime(timezone=True), nullable=True))
