"""Numeric loops that more than one kind of data needs."""
