"""The register of claims: what each printed sentence says, and where its error rate is measured."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[1]
REGISTER, PAGE = ROOT / "docs" / "claims.toml", ROOT / "docs" / "claims.md"
EXACT, OPEN = "exact", "not calibrated"
_VARIES = re.compile(r"\{(\w+)(\??)\}")
# What stands before sentences on one of several campaigns.
_CAMPAIGN = r"(?:\S+: )?"


@dataclass(frozen=True)
class Claim:
    """An entry of the register; see its head for what each field is."""

    name: str
    says: tuple[str, ...]
    false_if: str
    level: str
    calibrated: str = ""

    @cached_property
    def patterns(self) -> list[tuple[int, re.Pattern[str]]]:
        """How many letters of each wording are fixed, and what all of such a sentence matches."""
        return [_pattern(text) for text in self.says]

    def fits(self, sentence: str) -> tuple[int, str]:
        """Return how many fixed letters fit, and of which wording; else 0 and ""."""
        each = zip(self.patterns, self.says, strict=True)
        fitting = ((size, says) for (size, known), says in each if known.fullmatch(sentence))
        return max(fitting, default=(0, ""))


def _pattern(wording: str) -> tuple[int, re.Pattern[str]]:
    fixed, names = _VARIES.split(wording)[::3], _VARIES.findall(wording)
    varying = [_CAMPAIGN if x == "campaign" else f".{'*' if mark else '+'}?" for x, mark in names]
    parts = [re.escape(fixed[0])]
    for between, text in zip(varying, fixed[1:], strict=True):
        parts += [between, re.escape(text)]
    return sum(map(len, fixed)), re.compile("".join(parts), re.DOTALL)


Register = Mapping[str, Mapping[str, Claim]]


def register(text: str | None = None) -> Register:
    """Return the claims of each command by name; of the register, or of a text like it."""
    tables = tomllib.loads(REGISTER.read_text("utf-8") if text is None else text)
    return {
        command: {name: _claim(f"{command}: {name}", **entry) for name, entry in claims.items()}
        for command, claims in tables.items()
    }


def _claim(name: str, says: str | list[str], **fields: str) -> Claim:
    return Claim(name, (says,) if isinstance(says, str) else tuple(says), **fields)


def claims_of(text: str, claims: Iterable[Claim]) -> list[str]:
    """Return the names of the claims that an answer makes, one sentence after the other.

    Raise LookupError as `wordings_of`.
    """
    return [name for name, _ in wordings_of(text, claims)]


def wordings_of(text: str, claims: Iterable[Claim]) -> list[tuple[str, str]]:
    """Return the claims that an answer makes, each by its name and wording.

    A sentence ends with a full stop and a blank; a claim has as few of them as it can.

    Raises
    ------
    LookupError
        for a sentence that no claim fits, or several just as well.
    """
    claims = tuple(claims)
    ends = [end.end() for end in re.finditer(r"\.(?= )", text)] + [len(text)]
    found: list[tuple[str, str]] = []
    begin = 0
    while begin < len(text):
        for end in (x for x in ends if x > begin):
            sentence = text[begin:end].strip()
            fits = {one.name: one.fits(sentence) for one in claims}
            most = max(size for size, _ in fits.values())
            best = [(name, says) for name, (size, says) in fits.items() if size == most > 0]
            if len(best) > 1:
                both = " and ".join(name for name, _ in best)
                raise LookupError(f"{both} both claim: {sentence}")
            if best:
                break
        else:
            raise LookupError(f"{REGISTER.name} has no claim: {text[begin:].strip()}")
        found += best
        begin = end
    return found


# Whose answers are those of another command, too.
_SHARED = {"evaluate": "compare"}


def claims_by(command: str, known: Register) -> list[Claim]:
    """Return the claims that a command may make."""
    names = (command, _SHARED.get(command, ""))
    return [claim for name in names for claim in known.get(name, {}).values()]


# --- the page -----------------------------------------------------------------------------------

_HEAD = """\
# What each sentence claims

{counts}

Each sentence that `prum` prints as an answer is a claim: something would have to be seen for it to
be false, and it may be false at some rate, its level.

- *Exact*: arithmetic, false if it gives another number, which the tests compute a second time.
- *Calibrated*: made worlds whose true values are known show how often it is false. Rates of 5 %
  are those of the default options.
- *Not calibrated*: nobody has measured it.

The tests run small commands and fail for a sentence that is not in the register, which has every
wording (`docs/claims.toml`). Here (...) stands for details in parentheses.
"""
_DETAILS = re.compile(r" \([^()]*\*[^()]*\)")


def counts(known: Register) -> str:
    """Return how many claims are exact, calibrated, and not calibrated."""
    levels = [claim.level for claims in known.values() for claim in claims.values()]
    exact, uncalibrated = (sum(x.startswith(word) for x in levels) for word in (EXACT, OPEN))
    calibrated = len(levels) - exact - uncalibrated
    return (
        f"**Of {len(levels)} claims {exact} are exact, {calibrated} calibrated, and "
        f"{uncalibrated} not calibrated.**"
    )


def page() -> str:
    """Return docs/claims.md."""
    known = register()
    sections = [_HEAD.format(counts=counts(known))]
    for command, claims in known.items():
        sections.append(f"## {command}\n\n" + "".join(map(_line, claims.values())))
    return "\n".join(sections)


def _line(claim: Claim) -> str:
    says = [_DETAILS.sub(" (...)", _VARIES.sub(r"*\1*", text)) for text in claim.says]
    more = f" (and {len(says) - 1} like it)" if len(says) > 1 else ""
    place = claim.calibrated
    if place.startswith("docs/"):
        target = place.removeprefix("docs/")
        place = f" ([{target.partition('#')[2].replace('-', ' ')}]({target}))"
    elif place:
        place = f" (`{place.rpartition('/')[2].partition('::')[0]}`)"
    said = f"- “{says[0]}”{more}"
    if claim.level == EXACT:
        return f"{said}: exact{place}.\n"
    return f"{said}\\\n  False if {claim.false_if}. Level: {claim.level}{place}.\n"
