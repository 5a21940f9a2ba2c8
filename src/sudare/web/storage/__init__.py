"""Server storage: the database, files, archives."""
