"""What every study stands on: options said once and bounded, commands, stories, the registry."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Annotated, Any, Literal

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum.experiments.commands.options import parameters
from prum.experiments.frame.design import Design, Option, Seed, draws_of
from prum.experiments.studies.kit.registry import Studies, studies, study
from prum.experiments.studies.kit.story import Story
from prum.simulator.model import InputError


def test_numbers_of_a_story_read_as_0_only_if_they_are() -> None:
    story = Story.parsed("# T\n\n## a\n{x:.3f} and {y:+.2f}, {n:none} of {m:none}\n")
    assert story.line("a", x=0.0004, y=-0.001, n=0, m=1200) == "0.0004 and −0.001, none of 1,200"
    assert story.line("a", x=0.0, y=1e-17, n=1, m=1) == "0.000 and 0.00, 1 of 1"


class EveryKind(Design):
    """Options of every kind."""

    runs: Annotated[tuple[str, ...], Option("Runs.", file="input", positional=True)]
    qrels: Annotated[str, Option("Judgements.", file="input")]
    sizes: Annotated[tuple[int, ...], Option("Sizes.", singular="size", least=1, most=99)] = (2, 3)
    shares: Annotated[tuple[float, ...], Option("Shares.", singular="share", least=0, most=1)] = (
        0.5,
    )
    measures: Annotated[tuple[str, ...], Option("Measures.", singular="measure")] = ()
    kind: Annotated[Literal["plain", "bent"], Option("Kind.")] = "plain"
    theta: Annotated[float, Option("Theta.", above=0, below=1)] = 0.5
    power: Annotated[float, Option("Power.", above=0)] = 1.0
    offset: Annotated[float, Option("Offset.")] = 0.0
    num_ranks: Annotated[int | None, Option("Ranks.", least=1)] = None
    fit: Annotated[str | None, Option("Fit.", file="output")] = None
    store: Annotated[str | None, Option("Store.", file="store", matters=False)] = None
    draws: Annotated[int, draws_of("tasks")] = 10
    seed: Seed = 1


SMALLEST: dict[str, Any] = {"runs": ["a.run"], "qrels": "q"}


def parsed(design: type[Design], line: str) -> Design:
    """Return the design that a command line gives, read as `prum` reads it."""
    command = click.Command("name", params=list(parameters(design)))
    words = shlex.split(line)
    assert words[:3] == ["prum", "study", "name"]
    context = command.make_context("name", words[3:])
    return design(**{name: value for name, value in context.params.items() if value is not None})


@contextmanager
def refused(message: str) -> Iterator[None]:
    with pytest.raises(InputError) as caught:
        yield
    assert message in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


# --- commands that repeat -----------------------------------------------------------------------

# What is called - is standard input on the command line.
texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])).filter(
    lambda text: text != "-"
)
words = texts.filter(bool)
reals = st.floats(allow_nan=False, allow_infinity=False)
designs = st.fixed_dictionaries(
    {"runs": st.lists(words, min_size=1, max_size=3), "qrels": texts},
    optional={
        "sizes": st.lists(st.integers(1, 99), min_size=1, max_size=4),
        "shares": st.lists(st.floats(0, 1), min_size=1, max_size=4),
        "measures": st.lists(texts, max_size=3),
        "kind": st.sampled_from(["plain", "bent"]),
        "theta": st.floats(0, 1, exclude_min=True, exclude_max=True),
        "power": st.floats(0, exclude_min=True, allow_infinity=False),
        "offset": reals,
        "num_ranks": st.none() | st.integers(1),
        "fit": st.none() | texts,
        "draws": st.integers(2, 1_000_000),
        "seed": st.integers(0, 2**64 - 1),
    },
)


@given(designs)
def test_a_printed_command_gives_an_equal_design(options: dict[str, Any]) -> None:
    design = EveryKind(**options)
    assert parsed(EveryKind, design.command("study name")) == design


def test_an_input_is_read_from_standard_input_once() -> None:
    design = parsed(EveryKind, "prum study name a.run --qrels -")
    assert design.files("input") == ("a.run", "/dev/stdin")
    with pytest.raises(click.BadParameter, match="can be read for one file only"):
        parsed(EveryKind, "prum study name - --qrels -")


def test_a_command_leaves_out_defaults_and_what_does_not_matter() -> None:
    design = EveryKind(**SMALLEST, store="kept.db", sizes=[3, 2, 2])
    assert design.command("study name") == "prum study name a.run --qrels q --draws 10 --seed 1"
    assert "store" not in design.options()
    assert design.files("input", "store") == ("a.run", "q", "kept.db")
    assert EveryKind(runs=["-x"], qrels="q").command("study n").endswith(" -- -x")


# --- checks -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sizes": [0]}, "size is 0, must be a whole number from 1 to 99; give a whole number"),
        ({"sizes": []}, "sizes is (), must hold at least one value; give one or more"),
        ({"runs": "a.run"}, "runs is 'a.run', must be a list"),
        ({"shares": ["x"]}, "share is 'x', must lie in [0, 1]"),
        ({"power": 10**400}, "power is an integer of 1329 bits, must be positive"),
        ({"kind": "odd"}, "kind is 'odd', must be one of plain, bent; choose one of them"),
        ({"draws": 1}, "draws is 1, must be a whole number from 2 to 1000000; an interval needs"),
        ({"drows": 2}, "option is 'drows', must be one of runs, qrels, sizes"),
    ],
)
def test_a_mistake_is_one_line(options: dict[str, Any], message: str) -> None:
    with refused(message):
        EveryKind(**{**SMALLEST, **options})


# Counts of what people have, which have no bound.
BOUNDLESS = {"collection_size", "ideal_grade", "workers"}


def test_every_number_of_a_study_has_a_bound() -> None:
    designs = [study.design for study in studies().values()]
    numbers = [field for design in designs for field in design.fields() if field.kind is int]
    boundless = {field.name for field in numbers if field.option.most is None}
    assert boundless == BOUNDLESS, "give the option its most"


def test_designs_hold_numbers_in_order() -> None:
    design = EveryKind(runs=[Path("a"), "b", "a"], qrels=Path("q"), sizes=(9, 3, 9), shares=[1, 0])
    assert (design.runs, design.sizes, design.shares) == (("a", "b", "a"), (3, 9), (0.0, 1.0))


def test_a_design_that_has_no_option_is_refused_when_written() -> None:
    with pytest.raises(TypeError, match="has no Option"):
        type("Wrong", (Design,), {"__annotations__": {"x": int}})


# --- the registry -------------------------------------------------------------------------------


def registered(name: str, value: str) -> Studies:
    return Studies({name: EntryPoint(name, value, "prum.studies")})


def test_the_studies_of_prum_are_there() -> None:
    known = studies()
    assert {"approximations", "paper"} <= set(known)
    for name in known:
        assert known[name].help is not None
        assert known[name].help.split("\n")[0] == known.summary(name) != ""


def test_a_study_that_cannot_be_loaded_is_named() -> None:
    with refused('study odd is "ModuleNotFoundError: No module named'):
        registered("odd", "no_such_package:STUDY")["odd"]
    with refused("must be a Study called odd"):
        registered("odd", "prum.experiments.studies.approximations:APPROXIMATIONS")["odd"]
    assert registered("odd", "no_such_package:STUDY").summary("odd") == ""
    with refused("study is 'aproximations', must be one of "):
        study("aproximations")
