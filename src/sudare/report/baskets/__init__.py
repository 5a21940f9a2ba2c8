"""Baskets: the report, the page of experiments, and what is printed about them."""
