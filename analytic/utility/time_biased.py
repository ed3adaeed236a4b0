"""Time-biased gain: what a ranked list brings users whose time runs out."""

from dataclasses import dataclass
from math import inf, log

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model import Constant, Costs, InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.costs import seconds
from prum.simulator.model.errors import proportion, real_array


@dataclass(frozen=True, slots=True, eq=False)
class TimeBiasedGain:
    """Time-biased gain of a list of m ranks, and what it is if time does not go by its mean.

    Arrays of shape (m,): g_k, the expected gain at rank k; T(k), the expected seconds until rank k
    is reached; D(T(k)); and E[D] of the time itself, at least that as D is convex (Jensen).
    """

    gains: Floats
    seconds: Floats
    decay: Floats
    expected_decay: Floats

    @property
    def value(self) -> float:
        """sum g_k D(T(k)): time-biased gain as published, in units of gain."""
        return float(self.gains @ self.decay)

    @property
    def exact(self) -> float:
        """sum g_k E[D]: the gain expected from users whose time depends on what they click."""
        return float(self.gains @ self.expected_decay)

    def __repr__(self) -> str:
        return f"TimeBiasedGain({self.value:.4f}, with random times {self.exact:.4f})"


def time_biased_gain(
    relevance: ArrayLike,
    words: ArrayLike,
    *,
    half_life: float = 224.0,
    judge: float = 4.4,
    per_word: float = 0.018,
    read: float = 7.8,
    click: tuple[float, float] = (0.39, 0.64),
    save: float = 0.77,
) -> TimeBiasedGain:
    """Return time-biased gain, sum_k g_k D(T(k)), D(t) = exp(-t ln 2 / h) (Smucker and Clarke).

    T(k) = sum_{j<k} judge + P(click on j) (per_word words_j + read) is the expected time before
    rank k, g_k = P(click, save and relevant). Defaults are the values of the paper (SIGIR 2012),
    fitted to 48 people, with documents that differ.

    The exact counterpart: if clicks are independent, the time before rank k is a sum of
    independent terms, and E[D] is the product of their Laplace transforms at a = ln 2 / h,
    prod_{j<k} exp(-a judge) (1 - P(click) + P(click) exp(-a (per_word words_j + read))).

    Parameters
    ----------
    relevance
        1 or 0 for each rank, or the probability of relevance in between; shape (m,).
    words
        Length of each document, shape (m,), or one for all.
    half_life
        h, seconds after which half of the users are gone.
    judge, per_word, read
        Seconds for a summary, a word of a document, and a document besides its words.
    click
        P(click) for what is not relevant and what is.
    save
        P(relevance is recognised) of a relevant document clicked on; a gain of 1 each.

    Raises InputError for probabilities outside [0, 1], times or lengths negative or not finite,
    half_life 0.

    >>> time_biased_gain([1, 0, 1], 500)
    TimeBiasedGain(0.9474, with random times 0.9476)
    """
    relevant = real_array("relevance", relevance, remedy="give one for each rank")
    if relevant.ndim != 1 or not ((relevant >= 0) & (relevant <= 1)).all():
        rule = "lie in [0, 1] and have shape (m,)"
        raise InputError("relevance", relevance, rule, remedy="give 0 or 1 each")
    a = log(2) / seconds("half_life", half_life, positive=True)
    judge, read = seconds("judge", judge), seconds("read", read)
    per_word = seconds("per_word", per_word)
    remedy = "give P(click) of irrelevant, relevant"
    no, yes = (proportion("click", p, remedy=remedy) for p in click)
    save = proportion("save", save, remedy="give P(save) of a relevant document")
    costs = Costs(Constant(judge), Constant(read), Constant(0), per_word)
    lengths = real_array("words", words, remedy="give a number, or one for each")
    if lengths.shape not in ((), relevant.shape) or not ((lengths >= 0) & (lengths < inf)).all():
        rule = f"be at least 0, finite, and one or {len(relevant)}"
        raise InputError("words", words, rule, remedy="give one for each")
    reading = costs.reading(np.broadcast_to(lengths, relevant.shape))
    clicks = no + (yes - no) * relevant
    times = _before(judge + clicks * reading)
    # log(1 - p + p exp(-a reading)), of small a as well.
    laplace = _before(np.log1p(clicks * np.expm1(-a * reading)) - a * judge)
    return TimeBiasedGain(yes * save * relevant, times, np.exp(-a * times), np.exp(laplace))


def _before(terms: Floats) -> Floats:
    """Return the sum of what comes before each rank."""
    return np.append(0.0, np.cumsum(terms))[: len(terms)]
