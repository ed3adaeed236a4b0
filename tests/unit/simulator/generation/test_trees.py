"""Made documents, videos and pages cut into chunks: the laws of their trees."""

import numpy as np
import pytest

from prum.simulator.generation.blocks import BLOCK
from tests.made_structures import blocks, columns, depths, made, num_children
from tests.tiers import spread

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
