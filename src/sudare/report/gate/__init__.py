"""The privacy gate: its page, the suggested policy, and what is printed about both."""
