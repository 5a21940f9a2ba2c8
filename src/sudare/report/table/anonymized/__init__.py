"""Anonymized tables: the report, and what notebooks show of them."""
