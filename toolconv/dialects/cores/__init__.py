"""Grammars that families share; a dialect is one of them filled with its markers."""
