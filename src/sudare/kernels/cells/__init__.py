"""Numeric loops over the cells of generalized histories: their text, their values, and what they match."""
