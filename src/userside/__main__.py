"""`python -m userside` is `userside`."""

from userside.cli import main

main()
