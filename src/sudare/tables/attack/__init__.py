"""Attacks with controls on an anonymized table: linkage, inference and membership."""
