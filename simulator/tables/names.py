"""What people call the columns of tables: each says its names here, and here alone."""

from collections.abc import Sequence

from prum.simulator.model.errors import InputError


def _names(words: str) -> tuple[str, ...]:
    return tuple(words.split())


# Of each column the best known name first, which messages use; of several that a table has, the
# first counts.

# Which system a row is of. Of a score two more names are; of a list they may describe documents.
SYSTEM = _names("system run run_id runid run_name model model_name retriever chunker method")
SCORED = (*SYSTEM, "tag", "name")
# Who labelled, where several did.
JUDGE = ("judge", "assessor", "annotator", "rater", *SYSTEM)
# Which run of a system that ran several times, and what such a run is called.
TRIAL = ("trial", "seed", "attempt", "repeat")
OF_TRIAL = "{} (trial {})"
# What is asked; its words, too, where nothing else names it.
WORDS = ("question", "query")
TOPIC = _names("topic qid query_id q_id topic_id question_id query question user_id")
# Of a question whose words may stand beside.
QUESTION = ("query_id", "question_id", "topic", "qid", "q_id", "topic_id", "id")
# What is retrieved, judged, charged, or visited.
ELEMENT = _names("element docno doc_id docid document document_id doc corpus_id item_id _id")
PAGE = ("element", "page", "url", "article", *ELEMENT[1:])
# Lists of elements in a cell, of ragas: what a system retrieved, best first, and what is ideal.
LISTED = ("retrieved_context_ids",)
IDEALS = ("reference_context_ids",)
# Of a retrieved element.
SCORE = ("score", "similarity", "prediction", "rating")
RANK = ("rank",)
# Of a judged one.
GRADE = ("grade", "relevance", "label", "rel", "score", "rating")
SUBTOPIC = ("subtopic", "subtopic_id", "iteration")
# Of two judged ones.
PREFERRED = ("preferred", "winner", "better")
OTHER = ("other", "loser", "worse")
# Of a score by a measure.
MEASURE = ("measure", "metric", "measure_name", "metric_name")
VALUE = ("score", "value", "result")

# A chunk, the document that it is a part of, and its place there.
CHUNK = ("id", "chunk", "chunk_id", "node_id", "id_", "_id")
DOCUMENT = _names(
    "doc document source doc_id document_id ref_doc_id source_id file_path corpus_id docno docid"
)
START = ("start", "start_index", "start_char_idx", "split_idx_start")
END = ("end", "end_index", "end_char_idx")
TEXT = ("text", "content", "page_content")
PARENT = ("parent", "parent_id")

# Of a log.
SESSION = ("session", "session_id")
TIME = ("time", "timestamp")
PERSON = ("person", "user", "person_id", "user_id")
ENTRY = ("entry", "is_entry", "entry_id")


def plain(name: str) -> str:
    """Return a column's name as all its spellings are compared.

    >>> plain(" Run-ID"), plain("model name")
    ('run_id', 'model_name')
    """
    return name.strip().lower().replace(" ", "_").replace("-", "_")


def column_of(names: Sequence[str], aliases: Sequence[str]) -> str | None:
    """Return the column that has a known name, of several the one that is known best.

    >>> column_of(["qid", "Score", "label"], ("grade", "label", "score"))
    'label'
    """
    by_name = {plain(name): name for name in reversed(names)}
    return next((by_name[name] for name in aliases if name in by_name), None)


def trial_column(names: Sequence[str]) -> str | None:
    """Return the column of trials; `run` is one where another column names systems.

    >>> trial_column(["run", "qid"]), trial_column(["run", "model"])
    (None, 'run')
    """
    systems = [name for name in SYSTEM if not name.startswith("run")]
    is_named = column_of(names, systems) is not None
    return column_of(names, (*TRIAL, "run") if is_named else TRIAL)


def one_column(
    role: str, names: Sequence[str], aliases: Sequence[str], *, place: str, remedy: str = ""
) -> str | None:
    """Return the column of a role, None if no name fits; one called `system` is the system's.

    Raise InputError for several that may be it.

    >>> one_column("system", ["Model", "qid"], SYSTEM, place="frame")
    'Model'
    """
    fits = [name for name in names if plain(name) in aliases]
    fits = [name for name in fits if plain(name) == SYSTEM[0]] or fits
    if len(fits) > 1:
        remedy = remedy or "leave the others out, or rename them"
        thing = f"columns that may be the {role}"
        raise InputError(thing, ", ".join(fits), "be one", remedy=remedy, place=place)
    return fits[0] if fits else None
