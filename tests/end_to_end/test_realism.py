"""A web that is made beside a real one: Wikispeedia."""

import gzip
import json
from pathlib import Path

import pytest

from prum.experiments.generate import generate_dataset
from tests.commands import called
from tests.end_to_end.logs_of_people import write_links
from tests.tiers import slow

pytestmark = slow


def test_wikispeedia_and_a_web_that_is_made(shared_data: Path, tmp_path: Path) -> None:
    links = shared_data / "wikispeedia" / "links.tsv.gz"
    if not links.is_file():
        pytest.skip(f"no such data: {links} is missing")
    with gzip.open(links, "rt") as file:
        pairs = [line.rstrip("\n").split("\t") for line in file if line[0] not in "#\n"]
    (tmp_path / "real").mkdir()
    write_links(tmp_path / "real" / "links.csv", [(x, y) for x, y in pairs])
    generate_dataset({"collection": {"kind": "web", "elements": 4600}}, tmp_path / "made")
    done = called("study", "realism", "real", "made", "--json", "o.json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    content = json.loads((tmp_path / "o.json").read_text())
    rows = {row["statistic"]: row for row in content["rows"]}
    # 12 of 4,604 articles have no link at all; 119,882 links, none twice, and some to themselves.
    degrees = rows["out_degree"]
    assert degrees["values_a"] == 4592
    assert degrees["mean_a"] == pytest.approx(119_882 / 4592, rel=0.001)
    assert degrees["mean_a"] == rows["in_degree"]["mean_a"]
    assert degrees["wasserstein_holm"] < 0.05
