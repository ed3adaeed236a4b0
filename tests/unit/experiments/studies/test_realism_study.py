"""The study of realism as a whole."""

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from prum.experiments.commands.generator import study
from prum.experiments.studies.realism import REALISM
from prum.simulator.model import InputError
from tests.compared_folders import folder_of
from tests.tiers import slow


@slow
def test_the_study_is_printed_written_and_the_same_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder_of(Path("one"))
    folder_of(Path("two"), ideal_grade=2)
    words = ["realism", "one", "two", "--json", "o.json", "--csv", "o.csv", "--html", "o.html"]
    told = CliRunner().invoke(study, words, catch_exceptions=False)
    assert told.exit_code == 0
    assert (
        "The groups are too few to show a difference in any of 14 statistics (Holm, 5%); farthest"
    ) in told.output
    content = json.loads(Path("o.json").read_text())
    assert content["command"] == "prum study realism one two --permutations 999 --seed 1"
    rows = list(csv.DictReader(Path("o.csv").read_text().splitlines()))
    assert [row["statistic"] for row in rows] == [row["statistic"] for row in content["rows"]]
    ranks = next(row for row in content["rows"] if row["statistic"] == "ideal_rank")
    assert (ranks["values_a"], ranks["values_b"], ranks["mean_a"]) == (4, 1, 1.5)
    assert ranks["wasserstein"] == pytest.approx(0.5)
    again = REALISM(a="one", b="two")
    assert json.loads(again.to_json()) == content
    assert again.to_html() == Path("o.html").read_text()
    assert "revisits of a path" in again.to_html()


def test_a_collection_is_not_compared_with_itself(tmp_path: Path) -> None:
    sides = [tmp_path / f"{seed}.toml" for seed in (2, 3)]
    for side, seed in zip(sides, (2, 3), strict=True):
        side.write_text(f"seed = {seed}\n[collection]\npages = 100\n")
    with pytest.raises(InputError, match=r"B is .* in more than its seed, .* with a seed each"):
        REALISM(a=str(sides[0]), b=str(sides[1]))
