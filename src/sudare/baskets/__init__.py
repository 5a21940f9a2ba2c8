"""Baskets: sets of items, each with what its owner wants to keep secret."""
