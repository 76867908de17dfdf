"""Which rules check a row, and what happens to their findings: they are counted, fixed, marked or left out."""
