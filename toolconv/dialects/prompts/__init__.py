"""What prompts say about tools: found in the texts of one family, and taken out for another one."""
