"""Which dialect wrote a turn, what each reads in it, and what none of them reads."""
