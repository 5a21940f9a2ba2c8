"""How sets of items are made safe by suppressing occurrences of items."""
