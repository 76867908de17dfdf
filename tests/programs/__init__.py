"""Programs that are run by hand, and what they recorded."""
