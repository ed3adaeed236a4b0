"""Real trees: plays and help pages, from XML to a verdict, by several ways of browsing."""

import json
import tarfile
import zipfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from prum.analytic import closed_form, prum_of, reach_matrix
from prum.experiments.crosscheck import crosscheck
from prum.simulator import (
    Elements,
    Independent,
    Task,
    Walk,
    chunks,
    ideals_of,
    read_elements,
    read_qrels,
    read_run,
    read_xml,
    structural,
    timeline,
    timeline_steps,
    tolerance,
    web,
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


def test_a_real_tree_as_a_file_of_elements(drama: Elements, tmp_path: Path) -> None:
    import csv

    with (tmp_path / "plays.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["element", "parent", "length", "start"])
        writer.writerows((x, parent or "", length, start) for x, parent, length, start in drama)
    assert read_elements(tmp_path / "plays.csv") == drama


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


def test_chunks_of_a_scene_agree(drama: Elements) -> None:
    table = chunks(drama, next=0.5, previous=0.2, parent=0.1)
    task = scene_task(drama, "hamlet/ACT[3]/SCENE[1]")
    for navigation in (Independent(table), Walk(table)):
        assert crosscheck(task, navigation, num_users=20_000, seed=2).verdict == "agrees"
    speeches = [part for part in drama.children("hamlet/ACT[3]/SCENE[1]") if "/SPEECH[" in part]
    for one, two in pairwise(speeches[:5]):
        step = reach_matrix(Task([one], [two], len(drama)), Independent(table))
        assert step.toarray().tolist() == [[0.5]]


def test_reading_on_agrees(drama: Elements) -> None:
    task = scene_task(drama, "hamlet/ACT[3]/SCENE[1]")
    bears = tolerance(drama, task.ideals, words=200)
    fades = tolerance(drama, task.ideals, words=200, falling=True)
    assert {(x, y) for x, y, _ in bears} < {(x, y) for x, y, _ in fades}
    rate = 1 / 200
    ways = (
        Independent(bears),
        Independent(fades),
        Independent(timeline(drama, rate, targets=task.ideals)),
        Walk(timeline_steps(drama, rate)),
    )
    for navigation in ways:
        assert crosscheck(task, navigation, num_users=20_000, seed=3).verdict == "agrees"
    # Nearer ideals hide the later ones from who stops at the first.
    fading = reach_matrix(task, ways[1]).toarray()
    watching = reach_matrix(task, ways[2]).toarray()
    assert (fading <= watching + 1e-15).all()
    assert (fading < watching - 0.01).any()


def page_links(pages: list[Path]) -> list[tuple[str, str]]:
    """Return the links from page to page, each once."""
    names = {path.stem for path in pages}
    found = set()
    for path in pages:
        for link in etree.parse(path).iter("{*}link"):
            target = (link.get("xref") or "").partition("#")[0]
            if target in names and target != path.stem:
                found.add((path.stem, target))
    return sorted(found)


def test_pages_with_their_links_agree(pages: list[Path], manual: Elements) -> None:
    pairs = page_links(pages)
    assert len(pairs) > 300
    walked = Walk(web(pairs, 0.85))
    hub = max({x for x, _ in pairs}, key=lambda page: sum(page == x for x, _ in pairs))
    near = [y for x, y in pairs if x == hub]
    task = Task([hub, near[3], near[4]], near[:3], len(pages))
    assert crosscheck(task, walked, num_users=50_000, seed=4).verdict == "agrees"
    exact = closed_form(task, walked)
    assert exact is not None
    assert exact.precision[0] > prum_of(task, Independent({})).precision[0]

    page = "a11y-bouncekeys"
    paragraphs = [part for part in manual.ids if part.startswith(f"{page}/") and "/p[" in part]
    within = Task([page, *paragraphs[:2]], paragraphs[1:4], len(manual))
    nested = Independent(structural(manual, targets=within.ideals))
    assert crosscheck(within, nested, num_users=50_000, seed=5).verdict == "agrees"


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


def test_the_files_made_of_plays_hold_what_the_plays_do(
    judged_plays: Path, drama: Elements
) -> None:
    assert read_elements(judged_plays / "plays.csv.gz") == drama
    grades = read_qrels(judged_plays / "qrels.txt")
    assert len(grades) == 8
    for topic, ideals in ideals_of(grades).items():
        assert 5 <= len(ideals) <= 12
        for ideal in ideals:
            name, *steps = ideal.split("/")
            node = etree.parse(judged_plays / f"{name}.xml").find("/".join(steps))
            assert node.tag == "SPEECH"
            assert topic in "".join(node.itertext()).lower()
    for system in SYSTEMS:
        for ranking in read_run(judged_plays / system).values():
            assert 0 < len(ranking) <= 60
            assert all(element in drama.code for element in ranking)


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


def test_chunks_of_plays_are_tossed_and_walked(judged_plays: Path) -> None:
    way = ("--way", "chunks next .5 previous .2 parent .1")
    tossed, _ = of_plays(judged_plays, *way)
    walked, _ = of_plays(judged_plays, *way, "--navigation", "walk")
    assert tossed["prum_error"].max() < 1e-12
    assert tossed["prum_error"].min() > -0.01
    # PRUM does not know what a walk's visits have to do with each other: it overrates some.
    assert walked["prum_error"].max() > 1e-5


def test_readers_of_plays_stop_at_the_ideals_of_their_topic(judged_plays: Path) -> None:
    rows, systems = of_plays(judged_plays, "--way", "tolerance 400")
    # All is certain, but what comes after the list: PRUM is exact, and so is every user at r = 1.
    assert rows["prum_error"].abs().max() < 1e-12
    assert (rows["verdict"] == "agrees").all()
    # Who enters a speech in its midst sees it at once: a line is worth more than by its length.
    assert (
        systems.loc["lines.run", "reference"] > 0.1 > 0.01 > systems.loc["lines.run", "classical"]
    )


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


def test_pages_with_their_links_are_scored_beside_their_trees(
    pages: list[Path], manual: Elements, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("both")
    convert_pages(pages[0].parent, folder, num_topics=10)
    with (folder / "pages.csv").open("w", encoding="utf-8") as file:
        file.write("element,parent,length,start\n")
        file.writelines(f"{x},{parent or ''},{length},{at}\n" for x, parent, length, at in manual)
    # After each page its first parts: lists that overlap.
    lines = [line.split() for line in (folder / "body.run").read_text().splitlines()]
    parts = [
        f"{topic} Q0 {x} 1 {1000 - 10 * int(rank) - place} parts\n"
        for topic, _, page, rank, *_ in lines
        for place, x in enumerate((page, *manual.children(page)[:2]))
    ]
    (folder / "parts.run").write_text("".join(parts))
    structural_of = "T2I(words=200),xCG@10,Overlap@10"
    browsed = "PRUM@r=1,ExactPRUM@r=1,GR@10"

    def evaluated(measures: str, *words: str) -> pd.DataFrame:
        done = called(
            "evaluate",
            "body.run",
            "parts.run",
            "--qrels",
            "qrels.txt",
            "--measures",
            measures,
            *words,
            "--csv",
            "out.csv",
            folder=folder,
        )
        assert done.returncode == 0, done.stderr
        table = pd.read_csv(folder / "out.csv", dtype={"topic": str})
        return table.pivot(index=["system", "topic"], columns="measure", values="score")

    trees, links = ("--elements", "pages.csv"), ("--links", "links.csv", "--navigation", "walk")
    both = evaluated(f"{structural_of},{browsed}", *trees, *links)
    of_trees = evaluated(structural_of, *trees)
    of_links = evaluated(browsed, *links, "--collection-size", str(len(manual)))
    pd.testing.assert_frame_equal(both[of_trees.columns], of_trees)
    pd.testing.assert_frame_equal(both[of_links.columns], of_links)
    assert (both["Overlap@10"].loc["parts.run"] > 0.5).all()
    assert (both["Overlap@10"].loc["body.run"] == 0).all()
    assert (both["ExactPRUM@r=1"] > evaluated("ExactPRUM@r=1", *trees)["ExactPRUM@r=1"]).any()
