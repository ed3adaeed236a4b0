"""The `prum` command: all of click and rich, a thin file for each command."""
