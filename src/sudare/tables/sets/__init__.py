"""Sets of attributes: the risk of each, and which can be disclosed, are dangerous or can be afforded."""
