"""Study: is Hypothesis 2.2 true of people? What logs of people say of independent visits.

Question. PRUM takes a user's visits from an element as independent of each other (Hypothesis 2.2),
no matter who they are, how they came there, and what they look for. Is that so of people, and
what does it cost where it is not?

Design. Six parts, each a module that says what it measures. Beside each quantity stand what it
would be if the hypothesis held, and the same quantity of a control where it does hold: sessions
with independent visits, sessions dealt to persons anew, sessions made from the fitted walk, and
so on. A control off its mark is a fault of the study.

- joint visits: from each entry, are elements seen together as often as products say? And those of
  the fitted walk, where one path leads to all?
- persons: how much of depth, going back and choices is the person's?
- goals: how much of a step is explained by where the session ended (`goal` last)?
- precision: what PRUM's summary of the fitted walk costs (`run`, `qrels`).
- finished less unfinished: what conditioning on success does (`unfinished`).
- telling made from real: can a classifier, and by what?

Intervals are over people: twenty groups of them, each left out once (Kott 2001), with Student's t;
sessions of unknown people are as many people. Of precision they are those of the posterior law.

Cost. Seconds on the built-in log, minutes on fifty thousand games.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from prum.experiments.frame.design import Design, Option, Seed
from prum.experiments.frame.inputs import TOOLS
from prum.experiments.frame.study import Advance, counted
from prum.experiments.logs.read import read_sessions
from prum.experiments.logs.sessions import Sessions
from prum.experiments.studies.people.goals import by_goals, by_person, by_telling
from prum.experiments.studies.people.joint import JointContext, by_joint, by_walk, contexts_of
from prum.experiments.studies.people.steps import (
    PeopleRow,
    groups,
    joined,
    made_campaign,
    made_links,
    made_log,
    owners,
    picked,
    steps_of,
)
from prum.experiments.studies.people.walks import (
    DepthRow,
    by_precision,
    by_success,
    fit_of,
    nats,
)
from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.campaign_files import read_campaign
from prum.simulator.collections.links import read_pairs
from prum.simulator.model import InputError, Links

_SESSIONS, _PERSONS = 3_000, 400


class PeopleDesign(Design):
    """Options of the study of people."""

    log: Annotated[
        str | None,
        Option(
            "A log: session, element, optionally person and entry; by default one is made.",
            file="input",
        ),
    ] = None
    links: Annotated[
        str | None, Option("Where people could move: source and target.", file="input")
    ] = None
    unfinished: Annotated[
        str | None,
        Option(
            "A log of sessions that did not finish, taken together with the other.", file="input"
        ),
    ] = None
    tools: Annotated[str | None, TOOLS] = None
    goal: Annotated[
        Literal["last"] | None,
        Option("Take the last element of each finished session as its goal."),
    ] = None
    contexts: Annotated[
        Literal["entries", "visits"],
        Option("Where a context of joint visits begins: with an entry, or wherever a path comes."),
    ] = "entries"
    run: Annotated[tuple[str, ...], Option("TREC run.", file="input")] = ()
    qrels: Annotated[str | None, Option("TREC qrels.", file="input")] = None
    collection_size: Annotated[
        int | None,
        Option(
            "Number of elements in the collection, by default those of the links.",
            least=1,
            remedy="count every element of the collection",
        ),
    ] = None
    least: Annotated[
        int,
        Option(
            "Sessions of different people that a context needs at least.",
            least=5,
            most=10**9,
            remedy="a test needs five sessions at least",
        ),
    ] = 30
    permutations: Annotated[
        int,
        Option(
            "Permutations of each test.",
            least=39,
            most=100_000,
            remedy="a two-sided p of .05 needs 39",
        ),
    ] = 999
    draws: Annotated[
        int,
        Option(
            "Walks drawn given the log, for intervals of precision.",
            least=2,
            most=10_000,
            remedy="an interval needs two draws at least",
        ),
    ] = 20
    seed: Seed = 1

    def check(self) -> None:
        """Raise InputError if options contradict each other."""
        needed = {"links": self.links, "log": self.log}
        if any(needed.values()) or self.unfinished or self.run or self.qrels:
            for name, value in needed.items():
                if value is None:
                    remedy = "--log and --links go together, and files besides need both"
                    raise InputError(name, None, "be given", remedy=remedy)
        if bool(self.run) != bool(self.qrels):
            name = "qrels" if self.run else "run"
            raise InputError(name, None, "be given", remedy="--run and --qrels go together")


@dataclass(frozen=True, slots=True)
class PeopleFindings:
    """Numbers of the log, each context, how deep sessions went, weights of traits; what is lost."""

    sessions: int
    persons: int
    moves: int
    back_clicks: int
    contexts: list[JointContext]
    depths: list[DepthRow]
    weights: dict[str, float]
    lost: dict[str, int]


def compute(design: PeopleDesign, progress: Advance) -> tuple[list[PeopleRow], PeopleFindings]:
    """Return what the log says, part by part.

    Raise InputError as readers of files; for an element or a move that the links do not know, and
    fewer than forty people.
    """
    links, finished, unfinished, campaign = _inputs(design)
    batches = [finished] if unfinished is None else [finished, unfinished]
    log = joined(batches)
    steps = steps_of(log, links)
    sessions = steps.sessions
    num_people = len(np.unique(owners(sessions)))
    if num_people < 40:
        remedy = "intervals are over people; give more sessions"
        raise InputError("number of people in the log", num_people, "be at least 40", remedy=remedy)
    is_finished = np.arange(len(sessions)) < len(finished)

    def rng(part: int) -> np.random.Generator:
        return np.random.default_rng([design.seed, part])

    rows = list[PeopleRow]()
    everywhere = design.contexts == "visits"
    contexts = contexts_of(sessions, least=design.least, everywhere=everywhere, rng=rng(0))
    fit = fit_of(steps)
    whole = fit(sessions)
    walks = contexts_of(
        whole.simulate(len(sessions), int(rng(10).integers(2**32))),
        least=design.least,
        everywhere=everywhere,
        rng=rng(11),
    )
    step = counted(lambda share: progress(0.5 * share), 2 * len(contexts) + len(walks))
    joint, tested = by_joint(contexts, sessions.elements, design.permutations, rng(1), step)
    rows += joint
    rows += by_walk(walks, whole.counts.elements, design.permutations, rng(12), step)
    half = groups(owners(sessions)[sessions.starts[:-1]], rng(2)) % 2 == 0
    halves = [steps_of(picked(sessions, half == side), links) for side in (True, False)]
    fits = [fit(each.sessions) for each in halves]
    loss = np.where(half[steps.session], *(nats(fits[k], steps) for k in (1, 0)))
    progress(0.6)
    rows += by_person(
        sessions,
        {
            "moves, log": np.log1p(np.bincount(steps.session, minlength=len(sessions))),
            "back clicks a visit": np.bincount(sessions.session, sessions.is_back, len(sessions))
            / np.diff(sessions.starts),
            "nats a step": steps.mean_by_session(loss),
        },
        design.permutations,
        rng(3),
    )
    progress(0.7)
    size = len(halves[1].sessions)
    made, again = (
        steps_of(fits[0].simulate(size, int(seed)), links)
        for seed in np.random.SeedSequence([design.seed, 4]).generate_state(2)
    )
    if design.goal is not None:
        with_goal = steps_of(picked(sessions, ~half & is_finished), links)
        rows += by_goals(with_goal, made, fits[0].shares, rng(5))
    progress(0.8)
    if campaign is not None:
        rows += by_precision(campaign, whole, design.draws, design.seed)
    depths = list[DepthRow]()
    if unfinished is not None:
        more, depths = by_success(steps, is_finished, fit, rng(6))
        rows += more
    progress(0.9)
    more, weights = by_telling(halves[1], made, again, fits[0].shares, rng(7))
    rows += more
    progress(1)
    found = PeopleFindings(
        len(sessions),
        len(np.unique(sessions.person[sessions.person >= 0])),
        len(steps.row),
        int(sessions.is_back.sum()),
        tested,
        depths,
        weights,
        dict(log.lost),
    )
    return rows, found


def _inputs(design: PeopleDesign) -> tuple[Links, Sessions, Sessions | None, Campaign | None]:
    """Return links, sessions, those that did not finish, and the campaign."""
    if design.log is None or design.links is None:
        links = made_links()
        log = made_log(links, _SESSIONS, design.seed, num_persons=_PERSONS)
        return links, log, None, made_campaign(links)
    links = read_pairs(design.links)
    log = joined(list(read_sessions(design.log, tools=design.tools)))
    others = None
    if design.unfinished is not None:
        others = joined(list(read_sessions(design.unfinished, tools=design.tools)))
    campaign = None
    if design.qrels is not None:
        size = design.collection_size or len(links.elements)
        campaign = read_campaign(design.run, design.qrels, None, collection_size=size)
    return links, log, others, campaign
