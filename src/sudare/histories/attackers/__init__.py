"""What one who knows a little learns from a purchase history."""
