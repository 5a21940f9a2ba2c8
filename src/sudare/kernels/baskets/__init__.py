"""Numeric loops over sets of items: adversaries and suppression."""
