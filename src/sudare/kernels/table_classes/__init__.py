"""Numeric loops over classes of records with cells of their own: cuts, exchanges, merging."""
