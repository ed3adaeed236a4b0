"""Study: measures as users who stop at a rank (Carterette 2011), each beside simulated users.

Question. A measure of Carterette's framework is what users have in expectation: a law of the rank
where they stop, and a model of what they have by then. Do users who stop step by step, and who know
no law of ranks, have what the formulas say? And PRUM's users, who browse?

Design. Parts, each with users of its own:

- plain: the fifteen measures on the list of Fig. 1, relevant at ranks 1, 2, 3, 5, 8, 11, 17, 24;
  100 ranks and R = 10 are chosen here, the paper does not say;
- browsed: the same over ideals seen, on the Web example of the PRUM paper (Table III) and on the
  first topic's list of the campaign's system "gateway";
- users whose theta is drawn from Beta(1, 3);
- preferences: of the documents at ranks 1 .. K, one or all, counted if relevant;
- diversity: three made intents of probability .5, .3 and .2, with alpha = .5 where redundancy is
  discounted.

Judgement. A z-test for each row, skewness taken out as in a cross-check; all rows share one
family-wise level of .001 by Bonferroni's inequality, which holds however they depend on each other.
A row is unresolved if its mean's skewness is above .1, or if no user differs from the others while
the closed form does by what fewer than a hundred users would explain: too few users for what is
rare.

Cost. A million users of each group take some fifteen seconds in all.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from prum.experiments.judging import EQUAL, LARGEST_SKEWNESS, LEAST_EXPECTED, Quantities
from prum.experiments.studies.study import (
    MOST_STUDIED,
    Advance,
    Floats,
    Study,
    checked_seed,
    command_of,
)
from prum.experiments.studies.utility.groups import Group, groups_of
from prum.simulator.model.errors import proportion, whole_number

USERS = 1_000_000
THETA = 0.5
LEVEL = 1e-3
# Ranks of Fig. 1.
_SHOWN = 25


def study_utility(
    *,
    users: int = USERS,
    theta: float = THETA,
    seed: int = 1,
    groups: Callable[[float], Sequence[Group]] = groups_of,
    progress: Advance = lambda _: None,
) -> Study:
    """Return closed forms beside simulated means.

    Rows have part, measure, distribution, model, closed, simulated, error, z and verdict; z is None
    where it is not tested or infinite. `found` has level, num_tested, largest_z and verdicts, the
    number of each; and laws, P(k) and F(k) of the plain part's distributions at the first ranks
    beside the shares of users.

    Raises
    ------
    InputError
        for fewer than two users, theta outside (0, 1) or a negative seed.
    """
    count = whole_number(
        "users", users, least=2, most=MOST_STUDIED, remedy="an error needs two users at least"
    )
    theta = proportion("theta", theta, remedy="give the probability to stop", open_interval=True)
    seed = checked_seed(seed)
    all_groups = list(groups(theta))
    rows = list[dict[str, Any]]()
    skewness, most = list[float](), list[float]()
    laws: dict[str, dict[str, list[float]]] = {}
    for number, group in enumerate(all_groups):
        own_seed = int(np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0])
        simulated = group.simulate(count, own_seed)
        for claim in group.claims:
            rows.append(
                {
                    "part": group.part,
                    "measure": claim.measure,
                    "distribution": claim.distribution,
                    "model": claim.model,
                    "closed": claim.value,
                    "simulated": float(simulated.mean[claim.column]),
                    "error": float(simulated.error[claim.column]),
                }
            )
            skewness.append(float(simulated.skewness[claim.column]))
            most.append(claim.most)
        if group.law is not None:
            stopped = simulated.stopped / count
            laws[group.claims[0].distribution] = {
                "stopping": group.law.mass[:_SHOWN].tolist(),
                "viewing": group.law.viewing[:_SHOWN].tolist(),
                "stopped": stopped[:_SHOWN].tolist(),
                "viewed": (1 - np.cumsum(stopped) + stopped)[:_SHOWN].tolist(),
            }
        progress((number + 1) / len(all_groups))
    found = {**_judge(rows, np.array(skewness), np.array(most), count), "laws": laws}
    options = {"users": count, "theta": theta, "seed": seed}
    command = command_of("utility", options, {"users": USERS, "theta": THETA})
    return Study("utility", options, tuple(rows), found, command)


def _judge(
    rows: list[dict[str, Any]],
    skewness: Floats,
    most: Floats,
    num_users: int,
) -> dict[str, Any]:
    """Give each row its z and verdict; return what was found of all."""
    closed, simulated, error = (
        np.array([row[name] for row in rows]) for name in ("closed", "simulated", "error")
    )
    apart = np.abs(simulated - closed)
    constant = error == 0
    # Differing users expected at least, if none was drawn.
    expected = num_users * apart / most
    equal = apart <= EQUAL * np.maximum(1, np.abs(closed))
    tested = np.where(
        constant, equal | (expected >= LEAST_EXPECTED), np.abs(skewness) <= LARGEST_SKEWNESS
    )
    compared = Quantities(num_users, closed, simulated, error, skewness, tested, constant)
    z, p, num_tested = compared.z(), compared.p(), int(tested.sum())
    guilty = tested & (p < LEVEL / max(num_tested, 1))
    for row, one, is_tested, is_guilty in zip(rows, z, tested, guilty, strict=True):
        row["z"] = float(one) if np.isfinite(one) else None
        row["verdict"] = (
            "disagrees" if is_guilty else "agrees" if is_tested else "unresolved"
        )  # fmt: skip
    finite = np.abs(z[np.isfinite(z)])
    verdicts = [row["verdict"] for row in rows]
    return {
        "level": LEVEL,
        "num_tested": num_tested,
        "largest_z": float(finite.max()) if finite.size else None,
        "verdicts": {name: verdicts.count(name) for name in ("agrees", "disagrees", "unresolved")},
    }
