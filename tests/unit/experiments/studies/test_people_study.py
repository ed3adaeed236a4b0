"""The study of people: each part finds what was planted, and nothing where there is nothing."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, false_discovery_control, kstest

from prum.experiments.frame.frames import rows_of, turned
from prum.experiments.logs.sessions import BACK, Sessions
from prum.experiments.studies.people import (
    PEOPLE,
    Context,
    contexts_of,
    joined,
    on_links,
    over_groups,
    p_within_columns,
    p_within_margins,
    rows_beside,
)
from prum.simulator.model import InputError, Links
from prum.simulator.sampling.kernels import swap_visits
from tests.tiers import slow

LEVEL = 1e-3


def table_context(table: Any) -> Context:
    table = np.asarray(table, dtype=np.bool_)
    return Context(0, np.arange(len(table)), table[:, table.any(axis=0)])


def products(rng: np.random.Generator, sessions: int = 60, elements: int = 20) -> Context:
    return table_context(rng.random((sessions, elements)) < rng.beta(0.5, 3, elements))


# --- contexts ---------------------------------------------------------------------------------


def test_a_context_holds_what_was_seen_later_on_the_path() -> None:
    log = Sessions.of(
        [["a", "b", "<", "c"], ["a"], ["a", "c", "a", "b"], ["b", "a", "d"], ["a", "d"]],
        persons=["one", "two", "three", "four", "one"],
    )
    rng = np.random.default_rng(1)
    (context,) = contexts_of(log, least=3, everywhere=False, rng=rng)
    # The second session of person one does not count; back clicks lead to nothing new.
    assert log.elements[context.element] == "a"
    assert context.table.tolist() == [[True, True], [False, False], [True, True]]
    assert context.together == (2, 4 / 3)
    assert context.nothing == (1 / 3, pytest.approx(1 / 9))
    everywhere = contexts_of(log, least=3, everywhere=True, rng=rng)
    assert {log.elements[context.element]: len(context.table) for context in everywhere} == {
        "a": 4,
        "b": 3,
    }


@pytest.mark.parametrize("test", [p_within_columns, p_within_margins])
def test_p_is_uniform_where_visits_are_independent(test: Any) -> None:
    rng = np.random.default_rng(3)
    p = [test(products(rng), 39, rng) for _ in range(120)]
    assert binom.sf(sum(x <= 0.1 for x in p) - 1, len(p), 0.1) > LEVEL
    assert kstest(p, "uniform", alternative="greater").pvalue > LEVEL


def test_planted_faults_are_seen() -> None:
    """Persons who see much make pairs go together, but none of its own; two copies make one."""
    rng = np.random.default_rng(4)
    shares = np.full(12, 0.3)
    eager = table_context(rng.random((150, 12)) < shares * rng.choice([0.2, 1.8], (150, 1)))
    assert p_within_columns(eager, 199, rng) <= 0.01
    assert eager.together[0] > eager.together[1]
    assert p_within_margins(eager, 199, rng) > LEVEL
    copied = rng.random((150, 12)) < shares
    copied[:, 1] = copied[:, 0]
    assert p_within_margins(table_context(copied), 199, rng) <= 0.01
    chosen = np.eye(12, dtype=np.bool_)[rng.integers(12, size=150)]
    alone = table_context(chosen)
    assert p_within_columns(alone, 199, rng) <= 0.01
    assert alone.together[0] < alone.together[1]


def test_visits_are_swapped_one_after_the_other() -> None:
    rng = np.random.default_rng(5)
    tables = np.repeat(rng.random((1, 6, 5)) < 0.4, 3, axis=0)
    rows, columns = (np.ascontiguousarray(x.reshape(3, -1)) for x in np.nonzero(tables)[1:])
    picks = rng.integers(rows.shape[1], size=(3, 200, 2), dtype=np.int32)
    expected, left = tables.copy(), columns.copy()
    for table, own, column, pairs in zip(expected, rows, left, picks, strict=True):
        for first, second in pairs:
            a, b, y, z = own[first], own[second], column[first], column[second]
            if not table[a, z] and not table[b, y]:
                table[a, y] = table[b, z] = False
                table[a, z] = table[b, y] = True
                column[first], column[second] = z, y
    before = tables.copy()
    swap_visits(tables, rows, columns, picks)
    assert np.array_equal(tables, expected)
    assert np.array_equal(columns, left)
    assert (tables != before).any(axis=(1, 2)).all()
    assert np.array_equal(tables.sum(axis=1), before.sum(axis=1))


@slow
def test_false_discoveries_are_held() -> None:
    """Of 200 logs, each of 20 contexts of which 10 are products: the mean share of false ones."""
    rng = np.random.default_rng(6)
    shares, found = [], 0
    for _ in range(200):
        contexts = [products(rng, 40, 12) for _ in range(10)]
        for _ in range(10):
            eager = rng.random((40, 12)) < 0.3 * rng.choice([0.2, 1.8], (40, 1))
            contexts.append(table_context(eager))
        p = np.array([p_within_columns(context, 199, rng) for context in contexts])
        chosen = false_discovery_control(p) <= 0.05
        shares.append(chosen[:10].sum() / max(chosen.sum(), 1))
        found += int(chosen[10:].sum())
    error = np.std(shares, ddof=1) / len(shares) ** 0.5
    assert np.mean(shares) <= 0.05 + 3.1 * error
    assert found > 1000


def test_intervals_by_groups_cover() -> None:
    """Of 400 intervals of a mean about 95 % hold it; leaving out groups is exact for means."""
    rng = np.random.default_rng(9)
    values = rng.exponential(size=(400, 20, 10))
    held = 0
    for own in values:
        sums = own.sum(axis=1)
        _, low, high = over_groups(own.mean(), (sums.sum() - sums) / 190)
        held += low <= 1 <= high
    assert binom.cdf(held, 400, 0.95) > LEVEL


# --- sessions ---------------------------------------------------------------------------------


def test_sessions_are_picked_and_joined() -> None:
    first = Sessions.of([["a", "b", BACK, "c"], ["b"]], persons=["x", "y"])
    second = Sessions.of([["d", "a"]], persons=["y"])
    both = joined([first, second])
    assert list(both) == [*first, *second]
    assert [both.persons[k] for k in both.person] == ["x", "y", "y"]
    again = both.some(np.array([2, 0]))
    assert list(again) == [("d", "a"), ("a", "b", "a", "c")]
    assert again.is_back.tolist() == [False, False, False, False, True, False]
    assert again.is_entry.tolist() == [True, False, True, False, False, False]


def test_moves_along_no_link_are_refused() -> None:
    links = Links({("a", "b"): 0.5})
    coded = on_links(Sessions.of([["c"], ["b", BACK, "a"], ["a", "b", BACK, "b"]][::2]), links)
    assert coded.elements == ("a", "b", "c")
    assert coded.element.tolist() == [2, 0, 1, 0, 1]
    with pytest.raises(InputError, match=r"'b' -> 'a'"):
        on_links(Sessions.of([["a", "b", "a"]]), links)


# --- the whole --------------------------------------------------------------------------------


LOG = "session,element,person\n" + "".join(
    f"{k},{element},p{k % 50}\n"
    for k in range(120)
    for element in ("a", *("bc"[: k % 3]), *(["d"] if k % 7 == 0 and k % 3 == 2 else []))
)
LINKS = "source,target\na,b\nb,c\nc,d\na,c\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("log.csv").write_text(LOG)
    Path("links.csv").write_text(LINKS)
    return tmp_path


# A snapshot: each part's own tests say what is right.
VALUES = {
    ("joint visits", "excess of pairs seen together, of products"): 0.5974,
    ("joint visits", "sees nothing, minus noisy-or"): 0.1180,
    ("joint visits of the fitted walk", "excess of pairs seen together, of products"): 0.4602,
}


@slow
@pytest.mark.usefixtures("folder")
def test_a_log_of_files() -> None:
    result = PEOPLE(log=["log.csv", "log.csv"], links="links.csv", least=5, permutations=39)
    found = result.found
    assert (found.sessions, found.contexts, found.persons) == (240, 1, 50)
    values = {(row.part, row.quantity): row.value for row in result.rows}
    assert {key: values[key] for key in VALUES} == pytest.approx(VALUES, abs=5e-5)
    headline = result.view().headline
    assert "Visits are not independent, contrary to Hypothesis 2.2, in 1 of 1" in headline


@pytest.mark.usefixtures("folder")
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"links": ""}, "links must be"),
        ({"log": []}, "log must be"),
        ({"permutations": 38}, "a two-sided p of .05 needs 39"),
        ({"log": ["few.csv"]}, "number of people in the log is 2"),
        ({"log": ["stray.csv"]}, r"'b' -> 'a'"),
        ({"least": 51}, "log is 'log.csv', must start with an element that 51 people start with"),
    ],
)
def test_input_that_cannot_be(options: dict[str, Any], message: str) -> None:
    Path("few.csv").write_text("session,element\n1,a\n1,b\n2,a\n")
    Path("stray.csv").write_text("session,element\n1,b\n1,a\n")
    with pytest.raises(InputError, match=message):
        PEOPLE(**{"log": ["log.csv"], "links": "links.csv", **options})


@pytest.mark.parametrize(
    ("fails", "share", "told"),
    [
        (0, 0.0, "None of 2 contexts tested shows visits that depend on each other"),
        (1, 0.25, "contrary to Hypothesis 2.2, in 1 of 2 contexts tested"),
        (2, 1.0, "contrary to Hypothesis 2.2, in 2 of 2 contexts tested"),
    ],
)
def test_what_no_context_shows_is_not_said_of_any(fails: int, share: float, told: str) -> None:
    values = {
        "excess of pairs seen together, of products": 0.1,
        "contexts that go together": fails / 2,
        "contexts that exclude each other": 0.0,
    }
    rows = rows_beside("joint visits", values, {}, 2)
    walk = {"contexts that go together": share}
    rows += rows_beside("joint visits of the fitted walk", walk, {}, 2)
    numbers = {"contexts": 2, "persons": 0, "sessions": 9, "moves": 9, "back_clicks": 0}
    design = PEOPLE.design(log=["log.csv"], links="links.csv")
    result = PEOPLE.result(design, rows_of(turned(rows)), SimpleNamespace(**numbers, lost={}))
    headline = result.view().headline
    assert told in headline
    assert "in 0 of" not in headline
    walked = {0.0: "", 0.25: "In 25% of the contexts", 1.0: "In all of the contexts"}[share]
    assert walked in headline
    assert ("fitted walk" in headline) == bool(walked)
