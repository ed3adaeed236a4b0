"""Made structures: how many elements, what a block holds, the laws of trees and webs."""

import hashlib
import pickle

import numpy as np
import pytest
from scipy.stats import binomtest

from prum.simulator.generation.blocks import BLOCK, Scattering, masses, ranks_at, shared_out
from prum.simulator.generation.draws import Draws
from prum.simulator.generation.structures import made_block
from prum.simulator.model import InputError
from tests.made_structures import (
    KINDS,
    LEVEL,
    blocks,
    columns,
    depths,
    equal,
    made,
    num_children,
    p_of,
)
from tests.tiers import spread

# SHA-256 of the first block of 1000 elements.
GOLDEN = {
    "flat": "602cd45fb6e02bb0c185cb15c14f82e9297ad880a0c8aac98b7972d5dcc55104",
    "web": "f7bf16963cb745b9bd3282cb35944375b5eb0fe2e81864e36e8901a9e4048687",
    "xml": "062a155e06bca5af6f1014f278984f5d4131d5600f0b0f1cb525d4be3b05489f",
    "video": "cfdfa667ae1eb6eaf03759cf1a850bfad9b8559f47904141e0befce138eae960",
    "chunks": "635505ebad5aa7f69bb6fdceee327c8b629942ebef55e61c71592c4387f2a10b",
}


@pytest.mark.parametrize("elements", [100, 101, 65_536, 65_537, 200_003])
@pytest.mark.parametrize("kind", KINDS)
def test_a_structure_has_exactly_its_elements(kind, elements):
    structure = made(kind, elements)
    assert structure.num_elements == elements
    after = 0
    for block in blocks(structure):
        assert block.first == after
        after += len(block)
        assert {len(column) for column in columns(block)[:4]} == {len(block)}
        assert (block.places >= block.first).all()  # nothing crosses blocks
        assert (np.diff(block.places) >= 0).all()
        assert (block.places[block.places - block.first] == block.places).all()
        if kind != "flat":
            documents = block.first + np.flatnonzero(block.parents < 0)
            assert kind == "web" or np.array_equal(np.unique(block.places), documents)
    assert after == elements


@pytest.mark.parametrize("kind", KINDS)
def test_blocks_do_not_hang_on_those_made_before(kind):
    ahead, back = made(kind, 200_003), made(kind, 200_003)
    backwards = [back.block(number) for number in (3, 0, 2, 1)]
    for number, block in zip((3, 0, 2, 1), backwards, strict=True):
        assert equal(ahead.block(number), block)
        assert equal(made_block(ahead.dials, 1, number), block)
    copy = pickle.loads(pickle.dumps(ahead))
    assert (copy.dials, copy.seed, copy._kept) == (ahead.dials, 1, {})
    if kind != "flat":
        assert not equal(made(kind, 200_003, seed=2).block(1), ahead.block(1))
        assert not np.array_equal(ahead.block(0).places, ahead.block(1).places - BLOCK)


@pytest.mark.parametrize("kind", KINDS)
def test_the_bytes_are_those_of_every_machine(kind):
    digest = hashlib.sha256()
    for column in columns(made(kind, 1000, seed=20_261).block(0)):
        digest.update(column.astype(column.dtype.newbyteorder("<")).tobytes())
    assert digest.hexdigest() == GOLDEN[kind]


def test_asking_for_what_is_not_there():
    structure = made("xml", 1000)
    for number in (-1, 1):
        with pytest.raises(InputError, match="number of a block"):
            structure.block(number)


# Ways to set dials that make documents of all kinds and sizes.
ODD = [
    ("xml", {}),
    ("xml", {"depth": 1}),
    ("xml", {"fan_out": (1, 1), "depth": 20, "nesting": 1.0}),
    ("xml", {"fan_out": (4, 9), "depth": 20, "nesting": 0.9, "words_spread": 5.0}),
    ("video", {}),
    ("video", {"scenes": (1, 1), "seconds": 0.001}),
    ("video", {"scenes": (70_000, 70_000), "seconds": 1e9, "seconds_spread": 5.0}),
    ("chunks", {}),
    ("chunks", {"words": 1, "stride": 1, "page_words": 1.0}),
    ("chunks", {"words": 500, "stride": 1, "page_words_spread": 3.0}),
    ("chunks", {"words": 1, "stride": 1, "page_words": 1e9, "page_words_spread": 5.0}),
]


@pytest.mark.parametrize("elements", spread(3, [100, 65_537, 66_000]))
@pytest.mark.parametrize(("kind", "dials"), ODD)
def test_the_model_takes_every_document(kind, dials, elements):
    structure = made(kind, elements, **dials)
    whole = blocks(structure)
    parents, starts, lengths, places = (
        np.concatenate([columns(block)[column] for block in whole]) for column in range(4)
    )
    if elements > BLOCK:  # the last documents of the first block, and all others
        begin = int(places[BLOCK - 1 - min(300, BLOCK - int(places[BLOCK - 1]))])
    else:
        begin = 0
    table = structure.elements(np.unique(places[begin:]))
    assert table.ids == tuple(structure.names(range(begin, elements)))
    assert np.array_equal(table.parents, np.where(parents < 0, -1, parents - begin)[begin:])
    assert np.array_equal(table.starts, starts[begin:])
    assert np.array_equal(table.lengths, lengths[begin:])
    assert np.array_equal(table.documents, places[begin:] - begin)
    assert lengths.min() >= 1
    assert (starts + lengths).max() < 2**53
    assert set(starts[parents < 0]) == {0}


@pytest.mark.parametrize(("kind", "dials"), [row for row in ODD if row[0] != "chunks"])
def test_leaves_lie_one_after_the_other(kind, dials):
    block = made(kind, 70_000, **dials).block(0)
    leaf = num_children(block) == 0
    lengths = np.where(leaf, block.lengths, 0)
    ends = np.cumsum(lengths)
    begins = ends - lengths
    assert np.array_equal(block.starts, begins - begins[block.places])
    total = np.zeros(BLOCK, dtype=np.int64)
    below = block.parents >= 0
    np.add.at(total, block.parents[below], block.lengths[below])
    assert np.array_equal(block.lengths[~leaf], total[~leaf])


@pytest.mark.parametrize(("kind", "dials"), [row for row in ODD if row[0] != "chunks"])
def test_depth_and_fan_out_have_bounds(kind, dials):
    structure = made(kind, 140_000, **dials)
    least, most = structure.dials.fan_out if kind == "xml" else structure.dials.scenes
    greatest = structure.dials.depth if kind == "xml" else 1
    for block in blocks(structure):
        depth, children = depths(block), num_children(block)
        assert depth.max() <= greatest
        assert children.max() <= most
        # What contains the last element of a block, or is it, is cut off there.
        cut, number = {len(block) - 1}, int(block.parents[-1])
        while number >= 0:
            cut.add(number - block.first)
            number = int(block.parents[number - block.first])
        whole = np.setdiff1d(np.arange(len(block)), list(cut))
        documents = whole[depth[whole] == 0]
        assert (children[documents] >= least).all()
        inner = whole[children[whole] > 0]
        assert (children[inner] >= least).all()
        assert (depth[inner] < greatest).all()


# --- chunks -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dials", [row[1] for row in ODD if row[0] == "chunks"])
def test_chunks_cover_their_page_and_no_more(dials):
    structure = made("chunks", 70_000, **dials)
    words, stride = structure.dials.words, structure.dials.stride
    for block in blocks(structure):
        firsts = np.unique(block.places)
        for first in firsts[[*range(min(200, len(firsts))), -1]].tolist():
            span = slice(*(edge - block.first for edge in structure.place(first)))
            page, *chunks = zip(
                block.starts[span].tolist(), block.lengths[span].tolist(), strict=True
            )
            length = page[1]
            assert page[0] == 0
            expected = []
            while not expected or sum(expected[-1]) < length:
                start = len(expected) * stride
                expected.append((start, min(words, length - start)))
            last = first - block.first == len(block) - 1
            assert chunks == ([] if last else expected)
            assert set(block.parents[span].tolist()) == {-1} | ({first} if chunks else set())


def test_a_page_is_cut_where_the_block_ends():
    # Pages of 3 chunks: 4 elements each, so that 100, 101, 102, 103 leave room for 0, 1, 2, 3.
    dials = {"words": 10, "stride": 10, "page_words": 30.0, "page_words_spread": 0.0}
    for room, left in ((0, [30]), (1, [30]), (2, [10, 10]), (3, [20, 10, 10])):
        block = made("chunks", 100 + room, **dials).block(0)
        if room:
            assert block.lengths[100:].tolist() == left
        assert set(block.lengths[:100][block.parents[:100] < 0]) == {30}
        assert block.parents[100:].tolist() == [-1, 100, 100][:room]


@pytest.mark.parametrize("following", [0.85, 1.0, 0.001, 0.5000004])
def test_probabilities_are_millionths_that_sum_to_following(following):
    block = made("web", 70_000, following=following).block(0)
    millionths = np.rint(block.probabilities * 1e6)
    distinct, place = np.unique(block.probabilities, return_index=True)
    assert distinct.tolist() == [float(f"{m / 1e6:.6f}") for m in millionths[place]]
    assert (block.probabilities > 0).all()
    sums = np.bincount(block.sources, weights=millionths, minlength=BLOCK)
    assert set(sums[sums > 0]) == {round(following * 1e6)}  # exactly, so never above 1
    assert (sums > 0).mean() > 0.99


def test_shares_are_those_of_squares_of_exponential_numbers():
    units = Draws(1, "shares").units(1000)
    squares = np.log(units) ** 2
    shares = shared_out(np.repeat([3, 9], 500), 0.85, units)
    for half in (slice(0, 500), slice(500, 1000)):
        expected = 850_000 * squares[half] / squares[half].sum()
        assert np.abs(shares[half] - expected).max() < 1 + 500 * expected.max() / 850_000 + 1
    assert shared_out(np.empty(0, dtype=np.int64), 0.85, np.empty(0)).shape == (0,)


def test_links_are_sorted_and_no_page_links_to_itself_or_twice():
    structure = made("web", 70_000, community=4)
    for block in blocks(structure):
        pairs = block.sources * structure.num_elements + block.targets
        assert (np.diff(pairs) > 0).all()
        assert (block.sources != block.targets).all()
        assert ((block.sources >= block.first) & (block.sources < block.first + len(block))).all()
        assert ((block.targets >= 0) & (block.targets < structure.num_elements)).all()


@pytest.mark.parametrize("popularity", [0.0, 0.3, 0.5, 0.9, 0.999, 1.001, 1.5, 2.0, 3.0])
def test_ranks_have_nearly_their_power_law(popularity):
    ranks = np.arange(1.0, 1001)
    law = np.diff(masses(np.arange(0, 1001), popularity)) / (1 - popularity) * ranks**popularity
    assert (law > 1 - 1e-9).all()
    assert law[0] < {1.5: 1.2, 2.0: 1.34, 3.0: 1.78}.get(popularity, 1.1)
    assert (law[1:] - 1 < (law[0] - 1) / 4 + 1e-9).all()
    # The rank where the middle of its mass comes is itself.
    middles = (masses(ranks - 1, popularity) + masses(ranks, popularity)) / 2
    assert np.array_equal(ranks_at(middles, 1000, popularity), ranks - 1)


@pytest.mark.parametrize(
    ("popularity", "choice"), [(0.5, 1.0), (1.5, 1.0), (3.0, 1.0), (0.5, 2.5), (1.5, 1.5)]
)
def test_targets_have_the_law_of_the_dials(popularity, choice):
    n = BLOCK
    dials = {"most_degree": 1, "inside": 0.0, "popularity": popularity, "choice": choice}
    by_page = np.bincount(made("web", n, **dials).block(0).targets, minlength=n)
    by_rank = by_page[Scattering(n, Draws(1, "web", "popularity"))(np.arange(n))]
    edges = np.array([0, 1, 2, 4, 8, 32] + ([1000, 20_000, 50_000] if popularity < 1 else []))
    counts = np.add.reduceat(by_rank, edges)

    def law(exponent, several):
        ends = np.append(edges, n) + 0.5
        share = (ends ** (1 - exponent) - 0.5 ** (1 - exponent)) / (
            (n + 0.5) ** (1 - exponent) - 0.5 ** (1 - exponent)
        )
        return np.diff(1 - (1 - share) ** several)

    assert p_of(counts, law(popularity, choice)) > LEVEL
    # Negative controls.
    assert p_of(counts, law(popularity + 0.1, choice)) < LEVEL
    assert p_of(counts, law(popularity, choice * 1.1)) < LEVEL


def test_popularity_inside_is_that_of_the_community():
    dials = {"most_degree": 1, "community": 10_000, "popularity": 0.5}
    inside = made("web", BLOCK, inside=1.0, popularity_inside=2.0, **dials).block(0)
    other = {**dials, "popularity": 1.7}
    assert equal(inside, made("web", BLOCK, inside=1.0, popularity_inside=2.0, **other).block(0))
    outside = made("web", BLOCK, inside=0.0, **dials).block(0)
    assert equal(outside, made("web", BLOCK, inside=0.0, popularity_inside=2.0, **dials).block(0))
    same = made("web", BLOCK, popularity_inside=0.5, **dials).block(0)
    assert equal(same, made("web", BLOCK, **dials).block(0))
    degrees = np.bincount(inside.targets, minlength=BLOCK)
    firsts = np.unique(inside.places)
    # All pages but itself link to the first rank with two thirds, as the integral has it.
    hits, pages = int(np.maximum.reduceat(degrees, firsts).sum()), BLOCK - len(firsts)
    assert binomtest(hits, pages, 2 / 3).pvalue > LEVEL
    assert binomtest(hits, pages, 0.65).pvalue < LEVEL  # negative control


@pytest.mark.parametrize("n", [1, 2, 3, 100, 1024, 1025, 200_003])
def test_scattering_is_a_bijection(n):
    pages = Scattering(n, Draws(1, "scattering"))(np.arange(n))
    assert np.array_equal(np.sort(pages), np.arange(n))
    if n >= 100:
        assert np.abs(np.corrcoef(np.arange(n), pages)[0, 1]) < 5 / np.sqrt(n)
        assert (pages != Scattering(n, Draws(2, "scattering"))(np.arange(n))).any()


def test_links_into_some_pages():
    structure = made("web", 140_000)
    targets = np.array([0, 7, 65_536, 100_000, 139_999])
    sources, ends, probabilities = structure.links_to(targets)
    expected = {
        (source, target): probability
        for block in blocks(structure)
        for source, target, probability in zip(
            block.sources.tolist(),
            block.targets.tolist(),
            block.probabilities.tolist(),
            strict=True,
        )
        if target in {0, 7, 65_536, 100_000, 139_999}
    }
    found = dict(zip(zip(sources.tolist(), ends.tolist(), strict=True), probabilities, strict=True))
    assert found == expected
    assert len(found) > 10
    assert structure.links_to(np.empty(0, dtype=np.int64))[0].size == 0
