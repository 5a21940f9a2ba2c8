"""Local files: what names stand for, and how files of any kind become text or Parquet."""
