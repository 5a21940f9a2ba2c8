"""Anonymized histories and contests: the report, the frontier, and what is printed about them."""
