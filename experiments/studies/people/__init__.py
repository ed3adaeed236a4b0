"""Whether people browse as Hypothesis 2.2 says.

The study compares a log of people (or machines) with independent visits, and with a walk fitted to
it: joint visits, persons, goals, and what they do to precision. Each quantity stands beside
a control where the hypothesis holds. Exit status 0, whatever is found.
"""

from types import SimpleNamespace
from typing import Any, Literal

import numpy as np

from prum.experiments.frame.design import Design, Seed, option
from prum.experiments.frame.frames import frame_table, rows_of, turned
from prum.experiments.frame.inputs import TOOLS
from prum.experiments.frame.study import Advance, Study, counted
from prum.experiments.frame.view import View, interval
from prum.experiments.logs import Sessions, read_sessions
from prum.experiments.logs.log_summary import not_kept
from prum.experiments.studies.kit.story import Story, filled
from prum.experiments.studies.people.goals import by_goals, by_person, by_telling
from prum.experiments.studies.people.joint import by_joint, by_walk, contexts_of
from prum.experiments.studies.people.steps import (
    groups,
    joined,
    made_campaign,
    made_links,
    made_log,
    owners,
    steps_of,
)
from prum.experiments.studies.people.walks import (
    ERROR,
    PRECISION,
    VALUE,
    by_precision,
    by_success,
    fit_of,
    nats,
)
from prum.simulator import Campaign, InputError, Links, read_campaign
from prum.simulator.collections.links import read_pairs

_SESSIONS, _PERSONS = 3_000, 400


class PeopleDesign(Design):
    """Options of the study of people."""

    log: str | None = option(
        None,
        "A log: session, element, optionally person and entry; by default one is made.",
        file="input",
    )
    links: str | None = option(None, "Where people could move: source and target.", file="input")
    unfinished: str | None = option(
        None, "A log of sessions that did not finish, taken together with the other.", file="input"
    )
    tools: str | None = option(None, TOOLS)
    goal: Literal["last"] | None = option(
        None, "Take the last element of each finished session as its goal."
    )
    contexts: Literal["entries", "visits"] = option(
        "entries",
        "Where a context of joint visits begins: with an entry, or wherever a path comes.",
    )
    run: tuple[str, ...] = option((), "TREC run.", file="input")
    qrels: str | None = option(None, "TREC qrels.", file="input")
    collection_size: int | None = option(
        None,
        "Number of elements in the collection, by default those of the links.",
        least=1,
        remedy="count every element of the collection",
    )
    least: int = option(
        30,
        "Sessions of different people that a context needs at least.",
        least=5,
        most=10**9,
        remedy="a test needs five sessions at least",
    )
    permutations: int = option(
        999,
        "Permutations of each test.",
        least=39,
        most=100_000,
        remedy="a two-sided p of .05 needs 39",
    )
    draws: int = option(
        20,
        "Walks drawn given the log, for intervals of precision.",
        least=2,
        most=10_000,
        remedy="an interval needs two draws at least",
    )
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


def compute(design: PeopleDesign, progress: Advance) -> Any:
    """Return what the log says of independent visits, part by part.

    Question. PRUM takes a user's visits from an element as independent of each other
    (Hypothesis 2.2), no matter who they are, how they came there, and what they look for. Is that
    so of people, and what does it cost where it is not?

    Design. Six parts, each a function that says what it measures. Beside each quantity stand what
    it would be if the hypothesis held, and the same quantity of a control where it does hold:
    sessions with independent visits, sessions dealt to persons anew, sessions made from the fitted
    walk, and so on. A control off its mark is a fault of the study.

    - joint visits: from each entry, are elements seen together as often as products say? And those
      of the fitted walk, where one path leads to all?
    - persons: how much of depth, going back and choices is the person's?
    - goals: how much of a step is explained by where the session ended (`goal` last)?
    - precision: what PRUM's summary of the fitted walk costs (`run`, `qrels`).
    - finished less unfinished: what conditioning on success does (`unfinished`).
    - telling made from real: can a classifier, and by what?

    Intervals are over people: twenty groups of them, each left out once (Kott 2001), with Student's
    t; sessions of unknown people are as many people. Of precision they are those of the posterior
    law. Beside the rows: numbers of the log, each context, how deep sessions went, weights of
    traits, and what the log lost.

    Cost. Seconds on the built-in log, minutes on fifty thousand games.

    Raise InputError as readers of files; for an element or a move that the links do not know, and
    fewer than forty people.
    """
    links, finished, unfinished, campaign = _inputs(design)
    log = joined([finished] if unfinished is None else [finished, unfinished])
    steps = steps_of(log, links)
    sessions = steps.sessions
    num_people = len(np.unique(owners(sessions)))
    if num_people < 40:
        remedy = "intervals are over people; give more sessions"
        raise InputError("number of people in the log", num_people, "be at least 40", remedy=remedy)
    is_finished = np.arange(len(sessions)) < len(finished)

    def rng(part: int) -> np.random.Generator:
        return np.random.default_rng([design.seed, part])

    everywhere = design.contexts == "visits"
    contexts = contexts_of(sessions, least=design.least, everywhere=everywhere, rng=rng(0))
    fit = fit_of(steps)
    whole = fit(sessions)
    walked = whole.simulate(len(sessions), int(rng(10).integers(2**32)))
    walks = contexts_of(walked, least=design.least, everywhere=everywhere, rng=rng(11))
    step = counted(lambda share: progress(0.5 * share), 2 * len(contexts) + len(walks))
    rows, tested = by_joint(contexts, sessions.elements, design.permutations, rng(1), step)
    rows += by_walk(walks, whole.counts.elements, design.permutations, rng(12), step)
    half = groups(owners(sessions)[sessions.starts[:-1]], rng(2)) % 2 == 0
    halves = [
        steps_of(sessions.some(np.flatnonzero(half == side)), links) for side in (True, False)
    ]
    fits = [fit(each.sessions) for each in halves]
    loss = np.where(half[steps.session], *(nats(fits[k], steps) for k in (1, 0)))
    progress(0.6)
    backs = np.bincount(sessions.session, sessions.is_back, len(sessions))
    values = {
        "moves, log": np.log1p(np.bincount(steps.session, minlength=len(sessions))),
        "back clicks a visit": backs / np.diff(sessions.starts),
        "nats a step": steps.mean_by_session(loss),
    }
    rows += by_person(sessions, values, design.permutations, rng(3))
    progress(0.7)
    made, again = (
        steps_of(fits[0].simulate(len(halves[1].sessions), int(seed)), links)
        for seed in np.random.SeedSequence([design.seed, 4]).generate_state(2)
    )
    if design.goal is not None:
        with_goal = steps_of(sessions.some(np.flatnonzero(~half & is_finished)), links)
        rows += by_goals(with_goal, made, fits[0].shares, rng(5))
    progress(0.8)
    if campaign is not None:
        rows += by_precision(campaign, whole, design.draws, design.seed)
    depths: list[Any] = []
    if unfinished is not None:
        more, depths = by_success(steps, is_finished, fit, rng(6))
        rows += more
    progress(0.9)
    more, weights = by_telling(halves[1], made, again, fits[0].shares, rng(7))
    rows += more
    progress(1)
    found = SimpleNamespace(
        sessions=len(sessions),
        persons=len(np.unique(sessions.person[sessions.person >= 0])),
        moves=len(steps.row),
        back_clicks=int(sessions.is_back.sum()),
        contexts=tested,
        depths=depths,
        weights=weights,
        lost=dict(log.lost),
    )
    return rows_of(turned(rows)), found


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


FORMS = {"quantity": "", "value to": "<.4f", "holds": "g", "control to": "<.4f"}
FORMS |= {"p": ".4f", "of": ""}
CONTEXTS = {"element": "<", "sessions": ",", "elements": ",", "together": ",.0f"}
CONTEXTS |= {"products": ",.1f", "nothing": ".3f", "noisy_or": ".3f", "p": ".4f"}
CONTEXTS |= {"adjusted": ".4f", "p_margins": ".4f", "adjusted_margins": ".4f"}
NAMES = {"holds": "if it holds", "together": "pairs together", "products": "by products"}
NAMES |= {"nothing": "sees nothing", "noisy_or": "noisy-or", "p_margins": "p, margins"}
NAMES |= {"adjusted_margins": "adjusted", "weight": "log odds of being made, a deviation"}
DEPTHS = {"moves": "", "finished": ",", "unfinished": ",", "share finished": ".3f"}


def view(result: Any) -> View:
    """Return a table for each part, and what the numbers mean."""
    import pandas as pd

    found, story = result.found, Story.beside(__package__)
    frame = result.to_frame().rename(columns={"low": "value_low", "high": "value_high"})
    sizes = zip(frame["size"], frame.counted, strict=True)
    frame["of"] = [filled(f"{{n:{counted.removesuffix('s')}}}", n=size) for size, counted in sizes]
    contexts = pd.DataFrame(found.contexts, columns=list(CONTEXTS))
    depths = pd.DataFrame(found.depths, columns=list(DEPTHS)[:3])
    sessions = depths.finished + depths.unfinished
    depths["share finished"] = depths.finished / sessions.clip(lower=1)
    weights = {"trait": list(found.weights), "weight": list(found.weights.values())}
    return story.view(
        (
            *(
                frame_table(part, rows, FORMS, names=NAMES)
                for part, rows in frame.groupby("part", sort=False)
            ),
            frame_table("Contexts", contexts, CONTEXTS, names=NAMES, detail=True),
            frame_table("Moves of sessions", depths, DEPTHS, detail=True),
            frame_table(
                "Weights of traits",
                weights,
                {"trait": "", "weight": ".3f"},
                names=NAMES,
                detail=True,
            ),
        ),
        {},
        headline=" ".join((_headline(result, story), *not_kept(found.lost))),
        notes=("columns", *(part for part in frame.part.unique() if part in story.sections)),
    )


def _headline(result: Any, story: Story) -> str:
    """Return whether Hypothesis 2.2 holds, what that costs in precision, and of whom."""
    found = result.found
    rows = {row.quantity: row for row in result.rows}
    together = sum(context.goes_together for context in found.contexts)
    apart = sum(context.excludes for context in found.contexts)
    pairs = rows.get("excess of pairs seen together, of products")
    sentences = [story.line("untested")]
    if pairs is not None:
        section = "headline" if together + apart else "headline of none"
        counts = {"n": len(found.contexts), "together": together, "apart": apart}
        excess = interval(pairs.value, pairs.low, pairs.high, ".4f")
        sentences = [story.line(section, **counts, fails=together + apart, excess=excess)]
    walks = [
        rows.get(f"walk's contexts that {verb}") for verb in ("go together", "exclude each other")
    ]
    share = sum(row.value or 0 for row in walks if row is not None)
    if share:
        sentences.append(story.line("of the walk", share="all" if share == 1 else f"{share:.0%}"))
    errors = [row for row in result.rows if row.part == PRECISION and row.quantity.endswith(ERROR)]
    if errors:
        worst = max(errors, key=lambda row: abs(row.value or 0))
        system = worst.quantity.removesuffix(ERROR)
        values = {"system": system, "value": rows[system + VALUE].value, "other": worst.control}
        error = interval(worst.value, worst.low, worst.high, ".4f")
        sentences.append(story.line("costs", error=error, **values))
    else:
        sentences.append(story.line("costs unknown"))
    people = f"{found.persons:,} persons" if found.persons else "unknown people"
    sentences.append(story.line("of whom", found=found, people=people))
    return " ".join(sentences)


PEOPLE = Study("people", __doc__, PeopleDesign, None, compute, view)
