"""Whether published sets keep what people want to keep secret."""
