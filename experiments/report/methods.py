"""Sentences for the methods section of a paper, and whom to cite."""

from collections.abc import Sequence

import numpy as np

from prum.experiments.compare.numbers import count
from prum.experiments.report.material import Material
from prum.experiments.report.outcomes import CellOutcome, num_lists
from prum.experiments.report.ranked import SystemRanking
from prum.simulator.model.costs import ELEMENTS

_MOST_NAMED = 6
_PAPER = """@article{piwowarski2007prum,
  author  = {Piwowarski, Benjamin and Gallinari, Patrick and Dupret, Georges},
  title   = {Precision Recall with User Modeling ({PRUM}): Application to Structured
             Information Retrieval},
  journal = {ACM Transactions on Information Systems},
  volume  = {25},
  number  = {1},
  articleno = {1},
  numpages = {37},
  year    = {2007},
  doi     = {10.1145/1198296.1198297}
}"""
_KENDALL = """@article{kendall1945ties,
  author  = {Kendall, Maurice G.},
  title   = {The Treatment of Ties in Ranking Problems},
  journal = {Biometrika},
  volume  = {33},
  number  = {3},
  pages   = {239--251},
  year    = {1945},
  doi     = {10.1093/biomet/33.3.239}
}"""


def methods(found: Material, ranked: Sequence[SystemRanking]) -> list[str]:
    """Return what was computed and how, in sentences."""
    outcomes = found.outcomes
    told = []
    if outcomes:
        told += _of_lists(outcomes)
    told += [sentence for result in found.results for sentence in result.settings]
    if ranked:
        told.append(
            "Systems were ranked by precision averaged over r, then over the topics that all of "
            "them have; rankings were compared by Kendall’s τ-b, in which tied pairs count for "
            "neither order."
        )
    told.append(f"All was computed with {_software(found)}.")
    return told


def _of_lists(outcomes: Sequence[CellOutcome]) -> list[str]:
    systems = {(one.campaign, one.system) for one in outcomes}
    topics = {(one.campaign, one.topic) for one in outcomes}
    campaigns = sorted({one.campaign for one in outcomes if one.campaign})
    settings = list(dict.fromkeys(one.setting for one in outcomes))
    of = f" ({_some(campaigns)})" if campaigns else ""
    told = [
        "Precision at recall value r is E[CL(r)] / E[C(r)]: of the elements that users consult "
        "until they have seen r ideals, those that lead to something new, in expectation "
        "(Piwowarski, Gallinari and Dupret 2007).",
        f"For {count(num_lists(outcomes), 'list')} of {count(len(systems), 'system')} and "
        f"{count(len(topics), 'topic')}{of}, PRUM was computed as published and compared with the "
        "exact value under the same browsing or, where none is known, with simulated users. Ways "
        f"of browsing: {_some(settings)}.",
    ]
    units = sorted({one.unit for one in outcomes} - {ELEMENTS})
    if units:
        told.append(f"Instead of elements, what they cost was counted, in {_some(units)}.")
    drawn = [one for one in outcomes if one.num_users]
    if drawn:
        users = sorted({one.num_users for one in drawn})
        number = f"{users[0]:,}" if len(users) == 1 else f"{users[0]:,} to {users[-1]:,}"
        users_are = "user was" if users == [1] else "users were"
        seeds = sorted({seed for one in drawn for seed in one.seeds})
        from_seeds = ""
        if seeds:
            names = _some([str(seed) for seed in seeds])
            from_seeds = f" (seed{'' if len(seeds) == 1 else 's'} {names})"
        told.append(
            f"{number} {users_are} simulated for each of {count(len(drawn), 'pair')} of a list and "
            f"a way of browsing{from_seeds}; intervals hold 95 % of the draws of users."
        )
    without = sum(bool(np.isnan(one.exact).all()) for one in outcomes)
    if 0 < without < len(outcomes):
        told.append(
            f"No exact value is known for {without:,} of {len(outcomes):,} pairs of a list and a "
            "way of browsing; there the simulated value stands for it."
        )
    return told


def versions(found: Material) -> list[str]:
    """Return the versions of prum that made the results."""
    return sorted({result.version for result in found.results if result.version})


def _software(found: Material) -> str:
    made = versions(found)
    if not made:
        return "prum"
    return f"prum {' and '.join(made)}"


def citations(found: Material, ranked: Sequence[SystemRanking]) -> str:
    """Return what to cite as BibTeX: the paper, the software and what rankings are compared by."""
    version = ", ".join(versions(found))
    software = [
        "@software{prum,",
        "  author  = {{The prum developers}},",
        "  title   = {prum: How well does a ranked list serve users who browse from it?},",
        f"  version = {{{version}}}," if version else "",
        "  note    = {Licence: Apache-2.0}",
        "}",
    ]
    entries = [_PAPER, "\n".join(line for line in software if line)]
    if ranked:
        entries.append(_KENDALL)
    return "\n\n".join(entries)


def _some(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
