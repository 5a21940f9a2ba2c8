"""What is left of the use of an anonymized table: distributions, counts of queries, a classifier."""
