"""Counts of studies and of `prum simulate` beyond all reason are refused before any work."""

import pytest
from click.testing import CliRunner

from prum.experiments.commands.main import prum
from prum.simulator.model import InputError


@pytest.mark.parametrize(
    "words",
    [
        "study normal --draws {}",
        "study normal --size {}",
        "study noisy-or --draws {}",
        "study noisy-or --unranked {}",
        "study noisy-or --ranks {}",
        "study noisy-or --ideals {}",
        "study noisy-or --ideals 1000 --unranked 1000 --draws 1000000",
        "study hypotheses --example web --users {}",
        "study paper --users {}",
        "study paper --draws {}",
        "study properties --draws {}",
        "study utility --users {}",
        "study robustness a b --qrels c --trials {}",
        "study stops --sessions a --draws {}",
        "study thresholds --queries {}",
        "study thresholds --documents {}",
        "study thresholds --draws {}",
        "study thresholds --queries 5000 --documents 5000",
        "study estimators a --draws {}",
        "study realism a b --permutations {}",
        "study realism a b --budget {}",
        "study realism a b --size {}",
        "study people --permutations {}",
        "study people --draws {}",
        "study people --least {}",
        "study normal --seed {}",
        "simulate --example web --users {}",
        "simulate --example web --first-user {}",
    ],
)
@pytest.mark.parametrize("number", [10**13, 10**40])
def test_a_number_beyond_all_reason(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch, words: str, number: int
) -> None:
    monkeypatch.chdir(str(tmp_path))
    for name in "abc":
        with open(name, "w") as file:
            file.write("paths = 'a'" if name < "c" else "")
    if "seed" in words:
        number *= 10**10
    done = CliRunner().invoke(prum, words.format(number).split())
    assert isinstance(done.exception, InputError), done.output
    message = str(done.exception)
    assert "must be a whole number from" in message
    assert "\n" not in message
