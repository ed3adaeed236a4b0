"""One list checked: its values by PRUM, exactly and of users, and what else is claimed of it."""

from collections.abc import Mapping
from dataclasses import dataclass

from prum.analytic.precision.result import PrecisionRecall
from prum.experiments.crosscheck.approximations import Claimed
from prum.experiments.crosscheck.verdicts import Judgement
from prum.simulator.model.arrays import Floats
from prum.simulator.sampling.simulation import Simulation


@dataclass(frozen=True, slots=True, eq=False)
class CheckedList:
    """One list checked: its three values and what names it, what was found, what is claimed."""

    campaign: str
    system: str
    topic: str
    navigation: str
    prum: PrecisionRecall
    exact: PrecisionRecall | None
    simulated: Simulation
    classical: PrecisionRecall
    judged: Judgement
    claims: Mapping[str, Claimed]

    @property
    def reference(self) -> Floats:
        """Precision under this navigation: exact if it has a closed form, else simulated."""
        return self.simulated.precision if self.exact is None else self.exact.precision

    @property
    def reference_name(self) -> str:
        """What `reference` is, with the navigation under which it holds."""
        return f"{'simulated' if self.exact is None else 'exact'}, {self.navigation}"
