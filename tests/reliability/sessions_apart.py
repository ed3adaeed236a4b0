"""Count how often sessions tell systems apart that are equal, or of which one is twice as good.

    python -m tests.reliability.sessions_apart [--worlds 400] [--seed 1]

A world has questions of two to four ideals. How easily a system finds them differs between
questions, for all systems and for each alone, by laws that are the same for all; a session opens
elements, some of them again, and pays tokens for each. So equal systems have the same E[new] /
E[cost] over all questions there might be, and any claim is false. The negative control takes each
session for a question of its own.
"""

import argparse
from dataclasses import dataclass, replace
from math import log

import numpy as np

from prum.experiments.compare.result import ComparisonResult
from prum.experiments.evaluate import evaluate
from prum.experiments.evaluate.session_result import SessionsEvaluation
from prum.experiments.logs import Action, Trajectory
from tests.reliability.judged import share

# Of logits of finding something new: their mean, and deviations between questions and systems.
MIDDLE, COMMON, OWN = -0.5, 0.6, 0.9
AGAIN, STOPS, SIZE, TOKENS = 0.15, 0.04, 60, 500.0


@dataclass(frozen=True)
class Kind:
    """Systems of a world.

    Parameters
    ----------
    spreads
        Of each system the deviation of log costs, whose means are equal.
    sessions
        Of each system the least and most sessions of a question.
    prices
        Of each system the mean cost of an element, beside the others'.
    questions
        How many.
    """

    spreads: tuple[float, ...] = (0.5, 0.5)
    sessions: tuple[tuple[int, int], ...] = ((4, 4), (4, 4))
    prices: tuple[float, ...] = (1.0, 1.0)
    questions: int = 30


EQUAL = Kind()
MANY = replace(EQUAL, sessions=((8, 8), (8, 8)))
KINDS = {
    "equal, 4 sessions": EQUAL,
    "equal, 8 sessions": MANY,
    "unlike spread of costs": replace(EQUAL, spreads=(0.2, 1.2)),
    "1 session, and 1 to 8": replace(EQUAL, sessions=((1, 1), (1, 8))),
    "three systems, 1 to 4 sessions": Kind((0.5,) * 3, ((1, 4),) * 3, (1.0,) * 3),
}
DOUBLED = replace(EQUAL, prices=(1.0, 0.5))


def session(
    name: str,
    topic: str,
    ideals: list[str],
    system: int,
    chance: float,
    kind: Kind,
    rng: np.random.Generator,
) -> Trajectory:
    """Return a session that opens elements until all ideals are seen, or it gives up."""
    left, opened, actions = list(ideals), list[str](), list[Action]()
    spread, mean = kind.spreads[system], TOKENS * kind.prices[system]
    while left and (not actions or rng.random() >= STOPS) and len(opened) < SIZE // 2:
        if opened and rng.random() < AGAIN:
            element = opened[rng.integers(len(opened))]
        else:
            element = left.pop() if rng.random() < chance else f"x{len(opened)}"
            opened.append(element)
        cost = rng.lognormal(log(mean) - spread**2 / 2, spread)
        actions.append(Action("open", (element,), costs={"tokens": cost}))
    return Trajectory(name, topic, tuple(actions), system="abc"[system])


def compared(seed: int, kind: Kind, *, by_session: bool = False) -> ComparisonResult:
    """Return the systems of a world compared; `by_session`, as if each session had a question."""
    rng = np.random.default_rng([seed, 9])
    log_of, qrels = list[Trajectory](), dict[str, dict[str, int]]()
    for number in range(kind.questions):
        ideals = [f"g{at}" for at in range(rng.integers(2, 5))]
        common = rng.normal(MIDDLE, COMMON)
        for system, (least, most) in enumerate(kind.sessions):
            chance = 1 / (1 + np.exp(-common - rng.normal(0, OWN)))
            for at in range(rng.integers(least, most + 1)):
                topic = f"q{number}.{at}" if by_session else f"q{number}"
                qrels[topic] = dict.fromkeys(ideals, 1)
                name = f"{system} {number} {at}"
                log_of.append(session(name, topic, ideals, system, chance, kind, rng))
    result = evaluate(log_of, qrels, cost="tokens", collection_size=SIZE)
    assert isinstance(result, SessionsEvaluation)
    assert isinstance(result.comparison, ComparisonResult)
    return result.comparison


def claims(seed: int, kind: Kind, *, by_session: bool = False) -> list[int]:
    """Return of each pair 1 if the first is called better, -1 if the second is, else 0."""
    pairs = compared(seed, kind, by_session=by_session).decision.compared.compared
    return ((pairs.low > 0).astype(int) - (pairs.high < 0)).tolist()


def claimed(seeds: range, kind: Kind, *, by_session: bool = False) -> int:
    """Return in how many worlds any system is called better than another."""
    return sum(any(claims(seed, kind, by_session=by_session)) for seed in seeds)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Count which systems sessions tell apart.")
    parser.add_argument("--worlds", type=int, default=400, help="of each row (400)")
    parser.add_argument("--seed", type=int, default=1, help="of the first world (1)")
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.worlds)
    print(f"{'systems':<34} {'questions':>9}  worlds that tell them apart, %")
    for name, kind in KINDS.items():
        for questions in (10, 30):
            count = claimed(seeds, replace(kind, questions=questions))
            print(f"{name:<34} {questions:>9}  {share(count, len(seeds))}", flush=True)
    for name, kind in list(KINDS.items())[:2]:
        count = claimed(seeds, kind, by_session=True)
        row = f"{name} as questions"
        print(f"{row:<34} {kind.questions:>9}  {share(count, len(seeds))}", flush=True)
    right = sum(claims(seed, DOUBLED) == [-1] for seed in seeds)
    print(f"{'the second twice as good':<34} {30:>9}  {share(right, len(seeds))}", flush=True)


if __name__ == "__main__":
    main()
