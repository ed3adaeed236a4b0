"""Names: what is read and written, what is refused and how it is told, and the page of them."""

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from prum.experiments.commands.main import prum
from prum.experiments.measures.measure import measure_of
from prum.simulator.model import InputError, Links
from prum.simulator.model.grammar import LONGEST, Argument, Form, Part, Vocabulary, Word, parse
from prum.simulator.model.kinds import NAVIGATIONS, base_of, kind_of, navigation_of
from prum.simulator.model.stopping import RULES, rule_of
from prum.simulator.model.way_names import WAYS, way_of

ROOT = Path(__file__).resolve().parents[4]
DOCUMENTS = {"element": "document"}
VOCABULARIES: dict[str, Vocabulary] = {
    "navigations": NAVIGATIONS,
    "ways": WAYS,
    "rules": RULES,
}
MAKE: dict[str, Any] = {
    "navigations": lambda text: kind_of(navigation_of(text, Links({}), DOCUMENTS)),
    "ways": lambda text: way_of(text).name,
    "rules": lambda text: repr(rule_of(text)),
    "measures": lambda text: str(measure_of(text)),
}
FORMS = [(which, form) for which, known in VOCABULARIES.items() for form in known.forms.values()]


def written(known: Vocabulary, text: str) -> str:
    return known.write([(form.head, values) for form, values in known.read(text)])


# --- what is read -----------------------------------------------------------------------------


def test_names_keep_their_meaning() -> None:
    """Every name that stood in tests, docs and examples when the languages became one."""
    kept = json.loads((ROOT / "tests" / "golden" / "names.json").read_text("utf-8"))
    assert kept.keys() == MAKE.keys()
    for which, names in kept.items():
        assert {name: MAKE[which](name) for name in names} == names


@pytest.mark.parametrize(
    ("which", "blanks", "parentheses"),
    [
        ("navigations", "fading .9", "fading(0.9)"),
        ("navigations", "fading .9", " fading ( factor = 0.9 ) "),
        ("navigations", "walk + beta 1 2", "walk() + beta(b=2, a=1)"),
        ("navigations", "satiation 1 .5", "satiation(1, .5,)"),
        ("navigations", "types .5:.2 .5:1", "types(.5:.2, .5:1)"),
        ("navigations", "walk + fading .9", "fading(.9) + walk"),
        ("ways", "chunks next .5 parent .1", "chunks(next=.5, parent=.1)"),
        ("ways", "chunks next .5 parent .1", "chunks(parent=.1, next=.5)"),
        ("ways", "timeline .1 least .5", "timeline(.1, least=.5)"),
        ("ways", "tolerance 200 falling", "tolerance(200, falling)"),
        ("ways", "tolerance 200 falling", "tolerance(words=200, falling=true)"),
        ("ways", "tolerance 200", "tolerance(words=200, falling=false)"),
        ("rules", "ranks .5 .25", "ranks(.5, .25)"),
        ("rules", "patience 60", "patience(mean=60)"),
        ("rules", "fruitless 3", "fruitless(elements=3)"),
    ],
)
def test_both_spellings_say_the_same(which: str, blanks: str, parentheses: str) -> None:
    assert MAKE[which](blanks) == MAKE[which](parentheses)
    known = VOCABULARIES[which]
    assert sorted(written(known, blanks)) == sorted(written(known, parentheses))


def test_a_name_is_a_plain_value() -> None:
    [[first, second], [third]] = parse("a b .5 + c(d, e = 'x,(')@r=2, f", ValueError)
    assert first == Part("a", (Word("b"), Word(".5")))
    assert second == Part("c", (Word("d"), Word("x,(", "e", is_quoted=True)), "r=2")
    assert str(second) == 'c(d,e="x,(")@r=2'
    assert (third, third.place) == (Part("f"), 31)


def test_the_base_of_a_kind() -> None:
    for kind, base in (("walk", "walk"), ("unranked", "independent"), ("need 1 + walk()", "walk")):
        assert base_of(kind) == base


@pytest.mark.parametrize(("which", "form"), FORMS, ids=lambda part: getattr(part, "head", part))
def test_examples_are_of_their_forms_and_read_back(which: str, form: Form) -> None:
    known = VOCABULARIES[which]
    [(read, values)] = known.read(form.example)
    assert read is form
    again = known.write([(form.head, values)])
    assert known.read(again) == [(form, values)]
    assert written(known, again) == again
    assert MAKE[which](form.example) == MAKE[which](again)


ARGUMENTS = [(which, form, each) for which, form in FORMS for each in form.arguments if each.bounds]


@pytest.mark.parametrize(("which", "form", "argument"), ARGUMENTS, ids=lambda part: str(part))
def test_ranges_are_those_that_are_told(which: str, form: Form, argument: Argument) -> None:
    """What the tables say of a range is what the classes and functions require."""
    least, most = map(float, argument.bounds[1:-1].split(","))
    [(_, values)] = VOCABULARIES[which].read(form.example)

    def is_fine(number: float) -> bool:
        value: Any = (1.0, number) if argument.type == "pair of numbers" else number
        name = form.write(values | {argument.name: [value] if argument.is_many else value})
        try:
            MAKE[which](name)
        except InputError:
            return False
        return True

    whole = argument.type == "whole number"
    assert is_fine(least) == argument.bounds.startswith("[")
    assert is_fine(least + 1 if whole else math.nextafter(least, math.inf))
    assert is_fine(most) == argument.bounds.endswith("]")
    assert is_fine(1e9 if math.isinf(most) else math.nextafter(most, 0))
    for outside in (math.nan, least - 1 if whole else math.nextafter(least, -math.inf), most + 1):
        assert not is_fine(outside)


# --- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("which", "text", "told"),
    [
        ("navigations", "walk + fadng .9", "is near fading; write fading .9"),
        ("navigations", "Walk", "'Walk' at character 1 is near walk; write walk, say"),
        ("navigations", "bm25", "'bm25' at character 1 is none of them; write walk + fading .9"),
        ("navigations", "walk + walk", "must hold one navigation: 'walk' at character 8 is a sec"),
        ("navigations", "beta 1 1 + types 1:1", "hold one population: 'types' at character 12"),
        ("navigations", "fading", "must hold fading F: 'fading' at character 1 lacks F; write fa"),
        ("navigations", "fading(.9", "the end at character 10 stands where , or ) should"),
        ("navigations", "fading(fctor=.9)", "'fctor' at character 8 is near factor"),
        ("navigations", "fading(.9, factor=.8)", "'factor' at character 12 sets factor a second"),
        ("navigations", "fading '.9'", '"\'" at character 8 is out of place'),
        ("navigations", "fading('.9')", "'.9' at character 8 is no number"),
        ("navigations", "need(factors=1)", "'factors' at character 6 is one too many"),
        ("navigations", "walk + ", "the end at character 8 stands where a name should"),
        ("navigations", "walk@5", "it takes neither several names nor a cut-off"),
        ("navigations", "walk, walk", "it takes neither several names nor a cut-off"),
        ("ways", "chunks nxt .5", "'nxt' at character 8 is near next; write chunks next .5, say"),
        ("ways", "chunks(next)", "'next' at character 8 lacks P"),
        ("ways", "chunks(next, parent=1)", "'next' at character 8 lacks P"),
        ("ways", "structural + web 1", "must hold one way: 'web' at character 14 is a second"),
        ("ways", "tolerance(5, falling=so)", "'so' at character 14 is no truth value"),
        ("rules", "persistnce .9", "'persistnce' at character 1 is near persistence"),
        ("rules", "ranks", "must hold ranks P ...: 'ranks' at character 1 lacks P"),
        ("rules", "a" * (LONGEST + 1), "it has 100,001 characters, where 100,000 are the most"),
    ],
)
def test_mistakes_are_told_with_place_and_remedy(which: str, text: str, told: str) -> None:
    with pytest.raises(InputError) as caught:
        MAKE[which](text)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.value == text


PIECES = (
    *(form.head for _, form in FORMS),
    *("next", "falling", "factor=", ".5", "1", "1:1", "nan", "1e999", " + ", "  "),
    *"+(),=@'\"²_ \n",
)
TEXTS = st.text(max_size=30) | st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


@given(TEXTS)
def test_any_text_is_a_name_or_a_mistake(text: str) -> None:
    try:
        names = parse(text, lambda fault: InputError("name", text, fault, remedy="correct it"))
        assert parse(",".join(" + ".join(map(str, parts)) for parts in names), ValueError) == names
    except InputError:
        pass
    for which, known in VOCABULARIES.items():
        try:
            made = MAKE[which](text)
        except InputError:
            continue
        assert MAKE[which](written(known, text)) == made


NUMBERS = st.floats(0, 1) | st.integers(0, 9)


@st.composite
def parts(draw: st.DrawFn, form: Form) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for argument in form.arguments:
        value = {
            "number": NUMBERS.map(float),
            "whole number": st.integers(0, 9),
            "pair of numbers": st.tuples(NUMBERS.map(float), NUMBERS.map(float)),
            "truth value": st.just(True),
        }[argument.type]
        drawn = draw(st.lists(value, min_size=1, max_size=4) if argument.is_many else value)
        if (
            not argument.is_optional
            or (len(form.arguments) == 4 and not values)
            or draw(st.booleans())
        ):
            values[argument.name] = drawn
    return values


@given(st.data())
def test_what_is_written_reads_back(data: st.DataObject) -> None:
    which, form = data.draw(st.sampled_from(FORMS))
    values = data.draw(parts(form))
    known = VOCABULARIES[which]
    assert known.read(known.write([(form.head, values)])) == [(form, values)]
    # Spelt with parentheses, and with the names of what may be named.
    words = []
    for each in form.arguments:
        if each.name in values:
            key = "" if each.is_many else f"{each.name}="
            items = values[each.name] if each.is_many else [values[each.name]]
            for item in items:
                pair = each.type == "pair of numbers"
                words.append(key + (":".join(map(repr, item)) if pair else str(item)))
    assert known.read(f"{form.head}({', '.join(words)})") == [(form, values)]


N = 10_000
HARD = (
    "a" * N,
    " " * N,
    "(" * N,
    "a + " * N,
    "fading(" + "'" * N,
    "a(" + "b=1 " * N,
    "need" + " 1" * N + " x",
    "a@" * N,
    "a" * (LONGEST + 1),
)


@pytest.mark.parametrize("text", HARD, ids=lambda text: text[:9])
def test_long_garbage_is_a_mistake(text: str) -> None:
    """Texts that a reader that goes back would take 10^8 steps for."""
    for make in (MAKE["navigations"], MAKE["ways"], MAKE["rules"]):
        with pytest.raises(InputError):
            make(text)


# --- where names are told ---------------------------------------------------------------------


def test_the_page_of_names_has_them_all() -> None:
    page = (ROOT / "docs" / "reference" / "grammar.md").read_text("utf-8")
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| `")]
    forms = [[f"`{form}`", f"`{form.example}`", form.about] for _, form in FORMS]
    assert rows == forms, "docs/reference/grammar.md has a row for each, in this order"


def test_lists_have_them_all() -> None:
    for name, known in (("navigations", NAVIGATIONS), ("ways", WAYS), ("rules", RULES)):
        shown = CliRunner().invoke(prum, ["list", name]).output
        for form in known.forms.values():
            assert re.search(rf"^{re.escape(str(form))}\s+{re.escape(form.about)}$", shown, re.M)
