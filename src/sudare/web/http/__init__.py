"""Requests and answers: the application, its addresses, limits, faults and secrets."""
