"""Choosing the equivalence classes of records with cells of their own, at the least loss."""
