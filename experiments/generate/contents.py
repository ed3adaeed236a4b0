"""What the files of a dataset hold, column by column: said here once, for the datasheet."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Contents:
    """What a file is, in short, and its columns: name -> meaning, in their order.

    `form` says how columns are told apart where the suffix does not.
    """

    what: str
    columns: Mapping[str, str] = field(default_factory=dict)
    form: str = ""


_BLANKS = "no names in the file; apart by blanks"
_TOPIC = {"topic": "which topic", "iteration": "always 0", "element": "an element that was judged"}
_GRADE = {"grade": "0 is not relevant; ideal from topics.ideal_grade on"}
_JUDGED = {**_TOPIC, **_GRADE}

# By the name of a file without its suffix; of a folder, with the slash.
CONTENTS: Mapping[str, Contents] = {
    "elements": Contents(
        "the tree of each document",
        {
            "element": "its id",
            "parent": "the element around it; none of a document",
            "length": "in words; of videos in seconds",
            "start": "where it begins in its document, in the same unit",
        },
    ),
    "links": Contents(
        "how likely a page leads to another",
        {
            "source": "a page",
            "target": "a page that it links to",
            "probability": "that a user who consults the source follows the link",
        },
    ),
    "topics": Contents(
        "topics with what users look for",
        {
            "topic": "its name",
            "ideals": "the ids of its ideals, in the order in which users look at them",
            "intents": "relevant element -> numbers of the intents that it serves, if several",
        },
    ),
    "qrels": Contents(
        "the complete judgements: what is not there is not relevant", _JUDGED, _BLANKS
    ),
    "qrels-intents": Contents(
        "the same for each intent",
        {
            "topic": "which topic",
            "intent": "the number of the intent, from 1",
            "element": "an element that serves it",
            **_GRADE,
        },
        _BLANKS,
    ),
    "qrels-pooled": Contents(
        "what a pool leaves of them: what is not there was not judged", _JUDGED, _BLANKS
    ),
    "qrels-assessor": Contents("the judgements of an assessor who errs", _JUDGED, _BLANKS),
    "assessments": Contents(
        "assessments on INEX's two scales, consistent up the tree",
        {
            **_TOPIC,
            "assessment": "exhaustivity and specificity, each from 0 to 3, as E2S3",
        },
        _BLANKS,
    ),
    "navigation": Contents(
        "how users of a topic browse",
        {
            "topic": "which topic",
            "source": "an element",
            "target": "what users may see from there, ideal or not; of walks, the next step",
            "probability": "P(source → target), before the dials of browsing.kind",
        },
    ),
    "runs/": Contents(
        "TREC runs, a system each",
        {
            "topic": "which topic",
            "Q0": "always Q0",
            "element": "what stands at the rank",
            "rank": "from 1",
            "score": "descending; equal where elements are tied",
            "system": "its name",
        },
        _BLANKS,
    ),
    "scores": Contents(
        "the true score of each system on each topic",
        {
            "system": "its name, that of its run",
            "topic": "which topic",
            "measure": "as prum evaluate names it",
            "score": "by the complete judgements",
            "error": "one standard error, 0 where the score is computed",
            "method": "computed or simulated",
        },
    ),
    "log": Contents(
        "what users do, event by event",
        {
            "system": "whose list the user has",
            "user": "a number; the same user in all systems",
            "session": "which of the user's sessions, from 1: one for each query",
            "query": "the topic that was asked",
            "time": "seconds since the beginning of the log",
            "action": "consult an element of the list or behind it, see one, or stop",
            "rank": "of the consulted element, from 1; behind the list counted on",
            "element": "what is consulted or seen; of stop the last one",
            "origin": "of see: where the user came from; empty for the consulted element itself",
            "ideal": "whether it is an ideal",
            "new": "whether it is an ideal that the user had not seen before",
            "reason": "of stop: the rule that ended the session",
        },
    ),
    "dataset": Contents(
        "what the dataset is, for programs; dataset.schema.json is its schema",
        {
            "form": "the version of this form",
            "name": "of the dataset",
            "version": "of prum",
            "made_with": "versions of what the bytes of Parquet files depend on",
            "seed": "of the random numbers",
            "specification": "every dial, as prum generate takes it",
            "counts": "how many elements, places, links, topics, ideals, events",
            "systems": "by name: strength, target and what was reached, lists, true means",
            "files": "by name: bytes, SHA-256, rows; all files but this",
        },
    ),
    "dataset.schema": Contents("the JSON schema of dataset.json"),
    "DATASHEET": Contents("this text"),
}


def stem_of(name: str) -> str:
    """Return the name in `CONTENTS` of a file of a dataset.

    >>> stem_of("runs/a.b"), stem_of("log.jsonl"), stem_of("qrels-assessor-2.txt")
    ('runs/', 'log', 'qrels-assessor')
    """
    if name.startswith("runs/"):
        return "runs/"
    stem = name.rpartition(".")[0]
    assessor = "qrels-assessor"
    return assessor if stem.startswith(f"{assessor}-") else stem


def columns_of(name: str, num_intents: int = 1) -> dict[str, str]:
    """Return the columns of a file with their meaning, none where it has none."""
    columns = dict(CONTENTS[stem_of(name)].columns)
    if stem_of(name) == "topics" and num_intents == 1:
        del columns["intents"]
    return columns
