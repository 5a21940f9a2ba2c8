"""Statistics shared by several kinds of data: intervals, counts, classes, itemsets."""
