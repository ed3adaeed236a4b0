"""Made structures: how many elements, and what a block holds."""

import hashlib
import pickle

import numpy as np
import pytest

from prum.simulator.generation import structures
from prum.simulator.generation.blocks import BLOCK
from prum.simulator.generation.structures import made_block
from prum.simulator.model import InputError
from tests.made_structures import (
    KINDS,
    blocks,
    columns,
    equal,
    made,
)

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


def test_the_last_few_blocks_are_kept(monkeypatch):
    asked = []

    def noted(dials, seed, number):
        asked.append(number)
        return made_block(dials, seed, number)

    monkeypatch.setattr(structures, "made_block", noted)
    structure = made("flat", 1_000_000)
    for number in (0, 1, 2, 3, 0, 4, 0, 1, 0):
        structure.block(number)
    assert asked == [0, 1, 2, 3, 4, 1]
    assert len(structure._kept) == 4


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
