"""Making baskets safe by suppressing items."""
