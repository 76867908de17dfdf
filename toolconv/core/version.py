"""The version, which the package, its receipts and its manual pages show."""

__version__ = "0.3.0"
