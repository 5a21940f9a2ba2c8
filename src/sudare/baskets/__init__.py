"""Baskets: sets of items with each user's sensitive items."""

from sudare.lazy import attach

__getattr__, __dir__ = attach(__name__)
