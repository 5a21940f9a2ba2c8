"""Purchase rows from any source: their columns, their checks, and their tables on an engine."""
