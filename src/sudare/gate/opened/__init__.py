"""Sources of a policy, opened once for all checks about them."""
