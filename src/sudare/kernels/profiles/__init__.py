"""Numeric loops over the profiles of people: what they buy, compared with what others buy."""
