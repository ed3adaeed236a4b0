"""Readers of the files that people have: TREC runs and qrels, and tables of links."""

from prum.simulator.collections.links import read_links
from prum.simulator.collections.trec import ideals_of, read_qrels, read_run

__all__ = ["ideals_of", "read_links", "read_qrels", "read_run"]
