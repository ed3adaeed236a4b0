"""Users who follow a script: from each element they see its visits, in order."""

from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from prum.simulator.model import Costs, Found, Stopping, Task
from prum.simulator.sampling.streams import Sfc64
from prum.simulator.sessions.person import Consultation
from prum.simulator.sessions.session import Life
from prum.simulator.sessions.trace import Session


def scripted(
    task: Task,
    visits: Mapping[str, Sequence[str]],
    *,
    stopping: Stopping | None = None,
    costs: Costs | None = None,
) -> Session:
    def consultations() -> Iterator[Consultation]:
        for rank, element in enumerate(task.ranking, start=1):
            shown = [(element, target) for target in visits.get(element, ())]
            yield Consultation(rank, element, [("", element), *shown])

    numbers = {name: lambda: Sfc64(1, 2, 3, 1) for name in ("stopping", "times")}
    person: Any = SimpleNamespace(consultations=consultations, **numbers)
    rules = stopping or Stopping(Found(task.num_ideals))
    return Life(person, task, rules, costs or Costs.unit(), 0, "every").lived(0)
