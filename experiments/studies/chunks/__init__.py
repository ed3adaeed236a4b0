"""How to cut texts into chunks, by what users read.

The study compares exact precision of chunks with noisy-or, and two retrievers on the same chunks.
It shows how the order of chunkers changes with what is counted (chunks, characters, tokens), and
what a reader with a budget gets.
"""

from prum.experiments.frame.study import Study
from prum.experiments.studies.chunks.study import ChunksDesign, ChunksRow, compute
from prum.experiments.studies.chunks.view import view

CHUNKS = Study("chunks", __doc__, ChunksDesign, ChunksRow, compute, view)
