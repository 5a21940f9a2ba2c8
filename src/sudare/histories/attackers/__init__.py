"""What attackers with little knowledge learn from a purchase history."""
