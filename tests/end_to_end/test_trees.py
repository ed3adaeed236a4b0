"""Real trees: plays and help pages, from XML to a verdict, by several ways of browsing."""

import json
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from prum.analytic import reach_matrix
from prum.experiments.crosscheck import crosscheck
from prum.simulator import (
    Elements,
    Independent,
    Task,
    read_xml,
    structural,
)
from tests.commands import called
from tests.end_to_end.trees import convert_pages, convert_plays
from tests.tiers import slow

pytestmark = slow

etree = pytest.importorskip("lxml.etree")


@pytest.fixture(scope="module")
def plays(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return the files of eight plays by Shakespeare."""
    source = shared_data / "xml" / "shakespeare_nltk_8plays.zip"
    if not source.is_file():
        pytest.skip(f"no Shakespeare: {source} is missing")
    folder = tmp_path_factory.mktemp("plays")
    with zipfile.ZipFile(source) as archive:
        archive.extractall(folder)
    return sorted((folder / "shakespeare").glob("*.xml"))


@pytest.fixture(scope="module")
def pages(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return the files of GNOME's help."""
    source = shared_data / "xml" / "gnome-help-43_C_mallard_pages.tar.gz"
    if not source.is_file():
        pytest.skip(f"no gnome-help: {source} is missing")
    folder = tmp_path_factory.mktemp("pages")
    with tarfile.open(source) as archive:
        archive.extractall(folder, filter="data")
    return sorted((folder / "gnome-help").glob("*.page"))


@pytest.fixture(scope="module")
def drama(plays: list[Path]) -> Elements:
    return read_xml(*plays)


@pytest.fixture(scope="module")
def manual(pages: list[Path]) -> Elements:
    return read_xml(*pages)


def text_size(node: "etree._Element") -> int:
    return len("".join("".join(node.itertext()).split()))


def check_against_lxml(table: Elements, path: Path) -> int:
    """Compare with the text that lxml finds in the whole tree; return the number of elements."""
    tree = etree.parse(path, etree.XMLParser(remove_comments=True, remove_pis=True))
    root = table.number(path.stem)
    nodes = list(tree.iter(etree.Element))
    assert table.afters[root] - root == len(nodes)
    for number, node in enumerate(nodes, start=root):
        assert table.lengths[number] == text_size(node)
        assert table.depths[number] == len(list(node.iterancestors()))
    return len(nodes)


def test_plays_are_read_as_they_are(plays: list[Path], drama: Elements) -> None:
    assert len(plays) == 8
    assert sum(check_against_lxml(drama, path) for path in plays[::3]) > 10_000
    assert len(drama) == 40_159
    assert drama.depths.max() == 5
    assert np.count_nonzero(drama.parents < 0) == 8
    assert drama.children("hamlet/ACT[1]/SCENE[2]")[0] == "hamlet/ACT[1]/SCENE[2]/TITLE[1]"


def test_pages_are_read_as_they_are(pages: list[Path], manual: Elements) -> None:
    assert sum(check_against_lxml(manual, path) for path in pages[::10]) > 1_000
    assert len(manual) == 13_958
    assert len(pages) == np.count_nonzero(manual.parents < 0) == 293


def scene_task(table: Elements, scene: str) -> Task:
    """Return a list of a scene's play, act, neighbours and own parts; three speeches are ideal."""
    speeches = [part for part in table.children(scene) if "/SPEECH[" in part]
    act, play = table.ancestors(scene)
    ranking = [speeches[1], scene, *table.children(speeches[4])[:2], act, speeches[9], play]
    return Task(ranking, [speeches[2], speeches[4], speeches[9]], len(table))


def test_structure_of_plays_agrees(drama: Elements) -> None:
    links = structural(drama)
    # Each element and each of its ancestors, there and back; one element holds no text.
    assert np.count_nonzero(drama.lengths == 0) == 1
    assert len(links) == 2 * drama.depths[drama.lengths > 0].sum()
    assert links == structural(drama, targets=drama.ids)
    for scene in ("hamlet/ACT[3]/SCENE[1]", "macbeth/ACT[1]/SCENE[3]"):
        task = scene_task(drama, scene)
        reach = reach_matrix(task, Independent(links)).toarray()
        ideal = task.ideals[1]
        wanted = drama.lengths[drama.number(ideal)] / drama.lengths[drama.number(scene)]
        assert reach[task.ranking.index(scene), 1] == wanted
        few = Independent(structural(drama, targets=task.ideals))
        assert (reach_matrix(task, few).toarray() == reach).all()
        checked = crosscheck(task, few, num_users=20_000, seed=1)
        assert checked.verdict == "agrees"


def test_disagreement_would_be_seen(drama: Elements) -> None:
    """Negative control: users who follow the structure less are told from those of equation (9)."""
    from prum.simulator import Links, simulate

    task = scene_task(drama, "hamlet/ACT[3]/SCENE[1]")
    links = structural(drama, targets=task.ideals)
    lazy = Independent(Links({(x, y): 0.5 * p for x, y, p in links}))

    checked = crosscheck(
        task,
        Independent(links),
        num_users=20_000,
        seed=1,
        simulate=lambda task, _, **rest: simulate(task, lazy, **rest),
    )
    assert checked.verdict == "disagrees"


# --- on the command line ----------------------------------------------------------------------

SYSTEMS = ("speeches.run", "lines.run", "scenes.run", "mixed.run")


@pytest.fixture(scope="module")
def judged_plays(plays: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of runs, qrels and elements, beside the plays themselves."""
    folder = tmp_path_factory.mktemp("judged")
    assert convert_plays(plays[0].parent, folder, num_topics=8) == 40_159
    for path in plays:
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


def checked(
    folder: Path, systems: tuple[str, ...], size: int, *words: str
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return comparisons and systems of a cross-check that agrees."""
    runs = [word for system in systems for word in ("--run", system)]
    sized = ("--collection-size", str(size), "--users", "10000", "--seed", "1")
    done = called(
        "crosscheck",
        *runs,
        "--qrels",
        "qrels.txt",
        *sized,
        *words,
        "--json",
        "out.json",
        folder=folder,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    assert result["verdict"] == "agrees"
    rows = pd.DataFrame(result["comparisons"])
    assert set(rows["system"]) == set(systems)
    assert (rows["verdict"] == "agrees").mean() > 0.5
    return rows, pd.DataFrame(result["systems"]).set_index("system")


def of_plays(folder: Path, *words: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    return checked(folder, SYSTEMS, 40_159, "--elements", "plays.csv.gz", *words)


def test_plays_are_checked_as_xml_and_as_a_table(judged_plays: Path) -> None:
    words = [word for path in judged_plays.glob("*.xml") for word in ("--elements", path.name)]
    assert len(words) == 16
    from_xml, _ = checked(judged_plays, SYSTEMS, 40_159, *words)
    from_table, systems = of_plays(judged_plays, "--way", "structural")
    pd.testing.assert_frame_equal(from_xml, from_table)
    # Nothing but Hypothesis 2.3, which never overrates.
    assert from_table["prum_error"].max() < 1e-12
    # A line leads to its speech; less so for who does not browse a play that they have seen.
    truth = systems.loc["lines.run", "reference"]
    _, once = checked(
        judged_plays,
        ("lines.run",),
        40_159,
        "--elements",
        "plays.csv.gz",
        "--navigation",
        "no-revisit",
    )
    assert truth > once.loc["lines.run", "reference"] > systems.loc["lines.run", "classical"]


def test_pages_of_help_are_walked(
    pages: list[Path], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("help")
    assert convert_pages(pages[0].parent, folder, num_topics=10) == 293
    given = ("--links", "links.csv", "--way", "web .85")
    walked, systems = checked(folder, ("body.run", "hubs.run"), 293, *given)
    # The file holds just these shares: as links that are walked it says the same.
    same, _ = checked(folder, ("body.run", "hubs.run"), 293, *given[:2], "--navigation", "walk")
    pd.testing.assert_frame_equal(walked, same)
    assert walked["prum_error"].max() > 0.01
    assert (systems["reference"] > systems["classical"]).all()


def test_links_of_pages_are_expanded(pages: list[Path], tmp_path: Path) -> None:
    """A second level of links shows more, and what it shows is paid."""
    convert_pages(pages[0].parent, tmp_path, num_topics=10)
    runs, precision, rates = ("body.run", "hubs.run"), {}, {}
    for hops in (1, 2):
        given = ("--links", "links.csv", "--navigation", f"expansion {hops} fan_out 8")
        _, systems = checked(tmp_path, runs, 293, *given)
        precision[hops] = systems["reference"]
        words = ("evaluate", *runs, "--qrels", "qrels.txt", *given)
        rated = (*words, "--measures", "IdealsPerCost@r=1", "--csv", "rates.csv")
        assert called(*rated, folder=tmp_path).returncode == 0
        rates[hops] = pd.read_csv(tmp_path / "rates.csv")["score"]
    assert (precision[2] > precision[1]).all()
    assert rates[2].mean() < rates[1].mean()
