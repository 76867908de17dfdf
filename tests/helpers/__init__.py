"""What several tests use: the real command, rows to lint, pages that are run, readers of other formats."""
