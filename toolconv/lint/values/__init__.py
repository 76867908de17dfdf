"""Where the values of arguments come from, and the forms that values have."""
