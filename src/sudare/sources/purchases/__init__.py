"""Purchase rows of any source: which columns they have, how they are checked, and their tables on an engine."""
