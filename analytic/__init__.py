"""Closed forms: what expectation and probability calculus say about users of ranked lists.

Nothing here is simulated, and nothing here is shared with the samplers but the model's plain
data. Names are loaded when first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prum.analytic.alike import exact_alike
    from prum.analytic.bounds import PrecisionBounds, precision_bounds
    from prum.analytic.counts import poisson_binomial
    from prum.analytic.coupled import coupled_within
    from prum.analytic.depth_law import DepthLaw
    from prum.analytic.distance.baseline import random_adm
    from prum.analytic.distance.measures import adm, adm_categories, adm_deviation
    from prum.analytic.distance.regret import expected_regret
    from prum.analytic.distance.thresholds import sector_measures, threshold_measures
    from prum.analytic.exact_values import consulted_pmf, consulted_quantile, exact
    from prum.analytic.joint import exact_joint
    from prum.analytic.mixtures import (
        beta_nodes,
        exact_beta,
        exact_mixture,
        exact_one_factor,
        mixture,
        normal_nodes,
        one_factor_reach,
        scaled_reach,
    )
    from prum.analytic.precision_recall import PrecisionRecall, mean_over_topics
    from prum.analytic.published import normal_counts, prum
    from prum.analytic.sensitivity import precision_gradient
    from prum.analytic.stopping_rules import Stopped, stopped
    from prum.analytic.structured.classical import (
        expected_search_length,
        raghavan,
        standard_precision_recall,
        without_browsing,
    )
    from prum.analytic.structured.eprum import eprum, eprum_first
    from prum.analytic.structured.generalised_recall import generalised_recall
    from prum.analytic.structured.graded import graded_prum
    from prum.analytic.structured.grp import GeneralisedPrecisionRecall, grp
    from prum.analytic.structured.grp_ng import GRPng, grp_ng
    from prum.analytic.structured.overlap import overlap
    from prum.analytic.structured.t2i import t2i, t2i_search_length
    from prum.analytic.structured.xcg import xcg
    from prum.analytic.tasks import closed_form, independent_of, prum_of, reach_matrix
    from prum.analytic.user_time import TimeBiasedGain, TimeToFind, time_biased_gain, time_to_find
    from prum.analytic.utility.accumulation import accumulate
    from prum.analytic.utility.batch import utilities
    from prum.analytic.utility.browsed import browsed_utility, found_stopping
    from prum.analytic.utility.browsed_sets import browsed_within
    from prum.analytic.utility.distributions import stopping
    from prum.analytic.utility.diversity import alpha_ndcg, err_ia, intent_aware
    from prum.analytic.utility.laws import StoppingLaw, mixed_stopping
    from prum.analytic.utility.measures import utility
    from prum.analytic.utility.over_theta import beta_stopping
    from prum.analytic.utility.preferences import preference_utility
    from prum.analytic.utility.redundancy import fresh_gains
    from prum.analytic.utility.residuals import utility_bounds
    from prum.analytic.walks import walk_reach, walk_within

_HOMES = {
    "DepthLaw": "depth_law",
    "GRPng": "structured.grp_ng",
    "GeneralisedPrecisionRecall": "structured.grp",
    "PrecisionBounds": "bounds",
    "PrecisionRecall": "precision_recall",
    "Stopped": "stopping_rules",
    "StoppingLaw": "utility.laws",
    "TimeBiasedGain": "user_time",
    "TimeToFind": "user_time",
    "accumulate": "utility.accumulation",
    "adm": "distance.measures",
    "adm_categories": "distance.measures",
    "adm_deviation": "distance.measures",
    "alpha_ndcg": "utility.diversity",
    "beta_nodes": "mixtures",
    "beta_stopping": "utility.over_theta",
    "browsed_utility": "utility.browsed",
    "browsed_within": "utility.browsed_sets",
    "closed_form": "tasks",
    "consulted_pmf": "exact_values",
    "consulted_quantile": "exact_values",
    "coupled_within": "coupled",
    "eprum": "structured.eprum",
    "eprum_first": "structured.eprum",
    "err_ia": "utility.diversity",
    "exact": "exact_values",
    "exact_alike": "alike",
    "exact_beta": "mixtures",
    "exact_joint": "joint",
    "exact_mixture": "mixtures",
    "exact_one_factor": "mixtures",
    "expected_regret": "distance.regret",
    "expected_search_length": "structured.classical",
    "found_stopping": "utility.browsed",
    "fresh_gains": "utility.redundancy",
    "generalised_recall": "structured.generalised_recall",
    "graded_prum": "structured.graded",
    "grp": "structured.grp",
    "grp_ng": "structured.grp_ng",
    "independent_of": "tasks",
    "intent_aware": "utility.diversity",
    "mean_over_topics": "precision_recall",
    "mixed_stopping": "utility.laws",
    "mixture": "mixtures",
    "normal_counts": "published",
    "normal_nodes": "mixtures",
    "one_factor_reach": "mixtures",
    "overlap": "structured.overlap",
    "poisson_binomial": "counts",
    "precision_bounds": "bounds",
    "precision_gradient": "sensitivity",
    "preference_utility": "utility.preferences",
    "prum": "published",
    "prum_of": "tasks",
    "raghavan": "structured.classical",
    "random_adm": "distance.baseline",
    "reach_matrix": "tasks",
    "scaled_reach": "mixtures",
    "sector_measures": "distance.thresholds",
    "standard_precision_recall": "structured.classical",
    "stopped": "stopping_rules",
    "stopping": "utility.distributions",
    "t2i": "structured.t2i",
    "t2i_search_length": "structured.t2i",
    "threshold_measures": "distance.thresholds",
    "time_biased_gain": "user_time",
    "time_to_find": "user_time",
    "utilities": "utility.batch",
    "utility": "utility.measures",
    "utility_bounds": "utility.residuals",
    "walk_reach": "walks",
    "walk_within": "walks",
    "without_browsing": "structured.classical",
    "xcg": "structured.xcg",
}

__all__ = [
    "DepthLaw",
    "GRPng",
    "GeneralisedPrecisionRecall",
    "PrecisionBounds",
    "PrecisionRecall",
    "Stopped",
    "StoppingLaw",
    "TimeBiasedGain",
    "TimeToFind",
    "accumulate",
    "adm",
    "adm_categories",
    "adm_deviation",
    "alpha_ndcg",
    "beta_nodes",
    "beta_stopping",
    "browsed_utility",
    "browsed_within",
    "closed_form",
    "consulted_pmf",
    "consulted_quantile",
    "coupled_within",
    "eprum",
    "eprum_first",
    "err_ia",
    "exact",
    "exact_alike",
    "exact_beta",
    "exact_joint",
    "exact_mixture",
    "exact_one_factor",
    "expected_regret",
    "expected_search_length",
    "found_stopping",
    "fresh_gains",
    "generalised_recall",
    "graded_prum",
    "grp",
    "grp_ng",
    "independent_of",
    "intent_aware",
    "mean_over_topics",
    "mixed_stopping",
    "mixture",
    "normal_counts",
    "normal_nodes",
    "one_factor_reach",
    "overlap",
    "poisson_binomial",
    "precision_bounds",
    "precision_gradient",
    "preference_utility",
    "prum",
    "prum_of",
    "raghavan",
    "random_adm",
    "reach_matrix",
    "scaled_reach",
    "sector_measures",
    "standard_precision_recall",
    "stopped",
    "stopping",
    "t2i",
    "t2i_search_length",
    "threshold_measures",
    "time_biased_gain",
    "time_to_find",
    "utilities",
    "utility",
    "utility_bounds",
    "walk_reach",
    "walk_within",
    "without_browsing",
    "xcg",
]


def __getattr__(name: str) -> Any:
    if name == "utility":  # the package of that name can be called
        return import_module("prum.analytic.utility")
    if name in _HOMES:
        return getattr(import_module(f"prum.analytic.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
