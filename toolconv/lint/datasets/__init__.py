"""What rules know about all rows of a dataset: counts, duplicates, evaluation prompts."""
