"""Descriptions of dialects in the forms of other programs."""
