"""What the data are: purchase histories, reading and writing them, and synthetic ones."""
