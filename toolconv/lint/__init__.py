"""The linter: rules for rows and datasets, with a command line like ruff's."""
