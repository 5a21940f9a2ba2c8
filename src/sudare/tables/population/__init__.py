"""Tables that are a sample of a population."""
