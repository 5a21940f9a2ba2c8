"""The routes of the server: pages for people, and the same for programs under /api/v1."""
