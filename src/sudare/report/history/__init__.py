"""Purchase histories: the report, and what is printed about them."""
