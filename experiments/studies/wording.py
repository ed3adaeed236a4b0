"""Numbers as people read them."""


def number(value: float, digits: int) -> str:
    """Return a number with a typographic minus.

    >>> number(-0.25, 2), number(-1e-9, 2)
    ('−0.25', '0.00')
    """
    text = f"{abs(value):.{digits}f}"
    return f"−{text}" if value < 0 and text.strip("0.") else text
