"""What all tests share: how hypothesis draws, and where real data may lie."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.browser import started
from tests.tiers import examples

# No deadline: a busy machine takes its time. CI draws the same examples each time.
settings.register_profile(
    "prum",
    deadline=None,
    max_examples=examples(100),
    derandomize=bool(os.environ.get("CI")),
    print_blob=True,
)
settings.load_profile("prum")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of real data beside the project; skip where it is missing."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no real data: {folder} is missing")
    return folder


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Yield a headless Chromium (tests/browser.py); skip where there is none."""
    with started() as found:
        yield found


def pytest_collection_finish() -> None:
    """Look for no garbage in what was collected: 12,000 tests, which stay to the end."""
    gc.collect()
    gc.freeze()
