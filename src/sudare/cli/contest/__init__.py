"""Commands about contests."""
