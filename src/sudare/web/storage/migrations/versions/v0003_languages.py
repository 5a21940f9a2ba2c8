"""What is wrong with a T is kept in all languages; what was found before stays English."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

LANGUAGES = ("en", "ja")


def upgrade() -> None:
    """Put the one text that there is in place of each language's."""
    datasets = sa.table("datasets", sa.column("id", sa.String), sa.column("result", sa.JSON))
    connection = op.get_bind()
    for identity, result in connection.execute(sa.select(datasets.c.id, datasets.c.result)).all():
        if result and isinstance(result.get("message"), str):
            told = {**result, "message": dict.fromkeys(LANGUAGES, result["message"])}
            connection.execute(sa.update(datasets).where(datasets.c.id == identity).values(result=told))
