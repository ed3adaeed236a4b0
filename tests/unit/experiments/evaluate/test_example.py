"""Built-in examples in every command that takes them, and the paper's numbers by them."""

import pytest
from click.testing import CliRunner

from prum.experiments.commands.main import prum
from prum.experiments.evaluate.given import given_example
from prum.experiments.evaluate.scored import evaluate
from prum.simulator import InputError, example_campaign
from prum.simulator.collections.examples import EXAMPLES

NAMES = [*EXAMPLES][3:]


@pytest.mark.parametrize("name", NAMES)
def test_every_example_is_evaluated(name: str) -> None:
    result = evaluate(**given_example(name), measures="PRUM, AP, nDCG@10")
    assert not any("nobody judged" in remark for remark in result.remarks)
    assert set(result.scores.systems) == set(example_campaign(name).runs)


def invoked(words: str) -> tuple[int, str]:
    done = CliRunner().invoke(prum, words.split())
    return done.exit_code, done.output + (str(done.exception) if done.exception else "")


@pytest.mark.parametrize(
    "words",
    [
        "crosscheck --example fig1 --example table3 --users 100",
        "simulate --example table3 --users 10",
        "simulate --user 0 --example fig6 --system bad --want 1",
        "evaluate --example fig7 --measures xCG@2",
    ],
)
def test_commands_know_examples(words: str) -> None:
    status, said = invoked(words)
    assert status == 0, said


def test_names_are_listed_and_others_refused() -> None:
    _, said = invoked("list examples")
    for name in NAMES:
        assert f"\n{name} " in f"\n{said}"
    _, said = invoked("evaluate --example fig8")
    assert said.startswith("example is 'fig8', must be one of web, campaign, walks, notes, fig1")
    with pytest.raises(InputError, match="be one of web, campaign"):
        example_campaign("fig8")
    for words in ("crosscheck --example fig8", "simulate --example fig8"):
        status, said = invoked(words)
        assert status == 2
        assert "fig6-video" in said


def test_files_or_an_example() -> None:
    for words, rule in (
        ("a.run", "give RUNS and --qrels"),
        ("--example fig5 a.run", "without files"),
    ):
        status, said = invoked(f"evaluate {words}")
        assert (status, rule in said) == (2, True), said
