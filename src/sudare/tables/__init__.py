"""Tables of records with attributes."""

from sudare.lazy import attach

__getattr__, __dir__ = attach(__name__)
