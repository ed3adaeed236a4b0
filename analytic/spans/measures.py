"""Measures of a list of chunks against spans of text: shares in [0, 1], whatever overlaps."""

from dataclasses import dataclass

import numpy as np

from prum.analytic.precision.covering import Gains, Overlaps, Places, Shows
from prum.analytic.precision.of_task import closed_form
from prum.simulator.model import Covering, InputError, ListCosts, Task
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.chunk_table import CHARACTERS
from prum.simulator.model.errors import amount, whole_number


@dataclass(frozen=True, slots=True, eq=False)
class ListCoverage:
    """What the first k chunks of a list cover, k = 0 .. o; arrays of shape (o + 1,).

    Parameters
    ----------
    coverage
        Mean over spans of the share that the union of the chunks covers, in [0, 1].
    gold
        Characters of spans that they cover, each once, also where spans overlap.
    union
        Characters that they cover, each once.
    read
        Sum of their lengths.
    num_gold
        Characters of all spans, each once.
    """

    coverage: Floats
    gold: Ints
    union: Ints
    read: Ints
    num_gold: int

    @property
    def num_ranked(self) -> int:
        """o, the number of ranks of the list."""
        return len(self.read) - 1


def list_coverage(task: Task, covering: Covering) -> ListCoverage:
    """Return what the first k chunks of a list cover, for every k.

    Only what stands in the list counts, not what a user may open from it. A chunk that stands in
    the list twice is read twice, and covers nothing the second time.

    Raises InputError as `Covering.check`.

    >>> from prum.simulator.model import ChunkTable, Span
    >>> chunks = ChunkTable({"one": ("report", 0, 100), "two": ("report", 50, 150)})
    >>> covering = Covering(chunks, {"x": Span("report", 80, 120)})
    >>> shown = list_coverage(Task(["one", "two"], ["x"], 3), covering)
    >>> shown.coverage.tolist(), shown.gold.tolist()
    ([0.0, 0.5, 1.0], [0, 20, 40])
    >>> shown.union.tolist(), shown.read.tolist()
    ([0, 100, 150], [0, 100, 200])
    """
    covering.check(task)
    chunks, spans = covering.chunks, Places.of(task, covering)
    numbers = chunks.numbers(task.ranking)
    shows = Shows.of_chunks(chunks, numbers)
    gains, o = Gains.of(Overlaps.of(shows, spans)), len(numbers)
    sizes = spans.lengths[gains.spans]
    shares = _running(gains.ranks, (gains.seen_after - gains.seen_before) / sizes, o)
    gold = spans.united()
    if len(gold.lengths) < len(spans.lengths):
        gold_gains = Gains.of(Overlaps.of(shows, gold))
    else:
        gold_gains = gains
    all_gains = Gains.of(Overlaps.of(shows, shows.outlines()))
    return ListCoverage(
        np.minimum(shares / len(spans.lengths), 1),
        _running(gold_gains.ranks, gold_gains.first, o).astype(np.int64),
        _running(all_gains.ranks, all_gains.first, o).astype(np.int64),
        np.append(0, np.cumsum(chunks.lengths[numbers])),
        int(gold.lengths.sum()),
    )


def _running(ranks: Ints, values: Floats, num_ranked: int) -> Floats:
    """Return the sums of values at the first k ranks, k = 0 .. o."""
    sums: Floats = np.cumsum(np.bincount(ranks + 1, values, minlength=num_ranked + 1))
    return sums


def coverage_at(shown: ListCoverage, k: int) -> float:
    """Return the mean over spans of the share that the union of the first k chunks covers.

    In [0, 1]. A list of fewer than k chunks counts as a whole, here and below. Each span counts
    alike, also where two overlap. A chunk put into the list again, or a copy of it, covers nothing
    more.

    Raises InputError for k below 1.

    >>> from prum.analytic.spans import list_coverage
    >>> from prum.simulator.model import ChunkTable, Span
    >>> chunks = ChunkTable({"one": ("report", 0, 100), "copy": ("report", 0, 100)})
    >>> covering = Covering(chunks, {"x": Span("report", 80, 120)})
    >>> shown = list_coverage(Task(["one", "copy"], ["x"], 3), covering)
    >>> coverage_at(shown, 1), coverage_at(shown, 2)
    (0.5, 0.5)
    """
    return float(shown.coverage[_prefix(shown, k)])


def touched_at(shown: ListCoverage, k: int) -> float:
    """Return 1 if the first k chunks hold a character of a span, else 0.

    Raises InputError for k below 1.
    """
    return float(shown.gold[_prefix(shown, k)] > 0)


def first_touch(shown: ListCoverage) -> float:
    """Return the reciprocal rank of the first chunk that holds a character of a span; 0 if none.

    In [0, 1].
    """
    touched = shown.gold > 0
    return float(1 / np.argmax(touched)) if touched.any() else 0.0


def char_precision_at(shown: ListCoverage, k: int) -> float:
    """Return covered gold characters, each once, over the sum of the lengths of k chunks.

    In [0, 1]: what is covered is part of the union of the chunks, which is no longer than their
    sum. 0 for an empty list.

    Raises InputError for k below 1.
    """
    n = _prefix(shown, k)
    return float(shown.gold[n] / shown.read[n]) if n else 0.0


def iou_at(shown: ListCoverage, k: int) -> float:
    """Return the intersection over the union of gold characters and those of the first k chunks.

    Both are sets of characters: covered gold characters over the characters in the union of
    chunks, plus gold characters, minus covered ones. In [0, 1].

    Raises InputError for k below 1.
    """
    n = _prefix(shown, k)
    covered = shown.gold[n]
    return float(covered / (shown.union[n] + shown.num_gold - covered))


def efficiency(
    task: Task, covering: Covering, *, costs: ListCosts | None = None, gold: float | None = None
) -> float | None:
    """Return what the spans are, over what a user reads of the list until they see all of them.

    Characters of all spans, each once, over E[cost(t)] of `closed_form`: with what is opened, and
    with chunks behind the list that cost their mean. What a reader who knew would read, over what
    the user reads; this reader would not read more than the user does. So it is
    min(gold, E[cost(t)]) / E[cost(t)], in (0, 1]. The minimum counts only where a list shows spans
    in pieces much smaller than they are: a point of each is needed, and a user who meets it in the
    first of ten pieces has read less than the span. A chunk that is put in again, or a copy of it,
    never raises it: it only adds to what is read.

    Parameters
    ----------
    costs
        What each rank costs; left out, its characters, by `Covering.costs_along`.
    gold
        What all spans cost in another unit than characters: their tokens, say, which chunks do not
        tell.

    Returns
    -------
    float
        or None where there is no closed form.

    Raises InputError as `Covering.check`, for costs in another unit without `gold`, for `gold` not
    positive.

    >>> from prum.simulator.model import ChunkTable, Span
    >>> chunks = ChunkTable({"one": ("report", 0, 100), "two": ("report", 100, 200)})
    >>> covering = Covering(chunks, {"x": Span("report", 80, 120)})
    >>> efficiency(Task(["one", "two"], ["x"], 3), covering)  # half of the users read both chunks
    0.26666666666666666
    """
    each = covering.costs_along(task) if costs is None else costs
    if gold is None and each.unit != CHARACTERS:
        rule, remedy = (
            f"be given where costs are {each.unit}",
            "give what all spans cost, each once",
        )
        raise InputError("gold", gold, rule, remedy=remedy)
    result = closed_form(task, covering, costs=each)
    if result is None:
        return None
    spent = float(result.consulted[-1])
    if gold is None:
        needed = float(Places.of(task, covering).united().lengths.sum())
    else:
        needed = amount("gold", gold, positive=True, remedy=f"give a number of {each.unit}")
    return min(needed, spent) / spent


def _prefix(shown: ListCoverage, k: int) -> int:
    """Return the number of chunks among the first k."""
    checked = whole_number("k", k, least=1, remedy="give a number of chunks")
    return min(checked, shown.num_ranked)
