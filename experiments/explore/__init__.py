"""A page to play with: a list and its links, dials, and PRUM, the exact value and users."""
