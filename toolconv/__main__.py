"""``python -m toolconv``."""

from toolconv.cli import main

main()
