"""Every option of every command refuses what its own declaration forbids, by name."""

import importlib
import math
from collections.abc import Iterator
from typing import Any

import pytest

from prum.experiments.commands.crosscheck import CrosscheckDesign
from prum.experiments.commands.generate import GenerateDesign
from prum.experiments.commands.main import COMMANDS
from prum.experiments.commands.simulate import SimulateDesign
from prum.experiments.commands.sweep import SweepDesign
from prum.experiments.frame.design import Field
from prum.experiments.frame.verb import Verb
from prum.experiments.studies.kit.registry import studies
from prum.simulator.model import InputError

HOMES = [home.split(":") for group in COMMANDS.values() for home, _ in group.values()]
ROOM = "prum.experiments"
FOUND = [getattr(importlib.import_module(f"{ROOM}.{module}"), name) for module, name in HOMES]
VERBS = [one for one in FOUND if isinstance(one, Verb)]
DESIGNS: list[Any] = [
    *(one.design for one in (*VERBS, *map(studies().get, studies())) if one is not None),
    *(one.outputs for one in VERBS),
    *(CrosscheckDesign, GenerateDesign, SimulateDesign, SweepDesign),
]
# An option that several designs share is one.
FIELDS = {(one.name, one.option): one for design in DESIGNS for one in design.fields()}


def wrong(field: Field) -> Iterator[Any]:
    """Yield values that the declaration forbids."""
    option = field.option
    yield object()
    if field.kind in (int, float):
        yield from ("x", True, math.nan, math.inf)
        ends = ((option.least, -1), (option.most, 1), (option.above, 0), (option.below, 0))
        yield from (end + step for end, step in ends if end is not None)
    if field.kind is int and option.least is None:
        yield -1
    if isinstance(field.kind, tuple):
        yield "no such choice"
    if field.kind is bool:
        yield 1
    if field.kind is str:
        yield "a\0b"


@pytest.mark.parametrize("field", FIELDS.values(), ids=lambda field: field.name)
def test_what_is_forbidden_is_refused_by_name_and_what_lies_on_a_bound_is_taken(
    field: Field,
) -> None:
    for value in wrong(field) if field.kind is not object else ():
        with pytest.raises(InputError) as caught:
            field.checked([value] if field.several else value)
        assert str(caught.value).startswith((field.singular, field.name)), value
    for end in (field.option.least, field.option.most):
        if end is not None and field.kind in (int, float):
            value = field.kind(end)  # type: ignore[operator]
            assert field.checked([value] if field.several else value) in (value, (value,))
    if isinstance(field.kind, tuple):
        assert all(field.checked([x] if field.several else x) in (x, (x,)) for x in field.kind)
