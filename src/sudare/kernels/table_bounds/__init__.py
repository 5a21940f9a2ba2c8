"""Lower bounds of what classes of records lose: walks through the boxes that can hold them."""
