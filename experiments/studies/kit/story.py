"""A study's prose: story.md beside its view, in sections, with numbers put into named places."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from string import Formatter
from typing import TYPE_CHECKING, Any

from prum.experiments.frame.numbers import apart_from_zero, shown
from prum.experiments.frame.view import Figure, Table, View

if TYPE_CHECKING:
    from prum.experiments.frame.drawing import Drawing


@dataclass(frozen=True, slots=True)
class Story:
    """Prose by section.

    The file is Markdown: a title ("# ..."), then sections ("## name") of paragraphs apart by blank
    lines. Places are those of `str.format`: `{draws:,}`, `{design.power:g}`; real numbers stand in
    them as in tables, with a typographic minus, and a dash for NaN, but none that is not 0 reads as
    0. A noun is counted: `{n:topic}` gives "1 topic" or "2 topics"; `{n:none}` gives "none" or "2".
    """

    title: str
    sections: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, package: str) -> "Story":
        """Return the story of a package: give `__package__`."""
        return cls.parsed(files(package).joinpath("story.md").read_text("utf-8"))

    @classmethod
    def parsed(cls, text: str) -> "Story":
        r"""Return the story that a text tells.

        >>> coins = Story.parsed("# Coins\n\n## end\n\nHeads\n{n:time}, {gain:.1f} won.\n")
        >>> coins.paragraphs("end", n=3, gain=-2.0)
        ('Heads 3 times, −2.0 won.',)
        """
        title, *sections = text.split("\n## ")
        by_name = {}
        for section in sections:
            name, _, body = section.partition("\n")
            by_name[name.strip()] = tuple(
                " ".join(paragraph.split()) for paragraph in body.split("\n\n") if paragraph.strip()
            )
        return cls(title.removeprefix("# ").strip(), by_name)

    def paragraphs(self, *names: str | None, **values: Any) -> tuple[str, ...]:
        """Return the paragraphs of some sections with values in their places; None is no section.

        Raise KeyError for a section or a value that is not there.
        """
        return tuple(
            filled(paragraph, **values)
            for name in names
            if name is not None
            for paragraph in self.sections[name]
        )

    def line(self, name: str, **values: Any) -> str:
        """Return a section as one line: a headline, a caption."""
        return " ".join(self.paragraphs(name, **values))

    def view(
        self,
        tables: Iterable[Table],
        values: Mapping[str, Any],
        *,
        headline: str | tuple[str | None, ...] = ("headline",),
        story: tuple[str | None, ...] = ("story",),
        figure: "tuple[str, Callable[[], Drawing]] | None" = None,
        notes: tuple[str | None, ...] = ("notes",),
        more: Iterable[str] = (),
    ) -> View:
        """Return the view of a study: its sections, with values in their places, and tables.

        Parameters
        ----------
        headline
            A text, or sections.
        figure
            The label of the only figure, and what draws it; its caption is the section "caption".
        notes, more
            Sections, and further notes.
        """
        return View(
            title=self.title,
            headline=headline
            if isinstance(headline, str)
            else " ".join(self.paragraphs(*headline, **values)),
            story=self.paragraphs(*story, **values),
            figures=(Figure(self.line("caption", **values), *figure),) if figure else (),
            notes=(*self.paragraphs(*notes, **values), *more),
            tables=tuple(tables),
        )


def filled(text: str, **values: Any) -> str:
    """Return a text with values in its places, as a `Story` has them.

    Raise KeyError for a value that is not there.

    >>> filled("{p:.2f} of {n:list}", p=0.5, n=1)
    '0.50 of 1 list'
    """
    return _FORMATTER.vformat(text, (), values)


class _Formatter(Formatter):
    """Put values into places, real numbers as in tables."""

    def format_field(self, value: Any, format_spec: str) -> str:
        """Return a value for people."""
        if isinstance(value, float):
            return shown(value, apart_from_zero(value, format_spec))
        if format_spec == "none":
            return f"{value:,}" if value else "none"
        if format_spec.isalpha() and len(format_spec) > 1:
            return f"{value:,} {format_spec}{'' if value == 1 else 's'}"
        return format(value, format_spec)


_FORMATTER = _Formatter()
