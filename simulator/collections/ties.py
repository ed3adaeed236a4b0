"""A campaign whose users meet elements of equal score in random order."""

from collections.abc import Sequence
from dataclasses import replace

from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.judgements import tied_lists_in
from prum.simulator.collections.run_files import named_runs
from prum.simulator.model.tied import Tied
from prum.simulator.tables.files import FilePath


def with_ties(campaign: Campaign, runs: Sequence[FilePath]) -> Campaign:
    """Return a campaign of these runs, read again, with the ties of their scores.

    Raises
    ------
    InputError, OSError
        as `named_runs`, `tied_lists_in` and `Tied`.

    >>> import pathlib, tempfile
    >>> from prum.simulator.collections import read_campaign
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> run, qrels = folder / "a.run", folder / "qrels"
    >>> _ = run.write_text("q Q0 x 1 .5 a\\nq Q0 y 2 .5 a\\n"), qrels.write_text("q 0 x 1\\n")
    >>> with_ties(read_campaign([run], qrels, collection_size=9), [run]).navigation
    {'q': Tied(Independent({}), ((('y', 'x'),),))}
    """
    lists = [by for name, file in named_runs(runs) for by in tied_lists_in(name, file).values()]
    navigation = {
        topic: Tied(campaign.navigation_on(topic), [by[topic] for by in lists if topic in by])
        for topic in campaign.ideals
    }
    return replace(campaign, navigation=navigation)
