"""Measures of what users read who follow links, and of what it costs."""

from collections.abc import Mapping

import numpy as np

from prum.analytic.precision.following import Paid, Reading
from prum.analytic.ranked.scores import recall_at
from prum.experiments.measures.definition import COST, Curve, Definition, Parameter
from prum.experiments.measures.judged import Judged, Ranking
from prum.simulator.model import Costs, Expansion, InputError, Task
from prum.simulator.model.costs import num_paid


def reading_of(
    judged: Judged, ranking: Ranking, cost: str | None, navigation: str | None
) -> Reading:
    """Return what users of a list read, who need not know how large the collection is."""
    _check_all_there(judged)
    size = len(set(ranking) | set(judged.ideals))
    task = Task(ranking, judged.ideals, size)
    return Reading(task, judged.navigation(navigation), judged.costs_in(cost))


def _check_all_there(judged: Judged) -> None:
    """Raise InputError if links to what is no ideal, which costs as well, may be missing."""
    way = judged.collection.linked.way
    if way is not None and way.leads_to_ideals:
        rule = "lead to all that is followed, for what that costs"
        raise InputError("way", way.name, rule, remedy="give links, or the way chunks")


def _ideals_per_cost(
    judged: Judged, ranking: Ranking, cost: str | None, navigation: str | None, paid: Paid
) -> Curve:
    reading = reading_of(judged, ranking, cost, navigation)

    def share(ideals: float, spent: float) -> float:
        return ideals / spent if spent else 0.0

    def until(r: float) -> float:
        return share(*reading.until(int(r), paid)) if r <= len(judged.ideals) else np.nan

    return Curve(
        lambda: float(np.mean([until(r + 1) for r in range(len(judged.ideals))])),
        {"recall": until, "rank": lambda k: share(*reading.by_rank(int(k), paid))},
    )


def recall(judged: Judged, ranking: Ranking) -> Curve:
    """Return recall at a rank of the list, or of the pages that a budget lets users read.

    They read seed by seed, hop by hop, likeliest links first, no page twice, while the next fits.
    """

    def within(budget: float, unit: str) -> float:
        price = judged.costs_in(unit) or Costs.unit()
        pages = _order(judged, ranking)
        each = [_mean_cost(price, page) for page in pages]
        return recall_at(pages, judged.ideals, num_paid(each, budget))

    return Curve(
        lambda: np.nan, {"rank": lambda n: recall_at(ranking, judged.ideals, int(n))}, within
    )


def _mean_cost(costs: Costs, page: str) -> float:
    if page not in costs.lengths:
        thing = f"{costs.quantity} of {page!r}"
        raise InputError(thing, None, "be given", remedy="give what each page that is read costs")
    return costs.mean(page)


def _order(judged: Judged, ranking: Ranking) -> list[str]:
    """Return the pages that users read, in order, where nothing is left to chance."""
    from prum.simulator.sampling.ways.expansion import Pages

    _check_all_there(judged)
    way = judged.navigation(None)
    expansion = way.expansion or Expansion(way.links, hops=1, fan_out=max(len(way.links), 1))
    pages = Pages(expansion)
    offers = [offer.p for each in pages.offers.values() for offer in each]
    if way.is_walk or set(offers) - {1.0} or (expansion.hops > 1 and expansion.decay < 1):
        rule, remedy = "be certain within a budget", "give links of probability 1 without decay"
        raise InputError("links", judged.collection.kind, rule, remedy=remedy)
    read = dict[str, None]()
    for seed in ranking:
        read |= dict.fromkeys([seed, *(page for _, page in pages.behind(seed, 0))])
    return list(read)


FOLLOWING: Mapping[str, Definition] = {
    "IdealsPerCost": Definition(
        "E[ideals] / E[cost] until r ideals are read or the list ends, all that is followed paid",
        _ideals_per_cost,
        {
            "cost": COST,
            "navigation": Parameter(str, is_optional=True),
            "paid": Parameter(str, "again", choices=("again", "once")),
        },
        ("rank", "recall"),
        note="a ratio of expectations, as of sessions; @K depends on the set of the first K alone",
    ),
}
