"""``python -m toolconv``."""

from toolconv.cli import main

if __name__ == "__main__":
    main()
