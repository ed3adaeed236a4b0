"""A verb's function and its command come from one design."""

import inspect
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

import prum
from prum.experiments.commands.generator import command
from prum.experiments.commands.main import prum as group
from prum.experiments.compare.verb import COMPARE
from prum.experiments.evaluate.verb import EVALUATE
from prum.experiments.explore.design import EXPLORE
from prum.experiments.fitting.verb import FIT
from prum.experiments.frame.verb import Verb
from prum.experiments.studies.kit.campaigns import SpanCampaignDesign
from prum.experiments.trust.verb import TRUST
from prum.simulator.model import InputError

VERBS: list[Verb[..., Any]] = [COMPARE, EVALUATE, EXPLORE, FIT, TRUST]


def function_of(verb: Verb[..., Any]) -> Callable[..., Any]:
    function: Callable[..., Any] = getattr(prum, verb.home.rpartition(":")[2])
    return function


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_a_function_says_all_its_options(verb: Verb[..., Any]) -> None:
    design: Any = verb.design
    function = function_of(verb)
    parameters = inspect.signature(function).parameters
    documented = inspect.getdoc(function) or ""
    assert set(parameters) == {field.name for field in design.fields()}
    for field in design.fields():
        default = inspect.Parameter.empty if field.required else field.default
        assert parameters[field.name].default == default
        assert f"\n{field.name}\n    " in documented
    assert documented.index("Parameters\n---") < documented.index("Raises\n---")
    assert documented.count(">>>")
    assert inspect.isfunction(function)
    assert function.__module__ == verb.home.partition(":")[0]


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_a_command_has_all_that_the_shell_can_say(verb: Verb[..., Any]) -> None:
    design: Any = verb.design
    made = group.get_command(click.Context(group), verb.name)
    assert made is not None
    given = made.get_params(click.Context(made))
    named = {(parameter.name or "").removesuffix("_file") for parameter in given}
    wanted = {field.name for field in design.fields() if field.option.shell}
    assert wanted <= named
    assert {field.name for field in verb.outputs.fields()} <= named
    # What names a campaign in Python has the names of options of files.
    files = {field.name for field in SpanCampaignDesign.fields()} if verb is EXPLORE else set()
    hidden = {field.name for field in design.fields() if not field.option.shell}
    assert not named & hidden - files


@pytest.mark.parametrize(
    ("verb", "words"),
    [
        (COMPARE, "--measures AP --method Holm -- a.csv -b.csv"),
        (EVALUATE, "a.run --qrels q --elements e.csv --elements f.csv --costs c --level .1"),
        (TRUST, "--run a --run 'b c' --qrels q --links l --margin .01 --workers 3"),
        (FIT, "log --links l --skip-strays --back '<<' --seed 3"),
    ],
    ids=lambda value: value.name if isinstance(value, Verb) else "",
)
def test_the_command_that_repeats_gives_an_equal_design(verb: Verb[..., Any], words: str) -> None:
    def design_of(line: list[str]) -> Any:
        context = command(verb).make_context(verb.name, line)
        names = {field.name for field in kind.fields()}
        return kind(**{k: v for k, v in context.params.items() if k in names and v is not None})

    kind: Any = verb.design
    design = design_of(shlex.split(words))
    repeated = shlex.split(design.command(verb.name))
    assert repeated[:2] == ["prum", verb.name]
    again = design_of(repeated[2:])
    assert (again.options(), again.command(verb.name)) == (
        design.options(),
        design.command(verb.name),
    )


def test_data_has_no_command_and_files_have(tmp_path: Path) -> None:
    table = tmp_path / "scores.csv"
    table.write_text("system,topic,score\na,q1,.1\na,q2,.2\nb,q1,.3\nb,q2,.5\n")
    of_file = prum.compare(table, level=0.1)
    assert of_file.command == f"prum compare {table} --level 0.1 --seed 1"
    assert of_file.arguments["scores"] == str(table)
    of_data = prum.compare({"a": {"q1": 0.1, "q2": 0.2}, "b": {"q1": 0.3, "q2": 0.5}}, level=0.1)
    assert of_data.command == ""
    assert "scores" not in of_data.arguments
    assert of_data.decision.pairs == of_file.decision.pairs


def test_a_wrong_option_is_named() -> None:
    with pytest.raises(InputError, match="did you mean 'measures'"):
        prum.compare({}, mesures="AP")  # type: ignore[call-arg]
    with pytest.raises(InputError, match="links must be given"):
        prum.fit([["a"]])  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="2 options without a name, of 1"):
        prum.compare({}, "AP")  # type: ignore[call-arg, misc]


def test_an_option_given_twice_is_refused() -> None:
    with pytest.raises(TypeError, match="runs is given twice"):
        prum.evaluate({"q": ["a"]}, {"q": {"a": 1}}, runs={"q": ["b"]})  # type: ignore[misc]
