"""Purchase histories: who bought what on which day."""

from __future__ import annotations

from sudare.showing import dataclass
from sudare.sources.purchases.model import Purchases


@dataclass(eq=False)
class History(Purchases):
    """A purchase history: who bought what on which day, from any source.

    Use it in a `with` block, or close it, to give back memory and temporary files.
    """
