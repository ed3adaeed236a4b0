"""The lists of a campaign as jobs: what they are about to cost, and who computes them."""

from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from prum.experiments.compare.question import Question
from prum.experiments.evaluate.campaigns import task_as_runs
from prum.experiments.evaluate.given import given_costs
from prum.experiments.evaluate.inputs import given_campaign
from prum.experiments.sweeps.cells import Given, Kept, Source, loaded
from prum.experiments.sweeps.workers import Here, Processes, Workers, in_order
from prum.experiments.trust.dependences import NamedDependence, as_given, dependences
from prum.experiments.trust.numbers import TrustInput
from prum.experiments.trust.of_list import ListTrust, list_trust
from prum.experiments.trust.result import INTERRUPTED, TrustResult
from prum.experiments.trust.values import UserLimit
from prum.experiments.trust.verb import MARGIN, TRUST, WIDTH, TrustDesign
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model import InputError
from prum.simulator.model.costs import ELEMENTS
from prum.simulator.model.errors import whole_number
from prum.simulator.sampling.sampler import checked_seed, checked_threads

# Seconds of one processor for a list without links, and with them: always; and for each rank, and
# each rank and squared ideal (quadrature, bounds).
_UNBROWSED, _ALWAYS, _BY_RANK, _BY_SQUARE = 0.01, 0.05, 4e-5, 1.5e-8
# Seconds until a process beside this one is at work.
STARTING = 3.0


@TRUST.function
def trust(design: TrustDesign) -> TrustResult:
    """Tell how far PRUM may be trusted on these runs, as `prum trust` does.

    The navigation says P(x -> y). PRUM takes each visit to be independent of all others (2.2), for
    users who are alike, want any number of ideals (2.1), and by 2.3. Here the same P(x -> y) are
    those of users who depend on something: of the dependences of `DEPENDENCES`, of any dependence
    between the visits from one element (`precision_bounds`), and of the navigation itself. It says
    by how much PRUM's value is off, by recall value; and which orders of systems, and which
    decisions over topics, survive. On Ctrl-C it tells of the topics that are done.

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
    remedy = "say how many users at most"
    whole_number("most_users", design.most_users, least=2, remedy=remedy)
    campaign, given = _read(design)
    table = table_of(campaign, design.differ, design.correlated)
    question.check_systems(tuple(campaign.runs))
    num_workers = checked_threads(design.workers)
    if design.workers is None and expected_seconds(campaign) < 2 * STARTING:
        num_workers = 1
    lists, stopped = _computed(design, campaign, num_workers)
    return TrustResult(
        campaign=campaign,
        table=table,
        lists=lists,
        stopped=stopped,
        given=given,
        question=question,
        width=WIDTH,
        most_users=design.most_users,
        unit=ELEMENTS if design.cost is None else design.cost,
        arguments={"margin": margin},
    )


def _read(design: TrustDesign) -> tuple[Campaign, TrustInput]:
    """Return the campaign of files or data."""
    if given_costs(design.costs) and design.cost is None:
        remedy = "name the unit in which users are charged"
        raise InputError("cost", None, "be given with costs", remedy=remedy)
    campaign, warnings, use, knows_size = given_campaign(task_as_runs(design))
    # A collection that is too small, and an element without a cost, are told before the work.
    for system, topic, task in campaign.tasks():
        if design.cost is not None:
            try:
                campaign.costs_of(task, campaign.navigation_on(topic), design.cost)
            except InputError as error:
                raise error.at(f"system {system}, topic {topic}") from None
    return campaign, TrustInput(campaign.without_ideals, warnings, use, knows_size)


def _computed(
    design: TrustDesign, campaign: Campaign, num_workers: int
) -> tuple[dict[tuple[str, str], ListTrust], str]:
    """Return the lists that are done, by system and topic, and why the others are not."""
    stopped, lists = "", dict[tuple[str, str], ListTrust]()
    effort = UserLimit(WIDTH * len(campaign.ideals) ** 0.5, design.most_users, design.seed)
    how = design.differ, design.correlated, effort, design.cost
    workers: Workers = Here() if num_workers == 1 else Processes(num_workers)
    with TemporaryDirectory(prefix="prum-") as folder:
        try:
            source: Source = Given(campaign)
            if not isinstance(workers, Here):
                source = Kept.of(campaign, Path(folder, "campaign"))
            jobs = [
                TrustJob(source, system, topic, *how)
                for topic in campaign.ideals
                for system in campaign.runs
            ]
            results = in_order(workers, compute, jobs)
            for job, result in zip(jobs, results, strict=True):
                lists[job.system, job.topic] = result
                if design.progress is not None:
                    design.progress(len(lists) / len(jobs))
        except KeyboardInterrupt:
            stopped = INTERRUPTED
            if len(lists) < len(campaign.runs):
                raise
        finally:
            workers.close()
    # A topic counts if all systems are done.
    done = list(campaign.ideals)[: len(lists) // len(campaign.runs)]
    return {key: value for key, value in lists.items() if key[1] in set(done)}, stopped


@dataclass(frozen=True, slots=True)
class TrustJob:
    """One list to compute: of which campaign, and under which dependences."""

    source: Source
    system: str
    topic: str
    differ: float
    correlated: float
    effort: UserLimit
    cost: str | None = None


def table_of(campaign: Campaign, differ: float, correlated: float) -> tuple[NamedDependence, ...]:
    """Return the dependences of a campaign: those of the table, and its own."""
    given = campaign.navigation_on(next(iter(campaign.ideals)))
    more = as_given(campaign.kind, given)
    return (*dependences(differ=differ, correlated=correlated), *([] if more is None else [more]))


def compute(job: TrustJob) -> ListTrust:
    """Return a list under every dependence; the same in whatever process.

    Raise InputError as `list_trust`, naming system and topic.
    """
    campaign = loaded(job.source)
    task, navigation = campaign.task(job.system, job.topic), campaign.navigation_on(job.topic)
    try:
        costs = None if job.cost is None else campaign.costs_of(task, navigation, job.cost)
        table = table_of(campaign, job.differ, job.correlated)
        return list_trust(task, navigation, table, job.effort, costs=costs)
    except InputError as error:
        raise error.at(f"system {job.system}, topic {job.topic}") from None


def expected_seconds(campaign: Campaign) -> float:
    """Return about how many seconds of one processor it takes."""
    seconds = 0.0
    for topic, ideals in campaign.ideals.items():
        num_links = len(campaign.navigation_on(topic).links)
        ranks = sum(len(lists.get(topic, ())) for lists in campaign.runs.values())
        by_list = (_ALWAYS if num_links else _UNBROWSED) * len(campaign.runs)
        by_rank = (_BY_RANK + _BY_SQUARE * len(ideals) ** 2) * ranks if num_links else 0.0
        seconds += by_list + by_rank
    return seconds
