"""Files of stores: what is none or damaged is refused and left alone, closed ones can be read."""

import contextlib
import re
import sqlite3
from pathlib import Path

import pytest

from prum.experiments.sweeps.store import Store
from prum.simulator import InputError
from tests.stores import FORMULA, ONE, contents, files, part, run_of, store_of

# --- files that are no stores -------------------------------------------------------------------


@pytest.mark.parametrize("read_only", [True, False])
def test_a_store_cut_off_is_refused_unless_nothing_is_missing(
    tmp_path: Path, read_only: bool
) -> None:
    whole, path = tmp_path / "whole.sqlite", tmp_path / "cut.sqlite"
    store_of(*((first, 10) for first in range(0, 300, 10)), path=whole).close()
    content = whole.read_bytes()
    last_page = len(content) - 4096
    assert last_page > 4 * 4096
    within = (last_page + 1, last_page + 2048, len(content) - 1)
    few = (2, 15, 16, 17, 18, 99, 100, 101)
    num_refused = 0
    for cut in {*few, *range(999, last_page, 999), *range(4096, last_page + 1, 4096), *within}:
        path.write_bytes(content[:cut])
        try:
            with Store(path, read_only=read_only) as store:
                assert store.result(ONE.key) == run_of(0, 300)
        except InputError as error:
            told = str(error)
        else:
            continue
        assert re.search("must be a (whole SQLite file|store of sweeps)[^\n]*$", told)
        num_refused += 1
    assert num_refused > last_page // 999


def test_a_file_without_tables_is_an_empty_store(tmp_path: Path) -> None:
    """As a process leaves it that is killed while it makes one."""
    path = tmp_path / "empty.sqlite"
    path.touch()
    with Store(path, read_only=True) as store:
        assert contents(store) == []
        with pytest.raises((InputError, OSError)):
            store.add([part(FORMULA)])
    assert path.read_bytes() == b""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    assert path.stat().st_size
    with Store(path, read_only=True) as store, Store() as whole:
        assert whole.merge(store) == 0
    with Store(path) as store:
        assert store.ranges() == {}


@pytest.mark.parametrize("read_only", [True, False])
def test_a_file_that_is_no_store_is_refused_and_left_alone(tmp_path: Path, read_only: bool) -> None:
    text, other = tmp_path / "notes.txt", tmp_path / "photos.db"
    text.write_text("no database at all, " * 100)
    with contextlib.closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE photo (name TEXT)")
        connection.commit()
    for path in (text, other):
        before = path.read_bytes()
        with pytest.raises(InputError, match="must be a store of sweeps") as error:
            Store(path, read_only=read_only)
        assert "\n" not in str(error.value)
        assert path.read_bytes() == before


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize(
    ("pragma", "rule"),
    [
        ("user_version = 1", r"have format 4 \(it has 1\); use the prum"),
        ("application_id = 77", "be a store of sweeps"),
    ],
)
def test_another_format_is_refused_and_left_alone(
    tmp_path: Path, pragma: str, rule: str, read_only: bool
) -> None:
    path = tmp_path / "other.sqlite"
    store_of((0, 10), path=path).close()
    # As the other program may keep it: opened for writing, it would be turned to a log.
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute(f"PRAGMA {pragma}")
    before = path.read_bytes()
    with pytest.raises(InputError, match=rule) as error:
        Store(path, read_only=read_only)
    assert "\n" not in str(error.value)
    assert path.read_bytes() == before
    assert files(tmp_path) <= {"other.sqlite", "other.sqlite.lock"}


def test_a_file_that_cannot_be_a_store_gets_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    for content in (b"no database at all, " * 100, b"SQLite format 3\0" + bytes(500)):
        path.write_bytes(content)
        for _ in range(2):
            with pytest.raises(InputError):
                Store(path)
        assert files(tmp_path) == {"s.sqlite"}
        assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("sound", "damaged"),
    [
        (b"result TEXT NOT NULL,  ", b'result TEXT NOT NULL"  '),  # told in several lines
        (b"    result TEXT", b"    re\xffult TEXT"),
    ],
)
def test_damaged_tables_are_told_in_a_line(tmp_path: Path, sound: bytes, damaged: bytes) -> None:
    path = tmp_path / "s.sqlite"
    store_of((0, 10), path=path).close()
    content = path.read_bytes()
    assert content.count(sound) == 1
    assert len(sound) == len(damaged)
    path.write_bytes(content.replace(sound, damaged))
    with pytest.raises(InputError) as error, Store(path, read_only=True) as store:
        store.result(ONE.key)
    assert "\n" not in str(error.value)


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
    assert files(place) == {
        name,
        f"{name}.lock",
        f"relative {name}",
        f"relative {name}.lock",
    }


def test_places_where_no_store_can_be(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing" / "s.sqlite"):
        with pytest.raises(InputError, match="must be a file, or a new one in a folder"):
            Store(path)
    with pytest.raises(InputError, match="must exist"):
        Store(tmp_path / "s.sqlite", read_only=True)
    assert list(tmp_path.iterdir()) == []
