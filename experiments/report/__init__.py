"""One page over a sweep or a folder of results."""
