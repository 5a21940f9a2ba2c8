"""Histories whose cells are exact, ranges, sets or deleted: the model, its text and its rules."""
