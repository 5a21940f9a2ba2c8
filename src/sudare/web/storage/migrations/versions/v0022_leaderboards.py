"""Contests may have a leaderboard."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add when it is shown; contests that are there have none."""
    op.add_column("contests", sa.Column("leaderboard", sa.String(length=10), nullable=False, server_default="hidden"))
    op.add_column("contests", sa.Column("leaderboard_hours", sa.Integer(), nullable=False, server_default="24"))
