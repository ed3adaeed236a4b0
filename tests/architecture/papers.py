"""The page of the papers' items, made of docs/papers.csv. `python -m tests.architecture.papers`."""

import csv
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from prum.experiments.studies.paper.printed import TITLES, PaperName

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "docs" / "papers.csv"
PAGE = ROOT / "docs" / "papers.md"
# What stands for a file or a name of one's own.
_OWN = re.compile(r"\b(RUNS?|QRELS|LOG|TABLE|FILE|ID|PAGE)\b")
_HEAD = """\
# The papers and this software

Three papers, item by item: where an item stands, how to get it, which test checks it (a file under
`tests`), and what is missing. `prum study paper` computes again what they print. Of {number} items
{missing} are missing in whole or in part.
"""


@dataclass(frozen=True, slots=True)
class Item:
    """A definition, equation, figure, table, example or claim of a paper.

    `get` is a command or a Python expression, empty where there is none; `check` a file under
    tests; `remark` a slip of the paper, what is missing, or what else there is to know.
    """

    paper: PaperName
    where: str
    what: str
    get: str
    check: str
    remark: str

    @property
    def is_command(self) -> bool:
        """Whether it is got by a command."""
        return self.get.startswith("prum ")

    @property
    def needs_files(self) -> bool:
        """Whether the command needs files of one's own."""
        return self.is_command and bool(_OWN.search(self.get))

    @property
    def words(self) -> list[str]:
        """The words of the command behind `prum`."""
        return shlex.split(self.get)[1:]


def items() -> list[Item]:
    """Return all items, in the order of the papers."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return [Item(**row) for row in csv.DictReader(file)]  # type: ignore[arg-type]


def page() -> str:
    """Return the page."""
    every = items()
    missing = sum("missing" in item.remark for item in every)
    parts = [_HEAD.format(number=len(every), missing=missing)]
    for paper, title in TITLES.items():
        parts.append(f"\n## {title}\n")
        parts += [_line(item) for item in every if item.paper == paper]
    return "\n".join(parts) + "\n"


def _line(item: Item) -> str:
    get = f": `{item.get}`" if item.get else ""
    check = f" (`{item.check}`)" if item.check else ""
    remark = f"; {item.remark}" if item.remark else ""
    return f"- **{item.where}** {item.what}{get}{check}{remark}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
