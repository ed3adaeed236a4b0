"""What a cross-check says that its verdicts are worth, and how many users it lacks."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import gamma

from prum.analytic import PrecisionRecall, closed_form
from prum.experiments.commands.terminal_view import print_view
from prum.experiments.crosscheck import crosscheck
from prum.experiments.crosscheck.compared import Quantities, _symmetric
from prum.experiments.crosscheck.detectable_errors import (
    DetectableErrors,
    _untransformed,
    detectable,
    detectable_precision,
    error_in_words,
    users_in_words,
    users_needed,
)
from prum.experiments.crosscheck.verdicts import quantities
from prum.simulator import Independent, Task, Walk, simulate
from tests.engines import plain_engine

TASK = Task(["c", "d", "a", "b"], ["a", "b"], 4)
LINKS = Independent({("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4})
# One user in a hundred goes on to many unranked elements.
RARE = Task(["x", "y"], ["a", "b"], 202)
RARELY = Independent({("x", "a"): 0.9, ("x", "b"): 0.02, ("y", "a"): 0.4, ("y", "b"): 0.5})


def law(task: Task, navigation: Independent | Walk) -> PrecisionRecall:
    exact = closed_form(task, navigation)
    assert exact is not None
    return exact


def test_without_skewness_it_is_the_usual_formula() -> None:
    """(z_(1 - a/2) + z_.8) sd / sqrt(n), the deviation by the exact law."""
    task, navigation = Task(["x", "a"], ["a"], 2), Independent({("x", "a"): 0.5})
    exact = law(task, navigation)
    assert exact.consulted_skewness == pytest.approx([0], abs=1e-12)
    run = quantities(exact, simulate(task, navigation, num_users=1_000_000, seed=1))
    assert detectable(run, 0.05)[1, 0] == pytest.approx((1.959964 + 0.841621) * 0.5e-3, rel=1e-5)


@pytest.mark.parametrize("skewness", [-0.3, -0.01, 0.0, 0.02, 0.3])
def test_what_hall_takes_out_of_z_is_put_back(skewness: float) -> None:
    z = np.linspace(-6, 6, 13)
    g = np.full(13, skewness)
    assert _untransformed(_symmetric(z, g), g) == pytest.approx(z, abs=1e-12)


@pytest.mark.parametrize("skewness", [-0.1, 0.1])
def test_a_detectable_error_is_found_in_four_samples_of_five(skewness: float) -> None:
    """Of a gamma law: at one end or the other, whichever is harder, z is just rejected."""
    shape = (2, 1)
    yes = np.ones(shape, dtype=np.bool_)
    run = Quantities(
        np.full(shape, 1e9),
        np.ones(shape),
        np.ones(shape),
        np.ones(shape),
        np.full(shape, skewness),
        yes,
        ~yes,
        ~yes,
    )
    size = detectable(run, 0.05)[0, 0]
    low, high = np.sort(
        np.sign(skewness) * gamma((2 / skewness) ** 2, scale=abs(skewness) / 2).ppf([0.2, 0.8])
        - 2 / skewness
    )
    found = [
        abs(_symmetric(np.array((error + end) / (1 + skewness * end / 2)), np.array(skewness)))
        for error, end in ((size, low), (-size, high))
    ]
    assert min(found) == pytest.approx(1.959964, abs=0.002)


def test_the_users_that_are_needed_are_just_enough() -> None:
    for task, navigation in ((TASK, LINKS), (RARE, RARELY)):
        exact = law(task, navigation)
        needed = users_needed(exact, 2)
        for r in (0, 1):
            enough = int(needed[r])
            for users, is_tested in ((enough, True), (enough - 1, False)):
                run = quantities(exact, simulate(task, navigation, num_users=users, seed=1))
                assert run.tested.all(axis=0)[r] == is_tested
    assert np.isnan(users_needed(None, 3)).all()


def test_a_skewed_mean_is_harder_to_judge_than_its_error_says() -> None:
    exact = law(RARE, RARELY)
    run = quantities(exact, simulate(RARE, RARELY, num_users=10_000, seed=1))
    assert exact.consulted_deviation is not None
    plain = (1.959964 + 0.841621) * exact.consulted_deviation / 100
    assert detectable(run, 0.05)[1, 0] > 1.05 * plain[0]


def test_an_error_of_precision_is_the_larger_of_two() -> None:
    exact = law(TASK, LINKS)
    run = quantities(exact, simulate(TASK, LINKS, num_users=10_000, seed=1))
    leading, consulted = exact.leading[1], exact.consulted[1]
    for of_leading, of_consulted in ((0.01, 0.0), (0.0, 0.02), (0.03, 0.001)):
        below = leading / (consulted - of_consulted) - leading / consulted
        change = detectable_precision(run, np.array([[0, of_leading], [0, of_consulted]]))
        assert change == pytest.approx([0, max(of_leading / consulted, below)])
    # Precision is never beyond 1, whatever was missed.
    assert detectable_precision(run, np.full((2, 2), np.inf))[0] == 1 - exact.precision[0]


def test_comparisons_page_json_and_terminal_say_it(capsys: pytest.CaptureFixture[str]) -> None:
    # An engine that knows no rare users, and an event that takes too many plain ones.
    seldom = Independent({**{link[:2]: link[2] for link in RARELY.links}, ("x", "a"): 0.999})
    result = crosscheck(RARE, seldom, num_users=5_000, seed=1, simulate=plain_engine)
    rows = result.comparisons
    assert rows["verdict"].tolist() == ["unresolved", "agrees"]
    assert rows["users_needed"].tolist()[0] == users_needed(law(RARE, seldom), 2)[0]
    assert np.isnan(rows["users_needed"][1])
    assert np.isnan(rows["detectable"][0])
    size = rows["detectable"][1]
    assert size > 0
    print_view(result.view())
    shown = capsys.readouterr().out
    sentence = (
        f"Power: {error_in_words(size)} of precision would be detected in every comparison that "
        "agrees (probability 0.8)."
    )
    assert sentence in shown
    assert "1 unresolved: 730,000 users would do.\n" in shown
    assert "unresolved:" in shown
    assert "takes 730,000" in shown
    assert f"{size:.5f}" in shown
    document = result.to_html()
    assert sentence in document
    assert "1 unresolved: 730,000 users would do." in document
    assert "unresolved: takes 730,000 users</td>" in document
    plain = json.loads(result.to_json())
    assert plain["worth"]["detectable_largest"] == size
    assert plain["worth"]["users_needed"] == plain["comparisons"][0]["users_needed"] == 722743
    assert plain["comparisons"][1]["users_needed"] is None


def test_nothing_is_said_where_nothing_was_compared() -> None:
    nothing = crosscheck(
        Task(["c"], [f"a{at}" for at in range(17)], 40),
        Walk({("c", "a0"): 0.1}),
        num_users=10,
        seed=1,
    )
    assert nothing.detectable_errors.of_agreement == nothing.detectable_errors.of_unresolved == ""
    assert nothing.comparisons["users_needed"].isna().all()


@pytest.mark.parametrize("users", [1, 2])
def test_hardly_any_users_find_hardly_anything(users: int) -> None:
    task, navigation = Task(["x", "a"], ["a"], 2), Independent({("x", "a"): 0.5})
    assert crosscheck(task, navigation, num_users=users, seed=1).detectable_errors.largest <= 0.5


def test_few_comparisons_that_take_far_more_are_told_apart() -> None:
    needed = [*range(1_000_000, 4_000_000, 100_000), 2e9, 3e8]
    rows = pd.DataFrame({"verdict": "unresolved", "detectable": np.nan, "users_needed": needed})
    text = "32 unresolved: 3.9 million users would do for all but 2, which take 2e9."
    assert DetectableErrors.of(rows).of_unresolved == text
    alone = rows.assign(users_needed=np.inf)[:1]
    assert DetectableErrors.of(alone).of_unresolved == (
        "1 unresolved: more users than can be simulated would do."
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1 user"),
        (9, "9 users"),
        (99, "99 users"),
        (991, "1,000 users"),
        (100_001, "110,000 users"),
        (999_999, "1 million users"),
        (12_300_000, "13 million users"),
        (2e9, "2e9 users"),
    ],
)
def test_numbers_of_users_are_rounded_up(value: float, text: str) -> None:
    assert users_in_words(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.5, "0.50"), (0.0999, "0.10"), (0.04809, "0.049"), (4e-5, "0.000040")]
)
def test_errors_are_rounded_up(value: float, text: str) -> None:
    assert error_in_words(value) == f"an error of {text} or more"


def test_where_nothing_varies_any_error_is_found() -> None:
    sure = crosscheck(Task(["a", "b"], ["a", "b"], 2), Independent({}), num_users=10, seed=1)
    assert sure.detectable_errors.of_agreement == (
        "Power: any error of precision would be detected in every comparison that agrees "
        "(probability 0.8)."
    )
