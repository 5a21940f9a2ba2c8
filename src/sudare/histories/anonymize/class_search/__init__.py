"""Choosing the classes of customers with the same published rows, at the least cost.

First by the costs of pairs alone: a class of c customers costs about 2/c of the summed costs of its pairs, which is
mostly right to a few percent, and simulated annealing finds a good division in seconds. Then by the rows: customers are
exchanged between two classes at a time, at first also for the worse (annealing again, now on true costs), then as long
as that is better, and of all classes that were ever computed those are chosen that together cost least (set
partitioning, an integer program; for classes of two it is the optimal matching). Rows are aligned to the end once the
classes stand.

Work is done in rounds whose parts do not depend on each other, so that the result depends on the seed and, if the time
ends first, on the time, but not on threads.
"""
