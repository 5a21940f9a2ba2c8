"""Numeric loops over tables: classes of equal records, sets of attributes, levels."""
