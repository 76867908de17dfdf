"""The parts of a row that nobody read: what they are known by, and where they are looked for."""
