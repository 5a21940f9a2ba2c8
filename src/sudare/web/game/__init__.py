"""The contest on the server: accounts, contests, submissions, phases, permissions."""
