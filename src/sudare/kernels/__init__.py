"""Numeric loops only: arrays in, arrays out."""
