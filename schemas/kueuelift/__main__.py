"""`python -m kueuelift`."""

from kueuelift.cli import main

main()
