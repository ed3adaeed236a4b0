"""Damaged stores: the same numbers as before, or a line that says what is wrong; nothing else."""

import contextlib
import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from prum.experiments.sweeps.budget import UserBudget
from prum.experiments.sweeps.engine import run
from prum.experiments.sweeps.store import Store
from prum.experiments.sweeps.verb import csv_bytes, table
from prum.experiments.sweeps.workers import Here
from prum.simulator import InputError
from tests.stores import CELLS, FORMULA, ONE, TWO, part, store_of

BUDGET = UserBudget(40)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store that is complete, one of whose cells is in parts."""
    path = tmp_path_factory.mktemp("sound") / "s.sqlite"
    with store_of((0, 10), (10, 10), (20, 20), path=path) as store:
        store.add([part(FORMULA), part(TWO, 0, 40)])
    return path


def stored(path: Path) -> dict[str, object]:
    """Return all results in a store."""
    with Store(path, read_only=True) as store:
        return {key: store.result(key) for key in store.ranges()}


def resumed(path: Path) -> bytes:
    """Return the rows of a sweep that goes on from a store."""
    with Store(path) as store:
        run(CELLS, store, Here(), BUDGET)
        return csv_bytes(table(CELLS, store.result, BUDGET))


def answer(path: Path, read: Callable[[Path], object]) -> object:
    """Return what is read from a store, or in which words it is refused."""
    try:
        return read(path)
    except InputError as error:
        return str(error)


def change(path: Path, statement: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


def bytes_changed(content: bytearray, rng: random.Random) -> None:
    """Change up to three bytes anywhere, half of them by a bit, most of them where there is one."""
    used = [k for k, byte in enumerate(content) if byte]
    for _ in range(rng.randint(1, 3)):
        place = rng.choice(used) if rng.random() < 0.8 else rng.randrange(len(content))
        content[place] ^= 1 << rng.randrange(8) if rng.random() < 0.5 else rng.randint(1, 255)


@pytest.mark.parametrize("read", [stored, resumed])
def test_what_is_damaged_is_noticed(
    sound: Path,
    tmp_path: Path,
    read: Callable[[Path], object],
) -> None:
    rng, content, path = random.Random(1), sound.read_bytes(), tmp_path / "s.sqlite"
    path.write_bytes(content)
    expected = read(path)
    num_refused, tries = 0, 60
    for _ in range(tries):
        damaged = bytearray(content)
        bytes_changed(damaged, rng)
        path.write_bytes(damaged)
        told = answer(path, read)
        refused = isinstance(told, str) and "\n" not in told
        assert refused or told == expected
        num_refused += refused
    assert num_refused > tries / 2


@pytest.mark.parametrize("read", [stored, resumed])
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE part SET result = replace(result, '1', '2')",
        f"UPDATE part SET result = (SELECT result FROM part WHERE cell = '{TWO.key}')",
        "UPDATE part SET seconds = seconds + 1",
        "UPDATE part SET count = count + 1",
        "UPDATE part SET first = first + 1",
        f"UPDATE part SET cell = '{ONE.key[::-1]}' WHERE cell = '{ONE.key}'",
    ],
)
def test_a_part_that_was_changed_is_refused(
    sound: Path, tmp_path: Path, statement: str, read: Callable[[Path], object]
) -> None:
    path = Path(shutil.copy(sound, tmp_path))
    change(path, statement)
    with pytest.raises(InputError, match=r"a whole SQLite file \(cell .* not as it was") as e:
        read(path)
    assert "\n" not in str(e.value)


def test_a_damaged_part_is_not_merged(sound: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(sound, tmp_path))
    change(path, "UPDATE part SET result = replace(result, '1', '2')")
    with Store() as store, Store(path, read_only=True) as other:
        with pytest.raises(InputError, match=r"s\.sqlite"):
            store.merge(other)
        assert store.ranges() == {}
