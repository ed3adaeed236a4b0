"""Figures as files of any result that draws one, the same bytes each time, or a line on why not."""

from pathlib import Path

import click
import pytest

import prum
from prum.experiments.commands.main import prum as prum_command
from prum.simulator import InputError
from prum.simulator.collections import example_campaign
from tests.commands import called
from tests.tiers import slow

pytest.importorskip("matplotlib")

DRAWN = ("crosscheck", "--example", "web", "--users", "500")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suffix", "start"), [(".pdf", b"%PDF"), (".svg", b"<?xml"), (".png", b"\x89PNG")]
)
def test_a_result_draws_files(suffix: str, start: bytes, tmp_path: Path) -> None:
    figure = prum.crosscheck(example_campaign("web"), num_users=500).plot()
    figure.save(tmp_path / f"a{suffix}")
    ended = called(*DRAWN, "--figure", f"b{suffix}", "--latex", "b.tex", folder=tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
    first, second = ((tmp_path / f"{name}{suffix}").read_bytes() for name in "ab")
    assert first == second
    assert first.startswith(start)
    assert "\\toprule" in (tmp_path / "b.tex").read_text()


@slow
def test_a_cross_check_draws_its_curves(tmp_path: Path) -> None:
    words = ("crosscheck", "--example", "web", "--users", "500")
    ended = called(*words, "--figure", "a.svg", "--latex", "a.tex", folder=tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
    figure = prum.crosscheck(*_web(), num_users=500).plot()
    assert (tmp_path / "a.svg").read_bytes() == figure.file("b.svg")
    assert (tmp_path / "a.tex").read_text().count("\\toprule") == 2
    ended = called(*words, "--figure", "a.gif", folder=tmp_path)
    assert (ended.returncode, "must end in .pdf" in ended.stderr) == (2, True)


def test_a_cross_check_draws_precision_and_its_error() -> None:
    check = prum.crosscheck(*_web(), num_users=500)
    svg = check.plot()._repr_svg_()
    assert ">precision<" in svg
    assert ">difference from exact<" in svg
    assert svg.count(">r, ideals wanted<") == 2
    assert check.plot(check.plot().caption)._repr_svg_() == check.plot()._repr_svg_()
    with pytest.raises(InputError, match="figure is 'eror'"):
        check.plot("eror")


def test_whatever_has_tables_for_latex_has_a_figure() -> None:
    with click.Context(prum_command) as context:
        groups = [prum_command, prum_command.get_command(context, "study")]
        commands = [
            group.get_command(context, name)
            for group in groups
            if isinstance(group, click.Group)
            for name in group.list_commands(context)
        ]
    options = {one.name: {each.name for each in one.params} for one in commands if one is not None}
    assert all(("latex" in names) == ("figure" in names) for names in options.values())
    without = {name for name, names in options.items() if "latex" not in names}
    assert without == {"doctor", "explore", "generate", "list", "study", "sweep"}


@slow
def test_a_fit_draws_what_its_tables_say() -> None:
    links = [("a", "b"), ("a", "c"), ("b", "a")]
    log = [["a", "b", "a", "c"], ["a", "b"], ["a", "c"]] * 20
    svg = prum.fit(log, links, test=log).plot()._repr_svg_()
    assert svg.count(">predicted<") == svg.count(": observed<") > 0
    with pytest.raises(InputError, match="there is none"):
        prum.fit(log, links).plot()


def _web() -> tuple[prum.Task, prum.Independent]:
    task = prum.Task(["c", "d", "a", "b"], ["a", "b"], 4)
    links = {("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4}
    return task, prum.Independent(links)
