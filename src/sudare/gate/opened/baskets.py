"""Opened baskets."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sudare.gate.opened.source import TEXT_FORM, OpenSource, columns_of

if TYPE_CHECKING:
    from sudare.baskets.model import Baskets, SensitiveItems


class OpenBaskets(OpenSource):
    """Baskets in memory."""

    @cached_property
    def baskets(self) -> Baskets:
        """The baskets."""
        found = self._read(self.file, **self.form("form", "per", "date-format", "bad-rows"))
        if found.reading:
            self.reading = found.reading
        return found

    def published(self, file: Path) -> Baskets:
        """Read published baskets: of the same users and items."""
        from sudare.baskets.matching import match_published
        from sudare.baskets.write import form_of

        form = form_of(file, self.baskets.reading.form if self.baskets.reading else None)
        return match_published(self.baskets, self._read(file, form=form, allow_empty=True))

    def _read(self, file: Path, **how: Any) -> Baskets:
        from sudare.baskets.read import read_baskets

        return read_baskets(
            str(file), **self.form(*TEXT_FORM, "table"), columns=columns_of(self.options.get("column", ())),
            engine=self.engine, progress=self.progress, **how,
        )  # fmt: skip

    def sensitive(self, words: str, folder: Path) -> SensitiveItems:
        """Return which items are sensitive: by a rule, or by a file."""
        from sudare.baskets.sensitive import is_rule, read_sensitive

        source = words if is_rule(words) else str(folder / words)
        return read_sensitive(source, self.baskets, engine=self.engine)
