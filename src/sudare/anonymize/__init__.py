"""How data are made safe with as little loss as possible."""
