"""Input and output: files, dataframes, relations, encodings, names; writing complete files."""
