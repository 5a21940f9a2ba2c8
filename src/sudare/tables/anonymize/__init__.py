"""How tables are made safe with as little loss as possible."""
