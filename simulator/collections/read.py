"""Readers of the files that people have: TREC, INEX, tables of links and elements, XML."""

from prum.simulator.collections.elements import read_elements
from prum.simulator.collections.inex import read_inex_assessments, read_inex_run
from prum.simulator.collections.links import read_links
from prum.simulator.collections.qrels import ideals_of, read_assessments, read_qrels
from prum.simulator.collections.trec import read_run
from prum.simulator.collections.xml import read_xml

__all__ = [
    "ideals_of",
    "read_assessments",
    "read_elements",
    "read_inex_assessments",
    "read_inex_run",
    "read_links",
    "read_qrels",
    "read_run",
    "read_xml",
]
