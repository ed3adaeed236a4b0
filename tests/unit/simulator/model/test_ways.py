"""Ways of browsing: the paper's figures, each law against its definition, what is refused."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum.analytic import closed_form, prum_of, reach_matrix
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


def test_fig_3_nested_and_not():
    """a holds 100 words and b 10 of them, so P(b -> a) = 10 / 100; the sibling e leads not to f.

    The text gives no sizes of e and f; here they are 40.
    """
    tree = Elements({"a": (None, 100), "f": ("a", 40), "b": ("f", 10), "e": ("a", 40)})
    found = table(structural(tree))
    assert found["b", "a"] == found["a", "b"] == 0.1
    assert found["b", "f"] == 0.25
    assert ("e", "f") not in found


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


def test_structural_of_a_deep_chain():
    tree = Elements(chain(10_000))
    links = structural(tree, targets=["c9999", "c0"])
    assert len(links) == 2 * 9_999
    refused(lambda: structural(tree), "number of pairs is 99990000", "name the targets")


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


def test_chunks_walk_on():
    """As a walk the reader goes from chunk to chunk: .5, .25, ..."""
    page = Elements({"p": (None, 40), **{f"c{i}": ("p", 10) for i in range(4)}})
    walked = Walk(chunks(page, next=0.5))
    assert reach(walked, ["c0"], ["c1", "c2", "c3"]).tolist() == [[0.5, 0.25, 0.125]]
    assert reach(walked.links, ["c0"], ["c1", "c2", "c3"]).tolist() == [[0.5, 0, 0]]
    refused(lambda: Walk(chunks(page, next=0.6, parent=0.6)), "be at most 1")


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
    steps = Elements({"p": (None, 9), **{f"w{i}": ("p", 1) for i in range(9)}})
    assert ("w3", "w4") not in table(tolerance(steps, ["w3", "w4"], words=5))


# --- links and counts -------------------------------------------------------------------------


def test_web_shares_the_damping():
    pairs = [("x", "y"), ("x", "z"), ("y", "x"), ("z", "z")]
    wanted = {("x", "y"): 0.425, ("x", "z"): 0.425, ("y", "x"): 0.85}
    assert table(web(pairs, 0.85)) == wanted
    assert table(web(iter(pairs), 0.85)) == wanted
    assert table(web(Links(dict.fromkeys(pairs, 0.5)), 0.85)) == wanted
    Walk(web(pairs, 0.85))


@given(st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9))), st.floats(0, 1))
def test_web_by_definition(pairs, damping):
    links = [(f"p{x}", f"p{y}") for x, y in pairs]
    away = [pair for pair in links if pair[0] != pair[1]]
    wanted = {pair: damping / sum(pair[0] == x for x, _ in away) for pair in away}
    assert table(web(links, damping)) == {pair: p for pair, p in wanted.items() if p}


# --- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "parts"),
    [
        (lambda: structural(TREE, targets=["zz"]), ("element is 'zz'", "in the table of elements")),
        (lambda: timeline(TREE, 1, targets=[["a"]]), ("element is", "in the table of elements")),
        (lambda: tolerance(TREE, [None], words=5), ("element is", "in the table of elements")),
        (lambda: structural(TREE, targets="abc"), ("several ids, not one text",)),
        *(
            (lambda name=name: chunks(TREE, **{name: 1.1}), (f"{name} is 1.1", "lie in [0, 1]"))
            for name in ("next", "previous", "parent", "child")
        ),
        (lambda: timeline(TREE, -1), ("leaving_rate is -1", "finite number of at least 0")),
        (lambda: timeline(TREE, 1, least=2), ("least is 2", "lie in [0, 1]")),
        (lambda: timeline_steps(TREE, math.inf), ("leaving_rate is inf",)),
        (lambda: tolerance(TREE, ["c"], words=0), ("words is 0", "must be positive")),
        (lambda: web([("x", "y")], math.nan), ("damping is nan", "lie in [0, 1]")),
        (lambda: web(["xy"], 0.5), ("link is 'xy'", "(source, target)")),
        (lambda: web([("x", "y"), ("x", "y")], 0.5), ("given once",)),
        (lambda: web([("x", "")], 0.5), ("not empty",)),
    ],
)
def test_what_is_refused(make, parts):
    refused(make, *parts)
