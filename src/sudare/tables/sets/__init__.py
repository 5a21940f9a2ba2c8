"""Attribute sets: the risk of each, and which are disclosable, dangerous or affordable."""
