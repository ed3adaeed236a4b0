"""What the first k chunks of a list cover: spans, gold characters, characters at all."""

from dataclasses import dataclass

import numpy as np

from prum.analytic.precision.covering import Gains, Overlaps, Places, Shows
from prum.simulator.model import Covering, Task
from prum.simulator.model.arrays import Floats, Ints


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

    Raises
    ------
    InputError
        as `Covering.check`.

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
