"""Plain-Python twin of the loop of users who read chunks: from offsets, without its tables."""

from prum.simulator.model import ChunkTable, Span
from prum.simulator.sampling.streams import (
    NEVER,
    OPENINGS,
    POINTS,
    RandomNumbers,
    split_mix,
    stream,
)
from prum.simulator.sampling.ways.covering import CoveringSampler, salt_of_opening

_ALL = 2**64 - 1
_GOLDEN = 0x9E3779B97F4A7C15


def read_chunks(sampler: CoveringSampler, num_users: int, seed: int, block: int) -> list[list[int]]:
    """Return the ranks at which the first users of a block first saw each span."""
    task, navigation = sampler.task, sampler.navigation
    points = RandomNumbers(stream(seed, sampler.key, block, POINTS))
    key = int(stream(seed, sampler.key, block, OPENINGS)[0])
    chunks, spans = navigation.chunks, [navigation.spans[ideal] for ideal in task.ideals]
    users = []
    for user in range(num_users):
        identity = split_mix((key + (user + 1) * _GOLDEN) & _ALL)
        wanting = [
            range(x.length) if navigation.whole else [int(points.unit() * x.length)] for x in spans
        ]
        left = [set(characters) for characters in wanting]
        seen_at = [NEVER] * len(spans)
        for rank, chunk in enumerate(task.ranking, start=1):
            if chunk in task.ranking[: rank - 1]:
                continue
            shown = [chunk]
            for source, target, p in navigation.links:
                number = split_mix(identity ^ salt_of_opening(source, target)) >> 11
                if source == chunk and number / 2**53 < p:
                    shown.append(target)
            for x, span in enumerate(spans):
                for piece in shown:
                    left[x] -= _covered(chunks, piece, span)
                if not left[x]:
                    seen_at[x] = min(seen_at[x], rank)
        users.append(seen_at)
    return users


def _covered(chunks: ChunkTable, chunk: str, span: Span) -> set[int]:
    """Return the characters of a span that a chunk covers, counted from the span's start."""
    row = chunks.code[chunk]
    if chunks.documents[chunks.document[row]] != span.document:
        return set()
    begin, end = (int(edge[row]) - span.start for edge in (chunks.starts, chunks.ends))
    return set(range(max(begin, 0), min(end, span.length)))
