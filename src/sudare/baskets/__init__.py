"""Baskets: sets of items, each with what its owner wants to keep secret."""

from sudare.lazy import attach

__getattr__, __dir__ = attach(__name__)
