"""Simulated users of ranked lists: the model they follow, collections, samplers.

Names are loaded when first used, so that importing the package costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prum.simulator.collections.campaign import (
        Campaign,
        built_in_campaign,
        read_campaign,
        web_example,
    )
    from prum.simulator.collections.read import (
        ideals_of,
        read_assessments,
        read_elements,
        read_inex_assessments,
        read_inex_run,
        read_links,
        read_qrels,
        read_run,
        read_xml,
    )
    from prum.simulator.generation.generate import MadeCollection, generate
    from prum.simulator.model import (
        Beta,
        Browsing,
        Copula,
        Coupled,
        Elements,
        Independent,
        InputError,
        Links,
        OneFactor,
        Task,
        Types,
        Walk,
        chunks,
        observed,
        structural,
        timeline,
        timeline_steps,
        tolerance,
        web,
    )
    from prum.simulator.model.stopping import (
        Budget,
        Found,
        Fruitless,
        Patience,
        Persistence,
        Ranks,
        Stopping,
    )
    from prum.simulator.model.times import Constant, Costs, Exponential, LogNormal
    from prum.simulator.sampling.comparison import Difference, compare
    from prum.simulator.sampling.effort import Effort, simulate_effort, simulate_graded
    from prum.simulator.sampling.judging import simulate_judging
    from prum.simulator.sampling.sampler import simulate
    from prum.simulator.sampling.stopping_users import stopping_users
    from prum.simulator.sampling.stops import Stops, simulate_preferences, simulate_stops
    from prum.simulator.sampling.trusting import simulate_trust
    from prum.simulator.sessions.curves import time_curve
    from prum.simulator.sessions.session import play, scripted
    from prum.simulator.sessions.trace import Event, Session
    from prum.simulator.simulation import Simulation

_HOMES = {
    "Beta": "model",
    "Browsing": "model",
    "Budget": "model.stopping",
    "Campaign": "collections.campaign",
    "Constant": "model.times",
    "Copula": "model",
    "Costs": "model.times",
    "Coupled": "model",
    "Difference": "sampling.comparison",
    "Effort": "sampling.effort",
    "Elements": "model",
    "Event": "sessions.trace",
    "Exponential": "model.times",
    "Found": "model.stopping",
    "Fruitless": "model.stopping",
    "Independent": "model",
    "InputError": "model",
    "Links": "model",
    "LogNormal": "model.times",
    "MadeCollection": "generation.generate",
    "OneFactor": "model",
    "Patience": "model.stopping",
    "Persistence": "model.stopping",
    "Ranks": "model.stopping",
    "Session": "sessions.trace",
    "Simulation": "simulation",
    "Stopping": "model.stopping",
    "Stops": "sampling.stops",
    "Task": "model",
    "Types": "model",
    "Walk": "model",
    "built_in_campaign": "collections.campaign",
    "chunks": "model",
    "compare": "sampling.comparison",
    "generate": "generation.generate",
    "ideals_of": "collections.read",
    "observed": "model",
    "play": "sessions.session",
    "read_assessments": "collections.read",
    "read_campaign": "collections.campaign",
    "read_elements": "collections.read",
    "read_inex_assessments": "collections.read",
    "read_inex_run": "collections.read",
    "read_links": "collections.read",
    "read_qrels": "collections.read",
    "read_run": "collections.read",
    "read_xml": "collections.read",
    "scripted": "sessions.session",
    "simulate": "sampling.sampler",
    "simulate_effort": "sampling.effort",
    "simulate_graded": "sampling.effort",
    "simulate_judging": "sampling.judging",
    "simulate_preferences": "sampling.stops",
    "simulate_stops": "sampling.stops",
    "simulate_trust": "sampling.trusting",
    "stopping_users": "sampling.stopping_users",
    "structural": "model",
    "time_curve": "sessions.curves",
    "timeline": "model",
    "timeline_steps": "model",
    "tolerance": "model",
    "web": "model",
    "web_example": "collections.campaign",
}

__all__ = [
    "Beta",
    "Browsing",
    "Budget",
    "Campaign",
    "Constant",
    "Copula",
    "Costs",
    "Coupled",
    "Difference",
    "Effort",
    "Elements",
    "Event",
    "Exponential",
    "Found",
    "Fruitless",
    "Independent",
    "InputError",
    "Links",
    "LogNormal",
    "MadeCollection",
    "OneFactor",
    "Patience",
    "Persistence",
    "Ranks",
    "Session",
    "Simulation",
    "Stopping",
    "Stops",
    "Task",
    "Types",
    "Walk",
    "built_in_campaign",
    "chunks",
    "compare",
    "generate",
    "ideals_of",
    "observed",
    "play",
    "read_assessments",
    "read_campaign",
    "read_elements",
    "read_inex_assessments",
    "read_inex_run",
    "read_links",
    "read_qrels",
    "read_run",
    "read_xml",
    "scripted",
    "simulate",
    "simulate_effort",
    "simulate_graded",
    "simulate_judging",
    "simulate_preferences",
    "simulate_stops",
    "simulate_trust",
    "stopping_users",
    "structural",
    "time_curve",
    "timeline",
    "timeline_steps",
    "tolerance",
    "web",
    "web_example",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"prum.simulator.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
