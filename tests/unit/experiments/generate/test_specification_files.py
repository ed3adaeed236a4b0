"""Files of specifications that are too long, too deep or no files: one short line each, soon."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prum.experiments.commands.main import main
from prum.experiments.generate.files import Description
from prum.experiments.generate.specification import DatasetSpecification as Dataset
from prum.experiments.sweeps.specification import SweepSpecification as Sweep
from prum.simulator.generation.specifications import LARGEST_FILE
from prum.simulator.model import InputError

READERS = {
    "sweep": Sweep.read,
    "generate": Dataset.read,
}
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
def test_a_file_that_is_too_long(tmp_path: Path, read: Callable[[Path], Any]) -> None:
    path = tmp_path / "long.toml"
    path.write_text("#" * LARGEST_FILE + "\n")
    assert "bytes of the file is" in refused(read, path)


@reader
@pytest.mark.parametrize(
    "text",
    [
        "a" * 100_000 + " = 1",
        "a = " + "[" * 100_000,
        "a = " + "[" * 300 + "]" * 300,
        "a = " + "{a = " * 300 + "1" + "}" * 300,
        ".".join("a" * 5_000) + " = 1",
    ],
    ids=range(5),
)
def test_long_names_and_deep_nesting(
    tmp_path: Path, read: Callable[[Path], Any], text: str
) -> None:
    path = tmp_path / "long.toml"
    path.write_text(f"{text}\n")
    lines = list[str]()
    try:
        read(path)
    except InputError as error:
        lines = str(error).splitlines()
    assert all(len(line) < 300 + len(str(path)) for line in lines)


@pytest.mark.parametrize("words", ["sweep", "generate -o made"])
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


@pytest.mark.parametrize("depth", [990, 100_000])
def test_a_deep_description(tmp_path: Path, depth: int) -> None:
    for text in ("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth):
        (tmp_path / "dataset.json").write_text(text)
        refused(lambda path: Description.read(path.parent), tmp_path / "dataset.json")
