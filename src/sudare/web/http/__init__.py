"""Requests and responses: the application, its routes, limits, failures and secrets."""
