"""A task: what a user faces. A ranked list, the ideal elements they look for, a collection."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from prum.simulator.model.errors import InputError, check_id, whole_number

LARGEST_COLLECTION = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Task:
    """One information need against one ranked list.

    The user consults ``ranking`` from its top, and after it the u unranked elements in random order
    (Piwowarski, Gallinari and Dupret 2007, section 2.1).

    Parameters
    ----------
    ranking
        Element ids, best first, o of them. An id that occurs twice is consulted twice, and leads
        nowhere new the second time.
    ideals
        Ids of the ideal elements, t >= 1 of them. Kept sorted: column x of every reach matrix
        is ``ideals[x]``.
    collection_size
        Number of elements of the collection. u = collection_size - distinct ranked elements.

    Raises InputError if an id is empty or not text, if an ideal is named twice or there is none, or
    if the collection is too small to hold the ranked and the ideal elements.

    >>> task = Task(["c", "d", "a", "b"], ["b", "a"], 4)
    >>> task.ideals, task.num_ranked, task.num_unranked
    (('a', 'b'), 4, 0)
    >>> eval(repr(task)) == task
    True
    """

    ranking: tuple[str, ...]
    ideals: tuple[str, ...]
    collection_size: int
    num_unranked: int = field(init=False, repr=False, compare=False)

    def __init__(self, ranking: Iterable[str], ideals: Iterable[str], collection_size: int) -> None:
        ranked = _ids("ranking", ranking)
        ascending = tuple(sorted(_ids("ideals", ideals)))
        if not ascending:
            raise InputError(
                "ideals", (), "hold at least one element", remedy="leave out topics without ideals"
            )
        for ideal, following in pairwise(ascending):
            if ideal == following:
                raise InputError(
                    "ideals", ideal, "name each element once", remedy="drop the second mention"
                )
        size = whole_number(
            "collection_size",
            collection_size,
            least=1,
            most=LARGEST_COLLECTION,
            remedy="give the number of elements in the collection",
        )
        distinct = set(ranked)
        unranked_ideals = sum(ideal not in distinct for ideal in ascending)
        if size < len(distinct) + unranked_ideals:
            raise InputError(
                "collection_size",
                size,
                f"be at least {len(distinct) + unranked_ideals} ({len(distinct)} distinct ranked "
                f"elements and {unranked_ideals} ideals outside the list)",
                remedy="count every element of the collection",
            )
        repeated = len(ranked) - len(distinct)
        if size + repeated > LARGEST_COLLECTION:
            raise InputError(
                "collection_size",
                size,
                f"be at most {LARGEST_COLLECTION - repeated} (consultations of {repeated} repeated "
                "elements count too)",
                remedy="drop the repetitions from the ranking",
            )
        object.__setattr__(self, "ranking", ranked)
        object.__setattr__(self, "ideals", ascending)
        object.__setattr__(self, "collection_size", size)
        object.__setattr__(self, "num_unranked", size - len(distinct))

    @property
    def num_ranked(self) -> int:
        """o, the number of ranks of the list (duplicates count)."""
        return len(self.ranking)

    @property
    def num_ideals(self) -> int:
        """t, the number of ideal elements."""
        return len(self.ideals)

    @property
    def key(self) -> str:
        """SHA-256 of the task's canonical JSON: equal tasks have equal keys."""
        names = ("ranking", "ideals", "collection_size")
        return content_key({name: getattr(self, name) for name in names})


def content_key(content: object) -> str:
    """Return the SHA-256 of `content` as canonical JSON."""
    return hashlib.sha256(canonical_json(content).encode("ascii")).hexdigest()


def canonical_json(content: object) -> str:
    """Return `content` as JSON with sorted names, in ASCII, without blanks."""
    return json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))


def _ids(thing: str, values: Iterable[str]) -> tuple[str, ...]:
    if isinstance(values, str):
        raise InputError(
            thing, values, "be several ids, not one text", remedy=f"write [{values!r}]"
        )
    try:
        ids = tuple(values)
    except TypeError:
        raise InputError(
            thing, values, "be a sequence of ids", remedy="give a list of texts"
        ) from None
    if set(map(type, ids)) <= {str} and "" not in ids:
        return ids
    for position, value in enumerate(ids, start=1):
        check_id(f"element {position} of {thing}", value)
    return tuple(map(str, ids))  # NumPy's strings are of another type
