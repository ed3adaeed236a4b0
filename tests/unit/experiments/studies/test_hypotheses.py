"""The study of hypotheses: every number again from closed forms, cause by cause."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, t

from prum.analytic import PrecisionRecall, closed_form, prum_of
from prum.analytic.precision.of_task import reach_matrix
from prum.experiments.frame.frames import columns_of
from prum.experiments.frame.study import StudyResult
from prum.experiments.statistics import rankings
from prum.experiments.statistics.intervals import mean_interval
from prum.experiments.studies.hypotheses import (
    CAUSES,
    HYPOTHESES,
    HypothesesDesign,
    Setting,
    decided_shares,
)
from prum.simulator import Independent, InputError, Links, Task, Walk
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model import Navigation
from prum.simulator.model.arrays import Floats
from prum.simulator.model.kinds import navigation_of
from tests.tiers import slow

LINKS = {("x", "a"): 0.5, ("x", "b"): 0.5, ("y", "a"): 0.3, ("y", "b"): 0.6, ("q", "a"): 0.8}
NOTHING = {"across": ["types 1:1"], "need": ["need 1"]}


def campaign(navigation=None, size=6) -> Campaign:
    return Campaign(
        "two lists",
        {"one": ("a", "b"), "two": ("a",)},
        {
            "direct": {"one": ("x", "a", "b"), "two": ("a", "x")},
            "around": {"one": ("y", "x"), "two": ("y", "x", "q")},
        },
        Independent(LINKS) if navigation is None else navigation,
        size,
    )


@pytest.fixture(scope="module", autouse=True)
def few_resamples() -> Iterator[None]:
    """Resample topics less: how far intervals of rankings reach is tested with these."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rankings, "NUM_RESAMPLES", 100)
        yield


def studied_in(folder: Path, studied: Campaign, **options: Any) -> StudyResult:
    """Return the study of a campaign that is written to files."""
    folder.mkdir(exist_ok=True)
    runs = [folder / system for system in studied.runs]
    for run, lists in zip(runs, studied.runs.values(), strict=True):
        run.write_text(
            "".join(
                f"{topic} Q0 {element} 0 {-rank} x\n"
                for topic, ranking in lists.items()
                for rank, element in enumerate(ranking)
            )
        )
    pairs = [(topic, ideal) for topic, ideals in studied.ideals.items() for ideal in ideals]
    (folder / "qrels").write_text("".join(f"{topic} 0 {ideal} 1\n" for topic, ideal in pairs))
    assert isinstance(studied.links, Links)
    rows = ["source,target,probability", *(f"{x},{y},{p!r}" for x, y, p in studied.links)]
    (folder / "links.csv").write_text("\n".join(rows))
    files = {"run": runs, "qrels": folder / "qrels", "links": folder / "links.csv"}
    size, kind = studied.collection_size, studied.kind
    given = {"workers": 1, "navigation": kind, "collection_size": size, **options}
    return HYPOTHESES(**files, **given)


def rows_of(study: StudyResult, recall="mean") -> dict[str, Any]:
    return {row.cause: row for row in study.rows if row.recall == recall}


@pytest.fixture(scope="module")
def studied(tmp_path_factory: pytest.TempPathFactory) -> StudyResult:
    settings = {"within": ["comonotone"], "across": ["types 0.5:0.2 0.5:1"], "need": ["need 0.5 1"]}
    return studied_in(tmp_path_factory.mktemp("campaign"), campaign(), **settings)


def test_the_smallest_case_by_hand(tmp_path: Path) -> None:
    links = Independent({("x", "a"): 0.5, ("x", "b"): 0.5})
    one = Campaign("smallest", {"t": ("a", "b")}, {"s": {"t": ("x", "a", "b")}}, links, 3)
    study = studied_in(tmp_path, one, within=["exclusive", "comonotone"], **NOTHING)
    at_two = [row for row in study.rows if row.recall == 1.0]
    for within, truth in (("exclusive", 4 / 5), ("comonotone", 3 / 4)):
        told = {row.cause: row for row in at_two if row.within == within}
        # All is independent but for the shortcut: 7/9 exactly, and PRUM's own value.
        shortcut = prum_of(one.task("s", "t"), links).precision[1] - 7 / 9
        assert told["within"].alone == pytest.approx(7 / 9 - truth)
        assert told["within"].share == pytest.approx(7 / 9 - truth)
        assert told["noisy-or"].share == pytest.approx(shortcut)
        assert told["total"].share == pytest.approx(7 / 9 - truth + shortcut)
        for cause in ("normal law", "across", "need", "unranked"):
            assert told[cause].share == pytest.approx(0, abs=1e-12)
        assert told["total"].precision == pytest.approx(truth)
        assert told["total"].share_low is None
    assert study.found.rankings == []


def mean_error(
    one: Campaign, truth: Navigation, estimate: Callable[[Task], PrecisionRecall | None]
) -> float:
    """Return the mean over lists of an estimate of precision less the closed form's."""
    errors = []
    for _, _, task in one.tasks():
        true, told = closed_form(task, truth), estimate(task)
        assert true is not None
        assert told is not None
        errors.append((told.precision - true.precision).mean())
    return float(np.mean(errors))


def apart(task: Task, navigation: Navigation) -> PrecisionRecall | None:
    """Return the closed form of independent visits of the same mean probabilities."""
    reach = reach_matrix(task, navigation).toarray()
    told = {
        (task.ranking[rank], task.ideals[x]): float(p)
        for (rank, x), p in np.ndenumerate(reach)
        if task.ranking[rank] != task.ideals[x]
    }
    return closed_form(task, Independent(told))


def test_alone_is_the_difference_of_two_closed_forms(studied: StudyResult) -> None:
    setting = Setting("comonotone", "types 0.5:0.2 0.5:1", "need 0.5 1")
    for cause in ("within", "across", "need", "unranked"):
        kind = setting.kind(frozenset({cause}))
        told = navigation_of(kind if cause in ("across", "need") else "independent", Links(LINKS))
        wanted = mean_error(
            campaign(), navigation_of(kind, Links(LINKS)), partial(apart, navigation=told)
        )
        assert rows_of(studied)[cause].alone == pytest.approx(wanted, abs=1e-12)


def test_the_whole_error_is_prums(studied: StudyResult) -> None:
    kind = Setting("comonotone", "types 0.5:0.2 0.5:1", "need 0.5 1").kind(frozenset(CAUSES))
    assert kind == "comonotone + types 0.5:0.2 0.5:1 + need 0.5 1 + unranked"
    navigation = navigation_of(kind, Links(LINKS))
    wanted = mean_error(campaign(), navigation, partial(prum_of, navigation=navigation))
    assert rows_of(studied)["total"].share == pytest.approx(wanted, abs=1e-12)


@slow
def test_a_walk_is_compared_with_independent_visits_of_its_own_probabilities(
    tmp_path: Path,
) -> None:
    walk = Walk({("x", "a"): 0.4, ("a", "b"): 0.5, ("y", "x"): 0.9, ("x", "y"): 0.3, ("b", "q"): 1})
    study = studied_in(tmp_path, campaign(walk), **NOTHING)
    assert {row.within for row in study.rows} == {"walk"}
    assert study.design.within == ("walk",)
    wanted = mean_error(campaign(walk), walk, partial(apart, navigation=walk))
    assert rows_of(study)["within"].alone == pytest.approx(wanted, abs=1e-12)
    assert abs(wanted) > 0.001


@slow
def test_what_has_no_exact_value_is_simulated(tmp_path: Path) -> None:
    # Exclusive visits that overlap for some users only have no closed form.
    links = Independent({("x", "a"): 0.8, ("x", "b"): 0.8, ("y", "a"): 0.3})
    settings = {"within": ["exclusive"], "across": ["beta 1 1"], "need": ["need 1"]}
    study, other = (
        studied_in(tmp_path, campaign(links), **settings, users=20_000, seed=seed)
        for seed in (2, 3)
    )
    assert study.found.num_simulated > 0
    total = rows_of(study)["total"].share
    assert sum(rows_of(study)[cause].share for cause in CAUSES) == pytest.approx(total, abs=1e-12)
    assert other.rows != study.rows
    assert rows_of(other)["total"].share == pytest.approx(total, abs=0.02)


@pytest.mark.parametrize(
    ("navigation", "settings", "told"),
    [
        ("beta 1 1", {}, "navigation of the campaign"),
        ("independent", {"within": ["walk"]}, "within"),
        ("independent", {"across": ["beta"]}, "navigation"),
    ],
)
def test_what_is_refused(
    tmp_path: Path, navigation: str, settings: dict[str, object], told: str
) -> None:
    with pytest.raises(InputError, match=told):
        studied_in(tmp_path, campaign(), **{"navigation": navigation, **settings})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"qrels": "q"}, "run must be given; --run, --qrels and --collection-size or"),
        ({"run": ["a"], "qrels": "q"}, "collection_size must be given"),
        (
            {"run": ["a"], "qrels": "q", "collection_size": 3, "example": ["web"]},
            "number of campaigns is 2, must be 1",
        ),
    ],
)
def test_options_that_name_no_single_campaign(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as caught:
        HypothesesDesign(**options)
    assert message in str(caught.value)


def test_the_built_in_campaign_is_the_default() -> None:
    design = HypothesesDesign(users=30)
    assert design.campaign.name == "campaign"
    assert design.completed().within == ("exclusive", "comonotone")
    assert HypothesesDesign(example=["walks"]).completed().within == ("walk",)
    assert HypothesesDesign(example=["web"], navigation="walk").completed().within == ("walk",)
    assert list(design.notices()) == []
    assert list(design.options()) == ["ideal_grade", "across", "need", "users", "seed"]


def made_causes(shares: Floats) -> list[Any]:
    """Return a row for each cause from shares by topic, (topics, causes)."""
    columns = [columns_of(share=mean_interval(own)) for own in shares.T]
    return [SimpleNamespace(cause=cause, **row) for cause, row in zip(CAUSES, columns, strict=True)]


@pytest.mark.parametrize("num_worlds", [300, pytest.param(5000, marks=slow)])
def test_causes_are_named_at_the_promised_rate(num_worlds: int) -> None:
    rng = np.random.default_rng(41)
    alarms = found = unadjusted = 0
    for _ in range(num_worlds):
        shares = 1e-3 * rng.laplace(size=(30, len(CAUSES)))
        # Rounding of a dial that does nothing.
        shares[:, 0] = 1e-17
        rows = made_causes(shares)
        alarms += bool(decided_shares(rows, 30))
        # The control: each interval for itself.
        unadjusted += any((row.share_low or 0) * (row.share_high or 0) > 0 for row in rows[1:])
        shares[:, 2] += 2e-3
        found += "within" in [row.cause for row in decided_shares(made_causes(shares), 30)]
    assert alarms <= binom.ppf(1 - 1e-4, num_worlds, 0.05)
    assert found >= 0.95 * num_worlds
    assert unadjusted > binom.ppf(1 - 1e-4, num_worlds, 0.1)


def test_causes_without_effect_count_among_those_that_are_tested() -> None:
    """Of 20 topics p = .04 names one cause alone, and none beside one that does nothing."""
    error = 1 / float(t.isf(0.02, 19))
    some = SimpleNamespace(share=1.0, share_high=1 + error * float(t.isf(0.025, 19)))
    none = SimpleNamespace(share=1e-15, share_high=2e-15)
    assert decided_shares([some], 20) == [some]
    assert decided_shares([some, none], 20) == []
    assert decided_shares(made_causes(np.zeros((5, len(CAUSES)))), 5) == []


def test_the_headline_names_causes_only_where_a_test_does(tmp_path: Path) -> None:
    links = Independent({("x", "a"): 0.5, ("x", "b"): 0.5})
    one = Campaign("smallest", {"t": ("a", "b")}, {"s": {"t": ("x", "a", "b")}}, links, 3)
    study = studied_in(tmp_path, one, within=["exclusive"], **NOTHING)
    assert study.view().headline.endswith("With one topic no share can be tested.")
    # With one ideal there is nothing that could hang together.
    lists = {"s": {"t": ("x", "a"), "u": ("x", "b")}}
    (tmp_path / "two").mkdir()
    two = Campaign("one ideal each", {"t": ("a",), "u": ("b",)}, lists, links, 3)
    study = studied_in(tmp_path / "two", two, within=["comonotone"], **NOTHING)
    assert study.view().headline.endswith(
        " No cause has a share that differs from 0 (Holm, 5%)."
    ), study.view().headline
