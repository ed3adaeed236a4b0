"""Files of runs: folders, compressed files, and what runs are called."""

import bz2
import lzma
import os

import pytest

from prum.simulator.collections.trec import (
    named_runs,
    read_run,
    run_files,
)
from prum.simulator.model import InputError
from prum.simulator.tables.files import bare_name


def run(path, tag="x", element="a"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"\n1 Q0 {element} 1 0.5 {tag}\n")
    return path


def names(*runs, **options):
    return [name for name, _ in named_runs(runs, **options)]


def test_a_folder_stands_for_its_files(tmp_path):
    folder = tmp_path / "runs"
    for name in ("b", "a.gz", ".hidden", "inside/c"):
        run(folder / name, name[0])
    last = run(tmp_path / "last")
    files = [*(os.path.join(folder, name) for name in ("a.gz", "b", "inside/c")), last]
    assert run_files([folder, last]) == files
    assert [(name, read_run(file)) for name, file in named_runs([str(folder), last])] == [
        (name, {"1": ("a",)}) for name in ("a", "b", "c", "last")
    ]


def test_an_empty_folder_says_so(tmp_path):
    run(tmp_path / "runs/.hidden")
    run(tmp_path / "runs/inside/.a")
    with pytest.raises(InputError, match=r"runs: number of files is 0, must be at least 1"):
        run_files([tmp_path / "runs"])
    files = [run(tmp_path / f"runs/inside/{name}") for name in ("a", "b/c")]
    assert run_files([tmp_path / "runs"]) == list(map(str, files))


def test_names_of_files(tmp_path):
    many = ["bm25.gz", "dense.run.XZ", "sparse.bz2", "x.zip", ".gz"]
    paths = [run(tmp_path / name) for name in many]
    assert names(*paths) == ["bm25", "dense.run", "sparse", "x.zip", ".gz"]
    assert bare_name("a.gz.gz") == "a.gz"


def test_names_that_would_be_alike_without_suffix_stay_whole(tmp_path):
    paths = [run(tmp_path / name) for name in ("bm25", "bm25.gz", "bm25.xz", "dense.gz")]
    assert names(*paths) == ["bm25", "bm25.gz", "bm25.xz", "dense"]


def test_files_of_one_name_are_called_by_their_paths(tmp_path):
    old, new = run(tmp_path / "old/bm25", "first"), run(tmp_path / "new/bm25", "second")
    other = run(tmp_path / "new/dense", "first")
    assert names(old, new, other) == [str(old), str(new), "dense"]


def test_a_file_given_twice_is_refused(tmp_path):
    path = run(tmp_path / "runs/a")
    with pytest.raises(InputError, match="must be given once"):
        names(tmp_path / "runs", path)


@pytest.mark.parametrize(("pack", "name"), [(lzma.compress, "xz"), (bz2.compress, "bzip2")])
def test_packed_files_are_told_by_their_content_and_refused_if_damaged(tmp_path, pack, name):
    lines, path = b"1 Q0 a 1 2 x\n" * 50, tmp_path / "run.gz"
    path.write_bytes(pack(lines[:26]) + pack(lines[26:]))
    assert read_run(path) == {"1": ("a",) * 50}
    whole, rule = pack(lines), rf"compressed data is .*, must be a complete {name} file"
    spoiled = [whole[:length] for length in range(10, len(whole), 3)]
    places = range(10, len(whole) - 12, 5)
    spoiled += [whole[:x] + bytes([whole[x] ^ 255]) + whole[x + 1 :] for x in places]
    for content in spoiled:
        path.write_bytes(content)
        with pytest.raises(InputError, match=rule):
            read_run(path)


def test_a_text_that_begins_like_bzip2(tmp_path):
    (tmp_path / "run").write_text("BZh91AYx Q0 a 1 2 x\n")
    assert read_run(tmp_path / "run") == {"BZh91AYx": ("a",)}
