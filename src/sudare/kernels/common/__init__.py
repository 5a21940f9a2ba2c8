"""Numeric loops shared by several kinds of data."""
