"""The page of the papers' items, made of docs/papers.csv. `python -m tests.architecture.papers`."""

import csv
import shlex
from pathlib import Path
from typing import NamedTuple

from prum.experiments.studies.paper import TITLES

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "docs" / "papers.csv"
PAGE = ROOT / "docs" / "papers.md"
_HEAD = """\
# The papers and this software

Three papers, item by item: where an item stands, how to get it, which test checks it (a file under
`tests`, and the test in it), and what is missing. Files that commands name are yours: `run`,
`qrels`, `links.csv`. `prum study paper` computes again what they print. Of {number} items {missing}
are missing.
"""


class Item(NamedTuple):
    """A definition, equation, figure, table, example or claim of a paper.

    `get` is a command or a Python expression, empty where there is none; `check` a test, FILE::NAME
    with the file under tests; `remark` a slip of the paper, what is missing, or what else there is
    to know.
    """

    paper: str
    where: str
    what: str
    get: str
    check: str
    remark: str

    @property
    def words(self) -> list[str]:
        """The words of the command behind `prum`, none if it is no command."""
        return shlex.split(self.get)[1:] if self.get.startswith("prum ") else []


def items() -> list[Item]:
    """Return all items, in the order of the papers."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return [Item(**row) for row in csv.DictReader(file)]


def page() -> str:
    """Return the page."""
    every = items()
    missing = sum(item.remark.startswith("missing") for item in every)
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
