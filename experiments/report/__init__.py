"""One self-contained page about a cross-check, for a reader who has not read the paper."""
