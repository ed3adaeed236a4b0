"""Stores: parts counted once, merging, shards, other writers, kills, a full disk, other files."""

import contextlib
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

from prum.analytic.precision.result import PrecisionRecall
from prum.experiments.sweeps import sweep
from prum.experiments.sweeps.cells import CellPart, Given, UsersOfPart, grid
from prum.experiments.sweeps.engine import UserBudget
from prum.experiments.sweeps.shards import Shard, shard_of, status
from prum.experiments.sweeps.store import Store
from prum.experiments.sweeps.verb import csv_bytes, table
from prum.simulator import InputError
from tests.deadline import SOON
from tests.stores import CELLS, FORMULA, ONE, TWO, WEB, contents, files, part, run_of, store_of
from tests.tiers import slow

# --- parts ------------------------------------------------------------------------------------


def test_a_part_that_is_there_stays() -> None:
    store = store_of((0, 100))
    before = contents(store)
    store.add([replace(part(ONE, 0, 100), result="{}"), part(ONE, 0, 100)])
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
    store.add([part(FORMULA), CellPart("none", 0, 0, "null"), CellPart("bad", 0, 0, "{}")])
    result = store.result(FORMULA.key)
    assert isinstance(result, PrecisionRecall)
    assert result.precision == pytest.approx([0.69137, 0.63561], abs=1e-5)
    assert store.result("none") is None
    with pytest.raises(KeyError):
        store.result(ONE.key)
    with pytest.raises(InputError, match="must be whole, but cell bad is not as it was written"):
        store.result("bad")


# --- merging ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mine", "theirs", "taken"),
    [
        pytest.param([(0, 60), (60, 40)], [(0, 60), (60, 40)], 0, id="identical"),
        pytest.param([(0, 100)], [(20, 30), (50, 1)], 0, id="theirs within mine"),
        pytest.param([(0, 20), (70, 30)], [(0, 100)], 1, id="mine within theirs"),
        pytest.param([(0, 30), (30, 70)], [(0, 50), (50, 50)], 0, id="cut elsewhere"),
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
    merged = contents(store)
    assert store.merge(other) == store.merge(store) == 0
    assert contents(store) == merged
    assert contents(other) == before


def test_rows_do_not_depend_on_the_order_of_merging() -> None:
    everything = store_of((0, 90))
    everything.add([part(FORMULA), part(TWO, 0, 50)])

    def stores() -> list[Store]:
        three = [store_of((0, 30)), store_of((30, 60)), store_of((0, 30), (30, 60))]
        three[0].add([part(FORMULA), part(TWO, 0, 50)])
        three[1].add([part(TWO, 0, 20), part(TWO, 20, 30)])
        return three

    def rows(store: Store) -> bytes:
        return csv_bytes(table(CELLS, store.result, UserBudget(90)))

    for order in permutations(range(3)):
        merged, others = Store(), stores()
        for number in order:
            merged.merge(others[number])
        assert rows(merged) == rows(everything)
    everything.add([part(ONE, 90, 1)])  # a single user more would show
    assert rows(merged) != rows(everything)


def test_a_merge_reads_the_cells_of_the_other_only(tmp_path: Path) -> None:
    """Else so many stores would each read all that was taken over: its square."""
    with Store(tmp_path / "whole.sqlite") as whole, Store() as other:
        whole.add(part(cell, 0, 10) for cell in MANY[:50])
        other.add([part(MANY[50], 0, 10)])
        queries: list[str] = []
        whole._connection.set_trace_callback(queries.append)
        assert whole.merge(other) == 1
        (read,) = [query for query in queries if query.startswith("SELECT")]
        assert MANY[50].key in read


# --- shards -----------------------------------------------------------------------------------

MANY = grid([Given(WEB)], estimators=("simulated",), seeds=tuple(range(1000)))
USERS = UserBudget(num_users=100)


@pytest.mark.parametrize("count", [1, 2, 10])
def test_each_cell_has_one_shard_and_keeps_it(count: int) -> None:
    dealt = [Shard(number, count).cells(MANY) for number in range(1, count + 1)]
    keys = sorted(cell.key for cells in dealt for cell in cells)
    assert keys == sorted(cell.key for cell in MANY)
    # Neither other cells nor their order move one.
    fewer = MANY[::-2]
    assert [Shard(number, count).cells(fewer) for number in range(1, count + 1)] == [
        [cell for cell in reversed(cells) if cell in fewer] for cells in dealt
    ]
    # Chi square with 9 degrees of freedom: 33.7 is passed once in 10,000 hashes.
    equal = 1000 / count
    assert sum((len(cells) - equal) ** 2 / equal for cells in dealt) < 33.7


@pytest.mark.parametrize("text", ["", "1", "0/3", "4/3", "1/0", "-1/3", "1/3/5", "1.0/3", "١/3"])
def test_a_shard_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="must be I/N with 1 <= I <= N"):
        Shard.parse(text)


def test_shards_from_python_are_the_whole() -> None:
    specification = {"campaigns": [{"example": "web"}], "users": {"num_users": 100}}
    whole = sweep(specification)
    parts = [sweep(specification, shard=f"{number}/3") for number in (1, 2, 3)]
    assert [len(dealt.cells) for dealt in parts] != [len(whole.cells)] * 3
    rows = [line for dealt in parts for line in csv_bytes(dealt.to_frame()).splitlines()[1:]]
    assert sorted(rows) == sorted(csv_bytes(whole.to_frame()).splitlines()[1:])


def test_status_of_shards_submits_those_that_lack_something(tmp_path: Path) -> None:
    names = [tmp_path / f"my grid-{number}-of-9.sqlite" for number in (1, 2)]
    store_of((0, 100), cell=ONE, path=names[0]).close()
    store_of((0, 99), cell=TWO, path=names[1]).close()
    missing, submit = status(CELLS, names, USERS, "prum sweep 'my grid.toml'")
    lacking = sorted({shard_of(cell, 9) for cell in (FORMULA, TWO)})
    assert [cell.key for cell in missing] == [FORMULA.key, TWO.key]
    # The line is for a shell, which gives sbatch another.
    sbatch, array, wrap, task = shlex.split(submit)
    assert (sbatch, wrap) == ("sbatch", "--wrap")
    assert array == f"--array={','.join(map(str, lacking))}"
    assert shlex.split(task) == [
        *("prum", "sweep", "my grid.toml", "--store", str(tmp_path / "my grid.sqlite")),
        *("--shard", "$SLURM_ARRAY_TASK_ID/9"),
    ]
    assert status([ONE], names, USERS, "") == ([], "")
    # Of other stores a sweep takes over what they have.
    other = names[0].rename(tmp_path / "a.sqlite")
    for others in ([other, names[1]], [other]):
        submit = status(CELLS, others, USERS, "prum sweep s.toml")[1]
        assert submit == f"prum sweep s.toml --merge {shlex.join(map(str, others))}"


# --- other processes ----------------------------------------------------------------------------

OPEN = "import sys; from prum.experiments.sweeps.store import Store; store = Store(sys.argv[1])\n"


def other_process(path: Path, code: str) -> "subprocess.Popen[str]":
    """Start Python with a store open at `path`; it goes on from its standard input."""
    command = [sys.executable, "-c", OPEN + code, str(path)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def test_one_writes_and_others_read(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with store_of((0, 10), path=path) as writer:
        with pytest.raises(InputError, match="one process at a time"):
            Store(path)
        with Store(path, read_only=True) as reader, Store(path, read_only=True) as another:
            writer.add([part(ONE, 10, 10)])
            assert reader.result(ONE.key) == another.result(ONE.key) == run_of(0, 20)
            with pytest.raises(OSError, match="readonly"):
                reader.add([part(ONE, 20, 10)])
        writer.add([part(ONE, 20, 10)])
    # The lock is free, and no file of SQLite's is left.
    assert files(tmp_path) == {"s.sqlite", "s.sqlite.lock"}
    with Store(path) as again:
        assert again.result(ONE.key) == run_of(0, 30)
    other = other_process(path, "print('open', flush=True); input()")
    assert other.stdout is not None
    assert other.stdout.readline() == "open\n"
    with pytest.raises(InputError, match="one process at a time"):
        Store(path)
    with Store(path, read_only=True) as reader:
        assert reader.result(ONE.key) == run_of(0, 30)
    other.communicate("\n", timeout=SOON)
    Store(path).close()


@slow
def test_a_kill_in_a_transaction_leaves_what_was_committed(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    killed = other_process(
        path,
        "import os, signal\n"
        "from prum.experiments.sweeps.cells import CellPart\n"
        "store.add([CellPart('k', 0, 0, 'null')])\n"
        "def parts():\n"
        "    for first in range(1, 100_000):\n"
        "        yield CellPart('k', first, 1, 'x' * 1_000)\n"
        "        if first == 20_000:\n"  # more than SQLite keeps in memory
        "            os.kill(os.getpid(), signal.SIGKILL)\n"
        "store.add(parts())\n",
    )
    killed.communicate(timeout=SOON)
    assert killed.returncode == -signal.SIGKILL
    assert (tmp_path / "s.sqlite-wal").stat().st_size > 1_000_000
    for read_only in (True, False):
        with Store(path, read_only=read_only) as store:
            assert store.ranges() == {"k": [(0, 0)]}
    assert files(tmp_path) == {"s.sqlite", "s.sqlite.lock"}


def test_a_full_disk_or_an_interruption_keeps_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with store_of((0, 10), path=path) as store:
        ((pages,),) = store._rows("PRAGMA page_count")
        assert list(store._rows(f"PRAGMA max_page_count = {pages + 2}"))
        before = contents(store)
        with pytest.raises(OSError, match="full") as error:
            store.add(replace(part(ONE, first, 10), result="x" * 3000) for first in range(10, 100))
        assert error.value.filename == str(path)
        assert contents(store) == before
        # With room again it goes on, without being opened anew.
        assert list(store._rows("PRAGMA max_page_count = 100000"))

        def interrupted() -> "list[CellPart]":
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            store.add(x for parts in ([part(ONE, 20, 10)], interrupted()) for x in parts)
        assert contents(store) == before
        store.add([part(ONE, 10, 10)])
    with Store(path, read_only=True) as store:
        assert store.result(ONE.key) == run_of(0, 20)


# --- other files --------------------------------------------------------------------------------

READ_ONLY = pytest.mark.parametrize("read_only", [True, False])


@READ_ONLY
def test_a_store_cut_off_is_refused_unless_nothing_is_missing(
    tmp_path: Path, read_only: bool
) -> None:
    whole, path = tmp_path / "whole.sqlite", tmp_path / "cut.sqlite"
    store_of(*((first, 10) for first in range(0, 300, 10)), path=whole).close()
    content = whole.read_bytes()
    num_refused = 0
    for cut in {2, 15, 16, 17, 99, 100, 101, *range(999, len(content), 999), len(content) - 1}:
        path.write_bytes(content[:cut])
        try:
            with Store(path, read_only=read_only) as store:
                assert store.result(ONE.key) == run_of(0, 300)
        except InputError as error:
            message = str(error)
        else:
            continue
        assert re.search("must be (a store of sweeps, and whole|whole, but)[^\n]*$", message)
        num_refused += 1
    assert num_refused > len(content) // 1500


def test_a_file_without_tables_is_an_empty_store(tmp_path: Path) -> None:
    """As a process leaves it that is killed while it makes one."""
    path = tmp_path / "empty.sqlite"
    path.touch()
    for mode in ("DELETE", "WAL"):
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA journal_mode = {mode}")
        before = path.read_bytes()
        with Store(path, read_only=True) as store, Store() as whole:
            assert whole.merge(store) == 0
        assert path.read_bytes() == before
    with Store(path) as store:
        assert store.ranges() == {}


@READ_ONLY
@pytest.mark.parametrize("what", ["text", "photos", "user_version = 1", "application_id = 77"])
def test_a_file_that_is_no_store_is_refused_and_left_alone(
    tmp_path: Path, what: str, read_only: bool
) -> None:
    path = tmp_path / "other.db"
    if what == "text":
        path.write_text("no database at all, " * 100)
    elif what == "photos":
        with contextlib.closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("CREATE TABLE photo (name TEXT)")
    else:
        store_of((0, 10), path=path).close()
        # As the other program may keep it: opened for writing, it would be turned to a log.
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")
            connection.execute(f"PRAGMA {what}")
    before, beside = path.read_bytes(), files(tmp_path)
    with pytest.raises(InputError, match="must be a store of sweeps") as error:
        Store(path, read_only=read_only)
    assert "\n" not in str(error.value)
    assert path.read_bytes() == before
    assert files(tmp_path) == beside


@pytest.mark.parametrize(
    "name",
    ["a b", "100%41", "what?", "#1", "日本 ß", "a&mode=ro", "file:x", "a;b'c\"d", ":memory:"],
)
def test_any_name_will_do(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / name
    place.mkdir()
    monkeypatch.chdir(place)
    for path in (place / name, Path(f"relative {name}")):
        store_of((0, 10), path=path).close()
        with Store(path, read_only=True) as store:
            assert store.ranges() == {ONE.key: [(0, 10)]}
    made = (name, f"relative {name}")
    assert files(place) == {*made, *(f"{each}.lock" for each in made)}


def test_places_where_no_store_can_be(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing" / "s.sqlite"):
        with pytest.raises(OSError, match="unable to open"):
            Store(path)
    with pytest.raises(InputError, match="must exist"):
        Store(tmp_path / "s.sqlite", read_only=True)
    assert list(tmp_path.iterdir()) == []
