"""Classes of equal records: their sizes, and what they give away."""
