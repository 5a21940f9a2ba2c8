"""Whether published baskets protect sensitive items."""
