"""How published histories are linked to known ones."""
