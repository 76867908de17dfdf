"""How values are written, and what a written value is: JSON, Python, and texts typed by a schema."""
