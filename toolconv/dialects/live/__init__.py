"""How a turn is read while it is still being written."""
