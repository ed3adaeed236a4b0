"""The verb `trust`: how far PRUM may be trusted on one's own runs, judgements and links."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from prum.experiments.compare.question import Question
from prum.experiments.evaluate.given import given_costs
from prum.experiments.evaluate.inputs import given_campaign
from prum.experiments.frame.numbers import count
from prum.experiments.sweeps.cells import Given, Kept, Source
from prum.experiments.sweeps.workers import Here, Processes, Workers, in_order
from prum.experiments.trust.design import MARGIN, TRUST, TrustDesign
from prum.experiments.trust.numbers import TrustInput
from prum.experiments.trust.of_list import (
    STARTING,
    ListTrust,
    compute,
    expected_seconds,
    jobs_of,
    table_of,
)
from prum.experiments.trust.result import INTERRUPTED, TrustResult
from prum.experiments.trust.values import UserLimit
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model import InputError
from prum.simulator.model.costs import ELEMENTS
from prum.simulator.model.errors import amount, whole_number
from prum.simulator.sampling.sampler import checked_seed, checked_threads

OUT_OF_TIME = "out of time"


@TRUST.function
def trust(design: TrustDesign) -> TrustResult:
    """Tell how far PRUM may be trusted on these runs, as `prum trust` does.

    The navigation says P(x -> y). PRUM takes each visit to be independent of all others (2.2), for
    users who are alike, want any number of ideals (2.1), and by 2.3. Here the same P(x -> y) are
    those of users who depend on something: of the dependences of `DEPENDENCES`, of any dependence
    between the visits from one element (`precision_bounds`), and of the navigation itself. It says
    by how much PRUM's value is off, by recall value; and which orders of systems, and which
    decisions over topics, survive. On Ctrl-C, or when the time is over, it tells of the topics that
    are done.

    Raises
    ------
    InputError
        as `evaluate`, for other words of `differ`, numbers out of range, costs without a unit, and
        an element that costs nothing.
    KeyboardInterrupt
        before the first topic is done.
    OSError
        if a file cannot be read.

    >>> runs = {"gateway": {"q1": ["x", "a"]}, "direct": {"q1": ["a", "x"]}}
    >>> result = trust(
    ...     runs, {"q1": {"a": 1, "b": 1}}, links={("x", "a"): 0.5, ("x", "b"): 0.5},
    ...     collection_size=4,
    ... )
    >>> [round(result.mean("gateway", name), 4) for name in ("PRUM", "exclusive", "comonotone")]
    [0.75, 0.8636, 0.6667]
    """
    margin = MARGIN if design.margin is None else design.margin
    question = Question.of(replace(design, margin=margin))
    checked_seed(design.seed)
    amount("width", design.width, positive=True, remedy="give half the width of an interval")
    remedy = "say how many users at most"
    whole_number("most_users", design.most_users, least=2, remedy=remedy)
    if design.seconds is not None:
        amount("seconds", design.seconds, positive=True, remedy="say how long it may take")
    campaign, known = _read(design)
    table = table_of(campaign, design.differ, design.correlated)
    question.check_systems(tuple(campaign.runs))
    effort = UserLimit(design.width * len(campaign.ideals) ** 0.5, design.most_users, design.seed)
    expected = expected_seconds(campaign)
    hands = checked_threads(design.workers)
    if design.workers is None and sum(expected) < 2 * STARTING:
        hands = 1
    if design.notice is not None:
        design.notice(_cost(campaign, sum(expected), hands))
    how = design.differ, design.correlated, effort, design.cost
    done, stopped = _computed(campaign, how, expected, hands, design.seconds, design.progress)
    return TrustResult(
        campaign=campaign,
        table=table,
        lists=done,
        stopped=stopped,
        given=known,
        question=question,
        width=design.width,
        most_users=design.most_users,
        unit=ELEMENTS if design.cost is None else design.cost,
        arguments={"margin": margin},
    )


def _read(design: TrustDesign) -> tuple[Campaign, TrustInput]:
    """Return the campaign of files or data."""
    if given_costs(design.costs) and design.cost is None:
        remedy = "name the unit in which users are charged"
        raise InputError("cost", None, "be given with costs", remedy=remedy)
    campaign, warnings, use, knows_size = given_campaign(design)
    # A collection that is too small, and an element without a cost, are told before the work.
    for system, topic, task in campaign.tasks():
        if design.cost is not None:
            try:
                campaign.costs_of(task, campaign.navigation_on(topic), design.cost)
            except InputError as error:
                raise error.at(f"system {system}, topic {topic}") from None
    return campaign, TrustInput(campaign.without_ideals, warnings, use, knows_size)


def _cost(campaign: Campaign, seconds: float, workers: int) -> str:
    """Return what it is about to cost, in a sentence."""
    systems, topics = len(campaign.runs), len(campaign.ideals)
    most = max(map(len, campaign.ideals.values()))
    ranks = max(len(ranking) for lists in campaign.runs.values() for ranking in lists.values())
    time_ = seconds / workers + (STARTING if workers > 1 else 0)
    return (
        f"{count(systems, 'system')}, {count(topics, 'topic')}, up to {count(most, 'ideal')} and "
        f"{count(ranks, 'rank')}: about {_lasting(time_)} on {count(workers, 'processor')}; "
        "Ctrl-C gives what there is"
    )


def _lasting(seconds: float) -> str:
    """Return a time in words.

    >>> _lasting(0.2), _lasting(42.3), _lasting(400)
    ('a second', '50 s', '7 min')
    """
    if seconds <= 1:
        return "a second"
    if seconds < 100:
        return f"{-(-seconds // 10) * 10 if seconds > 10 else seconds:.0f} s"
    return f"{seconds / 60:.0f} min"


def _computed(
    campaign: Campaign,
    how: tuple[str, float, UserLimit, str | None],
    expected: Sequence[float],
    num_workers: int,
    seconds: float | None,
    progress: Callable[[float], object] | None,
) -> tuple[dict[tuple[str, str], ListTrust], str]:
    """Return the lists that are done, by system and topic, and why the others are not."""
    began, stopped = time.monotonic(), ""
    done: dict[tuple[str, str], ListTrust] = {}
    passed, whole = 0.0, sum(expected)
    hands: Workers = Here() if num_workers == 1 else Processes(num_workers)
    with TemporaryDirectory(prefix="prum-") as folder:
        try:
            source: Source = Given(campaign)
            if not isinstance(hands, Here):
                source = Kept.of(campaign, Path(folder, "campaign"))
            jobs = list(jobs_of(source, campaign, *how))
            for job, cost, result in zip(
                jobs, expected, in_order(hands, compute, jobs), strict=True
            ):
                done[job.system, job.topic] = result
                passed += cost
                if progress is not None:
                    progress(passed / whole)
                is_over = seconds is not None and time.monotonic() - began > seconds
                # The first topic is finished in any case.
                if is_over and len(done) >= len(campaign.runs):
                    stopped = OUT_OF_TIME if len(done) < len(jobs) else ""
                    break
        except KeyboardInterrupt:
            stopped = INTERRUPTED
            if len(done) < len(campaign.runs):
                raise
        finally:
            hands.close()
    if stopped:
        # A topic counts if all systems are done.
        last = len(done) // len(campaign.runs)
        whole_topics = set(list(campaign.ideals)[:last])
        done = {key: value for key, value in done.items() if key[1] in whole_topics}
    return done, stopped
