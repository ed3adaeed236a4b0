"""One grammar for all names: ``walk + fading .9``, ``chunks(next=.5)``, ``xCG(alpha=0.5)@10``.

::

    names   = name {"," name}
    name    = part {"+" part}                           with blanks around the plus
    part    = head {word} ["@" cutoff]                  or
              head "(" [item {"," item}] ")" ["@" cutoff]
    item    = [key "="] (word | "quoted" | 'quoted' | {quoted})

The two spellings of a part say the same. Which heads there are, and what each takes, is said by
vocabularies; docs/reference/grammar.md has all of them. Reading takes time linear in the length of
a text.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from prum.simulator.model.errors import shown

LONGEST = 100_000
_LONGEST_SHOWN = 20

# Nothing gives back what it took (++), so that no text is read twice.
_BLANK = re.compile(r"\s++")
_WORD = re.compile(r"[^\s()=,@\"']++")
_INNER = re.compile(r"[^\s()=,\"']++")
_QUOTED = re.compile(r"\"[^\"]*+\"|'[^']*+'|\{[^{}\"']*+\}")
# A word of its own.
_PLUS = re.compile(r"\+(?![^\s()=,@\"'])")
_CUTOFF = re.compile(r"[^@(),]++")

Refused = Callable[[str], Exception]


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a name, with the key it is set to, if any, and where it stands, from 1."""

    text: str
    key: str = ""
    is_quoted: bool = False
    at: int = field(default=0, compare=False)

    def __str__(self) -> str:
        mark = "" if not self.is_quoted else "'" if '"' in self.text else '"'
        return f"{self.key}{'=' if self.key else ''}{mark}{self.text}{mark}"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a name: its head, the words behind it, and what stands behind @.

    >>> [[part]] = parse(" xCG (alpha = .5, 'x') @ 10", ValueError)
    >>> str(part), part.cutoff
    ('xCG(alpha=.5,"x")@10', '10')
    """

    head: str
    words: tuple[Word, ...] = ()
    cutoff: str | None = None
    at: int = field(default=0, compare=False)

    def __str__(self) -> str:
        words = f"({','.join(map(str, self.words))})" if self.words else ""
        return f"{self.head}{words}{'' if self.cutoff is None else f'@{self.cutoff}'}"


def parse(text: str, refused: Refused) -> list[list[Part]]:
    """Return the names that a text holds, with commas between, each the list of its parts.

    Raises
    ------
    InputError
        what `refused` makes of a fault, for a text that is no name, or longer than `LONGEST`.

    >>> [[walk, fading]] = parse("walk + fading .9", ValueError)
    >>> walk.head, fading.head, [word.text for word in fading.words]
    ('walk', 'fading', ['.9'])
    """
    if len(text) > LONGEST:
        raise refused(f"it has {len(text):,} characters, where {LONGEST:,} are the most")
    return _Scanner(text, refused).names()


class _Scanner:
    def __init__(self, text: str, refused: Refused) -> None:
        self.text, self.refused, self.at = text, refused, 0

    def names(self) -> list[list[Part]]:
        names = [[self.part()]]
        while self.at < len(self.text):
            if self.takes(","):
                names.append([self.part()])
            elif self.take(_PLUS):
                names[-1].append(self.part())
            else:
                raise self.fault("is out of place")
        return names

    def part(self) -> Part:
        head, words, cutoff = self.word(), list[Word](), None
        if head is None:
            raise self.fault("stands where a name should")
        if self.takes("("):
            while not self.takes(")"):
                words.append(self.item())
                if not self.takes(",") and not self.text.startswith(")", self.at):
                    raise self.fault("stands where , or ) should")
        else:
            while word := self.word():
                words.append(word)
        if self.takes("@"):
            cutoff = (self.take(_CUTOFF) or "").strip()
            if not cutoff:
                raise self.fault("stands where a cut-off should")
        return Part(head.text, tuple(words), cutoff, head.at)

    def item(self) -> Word:
        word = self.value()
        if not word.is_quoted and self.takes("="):
            return replace(self.value(), key=word.text, at=word.at)
        return word

    def value(self) -> Word:
        at = self.at + 1
        if quoted := self.take(_QUOTED):
            return Word(quoted[1:-1], is_quoted=True, at=at)
        if bare := self.take(_INNER):
            return Word(bare, at=at)
        raise self.fault("stands where a word should")

    def word(self) -> Word | None:
        self.take(_BLANK)
        at = self.at + 1
        bare = None if _PLUS.match(self.text, self.at) else self.take(_WORD)
        return Word(bare, at=at) if bare else None

    def take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return match[0] if match else ""

    def takes(self, mark: str) -> bool:
        self.take(_BLANK)
        matches = self.text.startswith(mark, self.at)
        self.at += matches
        self.take(_BLANK)
        return matches

    def fault(self, words: str) -> Exception:
        return self.refused(f"{placed(self.text[self.at : self.at + 1], self.at + 1)} {words}")


def placed(text: str, at: int) -> str:
    """Return a part of a text, cut where it is long, and where it stands; "" is the end."""
    short = text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…"
    return f"{shown(short) if text else 'the end'} at character {at}"


def nearest(word: str, known: Iterable[str]) -> list[str]:
    """Return the known names most like a word, the nearest first.

    >>> nearest("Chunk", ["chunks", "walk"])
    ['chunks']
    """
    from difflib import get_close_matches

    by_case = {name.lower(): name for name in known}
    return [by_case[name] for name in get_close_matches(word[:50].lower(), by_case, n=2)]


def near(close: list[str]) -> str:
    """Say what is near a name that is none."""
    return f"near {' and '.join(close)}" if close else "none of them"
