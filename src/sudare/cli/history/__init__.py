"""Commands about purchase histories."""
