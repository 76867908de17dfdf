"""How many of a model's calls are right: outputs compared with gold calls, at three named levels."""
