"""How published data are broken: linking published histories to known ones."""
