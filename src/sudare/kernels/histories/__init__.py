"""Numeric loops over purchase histories: classes, attacks, thresholds, visits."""
