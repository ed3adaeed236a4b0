"""Users of every kind and seed do the same in every version; `user_kinds.json` says what.

python tests/golden/test_user_kinds.py writes it anew. Do so on purpose only, and say in the
changelog whose published numbers can no longer be regenerated.
"""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.user_kinds import USERS

KEPT = Path(__file__).parent / "user_kinds.json"
SEED, NUM_USERS = 7, 2_000


def numbers(kind: str, seed: int = SEED) -> str:
    """Return what users of a kind did: sums, or means, to 10 figures."""
    return " ".join(f"{float(value):.10g}" for value in USERS[kind](NUM_USERS, seed))


@pytest.fixture(scope="module")
def kept() -> dict[str, str]:
    content: dict[str, str] = json.loads(KEPT.read_text())
    return content


def test_each_kind_is_kept_and_no_other(kept: dict[str, str]) -> None:
    assert list(kept) == list(USERS)


@pytest.mark.parametrize("kind", USERS)
def test_users_do_the_same(kept: dict[str, str], kind: str) -> None:
    assert numbers(kind) == kept[kind]


def test_another_seed_and_another_kind_are_other_numbers(kept: dict[str, str]) -> None:
    others = {numbers(kind, SEED + 1) for kind in ("walk", "beta 2 .5, expected behind the list")}
    assert not others & set(kept.values())


if __name__ == "__main__":
    KEPT.write_text(json.dumps({kind: numbers(kind) for kind in USERS}, indent=0) + "\n")
