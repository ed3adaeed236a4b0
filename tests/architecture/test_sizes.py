"""No room grows past its budget: a line more than `sizes.toml` allows is a decision, said there."""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUDGETS: dict[str, int] = tomllib.loads(Path(__file__).with_name("sizes.toml").read_text())
KINDS = {".py", ".pyi", ".c", ".h", ".js", ".css", ".html", ".md", ".toml"}


def lines_of(room: Path) -> int:
    """Return the lines of all sources in a room."""
    files = (path for path in room.rglob("*") if path.suffix in KINDS)
    return sum(len(path.read_bytes().splitlines()) for path in files)


@pytest.mark.parametrize("room", BUDGETS)
def test_a_room_keeps_to_its_budget(room: str) -> None:
    assert lines_of(ROOT / room) <= BUDGETS[room], f"shrink {room}, or say in sizes.toml why not"


def test_every_room_has_a_budget() -> None:
    rooms = {"analytic", "api", "compiling"} | {
        str(folder.relative_to(ROOT))
        for part in ("simulator", "experiments")
        for folder in (ROOT / part).iterdir()
        if (folder / "__init__.py").exists()
    }
    assert rooms == set(BUDGETS), "give each room its lines in sizes.toml"
