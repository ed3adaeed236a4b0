"""Whether names are those of measures: the catalogue is asked, and names that others print."""

import re
from collections.abc import Iterable
from functools import lru_cache

from prum.simulator.model import InputError

# Measures of trec_eval, ir_measures and MTEB that are not computed here.
_ELSEWHERE = re.compile(
    r"(mean_)?(11pt_avg|accuracy|alpha_dcg|bing|bpm|n?cg|compat|f1_score|g|gm_bpref|gm_map|inf_?ap|insq|inst|"
    r"hits?|main_score|ndcg_rel|num_?\w+|p_ia|prec|relative_p|relstring|rndcg|rprec_mult|score|"
    r"set_\w+|tbg|utility|yaap)(\(.*\))?([@._]\d+(\.\d+)?)?",
    re.IGNORECASE,
)
# As topics are numbered: of p-1 trec_eval makes no measure.
_NUMBERED = re.compile(r"[a-z]+-\d+", re.IGNORECASE)
_LONGEST = 200


@lru_cache(maxsize=10_000)
def is_measure(name: str) -> bool:
    """Return whether a name is that of a measure, here or elsewhere.

    >>> [is_measure(name) for name in ("ndcg_cut_10", "P@5", "nDCG(dcg='exp-log2')@10", "MRR")]
    [True, True, True, True]
    >>> [is_measure(name) for name in ("bm25", "301", "p1", "map-question", "q-2", "prompt")]
    [False, False, False, False, False, False]
    """
    if len(name) > _LONGEST or _NUMBERED.fullmatch(name):
        return False
    if _ELSEWHERE.fullmatch(name.replace("-", "_")):
        return True
    return _in_catalogue(name) or _in_catalogue(name.replace("_at_", "@"))


def are_measures(names: Iterable[str], *, place: str) -> bool:
    """Return whether names are those of measures, and not those of topics or systems.

    A word like judged may be either; what is written as the catalogue writes it, or is cut off at
    a rank, is a measure.

    Raises
    ------
    InputError
        if there are measures among names that are none.
    """
    listed = list(map(str, names))
    other = next((name for name in listed if not is_measure(name)), None)
    if other is None:
        return True
    sure = next((name for name in listed if _may_be_sure(name) and is_measure(name)), None)
    if sure is not None:
        raise InputError(
            "names of measures and others", f"{sure}, {other}",
            "be all of measures, or none",
            remedy="give a table with columns system, topic, measure, score", place=place,
        )  # fmt: skip
    return False


def _in_catalogue(name: str) -> bool:
    """Return whether a name with its cut-off is one of a measure, or one of its other names."""
    from prum.experiments.measures.aliases import meant
    from prum.experiments.measures.catalogue import MEASURES
    from prum.experiments.measures.names import name_of

    try:
        known = meant(name_of(name), MEASURES)
    except InputError:
        return False
    return known is not None and (
        known.cutoff is None or known.cutoff.kind in MEASURES[known.measure].cutoffs
    )


def _may_be_sure(name: str) -> bool:
    from prum.experiments.measures.catalogue import MEASURES

    return "@" in name or name in MEASURES
