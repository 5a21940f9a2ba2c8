"""Where Alembic starts: on the connection it is given, in its transaction."""

from __future__ import annotations

from alembic import context

from sudare.web.storage.models import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA)
context.run_migrations()
