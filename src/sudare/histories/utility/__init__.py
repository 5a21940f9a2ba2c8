"""What generalization costs, and what is left of the use of a history."""
