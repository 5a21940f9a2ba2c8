"""Numeric loops over tables: equivalence classes, attribute sets, levels."""
