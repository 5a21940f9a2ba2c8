"""File names as DuckDB must be given them: it takes some characters for a pattern."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from sudare.engine.protocol import quote_text
from sudare.errors import OptionNotUsable

# What is not a name but a pattern to DuckDB, or may be one day.
_PATTERN = re.compile(r"[*?\[\]{}\\]")


class FileNames:
    """Files by names that DuckDB takes for nothing else, and by their own in what it says of them."""

    def __init__(self, spill: str) -> None:
        self._spill = spill
        self._own: dict[str, str] = {}

    def listed(self, path: Path, files: Sequence[Path]) -> str:
        """Return a list of files as DuckDB is to read it, given the one or the folder that they are of.

        Paths are whole, so that they are not taken for addresses. DuckDB takes some letters for a pattern, and has no
        way to write them that is safe from every other name; files with one of them are read by links that have none.
        """
        folder = (path if path.is_dir() else path.parent).absolute()
        named = [file.absolute() for file in files]
        # Of folders above the one that is read DuckDB would make columns too.
        if "=" in str(folder) or any(_PATTERN.search(str(file)) for file in named):
            named = self._link(folder, named)
        return f"[{', '.join(quote_text(str(file)) for file in named)}]"

    def _link(self, folder: Path, files: Sequence[Path]) -> list[Path]:
        """Make links to files, in folders of the same names: some are values, in which %5B stands for a bracket."""
        place = Path(tempfile.mkdtemp(dir=self._spill))
        if _PATTERN.search(str(place)):
            raise OptionNotUsable("errors.engine.patterns", folder=folder, spill=self._spill)
        links = []
        for number, file in enumerate(files):
            inside = _PATTERN.sub(lambda found: quote(found.group()), str(file.relative_to(folder).parent))
            links.append(place / inside / str(number))
            links[-1].parent.mkdir(parents=True, exist_ok=True)
            links[-1].symlink_to(file)
            self._own[str(links[-1])] = str(file)
        return links

    def in_own_names(self, text: str) -> str:
        """Return what DuckDB says with the names of files in place of the links to them."""
        for link, file in self._own.items():
            text = text.replace(link, file)
        return text
