"""What the options of chunks and spans are called and mean, wherever they are given."""

from typing import Literal

CHUNKS = (
    "The chunks that runs rank: id, doc, start, end (characters of the document, from 0), perhaps "
    "parent and costs as tokens, in CSV, JSONL, Parquet. One file, or one for each run."
)
SPANS = (
    "The spans of text that are looked for, instead of judgements: topic, doc, start, end in CSV, "
    "JSONL, Parquet; or questions with references to texts."
)
TEXTS = "The folder of the documents' texts, where spans are to be found in them or checked."
NEED = "What is needed of a span: a share, any point of it, or the whole; share by default."
Need = Literal["share", "whole"]
