"""Show the rows of files as conversations."""
