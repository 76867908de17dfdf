"""Chooses rows of a dataset: by conditions, without duplicates, balanced, sampled, split into parts."""
