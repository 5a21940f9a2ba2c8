"""Making purchase histories safe with as little loss as possible."""
