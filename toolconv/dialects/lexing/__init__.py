"""What a text shows before any grammar reads it: tags, turn tokens, mentions, and what looks like a call."""
