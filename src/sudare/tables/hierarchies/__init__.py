"""Generalization hierarchies: what each value of an attribute becomes at each level."""
