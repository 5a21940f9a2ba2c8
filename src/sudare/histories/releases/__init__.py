"""Several releases of the same people: linking their pseudonyms, and what the releases reveal together."""
