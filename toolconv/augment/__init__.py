"""Augmentation: rows made from other rows by changes that can be undone."""
