"""Enumerating all attribute sets: in memory, on the engine, or on a sample of the records."""
