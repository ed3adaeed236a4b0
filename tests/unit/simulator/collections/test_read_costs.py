"""Files of what elements cost."""

from pathlib import Path

import pytest

from prum.simulator.collections import read_costs
from prum.simulator.collections.costs import units_of
from prum.simulator.model import Costs, Elements, InputError, Task
from tests.table_forms import written


def test_an_element_without_a_cost_is_told(tmp_path: Path) -> None:
    path = tmp_path / "costs.csv"
    path.write_text("element,tokens\na,3\n")
    with pytest.raises(
        InputError, match=r"tokens of 'b' is None, must be positive; give what it costs"
    ):
        read_costs(path)["tokens"].along(Task(["a", "b"], ["a"], 3))


# --- units from several sources -------------------------------------------------------------------

TREE = Elements({"page": (None, 60), "part": ("page", 40)})


def test_elements_have_lengths() -> None:
    assert units_of([], TREE) == {"length": Costs.of({"page": 60.0, "part": 40.0}, unit="length")}
    assert units_of([]) == {}


def test_smucker_clarke_take_words_before_length(tmp_path: Path) -> None:
    words = written(tmp_path, "costs.csv", "element,words\npage,1000\n")
    units = units_of([words, "smucker-clarke"], TREE)
    assert list(units) == ["length", "words", "seconds"]
    assert units["seconds"].mean("page") == Costs.smucker_clarke({"page": 1000.0}).mean("page")
    by_length = units_of(["smucker-clarke"], TREE)["seconds"]
    assert by_length.mean("part") == pytest.approx(4.4 + 7.8 + 0.018 * 40)
    with pytest.raises(InputError, match=r"seconds of 'x' is None, must be positive"):
        by_length.along(Task(["x"], ["x"], 2))


def test_units_are_given_once(tmp_path: Path) -> None:
    one = written(tmp_path, "one.csv", "element,tokens\na,3\n")
    two = written(tmp_path, "two.csv", "element,tokens,length\na,3,4\n")
    with pytest.raises(InputError, match=r"two.csv: unit of cost is 'tokens', must be given once"):
        units_of([one, two])
    with pytest.raises(InputError, match=r"two.csv: unit of cost is 'length', must be given once"):
        units_of([two], TREE)
    seconds = {"seconds": Costs.of({"page": 3.0}, unit="seconds")}
    with pytest.raises(
        InputError, match="smucker-clarke: unit of cost is 'seconds', must be given"
    ):
        units_of([seconds, "smucker-clarke"], TREE)
    with pytest.raises(
        InputError, match="costs is 'smucker-clarke', must have lengths of elements"
    ):
        units_of([one, "smucker-clarke"])
