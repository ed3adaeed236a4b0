"""Other names of measures: what trec_eval, ir_measures, ranx and others call what is here."""

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache

from prum.experiments.measures.definition import Cutoff, Name, name_of
from prum.simulator.model import InputError

# Measure -> what trec_eval, ir_measures, ranx, ndeval, cwl_eval, and people call it. * is a number
# behind the name, @* a level behind @ where there is none.
NAMES = (
    ("AP", "map"),
    ("AP@*", "map_cut_*"),
    ("AP", "average_precision mean_average_precision"),
    ("P@*", "p_*"),
    ("P", "precision"),
    ("P(relative=true)@*", "relative_p_*"),
    ("Unjudged@*", "unj_*"),
    ("NumNonRelRet", "num_nonrel_judged_ret"),
    ("R@*", "recall_*"),
    ("R", "recall"),
    ("F", "f1"),
    ("nDCG@*", "ndcg_cut_*"),
    ('nDCG(dcg="exp-log2")', "ndcg_burges"),
    ("RR", "recip_rank mrr reciprocal_rank mean_reciprocal_rank"),
    ("Rprec", "r_precision"),
    ("Success@*", "success_*"),
    ("Success", "hit_rate hit"),
    ("NumRelRet", "hits"),
    ("IPrec@*e0", "iprec_at_recall_*"),  # e0: a level, also where it is whole
    ("IPrec", "11pt_avg"),
    ("SetP(relative=true)", "set_relative_p set_rel_p"),
    ("SetR", "set_recall"),
    ("SetF(beta=*)", "set_f_*"),
    ("SetAP", "set_map"),
    ('RBP(gain="grade",p=0.*)', "rbp_*"),
    ("RBP(p=*)", "rbp@*"),
    ('RBP(gain="linear",p=0.9,residual=true)', "rbp_resid"),
    ("SlidingRatio", "ncg"),
    ("AP_IA", "map_ia"),
    ("StRecall", "strec"),
    ("ADM", "average_distance_measure"),
    ("ESL", "expected_search_length"),
    ("NormR", "normalised_recall"),
    ("NormP", "normalised_precision"),
    ("E", "e_measure"),
    ("GR", "expected_ratio_of_relevant"),
    ("PrefR", "prefs_simp"),
    ("PrefP", "prefs_simp_imp"),
    ("GAP", "graded_average_precision"),
    ("NCU(stop=uniform)", "q_measure"),
    ("nxCG", "manxcg"),
    ("EP", "maep ep_gr effort_precision"),
)
ALIASES = {alias: measure for measure, aliases in NAMES for alias in aliases.split()}
# What another program's name would silently mean here, exactly as it is spelled there: whose it is,
# what it is, and how it is written here.
MISTAKABLE: Mapping[str, tuple[str, str, str]] = {
    "rbp": (
        "trec_eval 10's",
        "has shares of the topic's highest grade and p = .9",
        "RBP(gain=linear,p=0.9)",  # where all topics have one highest grade
    ),
    "dcg": ("ranx's", "adds up grades", "DCG(gain=grade)"),
}
# What ranx means without a cut-off: the whole list.
_UNCUT: Mapping[str, str] = {"precision": "SetP", "recall": "SetR"}
# Program -> what it prints that prum does not compute, or not with a number behind it.
ELSEWHERE: Mapping[str, str] = {
    "trec_eval": "G binG gm_bpref gm_map hits infAP ndcg_rel num_q prec "
    "relstring Rndcg Rprec_mult utility yaap",
    "ndeval": "alpha-DCG P-IA",
    "ir_measures": "BPM Compat INSQ INST NumJudged NumQ TBG",
    "ranx and others": "CG f1_score hit num_docs score",
    "MTEB": "accuracy main_score",
}
# What settings are called by ir_measures, whose cut-off may be one.
CUTOFFS = ("cutoff", "recall")
SETTINGS: Mapping[str, str] = {"normalize": "normalised"}

_NUMBERED = re.compile(r"(.+?)[-_.]([0-9]*\.?[0-9]+)")
# As topics are numbered: of p-1 trec_eval makes no measure.
_TOPIC = re.compile(r"[a-z]+-[0-9]+", re.IGNORECASE)
_LONGEST = 200
_AT = re.compile(r"(.+?)[-_.]at[-_.]?([0-9]{1,9})", re.IGNORECASE)


def spelled(text: str) -> str:
    """Return a name as all its spellings are compared: without case, dashes, dots and underscores.

    >>> spelled("R-Precision"), spelled("α_nDCG")
    ('rprecision', 'alphandcg')
    """
    return re.sub("[-_.]", "", text.lower()).replace("α", "alpha")


def meant(name: Name) -> Name | None:
    """Return the name of a measure, None if it has none.

    >>> str(meant(name_of("map_cut.10"))), str(meant(name_of("RBP@0.9")))
    ('AP@10', 'RBP(p=0.9)')
    """
    from prum.experiments.measures.catalogue import MEASURES

    _check_own(name)
    key = spelled(name.measure)
    if name.cutoff is not None and name.cutoff.kind == "level" and f"{key}@*" in ALIASES:
        by_level = ALIASES[f"{key}@*"].replace("*", repr(name.cutoff.value))
        return _joined(by_level, Name(name.measure, name.settings))
    if name.measure in MEASURES:
        return name
    if key in _UNCUT and name.cutoff is None and not dict(name.settings).keys() & set(CUTOFFS):
        return _joined(_UNCUT[key], name)
    if key in _meanings():
        return _joined(_meanings()[key], name)
    if name.cutoff is None and (match := _AT.fullmatch(name.measure)) and int(match[2]) > 0:
        return meant(Name(match[1], name.settings, Cutoff("rank", int(match[2]))))
    numbered = _NUMBERED.fullmatch(name.measure)
    if numbered and (target := _meanings().get(f"{spelled(numbered[1])}*")):
        if "." in numbered[2]:
            target = target.replace("0.*", "*")
        return _joined(target.replace("*", numbered[2]), name)
    return None


@cache
def _meanings() -> dict[str, str]:
    """Return what each name means, as `spelled`."""
    from prum.experiments.measures.catalogue import MEASURES

    names = {spelled(alias): target for alias, target in ALIASES.items()}
    return names | {spelled(measure): measure for measure in MEASURES}


def _check_own(name: Name) -> None:
    """Raise if a name is another program's, and means another measure."""
    by_grade = dict(name.settings).keys() <= {"rel"}
    if name.measure not in MISTAKABLE or not by_grade or (name.measure == "rbp" and name.cutoff):
        return
    whose, meaning, theirs = MISTAKABLE[name.measure]
    upper = Name(name.measure.upper(), name.settings, name.cutoff)
    rule = f"be told from {whose}, which {meaning}"
    remedy = f"write {theirs}{name.cutoff or ''} for {whose}, or {upper}, where each ideal gains 1"
    raise InputError("measure", str(name), rule, remedy=remedy)


@lru_cache(maxsize=10_000)
def is_measure(name: str) -> bool:
    """Return whether a name is that of a measure, here or elsewhere.

    >>> [is_measure(name) for name in ("ndcg_cut_10", "P@5", "nDCG(dcg='exp-log2')@10", "MRR")]
    [True, True, True, True]
    >>> [is_measure(name) for name in ("bm25", "301", "p1", "map-question", "q-2", "prompt")]
    [False, False, False, False, False, False]
    """
    if len(name) > _LONGEST or _TOPIC.fullmatch(name):
        return False
    bare = re.sub("^mean[-_]", "", name, flags=re.IGNORECASE)
    return any(map(_is_known, (name, bare, bare.replace("_at_", "@"))))


@cache
def _elsewhere() -> frozenset[str]:
    return frozenset(spelled(name) for names in ELSEWHERE.values() for name in names.split())


def _is_known(text: str) -> bool:
    """Return whether a name with its cut-off is one of a measure, or one of its other names."""
    from prum.experiments.measures.catalogue import MEASURES

    try:
        name = name_of(text)
        numbered = _NUMBERED.fullmatch(name.measure)
        if spelled(numbered[1] if numbered else name.measure) in _elsewhere():
            return True
        meaning = meant(name)
    except InputError:
        return False
    return meaning is not None and (
        meaning.cutoff is None or meaning.cutoff.kind in MEASURES[meaning.measure].cutoffs
    )


def are_measures(names: Iterable[str], *, place: str) -> bool:
    """Return whether names are those of measures, and not those of topics or systems.

    A word like judged may be either; what is written as the catalogue writes it, or is cut off at
    a rank, is a measure.
    """
    listed = list(map(str, names))
    other = next((name for name in listed if not is_measure(name)), None)
    if other is None:
        return True
    sure = next((name for name in listed if is_measure(name) and _is_sure(name)), None)
    if sure is not None:
        thing = "names of measures and others"
        rule = "be all of measures, or none"
        remedy = "give a table with columns system, topic, measure, score"
        raise InputError(thing, f"{sure}, {other}", rule, remedy=remedy, place=place)
    return False


def _is_sure(name: str) -> bool:
    from prum.experiments.measures.catalogue import MEASURES

    # C, E, P are as likely systems.
    return "@" in name or (len(name) > 1 and name in MEASURES)


def _joined(target: str, name: Name) -> Name:
    """Return what a name stands for, with the settings and the cut-off behind it."""
    base = name_of(target)
    twice = dict(base.settings).keys() & dict(name.settings).keys()
    if twice or (base.cutoff is not None and name.cutoff is not None):
        thing = f"{min(twice, default='cut-off')} of {name.measure}"
        rule, remedy = "be set once", f"leave it out: {name.measure} is {base}"
        raise InputError(thing, str(name), rule, remedy=remedy)
    settings = tuple(sorted((*base.settings, *name.settings)))
    return Name(base.measure, settings, base.cutoff or name.cutoff)
