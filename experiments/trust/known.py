"""What is known of real people's dependence: figures, and where they come from."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FigureOfPeople:
    """A figure that was measured on people.

    Parameters
    ----------
    dependence
        The dependence that it is about, by name.
    figure
        What was measured, in words.
    source
        The data.
    page
        Where the documentation tells it, with the command that repeats it.
    """

    dependence: str
    figure: str
    source: str
    page: str


_VOTES = "15 people on each of 56 documents in four settings, who marked relevant paragraphs"
_GAMES = "76,187 games of Wikispeedia, in which people walk from article to article"

# What was measured on people, by dependence.
KNOWN = (
    FigureOfPeople(
        "users differ",
        "marks of one person in different documents correlate by .68, .45, .52 and .41 (one "
        "factor; .20 to .88 by their intervals)",
        _VOTES,
        "docs/findings.md, People mark paragraphs",
    ),
    FigureOfPeople(
        "users differ",
        "the patience of those who click has the law Beta(1.30 ± .12, 1.34 ± .11): decisions of "
        "one of them to go on correlate by 1 / (1 + a + b) = .27",
        "31,564 searches of NAVER (CLARA2), last clicks",
        "docs/studies.md, Where people stop",
    ),
    FigureOfPeople(
        "correlated",
        "marks of one person in one document correlate by .79, .70, .71 and .68, their person's "
        "factor among it",
        _VOTES,
        "docs/findings.md, People mark paragraphs",
    ),
    FigureOfPeople(
        "comonotone",
        "of all players .134 see some ideal, if visits were independent .150, if they went "
        "together .087: a quarter of the way",
        _GAMES,
        "docs/findings.md, People walk",
    ),
    FigureOfPeople(
        "exclusive",
        "of players who look for an ideal .895 see one, if visits were independent .774, if they "
        "excluded each other .966: two thirds of the way, partly because the game ends there",
        _GAMES,
        "docs/findings.md, People walk",
    ),
    FigureOfPeople(
        "walk",
        "a walk without memory is right on average about who sees some ideal (−.0002 ± .0010 for "
        "all players, +.009 ± .004 for those who look for one)",
        _GAMES,
        "docs/findings.md, People walk",
    ),
)
