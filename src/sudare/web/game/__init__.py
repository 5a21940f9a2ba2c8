"""The contest as the server plays it: accounts, contests, submissions, phases, who may see what."""
