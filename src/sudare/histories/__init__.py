"""Purchase histories: who bought what on which day."""
