"""Operating a server: whether it is well, what it does in numbers, its log, and what stands around it."""
