"""What newcomers type wrong, and the line that tells them what to type."""

import sys
from pathlib import Path

import pytest

from prum.experiments.commands.main import main

RUN, QRELS = "q1 Q0 a 1 2 s\nq1 Q0 x 2 1 s\n", "q1 0 a 1\n"
FILES = {
    "run": RUN,
    "qrels": QRELS,
    "links.csv": "source;target;probability\nx;a;0,5\n",
}
CHECK = ("crosscheck", "--run", "run", "--qrels", "qrels")


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (("crosscheck", "web"), "(web); files are named as --run FILE --qrels FILE, examples as"),
        (("trust", *CHECK[1:], "run"), "(run); files are named as --run FILE --qrels FILE"),
        (("compare", "run"), "file of scores is 'run', must hold scores, not a run; score runs"),
        (CHECK, "--collection-size must be given; --run, --qrels and --collection-size or"),
        ((*CHECK, "--collection-size", "1"), "collection size is 1, must be at least 2"),
        ((*CHECK, "--collection-size", "4", "--users", "0"), "users is 0, must be a whole"),
        (("crosscheck", "--seed", "9" * 100_000), "--seed"),
        (("crosscheck", "--users", "1e5"), "'1e5' is no whole number, like 10000"),
        (
            (*CHECK, "--collection-size", "4", "--links", "links.csv"),
            "separate columns by commas, not semicolons",
        ),
        (
            ("evaluate", "run", "--qrels", "run"),
            "run, line 1: number of columns of 'q1 Q0 a 1 2 s' is 6, must be 4 (topic iteration "
            "element grade); this looks like a run",
        ),
        (("evaluate", "qrels", "--qrels", "qrels"), "; this looks like qrels, not a run"),
    ],
)
def test_a_mistake_is_told_with_what_to_type(
    typed: tuple[str, ...],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["prum", *typed])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    line = capsys.readouterr().err.splitlines()[-1]
    assert line.startswith("prum: ")
    assert told in line
