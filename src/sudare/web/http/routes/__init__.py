"""The addresses of the server: pages for people, and under /api/v1 the same for programs."""
