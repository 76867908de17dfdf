"""JSON Schema: what a declaration allows, and whether an argument meets it, in bounded time."""

from toolconv.core.schema_types import accept_patterns

accept_patterns()
