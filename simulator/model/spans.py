"""Spans: pieces of documents that users need."""

from dataclasses import dataclass

from prum.simulator.model.chunk_columns import (
    MOST_CHARACTERS,
)
from prum.simulator.model.errors import InputError, whole_number
from prum.simulator.model.task import check_id


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A piece of a document: characters ``start`` to ``end - 1``, counted from 0.

    Raises
    ------
    InputError
        for a document that is not named, a start below 0, an end that is not after the start.

    >>> Span("report", 120, 180).length
    60
    """

    document: str
    start: int
    end: int

    def __post_init__(self) -> None:
        check_id("document of a span", self.document)
        start, end = (
            whole_number(
                f"{name} of a span", value, least=0, most=MOST_CHARACTERS,
                remedy="count the characters of the document from 0",
            )
            for name, value in (("start", self.start), ("end", self.end))
        )  # fmt: skip
        if end <= start:
            rule = f"lie after the start, {start}"
            raise InputError("end of a span", end, rule, remedy="give start and end in characters")
        object.__setattr__(self, "start", start)
        object.__setattr__(self, "end", end)

    @property
    def length(self) -> int:
        """Number of characters."""
        return self.end - self.start

    @property
    def place(self) -> str:
        """The place as ids have it.

        >>> Span("report", 120, 180).place
        'report:120-180'
        """
        return f"{self.document}:{self.start}-{self.end}"
