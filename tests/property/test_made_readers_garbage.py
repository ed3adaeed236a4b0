"""Generated garbage in folders of made data: read, or refused in one line; nothing else."""

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prum.experiments.generate.dataset import read_dataset
from prum.experiments.generate.files import Description
from prum.experiments.studies.realism import samples_of
from prum.simulator.model import InputError
from tests.compared_folders import folder_of
from tests.made_folders import logged, stand_in
from tests.tiers import examples

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

garbage = settings(
    max_examples=examples(60),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
JUNK = [
    *(b'"', b",", b"\n", b"\r", b"\t", b" ", b"\0", b"\xff", b"nan", b"null", b"true", b"1e999"),
    *(b'"\\ud800"', b"[", b"]", b"{", b"}", b"-", b"9" * 20, b"\xe2\x80\xa8", b"0.5", b'""'),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a small folder with everything that the study of estimators reads."""
    folder = tmp_path_factory.mktemp("garbage") / "made"
    return stand_in(folder, num_topics=2, num_systems=2, pool={"depth": 3}, users=2)


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folder_of(tmp_path_factory.mktemp("garbage") / "compared")


@st.composite
def changes(draw: st.DrawFn) -> list[tuple[float, int, bytes]]:
    """Draw where, how much of and by what some bytes are replaced."""
    place = st.floats(0, 1, exclude_max=True)
    junk = st.sampled_from(JUNK) | st.binary(max_size=4)
    return draw(st.lists(st.tuples(place, st.integers(0, 6), junk), min_size=1, max_size=3))


def changed(content: bytes, some: list[tuple[float, int, bytes]]) -> bytes:
    mutable = bytearray(content)
    for place, length, junk in some:
        start = int(place * len(mutable))
        mutable[start : start + length] = junk
    return bytes(mutable)


def check(folder: Path) -> None:
    """Read a folder as both studies and the verification do."""
    for read in (_estimators, _realism, Description.read):
        error = refused(lambda read=read: read(folder))
        lines = str(error or "").splitlines()
        assert len(lines) == len(getattr(error, "errors", [error] * (error is not None)))
        assert all(len(line) < 1000 and str(folder) in line for line in lines)


def refused(read: Callable[[], object]) -> InputError | None:
    """Return why something is not read, if it is not."""
    try:
        read()
    except InputError as error:
        return error
    return None


def _estimators(folder: Path) -> None:
    data = read_dataset(folder)
    assert [name for name, _ in data.lists()] == list(data.systems)
    if data.log is not None:
        logged(data, data.log)


def _realism(folder: Path) -> None:
    samples_of(folder)


def _replaced(folder: Path, name: str, content: bytes) -> Iterator[None]:
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(content)
    try:
        yield
    finally:
        (folder / name).write_bytes(whole)


NAMES = ("dataset.json", "scores.csv", "navigation.jsonl", "log.jsonl", "qrels.txt", "runs/s0")


@garbage
@given(name=st.sampled_from(NAMES), some=changes())
def test_changed_files_of_a_dataset(made: Path, name: str, some: Any) -> None:
    for _ in _replaced(made, name, changed((made / name).read_bytes(), some)):
        check(made)


@garbage
@given(name=st.sampled_from(("links.jsonl", "elements.jsonl", "log.jsonl")), some=changes())
def test_changed_files_of_a_side(compared: Path, name: str, some: Any) -> None:
    for _ in _replaced(compared, name, changed((compared / name).read_bytes(), some)):
        check(compared)


values = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(max_size=3)
    | st.lists(st.integers(), max_size=2)
    | st.sampled_from(["\ud800", "consult", "", "t0", "e01"])
)


@garbage
@given(column=st.integers(0, 11), value=values | st.binary(max_size=3), some=st.none() | changes())
def test_columns_of_any_type_in_parquet(
    made: Path, tmp_path: Path, column: int, value: Any, some: Any
) -> None:
    rows = [json.loads(line) for line in (made / "log.jsonl").read_text().splitlines()]
    names = list(rows[0])
    columns = {name: [row[name] for row in rows] for name in names}
    columns[names[column]] = [value] * len(rows)
    stream = io.BytesIO()
    try:
        pq.write_table(pa.table(columns), stream)
    except (pa.ArrowException, OverflowError, UnicodeEncodeError):
        return
    log = tmp_path / "log.parquet"
    log.write_bytes(changed(stream.getvalue(), some) if some else stream.getvalue())
    error = refused(lambda: logged(read_dataset(made), log))
    if error is not None:
        assert len(str(error).splitlines()) == 1
        assert str(error).startswith(str(log))


@garbage
@given(value=values | st.dictionaries(st.text(max_size=3), values, max_size=2), data=st.data())
def test_values_of_any_type_in_a_description(made: Path, value: Any, data: Any) -> None:
    content = json.loads((made / "dataset.json").read_text())
    table = content
    for _ in range(data.draw(st.integers(1, 3))):
        name = data.draw(st.sampled_from(sorted(table)))
        if not isinstance(table[name], dict) or not table[name]:
            break
        table = table[name]
    table[data.draw(st.sampled_from([*sorted(table), "files", "new"]))] = value
    for _ in _replaced(made, "dataset.json", json.dumps(content).encode()):
        check(made)
