"""The study of stops: fits against brute force and known truth, held-out scores by hand."""

import math
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy import special
from scipy.stats import binom, chi2, norm

from prum.experiments.studies.stops import (
    FAMILIES,
    STOPS,
    Family,
    Floats,
    fit,
    over_folds,
    over_halves,
    standard_errors,
    verdict_on_rr,
)
from prum.simulator.model import InputError
from tests.tiers import slow

# Of a false alarm in any one statistical test below; seeds are fixed, so it comes at once or never.
ALPHA = 1e-3
NAMED = {family.name: family for family in FAMILIES}
# Naver's clicks, or nearly.
COUNTS = np.array([562.0, 218, 107, 58, 52, 26, 21, 18, 13, 13])
POINTS = {"RBP": [-0.4], "DCG": [0.7], "Beta": [0.3, 1.2]}


def nothing() -> None:
    pass


def point_of(name: str) -> Floats:
    return np.array(POINTS.get(name, []))


def brute(name: str, k: int, values: tuple[float, ...]) -> float:
    """Return P(k) as the paper prints it."""
    if name.startswith("DCG"):
        (b,) = values or (2.0,)
        return 1 / math.log(k + b - 1, b) - 1 / math.log(k + b, b)
    if name == "RR":
        return 1 / (k * (k + 1))
    if name == "Beta":
        a, b = values
        return float(special.beta(a + 1, b + k - 1) / special.beta(a, b))
    (theta,) = values or (0.5,)
    return (1 - theta) ** (k - 1) * theta


def page_of(name: str, values: tuple[float, ...]) -> Floats:
    """Return P(k) of the first ten ranks, as the paper prints it."""
    return np.array([brute(name, k, values) for k in range(1, 11)])


def drawn(name: str, values: tuple[float, ...], size: int, rng: np.random.Generator) -> Floats:
    """Return counts of stops on a page of ten, drawn from the law as printed, cut there."""
    mass = page_of(name, values)
    return rng.multinomial(size, mass / mass.sum()).astype(np.float64)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_cut_laws_are_the_papers_given_the_page(family: Family) -> None:
    point = point_of(family.name)
    found = np.exp(family.log_mass(point, 10))
    assert found.sum() == pytest.approx(1, abs=1e-12)
    values = family.to_values(point)
    mass = page_of(family.name, values)
    assert found == pytest.approx(mass / mass.sum(), rel=1e-8)
    whole = np.exp(family.uncut().log_mass(point, 11))
    assert whole == pytest.approx([*mass, 1 - mass.sum()], rel=1e-7)


@pytest.mark.parametrize("cut", [True, False])
@pytest.mark.parametrize(
    ("name", "grid"),
    [
        ("RBP", [(x,) for x in np.linspace(0.01, 0.9, 891)]),
        ("DCG", [(x,) for x in np.linspace(1.02, 10, 899)]),
        ("Beta", [(a, b) for a in np.arange(0.8, 2, 0.1) for b in np.arange(0.8, 2, 0.1)]),
    ],
)
def test_no_parameter_on_a_grid_is_more_likely(
    name: str, grid: list[tuple[float, ...]], cut: bool
) -> None:
    family = NAMED[name] if cut else NAMED[name].uncut()
    counts = COUNTS if cut else np.append(COUNTS, 90.0)
    found = fit(family, counts)
    own = float(counts @ found.log_mass)
    likely = []
    for values in grid:
        mass = page_of(name, values)
        law = mass / mass.sum() if cut else np.append(mass, 1 - mass.sum())
        likely.append(float(counts @ np.log(law)))
    assert own >= max(likely) - 1e-9
    assert own == pytest.approx(max(likely), abs=0.5)
    again = fit(family, counts, found.point + 0.5)
    assert again.values == pytest.approx(found.values, rel=1e-4)


@slow
@pytest.mark.parametrize("copies", [1, 4])
def test_standard_errors_are_those_of_repeated_samples(copies: int) -> None:
    """Squared z over 200 samples; `copies` stops of a session are the same.

    Errors as if these were sessions of their own are wrong then, which is the negative control.
    """
    rng, z = np.random.default_rng(5), []
    for _ in range(200):
        stops = drawn("RBP", (0.4,), 400, rng)
        counts = stops * copies
        found = fit(NAMED["RBP"], counts)
        for groups in (
            np.repeat(np.eye(10), stops.astype(int), axis=0) * copies,
            np.diag(np.sqrt(counts)),
        ):
            errors = standard_errors(NAMED["RBP"], found, counts, groups)
            assert errors is not None
            z.append((found.values[0] - 0.4) / errors[0])
    totals = np.square(z).reshape(200, 2).sum(axis=0)
    right = (chi2.ppf(ALPHA / 2, 200) < totals) & (totals < chi2.isf(ALPHA / 2, 200))
    assert right.tolist() == [True, copies == 1]


def test_the_beta_mixture_finds_both_rr_and_rbp() -> None:
    uniform = 1e6 / np.arange(1, 11) / np.arange(2, 12)
    assert fit(NAMED["Beta"], uniform).values == pytest.approx((1, 1), rel=1e-3)
    geometric = 1e6 * 0.3 * 0.7 ** np.arange(10.0)
    found = fit(NAMED["Beta"], geometric)
    a, b = found.values
    assert a / (a + b) == pytest.approx(0.3, abs=1e-3)
    assert np.exp(found.log_mass) == pytest.approx(geometric / geometric.sum(), abs=1e-4)


@pytest.mark.parametrize("name", ["RBP", "DCG", "Beta"])
def test_all_stops_at_the_first_rank_have_no_peak(name: str) -> None:
    counts = np.array([7.0, 0, 0])
    found = fit(NAMED[name], counts)
    assert np.exp(found.log_mass[0]) == pytest.approx(1, abs=1e-4)
    assert np.isfinite(found.log_mass).all()
    assert standard_errors(NAMED[name], found, counts, np.diag(np.sqrt(counts))) is None


def test_folds_by_hand() -> None:
    """Three sessions in three parts: each is scored by what the other two say."""
    groups = np.array([[2.0, 0], [1, 1], [0, 1]])
    fixed = np.log([0.75, 0.25])

    def frequencies(counts: Floats) -> Floats:
        """Return log (count + 1/2) / (stops + n/2)."""
        return np.log(counts + 0.5) - np.log((counts + 0.5).sum())

    laws = {"frequencies": frequencies, "fixed": lambda _: fixed}
    found = over_folds(groups, laws, 3, np.random.default_rng(1), nothing)
    own = [
        2 * math.log(1.5 / 4),  # others: 1 and 2
        math.log(2.5 / 4) + math.log(1.5 / 4),  # others: 2 and 1
        math.log(1.5 / 5),  # others: 3 and 1
    ]
    other = [float(group @ fixed) for group in groups]
    assert found.means["frequencies"] == pytest.approx(sum(own) / 5)
    value, low, high = found.difference("frequencies", "fixed")
    assert value == pytest.approx((sum(own) - sum(other)) / 5)
    apart = [(a - b - value * size) / 5 for a, b, size in zip(own, other, (2, 2, 1), strict=True)]
    half = float(norm.isf(0.025)) * math.sqrt(sum(x * x for x in apart) * 3 / 2)
    assert (low, high) == pytest.approx((value - half, value + half))
    assert found.difference("fixed", "fixed") == (0, 0, 0)


def log_of(folder: Path, sessions: list[tuple[int, ...]]) -> str:
    """Write a log of searches on pages of four, with clicks at these ranks."""
    lines = []
    for number, ranks in enumerate(sessions):
        lines.append(f"s{number}\t0\tQ\tq\t0\ta\tb\tc\td")
        lines += [f"s{number}\t{at}\tC\t{'abcdx'[k - 1]}" for at, k in enumerate(ranks, start=1)]
    path = folder / "log.tsv"
    path.write_text("\n".join(lines) + "\n")
    return str(path)


SESSIONS = [(1,), (1, 2), (3, 1), (2,), (), (1, 4), (5,), (1,), (4, 2, 1), (1, 1)]


@slow
def test_a_study_of_a_log(tmp_path: Path) -> None:
    study = STOPS(sessions=log_of(tmp_path, SESSIONS))
    every, last = study.found.readings
    assert (every.counts, last.counts) == ([8, 3, 1, 2], [5, 2, 0, 1])
    assert every.sessions == last.sessions == 8
    log = study.found.log
    assert (log.searches, log.with_clicks, log.without_stop, log.outside) == (10, 9, 2, 1)
    assert len(study.rows) == 2 * len(FAMILIES)
    for row in study.rows:
        assert row.below_best >= 0
        assert (row.above_rr == 0) == (row.law == "RR")
    (rr,) = (row for row in study.rows if (row.reading, row.law) == ("every click", "RR"))
    mass = np.array([1 / 2, 1 / 6, 1 / 12, 1 / 20]) / 0.8
    assert rr.held_out == pytest.approx(np.array([8, 3, 1, 2]) / 14 @ np.log(mass))
    view = study.view()
    assert view.tables[0].label == "Every click a stop: 14 stops of 8 sessions"
    told = " ".join(view.notes)
    assert "10 searches in 10 sessions, 9 searches with a click. 1 clicks on URLs outside" in told


def test_ranks_may_be_empty(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("1\t9\n2\t0\n3\t0\nlater\t9\n")
    view = STOPS(totals=str(tmp_path / "t.tsv"), draws=3).view()
    text = "\n".join(line for table in view.tables for line in table.lines())
    assert "at the end of its range" in text
    assert "nan" not in text
    assert "in none of 2 readings" in view.headline


@pytest.mark.parametrize(
    ("clicks", "message"),
    [
        ([(), ()], r"log.tsv: number of sessions with a stop on the list \(every click\) is 0"),
        ([(1,), ()], "is 1, must be at least 2"),
        ("1\t1\n2\t0\n", "t.tsv: number of clicks is 1, must be at least 2"),
        ("1\t5\n", "number of ranks is 1, must be at least 2"),
        (None, "files is"),
    ],
)
def test_bad_input(
    clicks: list[tuple[int, ...]] | str | None, message: str, tmp_path: Path
) -> None:
    files: dict[str, str] = {}
    if isinstance(clicks, str):
        files["totals"] = str(tmp_path / "t.tsv")
        (tmp_path / "t.tsv").write_text(clicks)
    elif clicks is not None:
        files["sessions"] = log_of(tmp_path, clicks)
    with pytest.raises(InputError, match=message):
        STOPS(**files)


def verdicts_of(
    mass: Floats, others: tuple[str, ...], *, num_worlds: int, rng: np.random.Generator
) -> Counter[str]:
    """Return the verdicts on RR beside other laws, on 1,000 stops of a law each time."""
    laws = {name: partial(fitted_mass, NAMED[name]) for name in ("RR", *others)}
    told = Counter[str]()
    for _ in range(num_worlds):
        counts = rng.multinomial(1000, mass / mass.sum()).astype(float)
        told[verdict_on_rr(over_halves(counts, laws, 20, rng, nothing), others)] += 1
    return told


def fitted_mass(family: Family, counts: Floats) -> Floats:
    point = fit(family, counts).point if family.parameters else np.empty(0)
    return family.log_mass(point, len(counts))


@pytest.mark.parametrize(
    ("others", "num_worlds"),
    [(("RBP .5", "DCG 2"), 40), pytest.param(("RBP", "DCG"), 20, marks=slow)],
)
def test_verdicts_on_rr_err_at_the_promised_rate(others: tuple[str, ...], num_worlds: int) -> None:
    rng, ranks = np.random.default_rng(51), np.arange(1, 11)
    # On RR's own clicks it is undecided or best, on those of RBP another is better.
    own = verdicts_of(1 / (ranks * (ranks + 1)), others, num_worlds=num_worlds, rng=rng)
    assert own["not best"] <= binom.ppf(1 - 1e-4, num_worlds, 0.05)
    other = verdicts_of(0.5**ranks, others, num_worlds=num_worlds, rng=rng)
    assert other["best"] <= binom.ppf(1 - 1e-4, num_worlds, 0.025)
    assert other["not best"] >= 0.8 * num_worlds
