"""The verb `trust`: how far PRUM may be trusted on one's own runs, judgements and links."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from prum.experiments.compare.decision import Question
from prum.experiments.compare.defaults import LEVEL, METHOD, SEED
from prum.experiments.compare.wording import count
from prum.experiments.evaluate.given import given_qrels, given_runs, place_of
from prum.experiments.evaluate.given_tables import given_costs, given_elements, given_links
from prum.experiments.evaluate.input_warnings import InputWarnings, counting
from prum.experiments.evaluate.reading import CostsGiven, links_from, read_judged, read_lists
from prum.experiments.fitting.files import given_navigation
from prum.experiments.measures.judged import ENDLESS, taken
from prum.experiments.sweeps.cells import Given, Kept, Source
from prum.experiments.sweeps.ordered import in_order
from prum.experiments.sweeps.workers import Here, Processes, Workers
from prum.experiments.trust.defaults import (
    CORRELATED,
    DIFFER,
    MARGIN,
    MOST_USERS,
    WIDTH,
)
from prum.experiments.trust.jobs import (
    STARTING,
    compute,
    expected_seconds,
    jobs_of,
    table_of,
)
from prum.experiments.trust.of_list import ListTrust
from prum.experiments.trust.result import TrustInput, TrustResult
from prum.experiments.trust.values import UserLimit
from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.link_use import LinkWatch
from prum.simulator.model import InputError, Navigation
from prum.simulator.model.errors import amount, whole_number
from prum.simulator.model.list_costs import ELEMENTS
from prum.simulator.sampling.sampler import checked_seed, checked_threads

INTERRUPTED, OUT_OF_TIME = "interrupted", "out of time"


def trust(
    runs: Any,
    qrels: Any,
    *,
    links: Any = None,
    elements: Any = (),
    way: str | None = None,
    navigation: Any = None,
    collection_size: int | None = None,
    ideal_grade: int = 1,
    ideals: str = "strict",
    names: str = "file",
    costs: Any = (),
    cost: str | None = None,
    differ: str = DIFFER,
    correlated: float = CORRELATED,
    width: float = WIDTH,
    most_users: int = MOST_USERS,
    baseline: str | None = None,
    method: str = METHOD,
    level: float = LEVEL,
    margin: float | None = None,
    seed: int = SEED,
    seconds: float | None = None,
    workers: int | None = None,
    notice: Callable[[str], object] | None = None,
    progress: Callable[[float], object] | None = None,
) -> TrustResult:
    """Tell how far PRUM may be trusted on these runs, as `prum trust` does.

    The navigation says P(x -> y). PRUM takes each visit to be independent of all others (2.2), for
    users who are alike, want any number of ideals (2.1), and by 2.3. Here the same P(x -> y) are
    those of users who depend on something: of the dependences of `DEPENDENCES`, of any dependence
    between the visits from one element (`precision_bounds`), and of the navigation itself. It says
    by how much PRUM's value is off, by recall value; and which orders of systems, and which
    decisions over topics, survive. On Ctrl-C, or when the time is over, it tells of the topics that
    are done.

    Parameters
    ----------
    runs, qrels, links, elements, way, navigation, collection_size, ideal_grade, ideals, names
        As `evaluate` has them.
    costs
        What elements cost, as `evaluate` has it.
    cost
        The unit of `costs` in which users are charged, or "length", of elements: PRUM, exact and
        simulated values, and bounds, count what elements cost in place of elements. Links to
        improve are left out then.
    differ
        How users differ: "one-factor RHO", "beta A B" or "types SHARE:FACTOR ...".
    correlated
        The correlation of visits from one element that are "correlated".
    width
        Users are simulated until half a 95 % interval of each mean over topics is this or less;
        where an exact value is quick, nobody is simulated.
    most_users
        But no more than so many for a list.
    baseline, method, level, margin, seed
        What is decided, and how, as `compare` has them. PRUM is trusted up to an error of `margin`,
        by default .005, of a mean over topics; `seed` is that of users, too.
    seconds
        Stop after so many seconds, with the topics that are done.
    workers
        Processes; by default one for each processor, or none beside this one for little work. The
        numbers do not depend on it.
    notice
        Called with a sentence on what it is about to cost.
    progress
        Called with the share of the work that is done.

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
    margin = MARGIN if margin is None else margin
    question = Question(None, baseline, method, level, margin, seed)
    checked_seed(seed)
    amount("width", width, positive=True, remedy="give half the width of an interval")
    whole_number("most_users", most_users, least=2, remedy="say how many users at most")
    if seconds is not None:
        amount("seconds", seconds, positive=True, remedy="say how long it may take")
    sources, given = given_costs(costs), given_navigation(navigation)
    if sources and cost is None:
        remedy = "name the unit in which users are charged"
        raise InputError("cost", None, "be given with costs", remedy=remedy)
    campaign, known = _read(
        runs, qrels, links, elements, costs=sources, cost=cost, way=way, kind=given.kind,
        collection_size=collection_size, ideal_grade=ideal_grade, ideals=ideals, names=names,
    )  # fmt: skip
    table = table_of(campaign, differ, correlated)
    question.check_systems(tuple(campaign.runs))
    effort = UserLimit(width * len(campaign.ideals) ** 0.5, most_users, seed)
    expected = expected_seconds(campaign)
    hands = checked_threads(workers)
    if workers is None and sum(expected) < 2 * STARTING:
        hands = 1
    if notice is not None:
        notice(_cost(campaign, sum(expected), hands))
    how = differ, correlated, effort, cost
    done, stopped = _computed(campaign, how, expected, hands, seconds, progress)
    return TrustResult(
        campaign=campaign,
        table=table,
        lists=done,
        stopped=stopped,
        given=known,
        question=question,
        width=width,
        most_users=most_users,
        unit=ELEMENTS if cost is None else cost,
        arguments={
            "runs": place_of(runs), "qrels": place_of(qrels), "links": place_of(links),
            "elements": place_of(elements), "way": way, "navigation": given.name,
            "collection_size": collection_size, "ideal_grade": ideal_grade, "ideals": ideals,
            "names": names, "costs": place_of(sources), "cost": cost, "differ": differ,
            "correlated": correlated,
            "width": width, "most_users": most_users, "baseline": baseline, "method": method,
            "level": level, "margin": margin, "seed": seed,
        },
    )  # fmt: skip


def _read(
    runs: Any,
    qrels: Any,
    links: Any,
    elements: Any,
    *,
    kind: str | Navigation | None,
    names: str,
    costs: Sequence[CostsGiven],
    cost: str | None,
    **options: Any,
) -> tuple[Campaign, TrustInput]:
    """Return the campaign of files or data."""
    runs, qrels = given_runs(runs), given_qrels(qrels)
    links, elements = given_links(links), given_elements(elements)
    judged, without = read_judged(
        qrels, elements=elements, links=links, kind=kind, costs=costs, **options
    )
    wanted = {topic.topic: topic.ideals for topic in judged}
    collection = judged[0].collection
    watch, counted = LinkWatch(collection.linked.links, wanted), list[InputWarnings]()
    lists = counting(read_lists(runs, judged, takes="ranking", names=names), judged, counted)
    read = {
        system: {topic: taken(by_topic.get(topic, ()), "ranking") for topic in wanted}
        for system, by_topic in watch.through(lists)
    }
    if not read:
        raise InputError("runs", (), "be at least one", remedy="name a run")
    file = links_from(links, kind)
    use = watch.use if file is None else watch.checked(file)
    size = ENDLESS if collection.size is None else collection.size
    navigation = collection.linked.browsed()
    campaign = Campaign("trust", wanted, read, navigation, size, costs=collection.costs)
    # A collection that is too small, and an element without a cost, are told before the work.
    for system, topic, task in campaign.tasks():
        if cost is not None:
            try:
                campaign.costs_of(task, campaign.navigation_on(topic), cost)
            except InputError as error:
                raise error.at(f"system {system}, topic {topic}") from None
    known = TrustInput(tuple(without), tuple(counted), use, collection.size is not None)
    return campaign, known


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
            hands.close(kill=True)
    if stopped:
        # A topic counts if all systems are done.
        last = len(done) // len(campaign.runs)
        whole_topics = set(list(campaign.ideals)[:last])
        done = {key: value for key, value in done.items() if key[1] in whole_topics}
    return done, stopped
