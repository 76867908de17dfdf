"""toolconv: tool-call dialect converter and function-calling dataset linter."""
