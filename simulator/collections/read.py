"""Readers of the files that people have: TREC runs and qrels, tables of links and elements, XML."""

from prum.simulator.collections.elements import read_elements
from prum.simulator.collections.links import read_links
from prum.simulator.collections.trec import ideals_of, read_qrels, read_run
from prum.simulator.collections.xml import read_xml

__all__ = ["ideals_of", "read_elements", "read_links", "read_qrels", "read_run", "read_xml"]
