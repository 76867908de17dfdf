"""Coverage-guided fuzzing of the entry points; opt-in, see ``__main__``."""
