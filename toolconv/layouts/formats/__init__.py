"""The layouts: one file per row shape, which holds ``LAYOUT``."""
