"""Reading texts that templates wrote."""
