"""Stores: parts counted once, merging, other writers, kills, a full disk."""

import errno
import signal
import subprocess
import sys
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

from prum.analytic.precision.result import PrecisionRecall
from prum.experiments.sweeps.budget import UserBudget
from prum.experiments.sweeps.cells import CellPart, UsersOfPart
from prum.experiments.sweeps.store import Store
from prum.experiments.sweeps.verb import csv_bytes, table
from prum.simulator import InputError
from tests.deadline import SOON
from tests.stores import CELLS, FORMULA, ONE, TWO, contents, files, part, run_of, store_of
from tests.tiers import slow

# --- parts ------------------------------------------------------------------------------------


def test_a_part_that_is_there_stays() -> None:
    store = store_of((0, 100))
    before = contents(store)
    store.add([replace(part(ONE, 0, 100), seconds=1e9, result="{}")])
    store.add([part(ONE, 0, 100), part(ONE, 0, 100)])
    assert contents(store) == before
    assert store.result(ONE.key) == run_of(0, 100)


def test_parts_add_up_to_one_run_over_all_their_users() -> None:
    store = store_of((300, 50), (0, 100), (100, 200))
    assert store.result(ONE.key) == run_of(0, 350)
    assert store.ranges() == {ONE.key: [(0, 100), (100, 200), (300, 50)]}
    # No user can be counted twice, not even by mistake.
    with pytest.raises(InputError, match="users of the simulation to add"):
        store_of((300, 50), (0, 100), (100, 201)).result(ONE.key)


def test_formulas_and_missing_closed_forms() -> None:
    store = Store()
    store.add([part(FORMULA), CellPart("none", 0, 0, "null", 0.0)])
    result = store.result(FORMULA.key)
    assert isinstance(result, PrecisionRecall)
    assert result.precision == pytest.approx([0.69137, 0.63561], abs=1e-5)
    assert store.result("none") is None
    with pytest.raises(KeyError):
        store.result(ONE.key)


# --- merging ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mine", "theirs", "taken"),
    [
        pytest.param([(0, 60)], [(60, 40)], 1, id="disjoint"),
        pytest.param([(0, 60), (90, 10)], [(60, 30)], 1, id="filling a gap"),
        pytest.param([(0, 60), (60, 40)], [(0, 60), (60, 40)], 0, id="identical"),
        pytest.param([(0, 100)], [(20, 30), (50, 1)], 0, id="theirs within mine"),
        pytest.param([(0, 20), (70, 30)], [(0, 100)], 1, id="mine within theirs"),
        pytest.param([(0, 30), (30, 70)], [(0, 50), (50, 50)], 0, id="cut elsewhere"),
        pytest.param([(0, 40), (40, 60)], [(0, 50)], 0, id="some of mine, cut elsewhere"),
        pytest.param([(0, 50)], [(0, 40), (40, 60)], 2, id="all of mine, cut elsewhere"),
        pytest.param([], [(40, 60), (0, 40)], 2, id="into an empty one"),
        pytest.param([(0, 100)], [], 0, id="an empty one"),
    ],
)
def test_merging_counts_every_user_once(
    mine: list[UsersOfPart], theirs: list[UsersOfPart], taken: int
) -> None:
    store, other = store_of(*mine), store_of(*theirs)
    before = contents(other)
    assert store.merge(other) == taken
    assert store.result(ONE.key) == run_of(0, 100)
    once = contents(store)
    assert store.merge(other) == 0
    assert contents(store) == once
    assert contents(other) == before


@pytest.mark.parametrize(
    ("theirs", "kept"),
    [
        ([(50, 51)], [(0, 100), (110, 10)]),
        ([(99, 2), (200, 5)], [(0, 100), (110, 10)]),
        ([(50, 120)], [(50, 120)]),
    ],
)
def test_of_parts_that_overlap_those_with_more_users_stay(
    theirs: list[UsersOfPart], kept: list[UsersOfPart]
) -> None:
    store = store_of((0, 100), (110, 10))
    store.merge(store_of(*theirs))
    assert store.ranges()[ONE.key] == kept


def test_merging_takes_formulas() -> None:
    store, other = Store(), store_of((0, 10))
    other.add([part(FORMULA)])
    assert store.merge(other) == 2
    assert store.result(FORMULA.key) == other.result(FORMULA.key)


def test_rows_do_not_depend_on_the_order_of_merging() -> None:
    everything = store_of((0, 90))
    everything.add([part(FORMULA), part(TWO, 0, 50)])

    def stores() -> list[Store]:
        thirds = [store_of((0, 30)), store_of((30, 60)), store_of((0, 30), (30, 60))]
        thirds[0].add([part(FORMULA), part(TWO, 0, 50)])
        thirds[1].add([part(TWO, 0, 20), part(TWO, 20, 30)])
        return thirds

    def rows(store: Store) -> bytes:
        return csv_bytes(table(CELLS, store.result, UserBudget(90)))

    for order in permutations(range(3)):
        merged, others = Store(), stores()
        for number in order:
            merged.merge(others[number])
        assert rows(merged) == rows(everything)
    everything.add([part(ONE, 90, 1)])  # a single user more would show
    assert rows(merged) != rows(everything)


# --- other processes ----------------------------------------------------------------------------

OPEN = "import sys; from prum.experiments.sweeps.store import Store; store = Store(sys.argv[1])\n"


def other_process(path: Path, code: str) -> "subprocess.Popen[str]":
    """Start Python with a store open at `path`; it goes on from its standard input."""
    return subprocess.Popen(
        [sys.executable, "-c", OPEN + code, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@slow
def test_one_writes_and_others_read(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with store_of((0, 10), path=path) as writer:
        with pytest.raises(InputError, match="one process at a time"):
            Store(path)
        with Store(path, read_only=True) as reader, Store(path, read_only=True) as another:
            writer.add([part(ONE, 10, 10)])
            assert reader.result(ONE.key) == another.result(ONE.key) == run_of(0, 20)
            writer.add([part(ONE, 20, 10)])
            assert reader.result(ONE.key) == run_of(0, 30)
        other = other_process(path, "")
        assert "one process at a time" in other.communicate()[1]
        writer.add([part(ONE, 30, 10)])
    # The lock is free, and no file of SQLite's is left.
    assert files(tmp_path) == {"s.sqlite", "s.sqlite.lock"}
    with Store(path) as again:
        assert again.result(ONE.key) == run_of(0, 40)


def test_a_writer_in_another_process_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    other = other_process(path, "print('open', flush=True); input()")
    assert other.stdout is not None
    assert other.stdout.readline() == "open\n"
    with pytest.raises(InputError, match="one process at a time"):
        Store(path)
    with Store(path, read_only=True) as reader:
        assert reader.ranges() == {}
    other.communicate("\n", timeout=SOON)
    Store(path).close()


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    store_of((0, 10), path=path).close()
    with Store(path, read_only=True) as reader, pytest.raises(OSError, match="readonly") as error:
        reader.add([part(ONE, 10, 10)])
    assert error.value.errno == errno.EACCES


@slow
def test_a_kill_in_a_transaction_leaves_what_was_committed(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    killed = other_process(
        path,
        "import os, signal\n"
        "from prum.experiments.sweeps.cells import CellPart\n"
        "store.add([CellPart('k', 0, 0, 'null', 1.0)])\n"
        "def parts():\n"
        "    for first in range(1, 100_000):\n"
        "        yield CellPart('k', first, 1, 'x' * 1_000, 1.0)\n"
        "with store._transaction():\n"
        "    query = 'INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)'\n"
        "    for part in parts():\n"
        "        row = (part.key, part.first, part.count, part.result, part.seconds, '')\n"
        "        store._connection.execute(query, row)\n"
        "        if part.first == 20_000:\n"  # more than SQLite keeps in memory
        "            os.kill(os.getpid(), signal.SIGKILL)\n",
    )
    killed.communicate(timeout=SOON)
    assert killed.returncode == -signal.SIGKILL
    assert (tmp_path / "s.sqlite-wal").stat().st_size > 1_000_000
    with Store(path, read_only=True) as store:
        assert store.ranges() == {"k": [(0, 0)]}
    with Store(path) as store:
        assert store.ranges() == {"k": [(0, 0)]}
    assert files(tmp_path) == {"s.sqlite", "s.sqlite.lock"}


# --- a full disk --------------------------------------------------------------------------------


def test_a_full_disk_keeps_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with store_of((0, 10), path=path) as store:
        ((pages,),) = store._rows("PRAGMA page_count")
        store._rows(f"PRAGMA max_page_count = {pages + 2}")
        before = contents(store)
        with pytest.raises(OSError, match="what was stored before is safe") as error:
            store.add(replace(part(ONE, first, 10), result="x" * 3000) for first in range(10, 100))
        assert error.value.errno == errno.ENOSPC
        assert error.value.filename == str(path)
        assert contents(store) == before
        # With room again it goes on, without being opened anew.
        store._rows("PRAGMA max_page_count = 100000")
        store.add([part(ONE, 10, 10)])
    with Store(path, read_only=True) as store:
        assert store.result(ONE.key) == run_of(0, 20)


def test_an_interruption_in_a_transaction_takes_it_back() -> None:
    store = store_of((0, 10))
    before = contents(store)

    def interrupted() -> None:
        with store._transaction():
            store._connection.execute("DELETE FROM part")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert contents(store) == before
    store.add([part(ONE, 10, 10)])
    assert store.result(ONE.key) == run_of(0, 20)
