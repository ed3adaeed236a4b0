"""The path from binary to continuous relevance and retrieval, with the measures on it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stage:
    """A combination of relevance and retrieval, each binary, ranking or continuous.

    Attributes
    ----------
    relevance, retrieval
        How relevance is judged, and what a system gives.
    measures
        The measures that the paper has there.
    """

    relevance: str
    retrieval: str
    measures: tuple[str, ...]


# Section 2 and figure 1 of Mizzaro 2001, in the order of the path. Mean average precision, which
# needs a ranking, stands where the paper has it.
PATH = (
    Stage(
        "binary",
        "binary",
        (
            "precision",
            "recall",
            "fallout",
            "generality factor",
            "E-measure",
            "mean average precision",
            "ADM_2^2",
        ),
    ),
    Stage(
        "binary",
        "ranking",
        ("normalized precision", "normalized recall", "expected search length"),
    ),
    Stage("binary", "continuous", ("Swets's E-measure",)),
    Stage("ranking", "ranking", ("ndpm", "usefulness measure")),
    Stage("continuous", "continuous", ("sliding ratio", "ADM")),
)
