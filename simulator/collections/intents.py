"""Intent files: how likely the user of a topic means each subtopic, as CSV, TSV and so on."""

from collections.abc import Mapping
from typing import Any

from prum.simulator.model.errors import InputError
from prum.simulator.model.tables import places
from prum.simulator.model.task import check_id
from prum.simulator.tables.layout import FileColumn, Layout
from prum.simulator.tables.names import SUBTOPIC, TOPIC
from prum.simulator.tables.read import read

# Topic -> subtopic -> P(subtopic given topic).
Intents = Mapping[str, Mapping[str, float]]
# Written with three digits, thirds sum to .999.
_ROUNDING = 2e-3
_RULE, _REMEDY = "be a number in [0, 1]", "write it like 0.25"
LAYOUT = Layout(
    what="file of intents",
    columns=(
        FileColumn.of(TOPIC),
        FileColumn.of(SUBTOPIC),
        FileColumn(name="probability", number=True, most=1.0),
    ),
    rule=_RULE,
    remedy=_REMEDY,
    bounds_in_csv=True,
    others=True,
    rows="intents",
)


def read_intents(source: Any) -> Intents:
    """Return P(i|q) of a table with columns topic, subtopic and probability, summing to 1.

    The formats are those of `read_links`; a mapping from topics to subtopics to probabilities is
    checked as it is. Sums of a topic may differ from 1 by .002, as rounded numbers do.

    Raises
    ------
    InputError
        as `read_links`; for a probability outside [0, 1], a subtopic with two rows, probabilities
        of a topic that do not sum to 1.
    OSError
        if the file cannot be opened or read.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "intents.csv"
    >>> _ = path.write_text("topic,subtopic,probability\\n7,1,.75\\n7,2,.25\\n")
    >>> read_intents(path)
    {'7': {'1': 0.75, '2': 0.25}}
    """
    origin, lines = "", None
    if isinstance(source, Mapping):
        rows = [(q, i, p) for q, by in source.items() for i, p in _inner(q, by).items()]
    else:
        table = read(source, LAYOUT)
        topics, subtopics, each = table.columns
        origin, lines = table.origin, table.lines
        rows = list(zip(topics, subtopics, each.tolist(), strict=True))
    where = places("intents", origin, lines)
    intents: dict[str, dict[str, float]] = {}
    for row, (topic, subtopic, value) in enumerate(rows):
        check_id("topic", topic, place=where(row))
        check_id("subtopic", subtopic, place=where(row))
        of = f"of subtopic {subtopic!r} of topic {topic!r}"
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not 0 <= value <= 1:
            raise InputError(f"probability {of}", value, _RULE, remedy=_REMEDY, place=where(row))
        known = intents.setdefault(topic, {})
        if subtopic in known:
            rule, remedy = "be given once", "drop one of its rows"
            raise InputError(f"probability {of}", value, rule, remedy=remedy, place=where(row))
        known[subtopic] = float(value)
    for topic, by in intents.items():
        if abs(sum(by.values()) - 1) > _ROUNDING:
            thing, remedy = f"sum of probabilities of topic {topic!r}", "divide them by their sum"
            raise InputError(
                thing, round(sum(by.values()), 6), "be 1", remedy=remedy, place=origin or "intents"
            )
    return intents


def _inner(topic: Any, by: Any) -> Mapping[Any, Any]:
    if not isinstance(by, Mapping):
        rule, remedy = "be a mapping", "give {subtopic: probability}"
        raise InputError(f"intents of topic {topic!r}", type(by).__name__, rule, remedy=remedy)
    return by
