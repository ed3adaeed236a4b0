"""Options of what is read: the same for several verbs, and for studies of campaigns."""

import os
from pathlib import PurePath
from typing import Any, ClassVar, Literal

from prum.experiments.frame.design import Design, FileUse, Option, option

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
    words=str,
)


def named_file(text: str) -> tuple[str, str]:
    """Return the name and the file of NAME=FILE; of a FILE alone the name is its stem.

    >>> named_file("mine=of/june.csv.gz"), named_file("of/june.csv.gz"), named_file("a/b=c.csv")
    (('mine', 'of/june.csv.gz'), ('june', 'of/june.csv.gz'), ('b=c', 'a/b=c.csv'))
    """
    from prum.simulator.tables.files import STANDARD_INPUT, bare_name

    name, sign, path = text.partition("=")
    if not sign or "/" in name or os.sep in name:
        path = text
        name = "input" if text in ("-", STANDARD_INPUT) else PurePath(bare_name(text)).stem
    return name, STANDARD_INPUT if path == "-" else path


class LinkOptions(Design):
    """Links and elements, and how users browse."""

    heading: ClassVar[str] = "Links, trees and users"

    links: Any = option(
        None,
        "Links (source, target, probability), in CSV, JSONL or Parquet.",
        file="input",
        data="A file, `Links`, a data frame (source, target, probability), or (source, target) -> "
        "probability; or topic -> `Links`, where they differ.",
    )
    elements: Any = option(
        (),
        "Trees of elements: element, parent, length, start in CSV, JSONL, Parquet; or XML, each "
        "file a document.",
        file="input",
        several=True,
        data="A table or XML files, `Elements`, a data frame (element, parent, length, start), or "
        "element -> (parent, length, start): the trees that elements stand in. They make links "
        "if none are given; with links, users browse by these, and trees are for the other "
        "measures.",
    )
    way: str | None = option(None, WAY)
    navigation: Any = option(
        None,
        "What a link's probability means, independent by default (prum list navigations). Or a "
        "file of prum fit in the place of links, as 'fitted.json + fading .9'.",
        "KIND|FILE",
        data="What a link's probability means, by name; or a file that `prum fit` wrote, dials "
        'behind it ("fitted.json + fading .9"), what `fit` returned, or `Walk` and the like: '
        "these have links of their own.",
    )
    collection_size: int | None = option(
        None,
        "Number of elements in the collection; by default those of --elements, else infinite.",
        data="Number of elements in the collection; by default those of `elements`. If it is not "
        "known, measures such as PRUM take the collection as infinite: nobody finds an ideal "
        "behind the list. The remarks of the result say what a smaller one could change.",
    )

    def files(self, *roles: FileUse) -> tuple[str, ...]:
        """Return the files, that of a fitted navigation among them."""
        from prum.simulator.collections.fitted_files import files_of

        fitted = isinstance(self.navigation, str) and "input" in roles
        return (*super().files(*roles), *(files_of(self.navigation) if fitted else ()))


class SpanOptions(Design):
    """Chunks, and the spans that are looked for in them."""

    heading: ClassVar[str] = "Chunks and gold spans"

    chunks: Any = option(
        (),
        "The chunks that runs rank: id, doc, start, end (characters of the document, from 0), "
        "perhaps parent and costs as tokens, in CSV, JSONL, Parquet. One file, or one for each "
        "run.",
        file="input",
        several=True,
        data="In the place of qrels: the chunks that runs rank. A file, `ChunkTable`, a data frame "
        "(id, doc, start, end), or chunk -> (document, start, end); or a list of these, one for "
        "each run in order.",
    )
    spans: Any = option(
        None,
        "Gold spans of text, instead of judgements: topic, doc, start, end in CSV, JSONL, "
        "Parquet; or questions with references to texts.",
        file="input",
        data="In the place of qrels: the gold spans of each topic. A file, a data frame (topic, "
        "doc, start, end), or topic -> spans, `Span` or (document, start, end).",
    )
    texts: Any = option(
        None,
        "The folder of the documents' texts, where spans are to be found in them or checked.",
        "FOLDER",
        file="input",
    )
    offsets: Offsets | None = option(
        None,
        "Unit of the starts and ends of chunks and spans: characters by default; bytes of UTF-8 "
        "and units of UTF-16, as JavaScript counts, need --texts.",
    )
    need: Need | None = option(
        None, "How much of a span is needed: share (the default), any point of it, or whole."
    )


class IdealOptions(Design):
    """What is ideal."""

    heading: ClassVar[str] = "Judgements"

    ideal_grade: int = option(1, IDEAL_GRADE)
    ideals: Literal["strict", "best"] = option(
        "strict", "Ideals of assessments: E3S3, or the best of each path."
    )

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

    costs: Any = option(
        (),
        "What elements cost: a file with a column element and a column for each unit, as tokens "
        "or seconds (CSV, JSONL, Parquet); or smucker-clarke, their times in seconds by lengths "
        "in words, of a column words or of --elements. --elements give the unit length.",
        "FILE|smucker-clarke",
        file="input",
        several=True,
        data="What elements cost: a file with a column element and one for each unit, or a data "
        'frame; unit -> element -> number; "smucker-clarke", their seconds by lengths in words '
        "(the unit words, else length); or several of these. `PRUM(cost=tokens)` counts tokens. "
        "The lengths of `elements` are the unit length.",
    )


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

    cost: str | None = option(
        None,
        "Count what elements cost, not elements: in a unit of --costs; or of chunks, or length, "
        "of --elements, where there are any.",
        "UNIT",
    )
