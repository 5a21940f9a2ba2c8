"""Tables of records with attributes."""
