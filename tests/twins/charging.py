"""Plain-Python twin of the kernel that charges users for what they consult."""

from collections.abc import Sequence


def reference_charged(
    consulted: Sequence[int], before: Sequence[int], unranked: int
) -> tuple[list[int], list[int]]:
    """Return cost and leading cost at r = 1 .. t of a user, from C(1) .. C(t) alone.

    A rank led to something new if it is one of these; C(r) is 0 where it is not known.

    >>> reference_charged([1, 1, 4], [0, 10, 30], 5)
    ([10, 10, 40], [10, 10, 15])
    """
    num_ranked = len(before) - 1

    def up_to(c: int) -> int:
        return before[min(c, num_ranked)] + unranked * max(c - num_ranked, 0)

    costs = [up_to(c) for c in consulted]
    leading = [
        sum(up_to(c) - up_to(c - 1) for c in set(consulted[: r + 1]) - {0})
        for r in range(len(consulted))
    ]
    return costs, leading
