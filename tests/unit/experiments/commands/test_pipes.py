"""Files that commands read may be pipes, and need no suffix."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from prum.experiments.commands.main import prum as command

RUN = "q1 Q0 x 1 9 s\nq1 Q0 a 2 8 s\n"
QRELS = "q1 0 a 1\nq1 0 b 1\n"
LINKS = "source,target,probability\nx,a,.4\nx,b,.3\n"
LOG = "session,element\n1,x\n1,a\n2,x\n2,b\n3,x\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a run, judgements, links and what was fitted."""
    folder = tmp_path_factory.mktemp("files")
    for name, text in (("run", RUN), ("qrels", QRELS), ("links.csv", LINKS), ("log.csv", LOG)):
        (folder / name).write_text(text)
    run("fit", folder / "log.csv", "--links", folder / "links.csv", "-o", folder / "fitted.json")
    return folder


def run(*words: str | Path) -> None:
    command.main([str(word) for word in words], "prum", standalone_mode=False)


@contextmanager
def pipe(file: Path) -> Iterator[str]:
    """Give the name of a pipe through which a small file comes once."""
    reader, writer = os.pipe()
    os.write(writer, file.read_bytes())
    os.close(writer)
    yield f"/dev/fd/{reader}"
    os.close(reader)


@pytest.mark.parametrize("dials", ["", " + fading .9"])
def test_a_fitted_file_may_be_a_pipe(
    folder: Path, tmp_path: Path, dials: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("evaluate", folder / "run", "--qrels", folder / "qrels", "--collection-size", "9")
    words = (*words, "--measures", "PRUM")
    csv = tmp_path / "out.csv"
    run(*words, "--navigation", f"{folder / 'fitted.json'}{dials}", "--csv", csv)
    expected = csv.read_text()
    with pipe(folder / "fitted.json") as name:
        run(*words, "--navigation", f"{name}{dials}", "--csv", csv)
    assert csv.read_text() == expected
    assert "damaged" not in capsys.readouterr().err
