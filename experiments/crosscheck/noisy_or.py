"""What noisy-or gets wrong where chunks show spans, in words."""

from typing import TYPE_CHECKING

from prum.experiments.crosscheck.systems import reference_name
from prum.experiments.views.view import apart_from_zero

if TYPE_CHECKING:
    from prum.experiments.crosscheck.result import Crosscheck

# A list whose precision noisy-or misses by more, averaged over recall values, is counted.
_OFF = 0.01
_MOST_SYSTEMS = 10


def noisy_or_in_words(crosscheck: "Crosscheck", campaign: str) -> str:
    """Return by how much noisy-or misses a campaign's precision; nothing where none has spans.

    PRUM multiplies what chunks miss of a span, as if they lay in it independently of each other.
    Chunks side by side cover more than that, chunks that overlap less.
    """
    entries = crosscheck.campaigns
    if all(x.get("navigation") != "Covering" for x in entries if x["name"] == campaign):
        return ""
    cases = [case for case in crosscheck.cases if case.campaign == campaign]
    rows = crosscheck.comparisons[crosscheck.comparisons["campaign"] == campaign]
    errors = rows["prum_error"]
    of_lists = errors.groupby([rows["system"], rows["topic"]]).mean()
    of_systems = of_lists.groupby(level=0, sort=False).mean()
    means = [f"{_signed(error)} ({system})" for system, error in of_systems.items()][:_MOST_SYSTEMS]
    more = len(of_systems) - len(means)
    means += [f"{more} more systems"] * (more > 0)
    num_off = int((of_lists.abs() > _OFF).sum())
    off = f"{num_off:,}" if num_off else "none"
    count = f" Lists that are off by more than {_OFF:g}: {off} of {len(of_lists):,}."
    return (
        "PRUM takes chunks to miss a span independently of each other (noisy-or), and not by what "
        f"they cover together. Against {reference_name(cases)}, its mean error is "
        f"{', '.join(means)}; at single recall values it lies between {_signed(errors.min())} and "
        f"{_signed(errors.max())}.{count if len(of_lists) > 1 else ''}"
    )


def _signed(error: float) -> str:
    return f"{error:{apart_from_zero(error, '+.4f')}}"
