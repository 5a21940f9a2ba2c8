"""What an attacker learns from published data."""
