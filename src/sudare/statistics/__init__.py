"""What more than one kind of data needs of statistics: intervals, counts, classes, itemsets."""
