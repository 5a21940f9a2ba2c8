"""The parts of the check of a published table; they share nothing with the search for it."""
