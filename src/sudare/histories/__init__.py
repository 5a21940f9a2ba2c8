"""Purchase histories: who bought what on which day."""

from sudare.lazy import attach

__getattr__, __dir__ = attach(__name__)
