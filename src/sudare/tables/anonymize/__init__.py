"""Making tables safe with as little loss as possible."""
