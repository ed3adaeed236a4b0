"""Lists of which not everything is judged: share judged, bpref, inferred average precision."""

from collections.abc import Iterable, Iterator

from prum.analytic.ranked.classical import checked_ideals
from prum.analytic.ranked.ranks import checked_ids
from prum.simulator.model import InputError
from prum.simulator.model.errors import whole_number

# By which trec_eval keeps estimated precision from 0 / 0.
_EPSILON = 1e-5


def judged_at(ranking: Iterable[str], judged: Iterable[str], rank: int | None = None) -> float:
    """Return the share of the first k elements that is judged, of all by default; in [0, 1].

    As ir_measures: of a list with fewer than k elements, the share of what it has. An empty list
    has 0.

    Raises
    ------
    InputError
        if an id is empty or no text, or the rank is no whole number of at least 1.

    >>> judged_at(["a", "x", "b", "y"], {"a", "b"}, 3) == 2 / 3
    True
    """
    known = set(checked_ids("judged", judged))
    top = checked_ids("ranking", ranking)
    if rank is not None:
        top = top[: whole_number("rank", rank, least=1, remedy="give the number of ranks")]
    return sum(element in known for element in top) / len(top) if top else 0.0


def bpref(ranking: Iterable[str], ideals: Iterable[str], others: Iterable[str]) -> float:
    """Return bpref, in [0, 1]: how far judged ideals stand above judged elements that are none.

    1/t sum of 1 - min(n_x, t) / min(n, t) over the retrieved ideals x, n_x the retrieved others
    above x and n all of them (Buckley and Voorhees 2004, with the denominator of trec_eval). What
    nobody judged doesn't matter. An element that stands in the list a second time is passed over.

    Parameters
    ----------
    ideals
        The t ideal elements.
    others
        The n elements that were judged and are not ideal.

    Raises
    ------
    InputError
        if there is no ideal, an ideal is among the others, or an id is empty or no text.

    >>> bpref(["a", "x", "b", "?", "c"], ["a", "c", "d"], ["b", "e"]) == (1 + 1 / 2) / 3
    True
    """
    wanted, known = _judged(ideals, others)
    t, n = len(wanted), len(known) - len(wanted)
    total, above = 0.0, 0
    for _, element in _distinct(ranking):
        if element in wanted:
            total += 1 - min(above, t) / min(n, t) if above else 1.0
        elif element in known:
            above += 1
    return total / t


def inferred_average_precision(
    ranking: Iterable[str],
    ideals: Iterable[str],
    others: Iterable[str],
    pooled: Iterable[str] = (),
) -> float:
    """Return infAP: average precision estimated from a judged sample of a pool; in [0, 1].

    1/t sum over the retrieved ideals, at ranks k, of

    1/k + (k-1)/k · (share of the k - 1 above that is in the pool) · (share of those judged that
    is ideal)

    (Yilmaz and Aslam 2006): what is not in the pool counts as not ideal, what is in it and was not
    judged as ideal as often as what was. Both counts of the last share are raised, by 1e-5 and by
    2e-5, as by trec_eval. An element that stands in the list a second time counts as outside
    the pool.

    Parameters
    ----------
    ideals, others
        The t ideal elements, and those that were judged and are not ideal.
    pooled
        Elements of the pool that were not judged; trec_eval's qrels have -1 for them.

    Raises
    ------
    InputError
        as `bpref`.

    >>> round(inferred_average_precision(["a", "?", "b"], ["a", "b"], ["c"], ["?"]), 4)
    1.0
    """
    wanted, known = _judged(ideals, others)
    pool = known | set(checked_ids("pooled", pooled))
    total, ideal_above, judged_above, pooled_above = 0.0, 0, 0, 0
    for rank, element in _distinct(ranking):
        if element in wanted:
            share = (ideal_above + _EPSILON) / (judged_above + 2 * _EPSILON)
            total += (1 + pooled_above * share) / rank
        ideal_above += element in wanted
        judged_above += element in known
        pooled_above += element in pool
    return total / len(wanted)


def _judged(ideals: Iterable[str], others: Iterable[str]) -> tuple[set[str], set[str]]:
    """Return the ideals, and all that was judged."""
    wanted, known = set(checked_ideals(ideals)), set(checked_ids("others", others))
    for element in sorted(wanted & known):
        raise InputError("others", element, "not hold an ideal", remedy="leave out what is ideal")
    return wanted, wanted | known


def _distinct(ranking: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield rank and element where it stands for the first time."""
    seen = set[str]()
    for rank, element in enumerate(checked_ids("ranking", ranking), start=1):
        if element not in seen:
            seen.add(element)
            yield rank, element
