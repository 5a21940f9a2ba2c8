"""What the server keeps: the database, files, archives."""
