"""Equivalence classes: their sizes, and what they give away."""
