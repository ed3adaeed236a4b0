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
OFFSETS = (
    "What the starts and ends of chunks and spans count: characters by default; bytes of UTF-8 and "
    "units of UTF-16, as JavaScript counts, need --texts."
)
NEED = "What is needed of a span: a share, any point of it, or the whole; share by default."
Need = Literal["share", "whole"]
Offsets = Literal["characters", "bytes", "utf-16"]
