"""A campaign whose users meet elements of equal score in random order."""

from collections.abc import Sequence
from dataclasses import replace

from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.judgements import is_submission
from prum.simulator.collections.list_tables import runs_of_table
from prum.simulator.collections.run_files import is_trec_run, named_runs
from prum.simulator.collections.trec import read_tied_run, tied_ranking_of
from prum.simulator.model.errors import InputError
from prum.simulator.model.tied import Tied, TiedItem
from prum.simulator.tables.files import FilePath, Opened, place
from prum.simulator.tables.read import suffix_of


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


def tied_lists_in(name: str, file: Opened) -> dict[str, dict[str, tuple[TiedItem, ...]]]:
    """Return what `lists_in` does, with tuples of elements of equal score: they are tied.

    Raises
    ------
    InputError, OSError
        as `read_tied_run` and `runs_of_table`; for a submission of INEX, whose ranks are all apart.
    """
    if is_submission(file):
        rule, remedy = "have scores, to have ties", "give a TREC run, or leave out ties"
        raise InputError("run", name, rule, remedy=remedy, place=place(file))
    if suffix_of(file) and not is_trec_run(file):
        systems = runs_of_table(file, place(file), name)
        return {
            system: {topic: tied_ranking_of(scores) for topic, scores in lists.items()}
            for system, lists in systems.items()
        }
    return {name: read_tied_run(file)}
