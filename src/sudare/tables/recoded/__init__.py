"""Tables whose records have cells: the model, its loss, and what is written and checked."""
