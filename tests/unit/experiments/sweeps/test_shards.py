"""Shards: whose cell is whose, what a queue says of its tasks, and what stores lack."""

import shlex
from pathlib import Path

import pytest

from prum.experiments.sweeps.budget import UserBudget
from prum.experiments.sweeps.cells import Axes, Given, grid
from prum.experiments.sweeps.shards import Shard, shard_of, status
from prum.experiments.sweeps.store import Store
from prum.experiments.sweeps.verb import Sweep, sweep
from prum.simulator import InputError
from tests.stores import CELLS, ONE, TWO, WEB, part, store_of
from tests.tiers import slow

MANY = grid([Given(WEB)], Axes(estimators=("simulated",), seeds=tuple(range(1000))))
USERS = UserBudget(num_users=100)


@pytest.mark.parametrize("count", [1, 2, 7, pytest.param(1000, marks=slow)])
def test_each_cell_has_one_shard_and_keeps_it(count: int) -> None:
    dealt = [Shard(number, count).cells(MANY) for number in range(1, count + 1)]
    assert sorted(cell.key for cells in dealt for cell in cells) == sorted(
        cell.key for cell in MANY
    )
    # Neither other cells nor their order move one.
    fewer = MANY[::-2]
    assert [Shard(number, count).cells(fewer) for number in range(1, count + 1)] == [
        [cell for cell in reversed(cells) if cell in fewer] for cells in dealt
    ]


def test_shards_are_about_equal() -> None:
    sizes = [len(Shard(number, 10).cells(MANY)) for number in range(1, 11)]
    # Chi square with 9 degrees of freedom: 33.7 is passed once in 10,000 hashes.
    assert sum((size - 100) ** 2 / 100 for size in sizes) < 33.7


@pytest.mark.parametrize("text", ["", "1", "0/3", "4/3", "1/0", "-1/3", "1/3/5", "1.0/3", "١/3"])
def test_a_shard_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="must be I/N with 1 <= I <= N"):
        Shard.parse(text)


def test_shards_from_python_are_the_whole() -> None:
    specification = {"campaigns": [{"example": "web"}], "users": {"num_users": 100}}
    whole = sweep(specification)
    parts = [sweep(specification, shard=f"{number}/3") for number in (1, 2, 3)]
    assert [len(one.cells) for one in parts] != [len(whole.cells)] * 3
    # The first column is the number of the row.
    rows = [row.partition(",")[2] for one in parts for row in lines(one)]
    assert sorted(rows) == sorted(row.partition(",")[2] for row in lines(whole))


def lines(result: Sweep) -> list[str]:
    return result.to_frame().to_csv().splitlines()[1:]


def test_status_of_shards_submits_those_that_lack_something(tmp_path: Path) -> None:
    names = [tmp_path / f"my grid-{number}-of-9.sqlite" for number in (1, 2)]
    store_of((0, 100), cell=ONE, path=names[0]).close()
    store_of((0, 99), cell=TWO, path=names[1]).close()
    missing, submit = status(CELLS, names, USERS, "prum sweep 'my grid.toml'")
    formula = CELLS[0]
    lacking = sorted({shard_of(cell, 9).number for cell in (formula, TWO)})
    assert [cell.key for cell in missing] == [formula.key, TWO.key]
    # The line is for a shell, which gives sbatch another.
    sbatch, array, wrap, task = shlex.split(submit)
    assert (sbatch, wrap) == ("sbatch", "--wrap")
    assert array == f"--array={','.join(map(str, lacking))}"
    assert shlex.split(task) == [
        *("prum", "sweep", "my grid.toml", "--store", str(tmp_path / "my grid.sqlite")),
        *("--shard", "$SLURM_ARRAY_TASK_ID/9"),
    ]


def test_status_of_other_stores_takes_them_over(tmp_path: Path) -> None:
    names = [tmp_path / "a.sqlite", tmp_path / "a-1-of-2.sqlite"]
    for path in names:
        store_of((0, 100), path=path).close()
    _, submit = status(CELLS, names, USERS, "prum sweep s.toml")
    assert submit == f"prum sweep s.toml --merge {names[0]} {names[1]}"


def test_users_of_a_cell_may_lie_in_several_stores(tmp_path: Path) -> None:
    names = [tmp_path / f"{number}.sqlite" for number in (1, 2)]
    store_of((0, 60), path=names[0]).close()
    store_of((60, 40), path=names[1]).close()
    assert status([ONE], names, USERS, "s") == ((), "")
    assert status([ONE], names[:1], USERS, "s")[0] == (ONE,)


def test_a_merge_reads_the_cells_of_the_other_only(tmp_path: Path) -> None:
    """Else so many stores would each read all that was taken over: its square."""
    with Store(tmp_path / "whole.sqlite") as whole, Store() as other:
        whole.add(part(cell, 0, 10) for cell in MANY[:50])
        other.add([part(MANY[50], 0, 10)])
        queries: list[str] = []
        whole._connection.set_trace_callback(queries.append)
        assert whole.merge(other) == 1
        reads = [query for query in queries if query.startswith("SELECT * FROM part")]
        assert len(reads) == 1
        assert MANY[50].key in reads[0]
