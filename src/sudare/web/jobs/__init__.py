"""Work apart from requests: the queue, the worker, and the processes of jobs."""
