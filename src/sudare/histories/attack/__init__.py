"""Linkage attacks: matching published histories to known ones."""
