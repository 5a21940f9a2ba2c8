"""What generalization costs, and the remaining utility of a history."""
