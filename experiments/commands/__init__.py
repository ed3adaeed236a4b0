"""The `prum` command: all of click and rich."""
