"""Where data come from and where they go: files, dataframes, relations, encodings, names; writing whole files."""
