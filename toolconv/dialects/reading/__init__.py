"""How a turn is read: exactly, or tolerantly with every repair named; by one dialect, or each block by its own."""
