"""Whether a published history is safe: thresholds, classes, guesses, matchings."""
