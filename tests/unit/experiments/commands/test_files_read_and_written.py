"""No output of a command replaces what it reads: files, folders, and files named inside options."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from prum import InputError
from prum.experiments.commands.main import prum as command
from tests.commands import typed
from tests.tiers import slow

FILES = {
    "runs/one": "q1 Q0 x 1 9 s\nq1 Q0 a 2 8 s\nq2 Q0 b 1 8 s\n",
    "runs/two": "q1 Q0 a 1 9 s\nq1 Q0 x 2 8 s\nq2 Q0 x 1 8 s\n",
    "qrels": "q1 0 a 1\nq1 0 b 1\nq1 0 x 0\nq2 0 b 1\n",
    "links.csv": "source,target,probability\nx,a,.4\nx,b,.3\n",
    "elements.csv": "element,parent,length\nd,,30\nx,d,5\na,d,5\nb,d,5\n",
    "costs.csv": "element,tokens,seconds\nd,9,9\nx,3,3\na,4,4\nb,5,5\n",
    "log.csv": "session,element\n1,x\n1,a\n2,x\n2,b\n3,x\n",
    "chunks.csv": "id,doc,start,end\nx,doc.txt,0,5\na,doc.txt,5,9\n",
    "spans.csv": "question,doc,start,end\nq1,doc.txt,2,7\n",
    "texts/doc.txt": "nine text",
    "scores/s.csv": "system,topic,AP\none,1,.5\none,2,.4\ntwo,1,.3\ntwo,2,.6\n",
    "sweep.toml": 'users = {num_users = 9}\n[[campaigns]]\nexample = "web"\n',
}
JUDGED = "--qrels qrels --collection-size 9"
# What each command reads, and the option that writes.
COMMANDS = {
    name: (*typed(line),)
    for name, line in {
        "evaluate": f"evaluate runs {JUDGED} --links links.csv --elements elements.csv "
        "--costs costs.csv --measures PRUM,PRUM(cost=tokens) --csv",
        "measures": f"evaluate runs {JUDGED} --links links.csv "
        "--measures PRUM,PRUM(navigation=fitted.json) --csv",
        "fitted": f"evaluate runs {JUDGED} --navigation 'fitted.json + fading .9' --csv",
        "spans": "evaluate runs --chunks chunks.csv --spans spans.csv --texts texts --json",
        "compare": "compare scores --csv",
        "crosscheck": f"crosscheck --run runs/one {JUDGED} --links links.csv --users 9 "
        "--elements elements.csv --costs costs.csv --cost tokens --json",
        "store": "crosscheck --example web --users 9 --store store --json",
        "crosscheck spans": "crosscheck --run runs/one --chunks chunks.csv --spans spans.csv "
        "--texts texts --users 9 --csv",
        "explore": f"explore --run runs/one {JUDGED} --topic q1 --links links.csv -o",
        "simulate": f"simulate --run runs/one {JUDGED} --links links.csv --users 9 "
        "--costs costs.csv --json",
        "fit": "fit log.csv --links links.csv --elements elements.csv --test log.csv --csv",
        "sweep": "sweep sweep.toml --workers 1 --merge store --csv",
        "trust": f"trust --run runs {JUDGED} --links links.csv --most-users 99 --workers 1 --csv",
        "robustness": "study robustness runs/one runs/two --qrels qrels --trials 2 --json",
    }.items()
}


def run(*words: str) -> None:
    command.main(list(words), "prum", standalone_mode=False)


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with files of every kind."""
    folder = tmp_path_factory.mktemp("given")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        run("fit", "log.csv", "--links", "links.csv", "-o", "fitted.json")
        run("sweep", "sweep.toml", "--workers", "1", "--store", "store")
    return folder


@pytest.fixture(autouse=True)
def folder(given: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return the folder, which is left as it was."""
    # A store takes what is computed.
    files = {path for path in given.rglob("*") if path.is_file()} - {given / "store"}
    before = {path: path.read_bytes() for path in files}
    monkeypatch.chdir(given)
    yield given
    (given / "link").unlink(missing_ok=True)
    after = {path: path.read_bytes() for path in before}
    assert [path for path in before if after[path] != before[path]] == []


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("compare", "scores/s.csv"),
        ("spans", "texts/doc.txt"),
        ("measures", "fitted.json"),
        ("fitted", "fitted.json"),
        ("fit", "links.csv"),
        ("evaluate", "runs/one"),
        ("sweep", "store"),
        ("store", "store"),
        ("simulate", "costs.csv"),
        ("crosscheck spans", "texts/doc.txt"),
    ],
)
def test_outputs_replace_nothing_that_is_read(folder: Path, name: str, read: str) -> None:
    (folder / "link").symlink_to(read)
    for output in (read, "link", str(folder / read)):
        with pytest.raises(InputError, match="must be none of the other files"):
            run(*COMMANDS[name], output)


def test_a_folder_takes_what_is_new() -> None:
    for words, output in ((COMMANDS["compare"], "scores/out/new"), (COMMANDS["spans"], "runs/.a")):
        Path(output).parent.mkdir(exist_ok=True)
        run(*words, output)
        Path(output).unlink()


# Each file that this process opens to read is told.
OPENED: list[str] = []


def _hear(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open" and isinstance(arguments[0], str | os.PathLike):
        flags = arguments[2] if isinstance(arguments[2], int) else 0
        if flags & os.O_ACCMODE == os.O_RDONLY:
            OPENED.append(os.path.realpath(os.fspath(arguments[0])))


@slow
@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "store"])  # SQLite opens it
def test_every_file_that_is_opened_to_be_read_is_kept(folder: Path, name: str) -> None:
    if not OPENED:
        sys.addaudithook(_hear)
    OPENED[:] = [""]
    run(*COMMANDS[name], "out")
    Path("out").unlink()
    given = {os.path.realpath(path) for path in folder.rglob("*") if path.is_file()}
    read = given & set(OPENED)
    assert read
    for path in read:
        with pytest.raises(InputError, match="must be none of the other files"):
            run(*COMMANDS[name], path)
