"""Profiles: recognizing people by what they bought at another time."""
