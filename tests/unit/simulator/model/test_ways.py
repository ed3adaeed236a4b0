"""Ways of browsing: the paper's figures, each law against its definition, what is refused."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum.analytic import closed_form, exact, prum_of, reach_matrix, walk_within
from prum.simulator.model import (
    Elements,
    Independent,
    InputError,
    Links,
    Task,
    Walk,
    chunks,
    structural,
    timeline,
    tolerance,
    web,
)
from prum.simulator.model.way_names import observed
from prum.simulator.model.ways import timeline_steps
from tests.tiers import slow
from tests.unit.simulator.model.test_elements import FIG_6, chain, trees

TREE = Elements(FIG_6)


def table(links):
    return {(x, y): p for x, y, p in links}


def reach(links, ranking, ideals):
    """Return P(x -> y) of a list's elements to ideals that the rest of the code would use."""
    navigation = links if isinstance(links, Walk) else Independent(links)
    task = Task(ranking, ideals, len({*ranking, *ideals}) + 5)
    return reach_matrix(task, navigation).toarray()


def refused(make, *parts):
    with pytest.raises(InputError) as caught:
        make()
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    for part in parts:
        assert part in message


# --- the paper --------------------------------------------------------------------------------

FIG_2 = {("x", "y"): 50, ("x", "z"): 30, ("y", "z"): 80, ("z", "y"): 12}
HUNDRED = dict.fromkeys("xyz", 100)


def test_fig_2_reach():
    """P(x -> y) = .5 + .3 x .12 = .536, P(x -> z) = .3 + .5 x .8 = .7; direct links .5 and .3."""
    steps = observed(FIG_2, HUNDRED)
    assert reach(Walk(steps), ["x"], ["y", "z"]) == pytest.approx(np.array([[0.536, 0.7]]))
    assert reach(steps, ["x"], ["y", "z"]).tolist() == [[0.5, 0.3]]


def test_fig_2_both():
    """.436 walking; .3752 under Hypothesis 2.2; .15 with the direct links alone."""
    steps = observed(FIG_2, HUNDRED)
    matrix = np.zeros((3, 3))
    matrix[steps.sources, steps.targets] = steps.probabilities
    (nothing, only_y, only_z, _), *_ = walk_within(matrix, [0], [1, 2])
    assert 1 - only_y - only_z + nothing == pytest.approx(0.436, abs=1e-15)
    assert reach(Walk(steps), ["x"], ["y", "z"]).prod() == pytest.approx(0.3752, abs=1e-15)
    assert reach(steps, ["x"], ["y", "z"]).prod() == pytest.approx(0.15, abs=1e-15)


def test_fig_2_counted_at_the_end():
    """Users who came to y and z sooner or later give P(x -> y) itself, for `Independent`."""
    arrived = observed({("x", "y"): 536, ("x", "z"): 700}, {"x": 1000})
    assert reach(arrived, ["x"], ["y", "z"]).tolist() == [[0.536, 0.7]]


def test_fig_3_nested_and_not():
    """a holds 100 words and b 10 of them, so P(b -> a) = 10 / 100; the sibling e leads not to f.

    The text gives no sizes of e and f; here they are 40.
    """
    tree = Elements({"a": (None, 100), "f": ("a", 40), "b": ("f", 10), "e": ("a", 40)})
    found = table(structural(tree))
    assert found["b", "a"] == found["a", "b"] == 0.1
    assert found["b", "f"] == 0.25
    assert ("e", "f") not in found


@pytest.mark.parametrize(("ranking", "printed"), [("a", 0.4), ("ab", 0.94), ("abc", 0.952)])
def test_fig_4(ranking, printed):
    """P(d in S_i) = 1 - .6 x .1 x .8 after three ranks: with u = 1, precision's C(1) counts it."""
    counts = {("a", "d"): 40, ("b", "d"): 90, ("c", "d"): 20}
    links = observed(counts, dict.fromkeys("abc", 100))
    unseen = 1 - reach(links, list(ranking), ["d"])
    assert 1 - unseen.prod() == pytest.approx(printed, abs=1e-15)
    result = exact(reach(links, list(ranking), ["d"]), 1)
    waiting = np.cumprod(unseen).tolist()
    assert result.consulted[0] == pytest.approx(1 + sum(waiting), abs=1e-15)


@pytest.mark.parametrize(
    ("ranking", "precision"), [("cba", Fraction(1)), ("abc", Fraction(24, 59))]
)
def test_fig_6_and_section_4_2_1(ranking, precision):
    """P(a -> c) = 10/60, P(b -> c) = 10/40; lists (c, b, a) and (a, b, c): 1 and .4068."""
    assert reach(structural(TREE), ["a", "b", "c"], ["c"])[:, 0].tolist() == [10 / 60, 10 / 40, 1]
    result = prum_of(Task(list(ranking), ["c"], 6), Independent(structural(TREE)))
    assert result.precision[0] == pytest.approx(float(precision), abs=1e-15)
    assert ranking == "cba" or f"{result.precision[0]:.4f}" == "0.4068"


@pytest.mark.parametrize(("ranking", "precision"), [("cba", 1), ("abc", 24 / 59)])
def test_fig_6_as_a_video(ranking, precision):
    """Scenes a, b, c, f; 1/6 and 1/4 of the users come from a and b to c: the same results."""
    a, b, c = 0.0, math.log(6) - math.log(4), math.log(6)
    scenes = {"a": ("v", 0.2, a), "b": ("v", 0.3, b), "c": ("v", 0.2, c), "f": ("v", 0.5)}
    links = timeline(Elements({"v": (None, 3), **scenes}), 1)
    assert reach(links, ["a", "b"], ["c"])[:, 0] == pytest.approx([1 / 6, 1 / 4])
    result = prum_of(Task(list(ranking), ["c"], 6), Independent(links))
    assert result.precision[0] == pytest.approx(precision)


def test_fig_7_and_section_4_2_2():
    """All users go from the best entry point a to b and c: PRUM is 1 at r = 2."""
    tree = Elements({"a": (None, 20), "b": ("a", 10), "c": ("a", 10)})
    task = Task(["a"], ["b", "c"], 100)
    assert prum_of(task, Independent(chunks(tree, child=1))).precision.tolist() == [1, 1]
    changed = prum_of(task, Independent(chunks(tree, child=0.99))).precision
    assert changed[1] < 0.9  # negative control


# --- structural -------------------------------------------------------------------------------


@given(trees())
def test_structural_is_equation_9(rows):
    elements = Elements(rows)
    wanted = {}
    for x in rows:
        for y in rows:
            longer, shorter = max(rows[x][1], rows[y][1]), min(rows[x][1], rows[y][1])
            if (x in elements.ancestors(y) or y in elements.ancestors(x)) and shorter:
                wanted[x, y] = shorter / longer
    assert table(structural(elements)) == wanted
    chosen = list(rows)[::2]
    assert table(structural(elements, targets=chosen)) == {
        pair: p for pair, p in wanted.items() if pair[1] in chosen
    }
    Independent(structural(elements))


def test_an_element_without_length_is_apart():
    tree = Elements({"a": (None, 1), "b": ("a", 0), "c": ("b", 0)})
    assert table(structural(tree)) == {}


def test_structural_of_a_deep_chain():
    tree = Elements(chain(10_000))
    links = structural(tree, targets=["c9999", "c0"])
    assert len(links) == 2 * 9_999
    refused(lambda: structural(tree), "number of pairs is 99990000", "name the targets")


@slow
def test_structural_of_many_elements_is_not_quadratic():
    """200,000 elements: as many rows as twice the sum of depths."""
    draw = np.random.default_rng(1)
    places = np.concatenate(
        [[0], (draw.random(199_999) * (np.arange(1, 200_000) / 8 + 0.99)).astype(int)]
    )
    names = [f"e{number}" for number in range(len(places))]
    parents = [None, *(names[place] for place in places[1:])]
    sizes = np.ones(len(places))
    for number in range(len(places) - 1, 0, -1):
        sizes[places[number]] += sizes[number]
    elements = Elements.from_columns(names, parents, sizes)
    links = structural(elements)
    assert len(links) == 2 * elements.depths.sum() > 1_000_000


def test_no_elements_have_no_links():
    nothing = Elements({})
    for links in (
        structural(nothing),
        chunks(nothing, next=1, parent=1),
        timeline(nothing, 1),
        timeline_steps(nothing, 1),
        tolerance(nothing, [], words=1),
    ):
        assert links == Links({})


@pytest.mark.parametrize("targets", [["zz"], [""], [None], [["a"]]])
def test_targets_are_elements(targets):
    for make in (
        lambda: structural(TREE, targets=targets),
        lambda: timeline(TREE, 1, targets=targets),
        lambda: tolerance(TREE, targets, words=5),
    ):
        refused(make, "element is", "in the table of elements")
    refused(lambda: structural(TREE, targets="abc"), "several ids, not one text")


# --- chunks -----------------------------------------------------------------------------------


@given(trees())
def test_chunks_are_neighbours_parents_and_children(rows):
    elements = Elements(rows)
    wanted = {}
    for x in rows:
        children = elements.children(x)
        for number, y in enumerate(children):
            wanted[y, x], wanted[x, y] = 0.25, 0.125
            if number:
                wanted[children[number - 1], y], wanted[y, children[number - 1]] = 0.5, 0.0625
    links = chunks(elements, next=0.5, previous=0.0625, parent=0.25, child=0.125)
    assert table(links) == wanted
    assert chunks(elements) == Links({})


def test_neighbours_come_in_order_of_start():
    page = Elements({"p": (None, 9), "late": ("p", 5, 4), "early": ("p", 6, 0), "q": (None, 1)})
    assert table(chunks(page, next=1)) == {("early", "late"): 1}


def test_chunks_walk_on():
    """As a walk the reader goes from chunk to chunk: .5, .25, ..."""
    page = Elements({"p": (None, 40), **{f"c{i}": ("p", 10) for i in range(4)}})
    walked = Walk(chunks(page, next=0.5))
    assert reach(walked, ["c0"], ["c1", "c2", "c3"]).tolist() == [[0.5, 0.25, 0.125]]
    assert reach(walked.links, ["c0"], ["c1", "c2", "c3"]).tolist() == [[0.5, 0, 0]]
    refused(lambda: Walk(chunks(page, next=0.6, parent=0.6)), "be at most 1")


@pytest.mark.parametrize("name", ["next", "previous", "parent", "child"])
@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), "1", None, True])
def test_chunks_take_probabilities(name, value):
    refused(lambda: chunks(TREE, **{name: value}), f"{name} is", "lie in [0, 1]")


# --- timelines --------------------------------------------------------------------------------


def distance(rows, roots, x, y):
    """Return how much a user who starts at x reads or watches before y begins, by definition."""
    start, length = rows[y][2], rows[y][1]
    begin = rows[x][2]
    if roots[x] != roots[y] or (start < begin and start + length <= begin):
        return math.inf
    return max(0, start - begin)


def roots_of(elements, rows):
    return {x: (x, *elements.ancestors(x))[-1] for x in rows}


@given(trees(), st.sampled_from([0, 0.01, 0.3, 5]), st.sampled_from([0, 1e-9, 0.05, 1]))
def test_timeline_by_definition(rows, rate, least):
    elements = Elements(rows)
    roots = roots_of(elements, rows)
    wanted = {}
    for x in rows:
        for y in rows:
            ahead = distance(rows, roots, x, y)
            if x != y and ahead < math.inf and math.exp(-rate * ahead) >= max(least, 1e-300):
                wanted[x, y] = pytest.approx(math.exp(-rate * ahead), rel=1e-14)
    found = table(timeline(elements, rate, least=least))
    assert found == wanted
    chosen = list(rows)[1::2]
    assert table(timeline(elements, rate, least=least, targets=chosen)) == {
        pair: p for pair, p in wanted.items() if pair[1] in chosen
    }


def test_least_is_a_bound_on_the_probability():
    video = Elements({"v": (None, 30), "a": ("v", 1, 10), "b": ("v", 1, 10 * (1 + 5e-10))})
    assert set(table(timeline(video, 1, least=math.exp(-10)))) >= {("v", "a"), ("a", "b")}
    assert ("v", "b") not in table(timeline(video, 1, least=math.exp(-10)))


def test_what_ended_by_rounding_is_over():
    """.1 + .2 > .3: who starts at .3 is not in the midst of what lasted from .1 for .2."""
    scenes = {"v": (None, 1), "one": ("v", 0.2, 0.1), "two": ("v", 0.2, 0.3)}
    assert 0.1 + 0.2 > 0.3
    assert ("two", "one") not in table(timeline(Elements(scenes), 1))
    scenes["one"] = ("v", 0.21, 0.1)
    assert table(timeline(Elements(scenes), 1))["two", "one"] == 1


@slow
@given(trees(), st.sampled_from([0, 0.01, 0.3]))
def test_steps_walk_to_the_same_probabilities(rows, rate):
    """Two roads to P(x -> y) of what begins later: the law itself, and a walk of single steps."""
    elements = Elements(rows)
    walked = Walk(timeline_steps(elements, rate))
    at_once = table(timeline(elements, rate, least=0))
    for x, y in at_once:
        later = rows[y][2] > rows[x][2]
        if later:
            assert reach(walked, [x], [y])[0, 0] == pytest.approx(at_once[x, y], rel=1e-12)


def test_steps_know_that_who_sees_the_end_saw_the_middle():
    """P(both) is P(last) on the walk; tossed on their own the visits are fewer."""
    video = Elements({"v": (None, 30), **{f"s{i}": ("v", 10) for i in range(3)}})
    task = Task(["s0"], ["s1", "s2"], 3)
    q = math.exp(-0.5)
    walked = closed_form(task, Walk(timeline_steps(video, 0.05)))
    tossed = closed_form(task, Independent(timeline(video, 0.05)))
    assert walked is not None
    assert tossed is not None
    # C(2) = 1 with both; with one 2 of 2 unranked (1.5 on average for it), with none both.
    for result, both in ((walked, q * q), (tossed, q * q * q)):
        one = q + q * q - 2 * both
        expected = 1 + 1.5 * one + 2 * (1 - both - one)
        assert result.consulted[1] == pytest.approx(expected, abs=1e-14)


@slow
def test_a_long_timeline_needs_no_square_of_memory():
    size = 100_000
    names = [f"s{i}" for i in range(size)]
    video = Elements.from_columns(["v", *names], [None, *["v"] * size], [size * 10, *[10] * size])
    assert len(timeline(video, 0.1, targets=names[::10_000])) < 10 * 25
    assert len(timeline_steps(video, 0.1)) == size
    refused(lambda: timeline(video, 0), "number of pairs", "name the targets")
    assert len(timeline(video, 0, targets=["s99999"])) == size


@pytest.mark.parametrize("rate", [-1, float("nan"), float("inf"), "1", None, True, 10**400])
def test_rates_are_finite_and_not_negative(rate):
    refused(lambda: timeline(TREE, rate), "leaving_rate is", "finite number of at least 0")
    refused(lambda: timeline_steps(TREE, rate), "leaving_rate is", "finite number of at least 0")


def test_extreme_rates():
    far = Elements({"v": (None, 1e300), "a": ("v", 1, 0), "b": ("v", 1, 1e299)})
    assert ("a", "b") not in table(timeline(far, 1e300))
    assert ("a", "b") not in table(timeline_steps(far, 1e300))
    assert table(timeline(far, 5e-324))["a", "b"] == 1
    refused(lambda: timeline(far, 1, least=1.5), "least is 1.5")


# --- tolerance to irrelevance -----------------------------------------------------------------


@slow
@given(trees(), st.sampled_from([1, 4, 11.5]), st.booleans(), st.data())
def test_tolerance_by_definition(rows, words, falling, data):
    elements = Elements(rows)
    roots = roots_of(elements, rows)
    ideals = data.draw(st.lists(st.sampled_from(list(rows)), unique=True)) if rows else []
    wanted = {}
    for x in rows:
        ahead = {y: distance(rows, roots, x, y) for y in ideals}
        if x in ahead:
            ahead[x] = 0
        nearest = min(ahead.values(), default=math.inf)
        for y in ideals:
            if y != x and ahead[y] == nearest < math.inf:
                p = math.exp(-nearest / words) if falling else float(nearest <= words)
                if p:
                    wanted[x, y] = pytest.approx(p, rel=1e-14)
    assert table(tolerance(elements, ideals, words=words, falling=falling)) == wanted


def test_the_reader_stops_at_the_first_ideal():
    page = Elements({"p": (None, 90), **{f"w{i}": ("p", 10) for i in range(9)}})
    found = table(tolerance(page, ["w3", "w7"], words=20))
    assert found == {
        (x, y): 1 for y, sources in (("w3", ("w1", "w2")), ("w7", ("w5", "w6"))) for x in sources
    }
    # p and w0 start 30 words before w3, w4 starts 30 before w7.
    more = table(tolerance(page, ["w3", "w7"], words=30))
    assert set(more) - set(found) == {("p", "w3"), ("w0", "w3"), ("w4", "w7")}
    assert ("w2", "w7") not in table(tolerance(page, ["w3", "w7"], words=1000))


def test_no_document_is_left():
    two = Elements({"a": (None, 5), "b": (None, 5)})
    assert table(tolerance(two, ["b"], words=1000)) == {}
    rows = dict.fromkeys("ab", (None, 9)) | {f"{d}{i}": (d, 1, i) for d in "ab" for i in (1, 5)}
    found = table(tolerance(Elements(rows), ["a5", "b5"], words=1000))
    assert sorted(found) == [("a", "a5"), ("a1", "a5"), ("b", "b5"), ("b1", "b5")]
    assert table(timeline(two, 0)) == {}


def test_which_elements_are_ideal_matters():
    """Negative control of the law: an ideal in between takes the reader away from the next."""
    assert table(tolerance(TREE, ["e"], words=100))["c", "e"] == 1
    assert ("c", "e") not in table(tolerance(TREE, ["d", "e"], words=100))


@pytest.mark.parametrize("words", [0, -1, float("nan"), float("inf"), "5", None])
def test_tolerance_is_positive(words):
    refused(lambda: tolerance(TREE, ["c"], words=words), "words is", "must be")


# --- links and counts -------------------------------------------------------------------------


def test_web_shares_the_damping():
    pairs = [("x", "y"), ("x", "z"), ("y", "x"), ("z", "z")]
    wanted = {("x", "y"): 0.425, ("x", "z"): 0.425, ("y", "x"): 0.85}
    assert table(web(pairs, 0.85)) == wanted
    assert table(web(iter(pairs), 0.85)) == wanted
    assert table(web(Links(dict.fromkeys(pairs, 0.5)), 0.85)) == wanted
    Walk(web(pairs, 0.85))


def test_web_of_little():
    assert web([], 0.85) == Links({})
    assert web([("x", "y")], 0) == Links({})
    assert web([("x", "x")], 0.5) == Links({})


@given(st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9))), st.floats(0, 1))
def test_web_by_definition(pairs, damping):
    links = [(f"p{x}", f"p{y}") for x, y in pairs]
    away = [pair for pair in links if pair[0] != pair[1]]
    wanted = {pair: damping / sum(pair[0] == x for x, _ in away) for pair in away}
    assert table(web(links, damping)) == {pair: p for pair, p in wanted.items() if p}


@pytest.mark.parametrize("damping", [-0.1, 1.1, float("nan"), "0.5", None])
def test_damping_is_a_probability(damping):
    refused(lambda: web([("x", "y")], damping), "damping is", "lie in [0, 1]")


@pytest.mark.parametrize("pair", ["xy", ("x",), ("x", "y", "z"), ["x", "y"], 7])
def test_links_are_pairs(pair):
    refused(lambda: web([pair], 0.5), "link is", "(source, target)")


def test_links_are_given_once_and_have_ids():
    refused(lambda: web([("x", "y"), ("x", "y")], 0.5), "given once")
    refused(lambda: web([("x", "")], 0.5), "not empty")


def test_observed_leaves_out_what_was_not_seen():
    links = observed({("x", "y"): 1, ("x", "z"): 0}, {"x": 3, "z": 0, "w": 5})
    assert table(links) == {("x", "y"): 1 / 3}
    assert observed({}, {}) == Links({})
    assert table(observed({("x", "y"): np.int64(1)}, {"x": np.int32(2)})) == {("x", "y"): 0.5}


@pytest.mark.parametrize("num", [3, 7, 10, 49, 1000])
def test_observed_steps_that_never_stop_sum_to_one(num):
    """Shares sum to 1 but for rounding, which Walk forgives."""
    links = observed({("x", f"y{i}"): 1 for i in range(num)}, {"x": num})
    assert len(Walk(links).links) == num


def test_observed_recovers_what_made_the_counts():
    """Walks of which the steps were counted have the reach of the table the steps were from."""
    steps = {("a", "b"): 0.5, ("a", "c"): 0.25, ("b", "c"): 0.5, ("c", "a"): 0.25}
    counts = {pair: int(1000 * p) for pair, p in steps.items()}
    links = observed(counts, dict.fromkeys("abc", 1000))
    assert Walk(links) == Walk(steps)


@pytest.mark.parametrize(
    ("transitions", "visits", "parts"),
    [
        ({("x", "y"): 3}, {"x": 2}, ("count of 'x' -> 'y' is 3", "from 0 to 2")),
        ({("x", "y"): -1}, {"x": 2}, ("count of 'x' -> 'y' is -1",)),
        ({("x", "y"): 0.5}, {"x": 2}, ("count of 'x' -> 'y' is 0.5", "whole number")),
        ({("x", "y"): 1}, {}, ("source is 'x'", "number of visits")),
        ({("x", "y"): 1}, {"x": 0}, ("count of 'x' -> 'y' is 1", "from 0 to 0")),
        ({("x", "y"): 1}, {"x": -1}, ("visits of 'x' is -1",)),
        ({("x", "y"): 1}, {"x": True}, ("visits of 'x' is True",)),
        ({("x", "y"): 1}, {"x": math.nan}, ("visits of 'x' is nan",)),
        ({("x", "y"): 1}, {"": 1}, ("element of visits is ''",)),
        ({("x", "x"): 1}, {"x": 2}, ("another element",)),
        ({("x", ""): 1}, {"x": 2}, ("target is ''",)),
        ({"xy": 1}, {"x": 2}, ("(source, target)",)),
        ([("x", "y", 1)], {"x": 2}, ("transitions is", "mapping")),
        ({("x", "y"): 1}, [("x", 2)], ("visits is", "mapping")),
    ],
)
def test_observed_checks_the_counts(transitions, visits, parts):
    refused(lambda: observed(transitions, visits), *parts)


def test_more_steps_than_visits_in_all_is_for_the_walk_to_refuse():
    links = observed({("x", "y"): 2, ("x", "z"): 2}, {"x": 3})
    assert len(Independent(links).links) == 2
    refused(lambda: Walk(links), "moving from 'x'", "be at most 1")
