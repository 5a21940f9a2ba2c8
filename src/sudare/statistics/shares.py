"""Shares and probabilities, exactly as written."""

from __future__ import annotations

from fractions import Fraction

# 0.2, Fraction(1, 5), "1/5" and "0.2" are the same share. Nothing is rounded: 0.1 is a tenth.
Share = Fraction | float | str
