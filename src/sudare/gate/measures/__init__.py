"""What a gate can measure, by kind of data."""
