"""Background work: the queue, the worker, and the job processes."""
