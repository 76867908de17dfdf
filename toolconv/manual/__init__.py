"""Manual pages and completions, made of what the program says of itself: ``python -m toolconv.manual``."""
