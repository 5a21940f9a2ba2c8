"""Commands about baskets."""
