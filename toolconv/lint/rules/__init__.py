"""The rules: one class per rule, in files by family. A rule is found by being a class here."""
