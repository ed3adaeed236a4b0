"""Fitted walks: known walks come back, moments are those of draws, edges hold."""

import json

import numpy as np
import pytest

from prum.experiments.fitting import FittedWalk, WalkEstimator
from prum.experiments.logs import Sessions
from prum.simulator.model import Elements, InputError, Links, Walk
from prum.simulator.model.arrays import Floats

LINKS = Links(
    dict.fromkeys(
        [
            ("a", "b"),
            ("a", "c"),
            ("a", "d"),
            ("b", "a"),
            ("b", "c"),
            ("b", "b"),
            ("c", "a"),
            ("c", "leaf"),
            ("d", "leaf"),
            ("d", "a"),
        ],
        1.0,
    )
)
LOG = [
    ["a", "b", "<", "c", "leaf", "<", "a"],
    ["a", "b", "c"],
    ["b"],
    ["leaf"],
    ["d", "leaf", "<"],
    ["a", "c", "a", "b", "<", "<", "<", "d"],
    ["c", "leaf"],
]


@pytest.fixture(scope="module")
def fitted() -> FittedWalk:
    return WalkEstimator().fit(LOG, LINKS)


def draws_of(walk: FittedWalk, num: int, seed: int) -> Floats:
    return np.array([draw.links.probabilities for draw in walk.sample_posterior(num, seed)])


@pytest.mark.slow
def test_variances_are_those_of_draws(fitted: FittedWalk) -> None:
    slopes = np.random.default_rng(1).normal(size=len(fitted.to_links()))
    table, draws = fitted.to_links(), draws_of(fitted, 4000, seed=2)
    sums = np.array([np.bincount(table.sources, slopes * draw, 5) for draw in draws])
    pairs = [(fitted.variances(slopes), sums), (fitted.row_variances(), draws)]
    # 4 + 12 variances, each within the 1 - .001/16 quantile of its own error.
    for exact, columns in pairs:
        squares = (columns - columns.mean(0)) ** 2
        errors = squares.std(0) / np.sqrt(len(columns))
        assert (abs(squares.mean(0) - exact) <= 4.2 * errors + 1e-15).all()
        assert not (abs(squares.mean(0) - 1.3 * exact) <= 4.2 * errors).all()
    errors = draws.std(0) / np.sqrt(len(draws))
    assert (abs(draws.mean(0) - table.probabilities) <= 4.2 * errors + 1e-15).all()


@pytest.mark.parametrize("base", ["uniform", "features", "targets"])
def test_what_is_told_as_plain_data_comes_back_bit_for_bit(base: str) -> None:
    walk = WalkEstimator(base).fit(LOG, LINKS)
    again = FittedWalk.from_dict(json.loads(json.dumps(walk.to_dict())))
    assert again.to_dict() == walk.to_dict()
    assert again.score(LOG) == walk.score(LOG)
    made, made_again = (each.simulate(50, 1) for each in (walk, again))
    assert list(made) == list(made_again)
    assert walk.summary() == again.summary()


def test_steps_of_navigation_hold_moves_and_back_clicks(fitted: FittedWalk) -> None:
    walk = fitted.navigation
    p = {(x, y): p for x, y, p in walk.links}
    assert ("b", "b") in p
    assert p["b", "b"] == 0  # nobody moves from an element to itself, so it is no choice
    assert p["leaf", "c"] > 0  # people went back there
    assert isinstance(walk, Walk)
    codes = fitted.counts.elements.index("leaf"), fitted.counts.elements.index("a")
    stop = fitted.ends[0]
    moving = np.bincount(walk.links.sources, walk.links.probabilities, 5)
    assert moving[codes[1]] == pytest.approx(1 - stop[codes[1]])
    assert moving[codes[0]] < 1 - stop[codes[0]]  # who enters at a leaf has nowhere to go back to


def test_people_take_links_to_the_same_element_if_the_log_says_so() -> None:
    walk = WalkEstimator(base="uniform").fit([["b", "b", "a"], ["a", "b"]], LINKS)
    assert {(x, y): p for x, y, p in walk.to_links()}["b", "b"] > 0.1


def known_walk() -> FittedWalk:
    """Return a walk to be learned, whose probabilities are the means of a fitted one."""
    return WalkEstimator(base="uniform").fit(LOG * 3, LINKS)


def errors_of(walk: FittedWalk, truth: FittedWalk) -> Floats:
    ends = (mean - known for mean, known in zip(walk.ends, truth.ends, strict=True))
    return np.concatenate([*ends, walk.shares - truth.shares])


@pytest.mark.slow
def test_a_known_walk_comes_back_at_the_order_it_should() -> None:
    truth = known_walk()
    estimator, sizes = WalkEstimator(base="uniform"), [100, 1000, 10_000]

    def miss(size: int, seed: int) -> float:
        walk = estimator.fit(truth.simulate(size, seed), LINKS)
        return float(np.square(errors_of(walk, truth)).mean())

    misses = [np.mean([miss(size, seed) for seed in range(4)]) for size in sizes]
    slope = np.polyfit(np.log(sizes), np.log(misses) / 2, 1)[0]
    assert slope == pytest.approx(-0.5, abs=0.1)


def test_entries_without_a_way_back_do_not_make_back_clicks_rarer() -> None:
    """Most visits of `a` are entries; what is learned is b where people can go back."""
    truth = known_walk()
    made = truth.simulate(20_000, 5)
    walk = WalkEstimator(base="uniform").fit(made, LINKS)
    a = walk.counts.elements.index("a")
    own = truth.counts.elements.index("a")
    b = truth.ends[1][own]
    whole = walk.counts.backs[a] + walk.counts.moved[a] - walk.counts.first_moves[a]
    error = np.sqrt(b * (1 - b) / whole)
    assert abs(walk.ends[1][a] - b) < 4 * error
    # The negative control: all moves in the place of those with a way back.
    forgotten = walk.counts.backs[a] / (walk.counts.backs[a] + walk.counts.moved[a])
    assert abs(forgotten - b) > 4 * error


def test_who_enters_at_a_leaf_and_has_to_stop_says_nothing_of_stopping_there() -> None:
    walks = [WalkEstimator("uniform").fit(LOG + [["leaf"]] * more, LINKS) for more in (0, 50)]
    leaf = walks[0].counts.elements.index("leaf")
    assert walks[1].ends[0][leaf] == pytest.approx(walks[0].ends[0][leaf], rel=1e-12)
    assert walks[1].counts.stops[leaf] == walks[0].counts.stops[leaf] + 50


def test_made_sessions_follow_links_and_go_back_along_their_trail(fitted: FittedWalk) -> None:
    made = fitted.simulate(500, 3)
    names = [made.elements[visit] for visit in made.element]
    trail = list[str]()
    pairs = {(x, y) for x, y, _ in LINKS}
    for name, entry, back in zip(names, made.is_entry, made.is_back, strict=True):
        if entry:
            trail = [name]
        elif back:
            trail.pop()
            assert trail[-1] == name
        else:
            assert (trail[-1], name) in pairs
            trail.append(name)
    assert made.is_back.any()
    assert len(made) == 500
    assert list(made) == list(fitted.simulate(500, 3))
    assert list(made) != list(fitted.simulate(500, 4))


def test_made_sessions_begin_where_those_of_the_log_do() -> None:
    from scipy.stats import chisquare

    log = Sessions.of([["a", "b"]] * 50 + [["b", "a"]] * 30 + [["c"]] * 20)
    walk = WalkEstimator(base="uniform").fit(log, LINKS)
    made = walk.simulate(2_000, 3)
    begun = [made.elements[visit] for visit in made.element[made.is_entry]]
    seen = np.array([begun.count(name) for name in "abc"])
    assert seen.sum() == 2_000
    assert chisquare(seen, 2_000 * np.array([0.5, 0.3, 0.2])).pvalue > 1e-3
    assert chisquare(seen, 2_000 * np.array([0.4, 0.4, 0.2])).pvalue < 1e-3


def test_sessions_of_those_who_never_stop_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prum.experiments.fitting.fitted_walk.MOST_VISITS", 7)
    endless = Sessions.of([["a", "b", "a", "b", "a", "b"] * 50])
    walk = WalkEstimator(base="uniform").fit(endless, Links({("a", "b"): 1, ("b", "a"): 1}))
    made = walk.simulate(40, 1)
    assert np.diff(made.starts).max() == 7
    assert made.is_cut.any()
    assert (np.diff(made.starts)[made.is_cut] == 7).all()


LINKS_XYZ = Links({("x", "y"): 1, ("y", "z"): 1})
EDGES = {
    "one link per page": ([["x", "y", "x"], ["y", "x"]], Links({("x", "y"): 1, ("y", "x"): 1})),
    "pages nobody left": ([["x", "y"]], LINKS_XYZ),
    "all stop": ([["x"], ["y"], ["z"]], LINKS_XYZ),
    "one session of one visit": ([["z"]], LINKS_XYZ),
    "no back clicks": ([["x", "y", "z"]], LINKS_XYZ),
    "only back clicks from a leaf": ([["x", "y", "z", "<", "<"]] * 3, LINKS_XYZ),
    "only links to itself": ([["x"], ["x", "x"]], Links({("x", "x"): 1})),
    "links to itself that nobody takes": ([["x"]], Links({("x", "x"): 1})),
    "no links": ([["x"]], Links({})),
}


@pytest.mark.parametrize("name", EDGES)
def test_nothing_breaks_at_the_edges(name: str) -> None:
    log, links = EDGES[name]
    elements = Elements.from_columns(["x", "y", "z"], [None] * 3, [1.0] * 3)
    for base in ("uniform", "features+targets"):
        walk = WalkEstimator(base).fit(log, links, elements)
        assert np.isfinite(walk.choices.log_evidence)
        made = walk.simulate(20, 1)
        assert len(made) == 20
        assert walk.summary()
        walk.predict(made)
        probabilities = walk.to_links().probabilities
        assert np.isfinite(probabilities).all()
        assert np.isfinite(walk.variances(np.ones(len(probabilities)))).all()
        assert np.isfinite(draws_of(walk, 3, 1)).all()
        assert len(walk.intervals()) == len(probabilities) == len(walk.tried)


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (
            lambda: WalkEstimator(base="best"),
            "base is 'best', must be one of uniform, features, targets, features+targets;"
            " check the name",
        ),
        (
            lambda: WalkEstimator().fit(LOG, LINKS).score([["a"], ["b"]]),
            "log is '2 sessions', must hold choices among known links; give a log of the same"
            " elements",
        ),
        (
            lambda: WalkEstimator().fit(LOG, LINKS).simulate(0, 1),
            "number of sessions is 0, must be at least 1; try 1000",
        ),
        (
            lambda: WalkEstimator(skip_strays=True).fit([["q"]], LINKS),
            "number of visits in the log is 0, must be at least 1; check the names of elements",
        ),
    ],
)
def test_a_mistake_gives_a_line(act: object, message: str) -> None:
    with pytest.raises(InputError) as raised:
        act()  # type: ignore[operator]
    assert str(raised.value) == message
