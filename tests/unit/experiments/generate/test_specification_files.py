"""Files of specifications that are too long, too deep or no files: one short line each, soon."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prum.experiments.commands.main import main
from prum.experiments.generate.files import Description
from prum.experiments.generate.specification import DatasetSpecification as Dataset
from prum.experiments.studies.realism import files_of
from prum.experiments.sweeps.specification import SweepSpecification as Sweep
from prum.simulator.generation.specifications import LARGEST_FILE
from prum.simulator.model import InputError

READERS = {
    "sweep": Sweep.read,
    "generate": Dataset.read,
    "realism": files_of,
}
TOO_DEEP = "nesting of its tables is too deep, must be at most 32 levels"
reader = pytest.mark.parametrize("read", READERS.values(), ids=READERS.keys())


def refused(read: Callable[[Path], Any], path: Path) -> str:
    with pytest.raises(InputError) as error:
        read(path)
    message = str(error.value)
    assert message.startswith(str(path))
    assert len(message.splitlines()) == 1
    assert len(message) < 300 + len(str(path))
    return message


@reader
@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 100_000,
        "a = " + "[" * 300 + "]" * 300,
        "a = " + "[" * 40 + "]" * 40,
        "a = " + "{a = " * 300 + "1" + "}" * 300,
        "a = " + "{a = " * 40 + "1" + "}" * 40,
        ".".join("a" * 100_000) + " = 1",
        " . ".join(['"a"', "'b'"] * 50_000) + " = 1",
        f"[{'.'.join('a' * 40)}]\n",
        f"[[{'.'.join('a' * 100_000)}]]\n",
        "collection" + ".a" * 40 + " = 1",
    ],
    ids=range(10),
)
def test_deep_nesting(tmp_path: Path, read: Callable[[Path], Any], text: str) -> None:
    path = tmp_path / "deep.toml"
    path.write_text(text)
    assert TOO_DEEP.replace("is too", "is 'too").replace("deep,", "deep',") in refused(read, path)


@reader
def test_a_file_that_is_too_long(tmp_path: Path, read: Callable[[Path], Any]) -> None:
    path = tmp_path / "long.toml"
    path.write_text("#" * LARGEST_FILE + "\n")
    assert "bytes of the file is" in refused(read, path)


@reader
def test_a_name_that_is_too_long_to_be_told(tmp_path: Path, read: Callable[[Path], Any]) -> None:
    path = tmp_path / "long.toml"
    path.write_text("a" * 100_000 + " = 1\n")
    lines = list[str]()
    try:
        read(path)
    except InputError as error:
        lines = str(error).splitlines()
    assert all(len(line) < 300 for line in lines)


@pytest.mark.parametrize("words", ["sweep", "generate -o made", "study realism ."])
def test_a_link_to_itself(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    os.symlink("loop.toml", "loop.toml")
    monkeypatch.setattr("sys.argv", ["prum", *words.split(), "loop.toml"])
    with pytest.raises(SystemExit) as end:
        main()
    told = capsys.readouterr().err
    assert end.value.code == 2
    assert len(told.splitlines()) == 1
    assert told.startswith("prum: ")


@pytest.mark.parametrize("depth", [40, 100, 500, 900, 960, 990, 100_000])
def test_a_deep_description(tmp_path: Path, depth: int) -> None:
    for text in ("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth):
        (tmp_path / "dataset.json").write_text(text)
        message = refused(lambda path: Description.read(path.parent), tmp_path / "dataset.json")
        assert "too deep" in message
