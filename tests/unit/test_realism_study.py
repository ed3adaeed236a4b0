"""The study of realism: distances, permutations, each statistic by hand, fitting, mistakes."""

import csv
import io
import json
import tomllib
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import binom, chisquare, ks_2samp, norm, wasserstein_distance

from prum.experiments.studies.page import page
from prum.experiments.studies.realism import distances as module
from prum.experiments.studies.realism.command import realism
from prum.experiments.studies.realism.data import STATISTICS, Data, both, samples
from prum.experiments.studies.realism.distances import Sample, compare, distances, holm
from prum.experiments.studies.realism.fitting import Fitted, fit, mean_distance, reduced, scale
from prum.experiments.studies.realism.laws import (
    popularity_slope,
    power_exponent,
    power_range,
    uniform_range,
)
from prum.experiments.studies.realism.moments import read_off
from prum.experiments.studies.realism.reading import read_log, read_pairs, read_paths
from prum.experiments.studies.realism.search import Dial, pattern_search
from prum.experiments.studies.realism.sources import files_of, is_specification
from prum.experiments.studies.realism.specifications import dial_of, toml_text, with_dial
from prum.experiments.studies.realism.study import FITTED, GIVEN, curve, study_realism
from prum.experiments.studies.realism.wording import labels, verdict
from prum.experiments.studies.study import Floats
from prum.simulator.collections.read import read_elements
from prum.simulator.model import Elements, InputError

# Of a false alarm in any one statistical test below; seeds are fixed, so it comes at once or never.
ALPHA = 1e-4

# --- distances -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["numbers", "ties", "equal", "tails"])
@pytest.mark.parametrize("sizes", [(1, 1), (7, 30), (500, 250)])
def test_distances_are_those_of_scipy(kind: str, sizes: tuple[int, int]) -> None:
    rng = np.random.default_rng(5)
    draw: Mapping[str, Any] = {
        "numbers": rng.normal,
        "ties": lambda size: rng.integers(0, 4, size).astype(float),
        "equal": lambda size: np.full(size, 2.5),
        "tails": lambda size: rng.pareto(0.8, size),
    }
    first, second = (draw[kind](size=size) for size in sizes)
    ks, wasserstein = distances(first, second)
    assert ks == pytest.approx(ks_2samp(first, second, method="exact").statistic, abs=1e-12)
    assert wasserstein == pytest.approx(wasserstein_distance(first, second), rel=1e-9, abs=1e-12)


def test_p_of_few_groups_is_that_of_all_orders() -> None:
    rng = np.random.default_rng(2)
    groups = [rng.integers(0, 6, size).astype(float) for size in (3, 1, 4, 2, 2)]
    for given in combinations(range(5), 2):
        others = [g for g in range(5) if g not in given]
        found = compare(
            sample([groups[g] for g in given]), sample([groups[g] for g in others]),
            permutations=10, rng=rng,
        )  # fmt: skip
        own = apart(groups, given)
        all_orders = np.array([apart(groups, order) for order in combinations(range(5), 2)])
        p = (all_orders >= np.array(own) - 1e-12).mean(axis=0)
        assert found.enumerated
        assert (found.ks_p, found.wasserstein_p) == pytest.approx(tuple(p))


def test_p_of_many_orders_is_drawn_and_never_zero() -> None:
    rng = np.random.default_rng(3)
    low, high = Sample.of(rng.normal(size=40)), Sample.of(rng.normal(5, size=40))
    found = compare(low, high, permutations=99, rng=rng)
    assert (found.ks_p, found.wasserstein_p, found.enumerated) == (0.01, 0.01, False)
    none = compare(low, high, permutations=0, rng=rng)
    assert (none.ks_p, none.wasserstein_p) == (None, None)
    assert none.wasserstein == found.wasserstein


def null_p_values(*, grouped: bool, num_draws: int = 400) -> tuple[Floats, Floats]:
    """Return p-values of two sides that are drawn alike, their values in groups of six."""
    rng = np.random.default_rng(11)
    found = []
    for _ in range(num_draws):
        sides = []
        for _ in range(2):
            groups = np.repeat(np.arange(9), 6)
            values = rng.normal(size=9)[groups] + 0.5 * rng.normal(size=len(groups))
            sides.append(Sample.of(values, groups if grouped else None))
        one = compare(sides[0], sides[1], permutations=99, rng=rng)
        found.append((one.ks_p, one.wasserstein_p))
    table = np.array(found, dtype=np.float64)
    return table[:, 0], table[:, 1]


def test_p_is_uniform_where_groups_are_drawn_alike() -> None:
    ks, wasserstein = null_p_values(grouped=True)
    counts = np.histogram(wasserstein, bins=np.linspace(0.005, 1.005, 11))[0]
    assert chisquare(counts).pvalue > ALPHA
    # Ties of the other distance make it say less, never more.
    assert (ks <= 0.1).sum() <= binom.ppf(1 - ALPHA, len(ks), 0.1)


def test_values_that_are_permuted_alone_raise_false_alarms() -> None:
    for p in null_p_values(grouped=False):
        assert (p <= 0.1).sum() > 3 * binom.ppf(1 - ALPHA, len(p), 0.1)


def test_systems_share_topics_so_that_permuting_them_raises_false_alarms() -> None:
    rng = np.random.default_rng(12)
    found = []
    for _ in range(200):
        sides = []
        for _ in range(2):
            worth = rng.normal(size=20)[:, None] + 0.2 * rng.normal(size=(20, 8))
            sides.append(Sample.of(worth.std(axis=0)))
        found.append(compare(sides[0], sides[1], permutations=99, rng=rng).wasserstein_p)
    alarms = sum(p is not None and p <= 0.1 for p in found)
    assert alarms > 3 * binom.ppf(1 - ALPHA, 200, 0.1)
    assert next(one.unit for one in STATISTICS if one.name == "topic_spread") == "campaign"
    whole = [Sample.whole([1.0, 2.0, 3.0]), Sample.whole([4.0, 5.0])]
    assert compare(whole[0], whole[1], permutations=99, rng=rng).wasserstein_p is None


def test_permutations_see_a_difference() -> None:
    rng = np.random.default_rng(13)
    groups = np.repeat(np.arange(40), 3)
    hits = 0
    for _ in range(50):
        values = rng.normal(size=(2, 40)).repeat(3, axis=1)
        one, two = Sample.of(values[0], groups), Sample.of(values[1] + 1.2, groups)
        p = compare(one, two, permutations=99, rng=rng).wasserstein_p
        hits += p is not None and p <= 0.05
    assert hits >= 40


def test_many_values_and_groups_are_thinned_for_permutations_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(4)
    one = Sample.of(rng.normal(size=900), np.arange(900) // 9)
    two = Sample.of(rng.normal(0.1, size=600), np.arange(600) // 6)

    def again() -> Any:
        return compare(one, two, permutations=199, rng=np.random.default_rng(1))

    whole = again()
    monkeypatch.setattr(module, "_HELD", 700)
    assert again() == whole
    monkeypatch.setattr(module, "MOST_POINTS", 10**6)
    exact = again()
    assert (exact.ks, exact.wasserstein) == (whole.ks, whole.wasserstein)
    assert exact.wasserstein_p == pytest.approx(whole.wasserstein_p, abs=0.02)
    monkeypatch.setattr(module, "MOST_GROUPS", 80)
    thinned = again()
    assert (whole.drawn, thinned.drawn) == (None, (80, 80))
    assert (thinned.ks, thinned.wasserstein) == (whole.ks, whole.wasserstein)


def test_holm() -> None:
    assert holm([]) == []
    assert holm([None, 0.4]) == [None, 0.4]
    assert holm([0.04, 0.01, 0.03, 0.9]) == pytest.approx([0.09, 0.04, 0.09, 0.9])


def test_curves_are_shares() -> None:
    assert curve(np.array([3.0, 1, 1, 2])) == [[1, 2, 3], [0.5, 0.75, 1]]
    points, shares = curve(np.random.default_rng(1).normal(size=5000))
    assert len(points) == len(shares) <= 200
    assert shares[-1] == 1
    assert sorted(shares) == shares


def sample(groups: list[Floats]) -> Sample:
    labels = np.repeat(np.arange(len(groups)), [len(one) for one in groups])
    return Sample.of(np.concatenate(groups), labels)


def apart(groups: list[Floats], chosen: tuple[int, ...]) -> tuple[float, float]:
    """Return scipy's distances of the chosen groups from the others."""
    first = np.concatenate([groups[g] for g in chosen])
    second = np.concatenate([one for g, one in enumerate(groups) if g not in chosen])
    ks = ks_2samp(first, second, method="exact").statistic
    return float(ks), float(wasserstein_distance(first, second))


# --- statistics, by hand -------------------------------------------------------------------------

LINKS = [("a", "b é"), ("b é", "a"), ("a", "c"), ("b é", "c"), ("c", "c"), ("d", "c")]
# Two documents: one has a section with two paragraphs and a paragraph, the other nothing.
ELEMENTS: list[tuple[str, str | None, int]] = [
    ("D 1", None, 10), ("D 1/ß", "D 1", 6), ("p1", "D 1/ß", 4), ("p2", "D 1/ß", 2),
    ("p3", "D 1", 4), ("D2", None, 7),
]  # fmt: skip
QRELS = "t1 0 a 2\nt1 0 b 1\nt1 0 c 0\nt2 0 a 1\nt3 0 z 0\n"
RUNS = {
    "x": "t1 Q0 a 1 3 x\nt1 Q0 c 2 2 x\nt1 Q0 b 3 1 x\nt2 Q0 a 1 1 x\n",
    "y": "t1 Q0 b 1 2 y\nt1 Q0 d 2 1 y\n",
}
# One user of two systems; he walks from page a to b and back.
EVENTS = [
    ("x", 0, 1, "t1", "consult", 1, "a", ""), ("x", 0, 1, "t1", "see", 1, "a", ""),
    ("x", 0, 1, "t1", "see", 1, "b", "a"), ("x", 0, 1, "t1", "see", 1, "a", "b"),
    ("x", 0, 1, "t1", "consult", 2, "c", ""), ("x", 0, 1, "t1", "see", 2, "c", ""),
    ("x", 0, 1, "t1", "stop", 2, "c", ""), ("x", 0, 2, "t2", "consult", 1, "a", ""),
    ("x", 0, 2, "t2", "see", 1, "a", ""), ("x", 0, 2, "t2", "stop", 1, "a", ""),
    ("y", 0, 1, "t1", "consult", 1, "b", ""), ("y", 0, 1, "t1", "see", 1, "b", ""),
    ("y", 1, 1, "t1", "consult", 1, "b", ""), ("y", 1, 1, "t1", "see", 1, "b", ""),
]  # fmt: skip
_EVENT = ("system", "user", "session", "query", "action", "rank", "element", "origin")


def by_hand(ideal_grade: int) -> dict[str, tuple[list[float], list[int]]]:
    """Return values, and how many of them each group has, in the order of groups."""
    found = {
        "out_degree": ([2, 2, 0, 1], [1] * 4),
        "in_degree": ([1, 1, 3, 0], [4]),
        "returned": ([0.5, 0.5, 0], [3]),
        # a links to b and c, of whose two pairs one is linked; b to a and c, likewise.
        "clustering": ([0.5, 0.5], [2]),
        "leaf_length": ([4, 2, 4, 7], [3, 1]),
        "leaf_depth": ([2, 2, 1, 0], [3, 1]),
        "children": ([2, 2], [2]),
        "document_length": ([10, 7], [1, 1]),
        "document_size": ([5, 1], [1, 1]),
        "list_length": ([3, 2, 1], [2, 1]),
        "overlap": ([0.25], [1]),
        "relevant": ([2, 1, 0], [1] * 3),
        "last_rank": ([2, 1, 1, 1], [3, 1]),
        "clicks": ([3, 1, 1], [2, 1]),
        "path_length": ([3, 1, 1, 1, 1], [5]),
        "revisits": ([1, 0, 0, 0, 0], [5]),
    }
    if ideal_grade == 2:
        # Only a is ideal, on topic 1: AP 1 and 0.
        return found | {
            "ideal": ([1, 0, 0], [1] * 3),
            "ideal_rank": ([1], [1]),
            "ideal_share": ([0.05, 0], [2]),
            "system_spread": ([0.5], [1]),
        }
    # AP is (1 + 2/3)/2 and 1 of x, 1/2 and 0 of y, who has no list for topic 2.
    ap = np.array([[5 / 6, 1], [1 / 2, 0]])
    return found | {
        "ideal": ([2, 1, 0], [1] * 3),
        "ideal_rank": ([1, 3, 1, 1], [3, 1]),
        "ideal_share": ([0.1, 0.05, 0.05], [2, 1]),
        "system_spread": (ap.std(axis=0).tolist(), [1, 1]),
        "topic_spread": (ap.std(axis=1).tolist(), [2]),
    }


def folder_of(place: Path, *, ideal_grade: int = 1, kind: str = "jsonl") -> Path:
    place.mkdir()
    (place / "runs").mkdir()
    told = {"specification": {"topics": {"ideal_grade": ideal_grade}}, "files": {}}
    (place / "dataset.json").write_text(json.dumps(told))
    (place / "qrels.txt").write_text(QRELS)
    for name, text in RUNS.items():
        (place / "runs" / name).write_text(text)
    links = [{"source": a, "target": b, "probability": 0.5} for a, b in LINKS]
    elements = [{"element": e, "parent": p, "length": n, "start": None} for e, p, n in ELEMENTS]
    log = [dict(zip(_EVENT, event, strict=True), time=1.0) for event in EVENTS]
    for name, rows in {"links": links, "elements": elements, "log": log}.items():
        write_table(place / f"{name}.{kind}", rows)
    return place


def write_table(path: Path, rows: list[dict[str, Any]]) -> None:
    if path.suffix == ".parquet":
        pa = pytest.importorskip("pyarrow")
        pq = pytest.importorskip("pyarrow.parquet")
        pq.write_table(pa.Table.from_pylist(rows), path)
        return
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
@pytest.mark.parametrize("ideal_grade", [1, 2])
def test_statistics_of_a_folder_are_those_by_hand(
    tmp_path: Path, ideal_grade: int, kind: str
) -> None:
    folder = folder_of(tmp_path / "a b", ideal_grade=ideal_grade, kind=kind)
    found = samples(files_of(folder).read())
    expected = by_hand(ideal_grade)
    assert set(found) == set(expected)
    for name, (values, sizes) in expected.items():
        own = found[name]
        assert sorted(own.values) == pytest.approx(sorted(values)), name
        assert sorted(np.unique(own.groups, return_counts=True)[1]) == sorted(sizes), name


def test_ideals_that_are_all_relevant_elements_are_told_once(tmp_path: Path) -> None:
    one = samples(files_of(folder_of(tmp_path / "one")).read())
    two = samples(files_of(folder_of(tmp_path / "two", ideal_grade=2)).read())
    assert "ideal" not in both(one, one)
    assert {"ideal", "relevant"} <= set(both(one, two))


def test_all_kinds_of_links_are_the_same(tmp_path: Path) -> None:
    named = [",".join(pair) for pair in LINKS]
    texts = {
        "plain.txt": "# links\n\n" + "".join(f"{a}\t{b}\n" for a, b in [*LINKS, LINKS[0]]),
        "plain.tsv": "".join(f"{a}\t{b}\n" for a, b in LINKS),
        "named.tsv": "target\tsource\n" + "".join(f"{b}\t{a}\n" for a, b in LINKS),
        "named.csv": "source,target\n" + "\n".join(named),
        "probable.csv": "source,target,probability\n" + "".join(f"{one},.5\n" for one in named),
        "named.jsonl": "".join(
            json.dumps({"source": a, "target": b}, ensure_ascii=False) + "\n" for a, b in LINKS
        ),
        "quoted.csv": "source,target\n" + "".join(f'"{a}","{b}"\n' for a, b in LINKS),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-8")
        found = read_pairs(tmp_path / name)
        assert (len(found.sources), found.num_pages) == (5, 4), name
        assert sorted(samples(Data(links=found))["in_degree"].values) == [0, 1, 1, 3], name
    (tmp_path / "blanks").write_text("a  b\nb a\n")
    assert read_pairs(tmp_path / "blanks").num_pages == 2


def test_ids_in_csv_hold_blanks_commas_and_unicode(tmp_path: Path) -> None:
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(["element", "parent", "length"])
    writer.writerows([("a, Ω", "", 9), ("a, Ω / 1", "a, Ω", 4), ('"q"', "a, Ω", 5)])
    (tmp_path / "e.csv").write_text(stream.getvalue(), "utf-8")
    found = samples(Data(elements=read_elements(tmp_path / "e.csv")))
    assert sorted(found["leaf_length"].values) == [4, 5]


def test_paths(tmp_path: Path) -> None:
    (tmp_path / "paths").write_text("# three\n1 2 1 1\n\nNew York\tRome\tNew York\t\nÅ\n", "utf-8")
    found = samples(Data(paths=read_paths(tmp_path / "paths")))
    assert found["path_length"].values.tolist() == [4, 3, 1]
    assert found["revisits"].values.tolist() == [2, 1, 0]
    assert found["path_length"].num_groups == 3


def test_clicks(tmp_path: Path) -> None:
    searches = [
        ("s", 1, "Q", "q", 0, "a", "b", "c"), ("s", 2, "C", "c"), ("s", 3, "C", "b"),
        ("s", 4, "Q", "r", 0, "a", "b", "c"), ("s", 5, "C", "a"),
        ("t", 1, "Q", "q", 0, "a", "b", "c"), ("t", 2, "C", "c"),
        ("u", 1, "Q", "q", 0, "a", "b", "c"),
    ]  # fmt: skip
    (tmp_path / "log").write_text("".join("\t".join(map(str, row)) + "\n" for row in searches))
    (tmp_path / "b.toml").write_text('clicks = "log"\n')
    found = samples(files_of(tmp_path / "b.toml").read())
    assert found["last_rank"].values.tolist() == [1, 2, 3]
    assert found["last_rank"].groups.tolist() == [0, 0, 1]
    assert found["clicks"].values.tolist() == [3, 1]


# --- sources, and mistakes -----------------------------------------------------------------------


def test_a_toml_file_names_the_same_files(tmp_path: Path) -> None:
    folder_of(tmp_path / "[made]")
    (tmp_path / "[made]" / "b.toml").write_text(
        'runs = ["runs/x", "runs/*"]\nqrels = "qrels.txt"\nlinks = "links.jsonl"\n'
        'log = "log.jsonl"\nelements = ["elements.jsonl"]\n'
    )
    own = samples(files_of(tmp_path / "[made]" / "b.toml").read())
    made = samples(files_of(tmp_path / "[made]").read())
    assert set(own) == set(made)
    for name, one in made.items():
        assert own[name].values.tolist() == one.values.tolist()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", ["specification is {'name': 'b'}, must name files: links, "]),
        ("link = 'x'\n", ["link is 'x', must not be there: the name is unknown"]),
        ("links = 5\nqrels = ''\n", ["links is 5, must be", "qrels is '', must be a text"]),
        ("elements = 'x'\n", ["elements is 'x', must be a valid array"]),
        ("elements = []\n", ["elements is [], must hold something"]),
        ("ideal_grade = 0\nlinks = 'x'\n", ["ideal_grade is 0, must be greater than or equal"]),
        ("links = 'no'\nruns = ['no', 'r*']\nqrels = 'no*'\n", [
            "links is 'no', must be a file that exists", "qrels is 'no*', must be a file",
            "runs[0] is 'no', must be a file", "runs[1] is 'r*', must match a file",
        ]),
        ("elements = ['e.csv', 'e.xml']\n", ["elements is 'e.csv', must be one table, or XML"]),
        ("log = 'e.csv'\nclicks = 'e.csv'\n", ["must name log or clicks, not both"]),
    ],
)  # fmt: skip
def test_mistakes_in_toml(tmp_path: Path, text: str, told: list[str]) -> None:
    for name in ("e.csv", "e.xml"):
        (tmp_path / name).write_text("")
    file = tmp_path / "b.toml"
    file.write_text(text)
    with pytest.raises(InputError) as error:
        files_of(file)
    lines = str(error.value).split("\n")
    assert len(lines) == len(told)
    for line, one in zip(lines, told, strict=True):
        assert line.startswith(f"{file}: ")
        assert one in line
        assert "; " in line


@pytest.mark.parametrize(
    ("kind", "text", "told"),
    [
        ("links", "a\tb\tc\n", "f, line 1: line is 'a\\tb\\tc', must be source and target; "),
        ("links", "a b\na\t\n", "f, line 2: line is 'a\\t', must be source and target"),
        ("links", "# nothing\n", "f: number of lines that are not blank is 0, must be"),
        ("paths", "\n", "f: number of lines that are not blank is 0, must be"),
        ("log", '{"user": 1}\n', "f, line 1: line is '{\"user\": 1}', must be an object with"),
        ("log", "\n[1]\n", "f, line 2: line is '[1]', must be an object with"),
        ("log", "", "f: number of lines that are not blank is 0"),
    ],
)
def test_mistakes_in_files(tmp_path: Path, kind: str, text: str, told: str) -> None:
    (tmp_path / "f").write_text(text)
    (tmp_path / "b.toml").write_text(f'{kind} = "f"\n')
    with pytest.raises(InputError) as error:
        files_of(tmp_path / "b.toml").read()
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_a_log_in_parquet_has_to_be_one(tmp_path: Path) -> None:
    file = tmp_path / "log.parquet"
    file.write_text("no")
    with pytest.raises(InputError, match="must be Parquet"):
        read_log(file)
    write_table(file, [{"user": 1}])
    with pytest.raises(InputError, match="columns of the log is 'user', must be system, user"):
        read_log(file)


def test_a_folder_has_to_be_a_dataset(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="must be one of prum generate"):
        files_of(tmp_path)
    (tmp_path / "dataset.json").write_text("[1]")
    with pytest.raises(InputError, match="must be that of prum generate"):
        files_of(tmp_path)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--permutations", "-1"), "permutations is -1, must be"),
        (("--fit", "o.toml"), "what is to be fitted is 'b.toml', must be a specification"),
        (("--csv", "p"), "output file is 'p', must be none of the other files"),
        (("--fit", "b.toml"), "output file is 'b.toml', must be none of the other files"),
        (("--seed", "-1"), "seed is -1"),
        ((), "statistics that both sides have is 0, must be at least 1; give files of the same"),
    ],
)
def test_mistakes_of_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p").write_text("a b\n")
    Path("a.toml").write_text('links = "p"\n')
    Path("b.toml").write_text('paths = "p"\n')
    found = CliRunner().invoke(realism, ["a.toml", "b.toml", *words])
    assert isinstance(found.exception, InputError)
    assert told in str(found.exception)
    assert not Path("o.toml").exists()


# --- the study -----------------------------------------------------------------------------------


def test_the_study_is_printed_written_and_the_same_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder_of(Path("one"))
    folder_of(Path("two"), ideal_grade=2)
    words = ["one", "two", "--json", "o.json", "--csv", "o.csv", "--html", "o.html"]
    told = CliRunner().invoke(realism, words, catch_exceptions=False)
    assert told.exit_code == 0
    assert "0 of 15 statistics differ for sure (Holm, 5%)" in told.output
    content = json.loads(Path("o.json").read_text())
    assert content["command"] == "prum study realism one two --permutations 999 --seed 1"
    rows = list(csv.DictReader(Path("o.csv").read_text().splitlines()))
    assert [row["statistic"] for row in rows] == [row["statistic"] for row in content["rows"]]
    ranks = next(row for row in content["rows"] if row["statistic"] == "ideal_rank")
    assert (ranks["values_a"], ranks["values_b"], ranks["mean_a"]) == (4, 1, 1.5)
    assert ranks["wasserstein"] == pytest.approx(0.5)
    assert ranks["enumerated"]
    again, _ = study_realism("one", "two")
    assert json.loads(again.to_json()) == content
    assert page(again) == Path("o.html").read_text()
    assert "revisits of a path" in page(again)


def test_equal_values_have_no_standard_deviation() -> None:
    equal = Sample.of([0.1] * 10)
    assert scale(equal.values) == pytest.approx(0.1)
    assert scale(np.zeros(3)) == 1


# --- fitting -------------------------------------------------------------------------------------


def test_toml_is_read_back() -> None:
    content = {
        "name": 'a "b" \\ \n\x7f é',
        "collection": {"kind": "web", "inside": 0.5, "elements": 100, "big": 1e22, "odd key": 1},
        "topics": {"relevant": [3, 12], "grades": [0.5, 0.5], "deep": {"yes": True}},
        "systems": [{"name": "a", "target": {"value": [0.1, 0.2]}}, {"name": "b"}],
        "empty": [],
    }
    assert tomllib.loads(toml_text(content)) == content
    assert tomllib.loads(toml_text({"a": None, "b": 1})) == {"b": 1}


def test_dials_are_read_and_set() -> None:
    content: dict[str, Any] = {"systems": [{"strength": [1, 2]}]}
    changed = with_dial(content, "systems.0.strength.1", 3)
    assert (dial_of(changed, "systems.0.strength.1"), content["systems"][0]["strength"][1]) == (
        3,
        2,
    )
    assert dial_of(changed, "systems.1.strength", 7) == 7


def test_a_uniform_range_is_found_again() -> None:
    rng = np.random.default_rng(6)
    assert uniform_range(rng.integers(3, 10, 5000).astype(float), 1) == [3, 9]
    assert uniform_range(np.array([4.0, 4, 4]), 1) == [4, 4]
    assert uniform_range(np.array([0.0, 0, 2]), 1)[0] == 1


@pytest.mark.parametrize("exponent", [0.0, 0.7, 2.5])
def test_a_degree_exponent_is_found_again(exponent: float) -> None:
    degrees = np.arange(0, 60)
    logs = np.log(np.maximum(degrees, 1))
    weights = np.exp(-exponent * logs)
    weights /= weights.sum()
    drawn = np.random.default_rng(7).choice(degrees, 20_000, p=weights).astype(float)
    found = power_exponent(drawn, 0, 59)
    # Of an exponential family the information is the variance of what is summed.
    error = 1 / np.sqrt(20_000 * (weights @ logs**2 - (weights @ logs) ** 2))
    assert abs(found - exponent) <= norm.ppf(1 - ALPHA / 2) * error + 1e-4
    assert power_exponent(drawn + 1, 1, 60) != pytest.approx(found, abs=error) or exponent == 0


def test_a_power_law_between_least_and_most_is_found_again() -> None:
    degrees = np.arange(4, 101)
    weights = degrees**-1.2 / (degrees**-1.2).sum()
    drawn = np.random.default_rng(8).choice(degrees, 20_000, p=weights).astype(float)
    least, most, exponent = power_range(drawn)
    assert least == 4
    assert 75 <= most <= 100
    assert exponent == pytest.approx(1.2, abs=0.1)
    assert power_range(np.zeros(5))[:2] == (0, 1)


def test_a_popularity_is_found_again() -> None:
    assert popularity_slope(np.arange(1, 5000) ** -0.6 * 1e6) == pytest.approx(0.6)
    assert popularity_slope(np.zeros(5)) == 0


def test_trees_are_read_off() -> None:
    tree = Elements.from_columns(
        ["d", "s", "t", "p", "q", "r"], [None, "d", "d", "s", "s", "t"], [60, 40, 20, 10, 30, 20]
    )
    changed, changes = read_off({"collection": {"kind": "xml"}}, Data(elements=tree))
    collection: Any = changed["collection"]
    assert (collection["depth"], collection["nesting"]) == (2, 1.0)
    assert (collection["words"], collection["elements"]) == (20, 100)
    assert collection["words_spread"] == pytest.approx(np.log([10, 30, 20]).std(), abs=1e-4)
    assert {one.dial for one in changes} >= {"collection.fan_out", "collection.words"}
    other, none = read_off({"collection": {"kind": "web"}}, Data(elements=tree))
    assert (other, none) == ({"collection": {"kind": "web"}}, [])


def test_levels_of_trees_are_read_off_and_searched() -> None:
    # Two acts; one has a scene with three lines and a title, the other two scenes with a line each.
    parents = [None, "p", "p", "a", "a", "s", "s", "s", "b", "b", "t", "u"]
    names = ["p", "a", "b", "s", "x", "1", "2", "3", "t", "u", "4", "5"]
    sizes = [8, 5, 3, 4, 1, 1, 1, 1, 1, 1, 1, 1]
    tree = Elements.from_columns(names, parents, sizes)
    changed, _ = read_off({"collection": {"kind": "xml"}}, Data(elements=tree))
    collection: Any = changed["collection"]
    assert collection["fan_out"] == [[2, 2], [2, 2], [1, 3]]
    assert (collection["depth"], collection["nesting"]) == (3, [1.0, 0.75])
    asked = set[str]()

    def make(content: Mapping[str, Any], _: int) -> Data:
        asked.add(json.dumps(dial_of(content, "collection.fan_out")))
        asked.add(json.dumps(dial_of(content, "collection.nesting")))
        return Data(elements=tree)

    found = fit({"collection": {"kind": "xml"}}, Data(elements=tree), make, budget=25, size=200,
                seed=1)  # fmt: skip
    assert {"[[2, 2], [2, 8], [1, 3]]", "[0.8, 0.75]", "[1.0, 0.95]"} <= asked
    (change,) = (one for one in found.changes if one.dial == "collection.fan_out")
    assert change.after == [[2, 2], [2, 2], [1, 3]]


def test_a_tail_of_relevant_elements_is_read_off() -> None:
    rng = np.random.default_rng(10)
    content = {"collection": {"kind": "flat"}, "topics": {"relevant_spread": 2.0}}
    for sizes, has_tail in (
        (np.exp(3 + 0.9 * rng.normal(size=400)).round() + 1, True),
        (rng.integers(5, 40, 400), False),
    ):
        qrels = {f"{n}": {f"e{k}": 1 for k in range(int(size))} for n, size in enumerate(sizes)}
        changed, _ = read_off(content, Data(qrels=qrels))
        topics: Any = changed["topics"]
        if has_tail:
            assert topics["relevant"] == [sizes.min(), sizes.max()]
            assert topics["relevant_median"] == np.median(sizes)
            assert topics["relevant_spread"] == pytest.approx(0.85, abs=0.1)
        else:
            assert topics["relevant"] == [5, 39]
            assert (topics["relevant_spread"], "relevant_median" in topics) == (None, False)


def test_chunks_are_read_off() -> None:
    pages = Elements(
        {"p": (None, 50.0), **{f"c{k}": ("p", 20.0, 15.0 * k) for k in range(3)}, "q": (None, 20.0),
         "x": ("q", 20.0)}
    )  # fmt: skip
    changed, _ = read_off({"collection": {"kind": "chunks"}}, Data(elements=pages))
    collection: Any = changed["collection"]
    assert (collection["words"], collection["stride"]) == (20, 15)
    assert collection["page_words"] == pytest.approx(np.sqrt(1000), abs=1e-4)


def test_topics_lists_and_users_are_read_off(tmp_path: Path) -> None:
    data = files_of(folder_of(tmp_path / "one")).read()
    content = {"collection": {"kind": "flat"}, "systems": [{"name": "s"}], "log": {"users": 5}}
    changed, _ = read_off(content, data)
    assert changed["topics"] == {
        "number": 2, "relevant": [1, 2], "grades": [0.6667, 0.3333], "ideal_grade": 1,
    }  # fmt: skip
    assert changed["systems"] == [{"name": "s", "depth": 2}]
    # Three visits with four searches, which end at rank 5/4 in the mean.
    assert changed["log"] == {"users": 5, "queries": 1.3333, "stop": ["persistence 0.2"]}


def test_a_pattern_search_finds_the_least_and_keeps_its_budget() -> None:
    dials = [Dial("x", 0, 1, 0.5, ()), Dial("y", 1, 1000, 50, (), "log", whole=True)]
    seen = list[tuple[float, ...]]()

    def loss(values: tuple[float, ...]) -> float:
        seen.append(values)
        return (values[0] - 0.2) ** 2 + np.log(values[1] / 200) ** 2

    found = pattern_search(loss, dials, [0.9, 3], budget=60)
    assert found.values[0] == pytest.approx(0.2, abs=0.02)
    assert found.values[1] == pytest.approx(200, rel=0.1)
    assert len(seen) == len(set(seen)) == len(found.losses) <= 60
    assert (found.first, found.loss) == (found.losses[0], min(found.losses))
    assert pattern_search(loss, dials, [0.9, 3], budget=1).values == (0.9, 3)
    assert pattern_search(lambda _: 1.0, [], [], budget=5).values == ()


def agreeing(content: Mapping[str, Any], seed: int) -> Data:
    """Return lists of two systems that share elements as far as they are to agree."""
    agreement = float(dial_of(content, "dependence.agreement", 0.3))
    if agreement > 0.95:
        raise InputError("agreement", agreement, "be less", remedy="lower it")
    rng = np.random.default_rng(seed)
    runs: dict[str, dict[str, list[str]]] = {"x": {}, "y": {}}
    for topic in range(int(dial_of(content, "topics.number", 20))):
        shared = rng.random(20) < agreement
        runs["x"][f"{topic}"] = [f"x{k}" for k in range(20)]
        runs["y"][f"{topic}"] = [f"{'x' if shared[k] else 'y'}{k}" for k in range(20)]
    return Data(runs=runs)


def test_a_fit_comes_closer_and_finds_the_dial_again() -> None:
    real = agreeing({"dependence": {"agreement": 0.8}, "topics": {"number": 300}}, seed=1)
    content = {"collection": {"kind": "flat", "elements": 1000}, "topics": {"number": 300}}
    found: Fitted = fit(content, real, agreeing, budget=30, size=200, seed=9)
    assert found.specification["dependence"]["agreement"] == pytest.approx(0.8, abs=0.05)
    assert found.losses[0] > 5 * min(found.losses)
    assert found.specification["topics"] == {"number": 300}
    (change,) = found.changes
    assert (change.dial, change.before, change.reason) == ("dependence.agreement", None, "search")
    before, after = (
        mean_distance(samples(real), samples(agreeing(one, seed=2)))
        for one in (content, found.specification)
    )
    assert before > 5 * after


def test_a_fit_to_nothing_common_or_of_what_fails_says_so() -> None:
    real = agreeing({}, seed=1)
    content = {"collection": {"kind": "flat"}, "dependence": {"agreement": 1.0}}
    with pytest.raises(InputError, match="must be less; lower it"):
        fit(content, real, agreeing, budget=1, size=200, seed=9)
    assert mean_distance({}, samples(real)) == np.inf


def test_a_smaller_collection_is_of_the_same_law() -> None:
    content = {
        "collection": {"kind": "flat", "elements": 90_000}, "pool": {"depth": 5},
        "systems": [{"name": "s", "number": 50}, {"name": "t"}],
    }  # fmt: skip
    assert reduced(content, 2_000) == {
        "collection": {"kind": "flat", "elements": 2_000},
        "systems": [{"name": "s", "number": 8}, {"name": "t"}],
        "truth": {"measures": ["AP"]},
    }
    assert content["collection"] == {"kind": "flat", "elements": 90_000}


def test_the_fit_is_written_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from prum.experiments.studies.realism import study as studying

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(studying, "made_data", agreeing)
    folder_of(Path("real"))
    Path("b.toml").write_text('[collection]\nkind = "flat"\nelements = 500\n')
    assert is_specification("b.toml")
    words = ["real", "b.toml", "--fit", "o.toml", "--budget", "9", "--html", "o.html"]
    told = CliRunner().invoke(realism, words, catch_exceptions=False)
    assert told.exit_code == 0
    assert "Fitted dials bring the mean Wasserstein distance from" in told.output
    text = Path("o.toml").read_text()
    assert text.startswith("# prum study realism real b.toml --permutations 999 --seed 1 --budget")
    written = tomllib.loads(text)
    assert written["topics"]["number"] == 2
    study, fitted = study_realism("real", "b.toml", fit_to="o.toml", budget=9)
    assert fitted is not None
    assert written == fitted.specification
    assert labels(study) == [GIVEN, FITTED]
    assert verdict(study, FITTED) in page(study).replace("&#39;", "'")
    assert "topics.number" in page(study)
    assert page(study) == Path("o.html").read_text()
    json.loads(study.to_json())
