"""JSON Schema: what a declaration allows, and whether an argument meets it, in bounded time."""
