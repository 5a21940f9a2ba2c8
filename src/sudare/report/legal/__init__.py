"""The legal map: the criteria of laws, guidelines and standards, beside the measured values that speak to them."""
