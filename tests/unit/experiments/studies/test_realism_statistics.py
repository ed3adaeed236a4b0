"""Each statistic of the study of realism, by hand."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from prum.experiments.studies.realism.reading import Data, read_pairs, read_paths
from prum.experiments.studies.realism.sources import files_of
from prum.experiments.studies.realism.statistics import both, samples
from prum.simulator.collections import read_elements
from tests.compared_folders import LINKS, by_hand, folder_of

# Of a false alarm in any one statistical test below; seeds are fixed, so it comes at once or never.
ALPHA = 1e-4


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
        ("s", 1, "Q", "q", 0, "a", "b", "c"),
        ("s", 2, "C", "c"),
        ("s", 3, "C", "b"),
        ("s", 4, "Q", "r", 0, "a", "b", "c"),
        ("s", 5, "C", "a"),
        ("t", 1, "Q", "q", 0, "a", "b", "c"),
        ("t", 2, "C", "c"),
        ("u", 1, "Q", "q", 0, "a", "b", "c"),
    ]
    (tmp_path / "log").write_text("".join("\t".join(map(str, row)) + "\n" for row in searches))
    (tmp_path / "b.toml").write_text('clicks = "log"\n')
    found = samples(files_of(tmp_path / "b.toml").read())
    assert found["last_rank"].values.tolist() == [1, 2, 3]
    assert found["last_rank"].groups.tolist() == [0, 0, 1]
    assert found["clicks"].values.tolist() == [3, 1]
