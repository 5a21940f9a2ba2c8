"""What people see: pages, results, the static site."""
