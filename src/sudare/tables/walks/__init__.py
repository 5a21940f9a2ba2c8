"""Ways through all sets of attributes: in memory, on the engine, by a sample of the records."""
