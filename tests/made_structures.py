"""Structures of all kinds, and what to ask of their blocks."""

import numpy as np
from scipy.stats import chisquare

from prum.simulator.generation.kinds import Chunks, Flat, Video, Web, Xml
from prum.simulator.generation.structures import Structure

KINDS = {"flat": Flat, "web": Web, "xml": Xml, "video": Video, "chunks": Chunks}
TREES = ["xml", "video", "chunks"]
# One family-wise level for the tests of laws below.
LEVEL = 0.01 / 29


def made(kind, elements, seed=1, **dials):
    """Return a structure of a kind."""
    return Structure(KINDS[kind](kind=kind, elements=elements, **dials), seed)


def blocks(structure):
    return [structure.block(number) for number in range(structure.num_blocks)]


def columns(block):
    return (
        block.parents,
        block.starts,
        block.lengths,
        block.places,
        block.sources,
        block.targets,
        block.probabilities,
    )


def equal(one, other):
    return one.first == other.first and all(map(np.array_equal, columns(one), columns(other)))


def p_of(counts, probabilities):
    """Return the p-value of counts under a law."""
    expected = np.sum(counts) * np.asarray(probabilities) / np.sum(probabilities)
    return chisquare(counts, expected).pvalue


def num_children(block):
    """Return the number of children of each element of a block."""
    below = block.parents[block.parents >= 0] - block.first
    return np.bincount(below, minlength=len(block))


def depths(block):
    found = [0] * len(block)
    for number, parent in enumerate(block.parents.tolist()):
        found[number] = 0 if parent < 0 else found[parent - block.first] + 1
    return np.array(found)
