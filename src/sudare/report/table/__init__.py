"""Tables: the report, and what is printed about them."""
