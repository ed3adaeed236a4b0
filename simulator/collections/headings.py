"""What people call the columns of tables, and columns nobody knows that name systems."""

from collections.abc import Hashable, Mapping, Sequence

from prum.simulator.model.errors import InputError

# A column that says which system a row is of, best known first.
SYSTEM = ("system", "run", "run_id", "runid", "run_name", "model", "model_name", "retriever",
          "chunker", "method", "tag", "name")  # fmt: skip
# These count only where no other name of a system stands: a document may have them, too.
_WEAK = ("tag", "name")


def plain(name: str) -> str:
    """Return a column's name as all its spellings are compared.

    >>> plain(" Run-ID"), plain("model name")
    ('run_id', 'model_name')
    """
    return name.strip().lower().replace(" ", "_").replace("-", "_")


def column_of(names: Sequence[str], known: Sequence[str]) -> str | None:
    """Return the column that has a known name, of several the one that is known best.

    Of two spellings of one name it is the first.

    >>> column_of(["qid", "Score", "label"], ("grade", "label", "score"))
    'label'
    >>> column_of(["Doc ID", "doc_id"], ("doc_id",))
    'Doc ID'
    """
    by_name = {plain(name): name for name in reversed(names)}
    return next((by_name[name] for name in known if name in by_name), None)


def one_column(
    role: str, names: Sequence[str], known: Sequence[str], *, place: str, remedy: str = ""
) -> str | None:
    """Return the column of a role, None if no name fits.

    Raises
    ------
    InputError
        for several that may be it.

    >>> one_column("system", ["Model", "name", "qid"], SYSTEM, place="frame")
    'Model'
    """
    fits = [name for name in names if plain(name) in known]
    strong = [name for name in fits if plain(name) not in _WEAK]
    fits = strong or fits
    if len(fits) > 1:
        remedy = remedy.format(fits[0]) or "leave the others out, or rename them"
        raise InputError(
            f"columns that may be the {role}", ", ".join(fits), "be one", remedy=remedy,
            place=place,
        )  # fmt: skip
    return fits[0] if fits else None


def check_lists(
    lists: Sequence[Hashable],
    elements: Sequence[Hashable],
    ranks: Sequence[Hashable] | None,
    others: Mapping[str, Sequence[object]],
    *,
    place: str,
) -> None:
    """Raise for a column of text that splits the lists of topics, as one that names systems does.

    A row says that an element is in a list, perhaps at a rank. If ranks are there and each once,
    there is one list for each topic. Otherwise a column splits lists if some list has several of
    its values, and these repeat: mostly within a list, or over the elements, one of which has
    several. What describes each element by itself, like a title, does neither.

    Raises
    ------
    InputError
        naming the column.
    """
    num = len(lists)
    if ranks is not None and len(set(zip(lists, ranks, strict=True))) == num:
        return
    num_lists = len(set(lists))
    for name, values in others.items():
        if not all(isinstance(value, str) for value in values):
            continue
        parts = len(set(zip(lists, values, strict=True)))
        repeats = 2 * len(set(values)) <= num
        several = len(set(zip(elements, values, strict=True))) > len(set(elements))
        if parts > num_lists and (2 * parts <= num or (repeats and several)):
            raise unknown_column(name, values, place=place)


def unknown_column(name: str, values: Sequence[object], *, place: str) -> InputError:
    """Return the error that a column tells rows apart, and nobody knows what it is."""
    first, second, *_ = dict.fromkeys(map(str, values))
    return InputError(
        f"column {name!r}, which tells rows of the same topic apart,", f"{first}, {second}, ...",
        "have a name that is known",
        remedy="call it system if it names systems, and leave it out if not", place=place,
    )  # fmt: skip
