"""What the server says no to: a code that pages and the API share, put into words in the reader's language."""

from __future__ import annotations

from sudare.errors import SudareError
from sudare.messages import Texts


class Refused(SudareError):
    """A request that is not granted: `code` names a text `web.error.<code>`, `status` is that of HTTP."""

    def __init__(self, code: str, status: int = 400, **values: object) -> None:
        self.code, self.status, self.values = code, status, values
        super().__init__(self.said(Texts("en")))

    def said(self, texts: Texts) -> str:
        """Return what is said to the person."""
        return texts(f"web.error.{self.code}", **self.values)


def not_there() -> Refused:
    """Return the one answer for what does not exist and for what the viewer may not know to exist."""
    return Refused("not_there", 404)
