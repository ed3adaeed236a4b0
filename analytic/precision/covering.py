"""Chunks that cover spans: the law of what a list has shown of each span, rank by rank.

Whether a span is seen after i ranks is not a matter of each rank by itself: two chunks that hold
the halves of a span show all of it, two copies of one half show half. So P(x in S_i) comes from
the union of what has been shown, and `Changes` are made of it directly.
"""

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Self

import numpy as np

from prum.analytic.precision.seen import Changes
from prum.simulator.model import ChunkTable, Covering, Task
from prum.simulator.model.arrays import Flags, Floats, Ints

if TYPE_CHECKING:
    from scipy import sparse

# Openings that show parts of two spans, each of which doubles the number of laws.
_MOST_SHARED = 12


@dataclass(frozen=True, slots=True, eq=False)
class Shows:
    """What is shown at the ranks of a list: chunks and, by chance, what is opened from them.

    At rank ``ranks[e]`` characters ``starts[e]`` to ``ends[e] - 1`` of document number
    ``documents[e]`` are shown with probability ``probabilities[e]``, each on its own. The ranks
    rise.
    """

    ranks: Ints
    documents: Ints
    starts: Ints
    ends: Ints
    probabilities: Floats

    @classmethod
    def of(cls, task: Task, covering: Covering) -> Self:
        """Return what a list shows; the second occurrence of a chunk shows nothing."""
        chunks, links = covering.chunks, covering.links
        numbers = chunks.numbers(task.ranking)
        sure = cls.of_chunks(chunks, numbers)
        if not len(links):
            return sure
        ends, row = chunks.ends_of(links), np.full(len(chunks), -1)
        row[ends] = np.arange(len(ends))
        opened = [
            (rank, k)
            for rank, source in zip(
                sure.ranks.tolist(), row[numbers[sure.ranks]].tolist(), strict=True
            )
            if source >= 0
            for k in range(links.starts[source], links.starts[source + 1])
            if links.probabilities[k] > 0
        ]
        rank_and_link = np.array(opened, dtype=np.int64).reshape(-1, 2)
        rows = ends[links.targets[rank_and_link[:, 1]]]
        ranks = np.append(sure.ranks, rank_and_link[:, 0])
        order = np.argsort(ranks, kind="stable")
        return cls(
            ranks[order],
            np.append(sure.documents, chunks.document[rows])[order],
            np.append(sure.starts, chunks.starts[rows])[order],
            np.append(sure.ends, chunks.ends[rows])[order],
            np.append(sure.probabilities, links.probabilities[rank_and_link[:, 1]])[order],
        )

    @classmethod
    def of_chunks(cls, chunks: ChunkTable, numbers: Ints) -> Self:
        """Return what a list of chunks, by number, shows if nothing is opened."""
        _, ranks = np.unique(numbers, return_index=True)
        ranks.sort()
        rows = numbers[ranks]
        places = chunks.document[rows], chunks.starts[rows], chunks.ends[rows]
        return cls(ranks, *places, np.ones(len(ranks)))

    def outlines(self) -> "Places":
        """Return, of each document, where what is shown of it begins and ends."""
        order = np.argsort(self.documents, kind="stable")
        documents, since = np.unique(self.documents[order], return_index=True)
        if not len(documents):
            return Places(documents, documents, documents)
        starts = np.minimum.reduceat(self.starts[order], since)
        return Places(documents, starts, np.maximum.reduceat(self.ends[order], since))

    def taken(self, chosen: Flags | Ints) -> "Shows":
        """Return some of what is shown."""
        places = self.ranks[chosen], self.documents[chosen]
        return Shows(*places, self.starts[chosen], self.ends[chosen], self.probabilities[chosen])

    def without_copies(self) -> "Shows":
        """Return what is shown, without chunks that are those of a rank above under another id."""
        sure = np.flatnonzero(self.probabilities == 1)
        places = np.stack([self.documents[sure], self.starts[sure], self.ends[sure]], axis=1)
        _, first = np.unique(places, axis=0, return_index=True)
        kept = self.probabilities < 1
        kept[sure[first]] = True
        return self.taken(kept)


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Pieces of documents, by number of document; characters starts to ends - 1 of it."""

    documents: Ints
    starts: Ints
    ends: Ints

    @classmethod
    def of(cls, task: Task, covering: Covering) -> Self:
        """Return where the ideals of a task lie; documents without chunks are -1, -2, ..."""
        number, absent, places = covering.chunks.document_code, dict[str, int](), []
        for ideal in task.ideals:
            span = covering.spans[ideal]
            k = number.get(span.document)
            if k is None:
                k = absent.setdefault(span.document, -1 - len(absent))
            places.append((k, span.start, span.end))
        return cls(*np.array(places, dtype=np.int64).reshape(-1, 3).T)

    @property
    def lengths(self) -> Ints:
        """Number of characters of each."""
        return self.ends - self.starts

    def united(self) -> "Places":
        """Return pieces that hold the same characters, each once."""
        order = np.lexsort((self.starts, self.documents))
        documents, starts, ends = self.documents[order], self.starts[order], self.ends[order]
        pieces: list[tuple[int, int, int]] = []
        for document, start, end in zip(
            documents.tolist(), starts.tolist(), ends.tolist(), strict=True
        ):
            if pieces and pieces[-1][0] == document and start <= pieces[-1][2]:
                document, start, until = pieces.pop()
                end = max(end, until)
            pieces.append((document, start, end))
        return Places(*np.array(pieces, dtype=np.int64).reshape(-1, 3).T)


@dataclass(frozen=True, slots=True, eq=False)
class Overlaps:
    """Where what is shown meets the spans, each span cut at all ends that lie in it.

    Entry k: what is shown as ``shows[k]`` at rank ``ranks[k]``, with probability
    ``probabilities[k]``, holds the pieces ``lows[k]`` to ``highs[k] - 1`` of span ``spans[k]``.
    Span x has the pieces ``begins[x]`` to ``stops[x] - 1``, with ``lengths`` in characters.
    Entries are sorted by rank, then span.
    """

    shows: Ints
    ranks: Ints
    spans: Ints
    lows: Ints
    highs: Ints
    probabilities: Floats
    begins: Ints
    stops: Ints
    lengths: Ints

    @classmethod
    def of(cls, shows: Shows, spans: Places) -> Self:
        """Return where they meet."""
        order = np.argsort(spans.documents, kind="stable")
        sorted_documents = spans.documents[order]
        since = np.searchsorted(sorted_documents, shows.documents, side="left")
        num = np.searchsorted(sorted_documents, shows.documents, side="right") - since
        show = np.repeat(np.arange(len(num)), num)
        span = order[np.arange(len(show)) + np.repeat(since - (np.cumsum(num) - num), num)]
        begin = np.maximum(shows.starts[show], spans.starts[span]) - spans.starts[span]
        end = np.minimum(shows.ends[show], spans.ends[span]) - spans.starts[span]
        meets = begin < end
        show, span, begin, end = show[meets], span[meets], begin[meets], end[meets]
        # Positions in all spans, one after the other.
        width = int(spans.lengths.max(initial=0)) + 1
        offsets = np.arange(len(spans.lengths)) * width
        keys = (offsets[span] + begin, offsets[span] + end, offsets, offsets + spans.lengths)
        bounds = np.unique(np.concatenate(keys))
        lows, highs, begins, stops = (np.searchsorted(bounds, key) for key in keys)
        entries = np.lexsort((span, shows.ranks[show]))
        show, span, lows, highs = show[entries], span[entries], lows[entries], highs[entries]
        return cls(
            show,
            shows.ranks[show],
            span,
            lows,
            highs,
            shows.probabilities[show],
            begins,
            stops,
            np.diff(bounds),
        )

    def taken(self, chosen: Flags | Ints) -> "Overlaps":
        """Return some of the entries."""
        return replace(
            self,
            shows=self.shows[chosen],
            ranks=self.ranks[chosen],
            spans=self.spans[chosen],
            lows=self.lows[chosen],
            highs=self.highs[chosen],
            probabilities=self.probabilities[chosen],
        )

    def shared(self) -> list[int]:
        """Return what is shown by chance of two spans at once, where it is not surely shown."""
        chance = np.flatnonzero(self.probabilities < 1)
        if not len(chance):
            return []
        surely_since = np.full(len(self.lengths), np.iinfo(np.int64).max)
        for k in np.flatnonzero(self.probabilities == 1)[::-1].tolist():
            surely_since[self.lows[k] : self.highs[k]] = self.ranks[k]
        of_show: dict[int, set[int]] = {}
        for k in chance.tolist():
            if (surely_since[self.lows[k] : self.highs[k]] > self.ranks[k]).any():
                of_show.setdefault(int(self.shows[k]), set()).add(int(self.spans[k]))
        return [show for show, spans in of_show.items() if len(spans) > 1]


@dataclass(frozen=True, slots=True, eq=False)
class Gains:
    """What is new of spans at the ranks where anything is: characters, in the mean.

    Row k: at rank ``ranks[k]`` what of span ``spans[k]`` is seen and unseen before and after, and
    what is seen there for the ``first`` time; sorted by rank, then span.
    """

    ranks: Ints
    spans: Ints
    seen_before: Floats
    unseen_before: Floats
    seen_after: Floats
    unseen_after: Floats
    first: Floats

    @classmethod
    def of(cls, overlaps: Overlaps, *, apart: bool = False) -> Self:
        """Return what each rank adds to the union of what was shown; whole numbers if sure.

        With `apart`, what each rank shows by itself.
        """
        from prum.analytic.precision.kernels import gain

        overlap = np.zeros(len(overlaps.ranks), dtype=np.int64)
        rows = np.empty((len(overlap), 5))
        size = gain(
            overlaps.ranks,
            overlaps.spans,
            overlaps.lows,
            overlaps.highs,
            overlaps.probabilities,
            overlaps.begins,
            overlaps.stops,
            overlaps.lengths,
            apart,
            overlap,
            rows,
        )
        overlap = overlap[:size]
        return cls(overlaps.ranks[overlap], overlaps.spans[overlap], *rows[:size].T.copy())

    @classmethod
    def of_whole(cls, overlaps: Overlaps, *, apart: bool = False) -> Self:
        """Return the same of whole spans: the probabilities that all of a span is seen."""
        if (overlaps.probabilities == 1).all():
            gains = cls.of(overlaps, apart=apart)
            all_seen = gains.unseen_after == 0
            size = int(all_seen.sum())
            none, every = np.zeros(size), np.ones(size)
            places = gains.ranks[all_seen], gains.spans[all_seen]
            return cls(*places, none, every, every, none, every)
        from prum.analytic.precision.kernels import covered_whole

        rows: list[tuple[float, ...]] = []
        shares = np.empty(2)
        for x in np.unique(overlaps.spans).tolist():
            overlapping = np.flatnonzero(overlaps.spans == x)
            overlapping = overlapping[np.argsort(overlaps.lows[overlapping], kind="stable")]
            seen, unseen = 0.0, 1.0
            for rank in np.unique(overlaps.ranks[overlapping]).tolist():
                ranks = overlaps.ranks[overlapping]
                part = overlapping[ranks == rank if apart else ranks <= rank]
                covered_whole(
                    overlaps.lows[part],
                    overlaps.highs[part],
                    overlaps.probabilities[part],
                    overlaps.begins[x],
                    overlaps.stops[x],
                    shares,
                )
                after, not_after = shares.tolist()
                if apart:
                    seen, unseen = 0.0, 1.0
                if after > seen:
                    rows.append((rank, x, seen, unseen, after, not_after, after - seen))
                    seen, unseen = after, not_after
        table = np.array(sorted(rows), dtype=np.float64).reshape(-1, 7).T
        return cls(table[0].astype(np.int64), table[1].astype(np.int64), *table[2:])


def covering_laws(task: Task, covering: Covering) -> list[tuple[float, Changes]] | None:
    """Return what each rank changes in P(x in S_i): shares of users, and the law of each share.

    Points are independent from span to span, and openings from one to the other. So spans are seen
    independently but for openings that may show new parts of two spans at once. Given which of
    these happen they are: a law for each of their outcomes. None for more than 12 of them.

    Raises InputError as `Covering.check`.
    """
    covering.check(task)
    spans = Places.of(task, covering)
    overlaps = Overlaps.of(Shows.of(task, covering), spans)
    shared = overlaps.shared()
    if len(shared) > _MOST_SHARED:
        return None
    probability = {show: overlaps.probabilities[overlaps.shows == show][0] for show in shared}
    laws = []
    for happens in product((False, True), repeat=len(shared)):
        share, given = 1.0, overlaps.probabilities.copy()
        for show, happened in zip(shared, happens, strict=True):
            share *= probability[show] if happened else 1 - probability[show]
            given[overlaps.shows == show] = happened
        law = replace(overlaps, probabilities=given).taken(given > 0)
        laws.append((share, _changes(task, law, spans, whole=covering.whole)))
    return laws


def _changes(task: Task, overlaps: Overlaps, spans: Places, *, whole: bool) -> Changes:
    gains = Gains.of_whole(overlaps) if whole else Gains.of(overlaps)
    size = np.ones(1) if whole else spans.lengths[gains.spans]
    unseen = np.ones(task.num_ideals)
    unseen[gains.spans] = gains.unseen_after / size  # the last row of a span stands
    starts = np.flatnonzero(np.diff(gains.ranks, prepend=-1))
    return Changes(
        task.num_ranked,
        task.num_ideals,
        gains.ranks[starts],
        np.append(starts, len(gains.ranks)),
        gains.spans,
        gains.seen_before / size,
        gains.unseen_before / size,
        gains.seen_after / size,
        gains.unseen_after / size,
        gains.first / size,
        unseen,
    )


def covering_reach(task: Task, covering: Covering) -> "sparse.csr_array":
    """Return the probability that rank i alone shows ideal x, shape (o, t).

    The share of the span that the rank covers in the mean; of a `whole` span the probability that
    it covers all of it. A chunk that is one of a rank above under another id (the same document,
    start and end) shows nothing, as the second occurrence of an element.
    """
    from scipy import sparse

    covering.check(task)
    spans = Places.of(task, covering)
    overlaps = Overlaps.of(Shows.of(task, covering).without_copies(), spans)
    if covering.whole:
        alone = Gains.of_whole(overlaps, apart=True)
        values = alone.first
    else:
        alone = Gains.of(overlaps, apart=True)
        values = np.minimum(alone.first / spans.lengths[alone.spans], 1)
    shape = (task.num_ranked, task.num_ideals)
    return sparse.csr_array((values, (alone.ranks, alone.spans)), shape=shape)
