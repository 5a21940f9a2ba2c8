"""How purchase histories are made safe with as little loss as possible."""
