"""Options of what is read: the same for several verbs, and for studies of campaigns."""

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from prum.experiments.frame.design import Design, FileUse, Option

if TYPE_CHECKING:
    from prum.simulator.model.costs import Costs

Need = Literal["share", "whole"]
Offsets = Literal["characters", "bytes", "utf-16"]

IDEAL_GRADE = Option(
    "Lowest grade of an ideal.",
    least=1,
    always=True,
    remedy="give the lowest grade that counts as ideal",
)
WAY = Option(
    "How links are made from elements, structural by default; or how links make others, or chunks "
    "are opened. See prum list ways.",
    metavar="WAY",
)

TOOLS = Option(
    "Of an agent's log: the tools that search and open, and the field of ids, where names do not "
    "show them, such as search=bm25,open=page,id=pid.",
    metavar="NAMES",
    data="Of an agent's log: the tools that search and open, and the field of ids, where names do "
    "not show them: `Tools`, or text such as search=bm25,open=page,id=pid.",
    words=str,
)


class LinkOptions(Design):
    """Links and elements, and how users browse."""

    heading: ClassVar[str] = "Links, trees and users"

    links: Annotated[
        Any,
        Option(
            "Links (source, target, probability), in CSV, JSONL or Parquet.",
            file="input",
            data="A file, `Links`, a data frame (source, target, probability), or (source, target) "
            "-> probability; or topic -> `Links`, where they differ.",
        ),
    ] = None
    elements: Annotated[
        Any,
        Option(
            "Trees of elements: element, parent, length, start in CSV, JSONL, "
            "Parquet; or XML, each file a document.",
            file="input",
            several=True,
            data="A table or XML files, `Elements`, a data frame (element, parent, length, start), "
            "or element -> (parent, length, start): the trees that elements stand in. They make "
            "links if none are given; with links, users browse by these, and trees are for the "
            "other measures.",
        ),
    ] = ()
    way: Annotated[str | None, WAY] = None
    navigation: Annotated[
        Any,
        Option(
            "What a link's probability means, independent by default (prum list navigations). Or a "
            "file of prum fit in the place of links, as 'fitted.json + fading .9'.",
            metavar="KIND|FILE",
            data="What a link's probability means, by name; or a file that `prum fit` wrote, dials "
            'behind it ("fitted.json + fading .9"), what `fit` returned, or `Walk` and the like: '
            "these have links of their own.",
        ),
    ] = None
    collection_size: Annotated[
        int | None,
        Option(
            "Number of elements in the collection; by default those of --elements, else infinite.",
            data="Number of elements in the collection; by default those of `elements`. If it is "
            "not known, measures such as PRUM take the collection as infinite: nobody finds an "
            "ideal behind the list. The remarks of the result say what a smaller one could change.",
        ),
    ] = None

    def files(self, *roles: FileUse) -> tuple[str, ...]:
        """Return the files, that of a fitted navigation among them."""
        from prum.simulator.collections.fitted_files import files_of

        fitted = isinstance(self.navigation, str) and "input" in roles
        return (*super().files(*roles), *(files_of(self.navigation) if fitted else ()))


class SpanOptions(Design):
    """Chunks, and the spans that are looked for in them."""

    heading: ClassVar[str] = "Chunks and gold spans"

    chunks: Annotated[
        Any,
        Option(
            "The chunks that runs rank: id, doc, start, end (characters of the document, from 0), "
            "perhaps parent and costs as tokens, in CSV, JSONL, Parquet. One file, or one for each "
            "run.",
            file="input",
            several=True,
            data="In the place of qrels: the chunks that runs rank. A file, `ChunkTable`, a data "
            "frame (id, doc, start, end), or chunk -> (document, start, end); or a list of these, "
            "one for each run in order.",
        ),
    ] = ()
    spans: Annotated[
        Any,
        Option(
            "Gold spans of text, instead of judgements: topic, doc, start, end "
            "in CSV, JSONL, Parquet; or questions with references to texts.",
            file="input",
            data="In the place of qrels: the gold spans of each topic. A file, a data frame "
            "(topic, doc, start, end), or topic -> spans, `Span` or (document, start, end).",
        ),
    ] = None
    texts: Annotated[
        Any,
        Option(
            "The folder of the documents' texts, where spans are to be found in them or checked.",
            metavar="FOLDER",
            file="input",
            data="The folder of the documents' texts, where spans or chunks are to be found in or "
            "checked.",
        ),
    ] = None
    offsets: Annotated[
        Offsets | None,
        Option(
            "Unit of the starts and ends of chunks and spans: characters by default; bytes of "
            "UTF-8 and units of UTF-16, as JavaScript counts, need --texts.",
        ),
    ] = None
    need: Annotated[
        Need | None,
        Option(
            "How much of a span is needed: share (the default), any point of it, or whole.",
        ),
    ] = None


class IdealOptions(Design):
    """What is ideal."""

    heading: ClassVar[str] = "Judgements"

    ideal_grade: Annotated[int, IDEAL_GRADE] = 1
    ideals: Annotated[
        Literal["strict", "best"],
        Option(
            "Ideals of assessments: E3S3, or the best of each path.",
        ),
    ] = "strict"

    def files(self, *roles: FileUse) -> tuple[str, ...]:
        """Return the files, with those in folders of runs."""
        from prum.simulator.collections.trec import run_files

        files = super().files(*roles)
        if "input" not in roles:
            return files
        runs = getattr(self, "runs", ())
        paths = [path for path in _listed(runs) if isinstance(path, str | os.PathLike)]
        return (*(file for file in files if file not in paths), *map(str, run_files(paths)))


def _listed(given: Any) -> tuple[Any, ...]:
    return tuple(given) if isinstance(given, tuple | list) else (given,)


class CostOptions(Design):
    """What elements cost."""

    heading: ClassVar[str] = "Costs"

    costs: Annotated[
        Any,
        Option(
            "What elements cost: a file with a column element and a column for each unit, as "
            "tokens or seconds (CSV, JSONL, Parquet); or smucker-clarke, their times in seconds by "
            "lengths in words, of a column words or of --elements. --elements "
            "give the unit length.",
            metavar="FILE|smucker-clarke",
            file="input",
            several=True,
            data="What elements cost: a file with a column element and one for each unit, or a "
            'data frame; unit -> element -> number; "smucker-clarke", their seconds by lengths in '
            "words (the unit words, else length); or several of these. `PRUM(cost=tokens)` counts "
            "tokens. The lengths of `elements` are the unit length.",
        ),
    ] = ()


QRELS = Option(
    "Judgements: TREC qrels (grades, or assessments like E3S2), INEX assessments, preferences.",
    file="input",
    data="A file of grades, assessments or preferences; a data frame or records (qid, docno, label "
    "or query_id, doc_id, relevance; or topic, preferred, other); qrels of ranx or a dataset of "
    "ir_datasets; topic -> element -> grade or `Assessment`; or topic -> pairs (preferred, other).",
)
RUNS = (
    "Files, TREC or INEX, or folders of them, one or several; data frames or iterables of records "
    "of PyTerrier, ir_measures, ir_datasets (qid, docno, score or query_id, doc_id, score); runs "
    "of ranx; topic -> element -> score, or topic -> elements, best first; or name -> any of these."
)
PROGRESS = "Called with the number of runs done."


class ChargeOptions(CostOptions):
    """What elements cost, and in which unit users are charged for what they consult."""

    heading: ClassVar[str] = "Costs"

    cost: Annotated[
        str | None,
        Option(
            "Count what elements cost, not elements: in a unit of --costs; or of chunks, or "
            "length, of --elements, where there are any.",
            metavar="UNIT",
        ),
    ] = None


def _names_of_rules(rules: Any) -> list[str]:
    return [rule if isinstance(rule, str) else repr(rule) for rule in rules]


class SessionOptions(Design):
    """How long users take, and when they stop."""

    heading: ClassVar[str] = "Sessions"

    want: Annotated[
        int | None,
        Option(
            "Stop when so many ideals are seen, or all if there are fewer.",
            metavar="R",
            least=1,
            remedy="say how many ideals they want",
        ),
    ] = None
    stop: Annotated[
        Any,
        Option(
            "Stop by a rule, which prum list rules has; without any, and without --want, when all "
            "ideals are seen.",
            metavar="RULE",
            several=True,
            data="Rules of stopping, by name or as they are; the first that applies counts.",
            words=_names_of_rules,
        ),
    ] = ()
    costs: Annotated[
        Any,
        Option(
            "Seconds that actions take: 1 for each consulted element; or 4.4 to judge it and 7.8 "
            "to read each that is seen, those of Smucker and Clarke for texts of no length; or of "
            "a file with columns element and seconds, to read an element.",
            metavar="unit|smucker-clarke|FILE",
            file="input",
            data="How long actions take: `Costs`, or as on the command line; by default 1 s for "
            "each consulted element and nothing else.",
            words=repr,
            always=True,
        ),
    ] = "unit"
    judge: Annotated[
        float | None, Option("Seconds to judge an element, instead.", metavar="SECONDS")
    ] = None
    read: Annotated[
        float | None, Option("Seconds to read an element, instead.", metavar="SECONDS")
    ] = None
    move: Annotated[
        float | None, Option("Seconds to navigate to an element, instead.", metavar="SECONDS")
    ] = None

    def times(self) -> "Costs":
        """Return how long actions take: `costs`, with other times in the place of some.

        Raise InputError for a time that is negative or not finite, and as `read_costs`; OSError
        if a file cannot be opened or read.
        """
        from prum.simulator.collections.costs import SMUCKER_CLARKE
        from prum.simulator.model.costs import Constant, Costs

        named = {None: Costs.unit, "unit": Costs.unit, SMUCKER_CLARKE: Costs.smucker_clarke}
        costs: Any = self.costs
        if costs is None or isinstance(costs, str | os.PathLike):
            costs = named[costs]() if costs in named else _seconds(costs)
        if not isinstance(costs, Costs):
            from prum.simulator.model.errors import InputError

            rule, remedy = "be Costs, a name, or a file", f"take {SMUCKER_CLARKE}, say"
            raise InputError("costs", costs, rule, remedy=remedy)
        others: dict[str, Any] = {"judge": self.judge, "read": self.read, "move": self.move}
        given: dict[str, Any] = {
            part: Constant(time) for part, time in others.items() if time is not None
        }
        timed: Costs = replace(costs, **given)
        return timed


def _seconds(file: Any) -> "Costs":
    """Return what it takes to read elements, by a file of costs."""
    from prum.simulator.collections.costs import read_costs
    from prum.simulator.model.costs import SECONDS
    from prum.simulator.model.errors import InputError
    from prum.simulator.tables.files import place

    units = read_costs(file)
    if SECONDS not in units:
        rule, remedy = f"be {SECONDS}", f"give a column {SECONDS}, or unit or smucker-clarke"
        raise InputError("unit of cost", ", ".join(units), rule, remedy=remedy, place=place(file))
    return units[SECONDS]
