"""The explorer in a real browser: its dials, users, keys and addresses do what they say."""

import re

import numpy as np
import pytest

from prum.analytic import closed_form, exact, exact_mixture, prum, reach_matrix
from prum.experiments.explore import explore
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model import Coupled, Independent, ListCosts
from tests.browser import PHONE, is_too_wide, opened, smallest_text, violations
from tests.commands import typed
from tests.tiers import slow
from tests.unit.experiments.explore.test_explore import hostile_campaign, long_campaign

pytestmark = slow

LINKS = {("c", "a"): 0.4, ("c", "b"): 0.5, ("d", "a"): 0.6, ("d", "b"): 0.4, ("d", "z"): 0.125}
CAMPAIGN = Campaign(
    name="pages",
    ideals={"q": ("a", "b", "z")},
    runs={"first": {"q": tuple("cdab")}, "second": {"q": tuple("badc")}},
    navigation=Independent(LINKS),
    collection_size=20,
)
TASK = CAMPAIGN.task("first", "q")
REACH = reach_matrix(TASK, CAMPAIGN.navigation).toarray()
U = TASK.num_unranked


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("explorer") / "explorer.html"
    path.write_text(explore(CAMPAIGN).to_html(), encoding="utf-8")
    return path


def at(page, address):
    """Return the address of a state of a page."""
    return f"{page.as_uri()}#{address}"


def numbers(tab):
    """Return precision, leading and consulted of PRUM, exact and users; NaN for none."""
    rows = tab.eval_on_selector_all(
        "#numbers tbody tr",
        "rows => rows.map(row => [...row.cells].slice(1).map("
        "cell => Number(cell.querySelector('data')?.value ?? NaN)))",
    )
    return np.array(rows)


def words(tab, name):
    """Return a dial's value in words."""
    said = tab.text_content(f"#{name}-says")
    assert tab.get_attribute(f"#{name}", "aria-valuetext") == said
    return said


def wait_for_users(tab, users):
    tab.wait_for_function(
        "users => document.querySelector('#numbers tbody tr:last-child th')"
        ".textContent.startsWith(users)",
        arg=f"{users:,} user",
    )


def wait_for_address(tab, part):
    tab.wait_for_function("part => location.hash.includes(part)", arg=part)


def stronger(strength):
    return np.where(REACH == 1, 1, 1 - (1 - REACH) ** strength)


def exact_of(name):
    """Return the exact value where one dial is turned, and the reach that PRUM has of it."""
    if name == "dependence":
        return closed_form(TASK, Coupled(CAMPAIGN.navigation, "exclusive")), REACH, None
    if name == "spread":
        kinds = [stronger(1.5), stronger(0.5)]
        return exact_mixture(kinds, [0.5, 0.5], U), np.mean(kinds, axis=0), None
    reach = stronger(0.5) if name == "strength" else REACH
    costs = ListCosts([1] * 4, 5) if name == "behind" else None
    return exact(reach, U, costs=costs), reach, costs


@pytest.mark.parametrize(
    ("name", "address", "said"),
    [
        ("none", "r=2", "2 of 3"),
        ("strength", "r=3&strength=0.5", "0.5 × as strong"),
        ("dependence", "r=2&dependence=-1", "exclusive"),
        ("spread", "r=3&spread=0.5", "half 1.5 ×, half 0.5 ×"),
        ("behind", "r=3&behind=5", "5 × one in the list"),
    ],
)
def test_numbers_are_those_of_python_wherever_a_dial_is(browser, page, name, address, said):
    expected, mean, costs = exact_of(name)
    r = int(address[2]) - 1
    published = prum(mean, U, costs=costs)
    with opened(browser, at(page, address)) as tab:
        assert words(tab, "r" if name == "none" else name) == said
        shown = numbers(tab)
        for row, values in zip(shown, (published, expected), strict=False):
            wanted = [values.precision[r], values.leading[r], values.consulted[r]]
            assert row == pytest.approx(wanted, abs=1e-8)
        headline = tab.text_content("#says")
        assert f"{published.precision[r]:.3f}".removeprefix("0") in headline


def test_keys_turn_dials_and_the_headline_says_why_prum_is_wrong(browser, page):
    with opened(browser, page) as tab:
        before, headline = numbers(tab), tab.text_content("#says")
        assert "because it counts how many ideals a user has seen" in headline
        tab.focus("#dependence")
        for _ in range(20):
            tab.keyboard.press("ArrowRight")
        assert words(tab, "dependence") == "together"
        after = numbers(tab)
        assert after[0] == pytest.approx(before[0])
        assert abs(after[1, 0] - before[1, 0]) > 0.01
        assert "make many at once or none" in tab.text_content("#says")
        wait_for_address(tab, "dependence=1")
        tab.wait_for_function("() => document.querySelector('#heard').textContent.length > 0")
        tab.click("[data-do=reset]")
        assert words(tab, "dependence") == "each on its own"
        assert numbers(tab)[:2] == pytest.approx(before[:2])
        assert tab.text_content("#says") == headline


@pytest.mark.parametrize("still", [False, True])
def test_users_accumulate_and_close_in(browser, page, still):
    with opened(browser, page, still=still) as tab:
        tab.click("[data-do=play]")
        if not still:
            tab.wait_for_function("() => /[0-9]{3}/.test(document.querySelector('#now').innerText)")
            assert tab.get_attribute("#now", "aria-live") == "off"
            tab.click("[data-do=play]")
        tab.wait_for_function("() => document.querySelector('#now').textContent.includes('so far')")
        assert "Play" in tab.text_content("[data-do=play]")
        first = tab.text_content("#numbers tbody tr:last-child th")
        for _ in range(20):
            tab.click("[data-do=thousand]")
        users = int(re.sub(r"\D", "", first)) + 20_000
        assert not still or users == 21_000
        wait_for_users(tab, users)
        shown = numbers(tab)
        half = float(tab.text_content("#numbers tbody tr:last-child td").split("±")[1])
        assert 0 < half < 0.01
        # Five standard errors: once in two million seeds.
        assert abs(shown[2, 0] - shown[1, 0]) < 5 / 1.96 * half
        assert abs(shown[0, 0] - shown[1, 0]) > 0.001
        assert f"{users:,} users say" in tab.text_content("#says")


def test_an_address_gives_the_same_state_with_the_same_users(browser, page):
    address = "list=1&strength=1.5&dependence=-0.4&spread=0.2&behind=2&seed=7&users=3000"
    with opened(browser, at(page, address)) as tab:
        wait_for_users(tab, 3_000)
        shown, headline = numbers(tab), tab.text_content("#says")
        tab.wait_for_function("() => document.querySelector('#here').hash.includes('users')")
        assert tab.evaluate("location.hash") == f"#{address}"
        assert tab.input_value("#list") == "1"
        again = tab.get_attribute("#here", "href")
    with opened(browser, at(page, again[1:])) as tab:
        wait_for_users(tab, 3_000)
        assert (numbers(tab) == shown).all()
        assert tab.text_content("#says") == headline
        tab.click("[data-do=again]")
        tab.click("[data-do=thousand]")
        wait_for_address(tab, "seed=8&users=1000")
        assert numbers(tab)[2, 0] != shown[2, 0]
        tab.evaluate("location.hash = 'r=1'")
        tab.wait_for_function("() => document.querySelector('#table-r').textContent === '1'")
        assert not tab.is_visible("#message")


@pytest.mark.parametrize(
    "address",
    [
        *typed("strength=abc strength=9 r=0 r=4 r=1.5 list=2 list=0.5 users=1e9 seed=-1 behind=3"),
        *typed("dependence=0.123 toString=1 __proto__=1 r=1&r=2 r r=1=2 users=99999999 %"),
        "<img src=x onerror=alert(1)>",
    ],
)
def test_a_garbled_address_is_the_beginning_with_a_message(garbled, address):
    tab, beginning = garbled
    tab.evaluate("address => { location.hash = address; }", address)
    tab.wait_for_selector("#message", state="visible")
    assert tab.inner_text("#says") == beginning
    tab.evaluate("location.hash = 'r=1'")
    tab.wait_for_selector("#message", state="hidden")
    assert tab.inner_text("#says") != beginning


@pytest.fixture(scope="module")
def garbled(browser, page):
    with opened(browser, page) as tab:
        yield tab, tab.inner_text("#says")


def test_one_user_goes_step_by_step(browser, page):
    # The first rank shows no z: users who want all ideals take more than a step.
    with opened(browser, at(page, "r=3")) as tab:
        tab.click("[data-do=step]")
        assert tab.text_content("#now").startswith("User 1 consults c (rank 1)")
        assert tab.locator("#drawn .consulted").count() == 1
        for user in (1, 2):
            tab.click("[data-do=finish]")
            assert tab.text_content("#now").startswith(f"User {user} ")
            assert "They stop after " in tab.text_content("#now")
            wait_for_users(tab, user)


def test_everything_is_reached_by_the_keyboard(browser, page):
    with opened(browser, page) as tab:
        reached = set()
        for _ in range(30):
            tab.keyboard.press("Tab")
            reached.add(
                tab.evaluate(
                    "(document.activeElement.id || document.activeElement.dataset.do || '')"
                )
            )
        controls = {"list", "r", "strength", "dependence", "spread", "behind", "here"}
        acts = {"play", "step", "finish", "thousand", "again", "reset"}
        assert controls | acts <= reached


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [(1280, 900), PHONE], ids=["desk", "phone"])
def test_it_can_be_read_by_everybody(browser, page, size, dark):
    with opened(browser, at(page, "users=1000&dependence=0.5"), size=size, dark=dark) as tab:
        wait_for_users(tab, 1_000)
        tab.click("[data-do=step]")
        assert violations(tab) == []
        assert smallest_text(tab) >= 11
        assert not is_too_wide(tab)
        area = "document.querySelector('#numbers').closest('.scroll')"
        assert tab.evaluate(f"{area}.scrollWidth <= {area}.clientWidth")


def test_hostile_names_stay_text(browser, tmp_path):
    path = tmp_path / "hostile.html"
    path.write_text(explore(hostile_campaign()).to_html(), encoding="utf-8")
    with opened(browser, path) as tab:
        tab.on("dialog", lambda dialog: pytest.fail(f"a name ran: {dialog.message}"))
        tab.click("[data-do=step]")
        assert tab.text_content("#now").startswith("User 1 consults \"'&<b> (rank 1)")
        assert tab.locator("#explorer b, #explorer script").count() == 0
        assert violations(tab) == []


def test_long_lists_are_drawn_in_part_and_counted_whole(browser, tmp_path):
    campaign = long_campaign(1_000, 50)
    path = tmp_path / "long.html"
    path.write_text(explore(campaign).to_html(), encoding="utf-8")
    task = campaign.task("system0", "topic")
    expected = exact(reach_matrix(task, campaign.navigation), task.num_unranked)
    with opened(browser, at(path, "r=50&users=50"), size=PHONE) as tab:
        assert tab.text_content("#cut") == (
            "Drawn are the first 24 of 1,000 ranks, and 24 of 50 ideals; all count."
        )
        wait_for_users(tab, 50)
        assert numbers(tab)[1, 0] == pytest.approx(expected.precision[-1], abs=1e-8)
        tab.focus("#strength")
        tab.keyboard.press("ArrowLeft")
        tab.wait_for_function(
            "old => Number(document.querySelector('#numbers tbody tr:nth-child(2) data').value)"
            " !== old",
            arg=float(numbers(tab)[1, 0]),
        )
        assert not is_too_wide(tab)


def test_without_its_script_the_page_says_what_prum_and_the_exact_value_are(browser, page):
    context = browser.new_context(java_script_enabled=False)
    try:
        tab = context.new_page()
        tab.goto(page.as_uri())
        assert tab.text_content("#says").startswith("Of 3 ideals, users who want ")
        assert not tab.is_visible("#explorer")
    finally:
        context.close()
