"""Names of measures: they read back, and mistakes in them are told."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from prum.experiments.measures.catalogue import MEASURES
from prum.experiments.measures.definition import (
    Cutoff,
    Name,
    Parameter,
    SettingValue,
    name_of,
    names_of,
)
from prum.experiments.measures.measure import measure_of, measures_of
from prum.simulator.model import InputError
from prum.simulator.model.grammar import LONGEST

KEYS = st.text("abcxyz_", min_size=1, max_size=6)
# A text stands in quotes of one kind or the other.
TEXTS = st.text(st.characters(exclude_characters="'"), max_size=9) | st.text(
    st.characters(exclude_characters='"'), max_size=9
)
NUMBERS = st.integers(1 - 10**18, 10**18 - 1) | st.floats(-1e300, 1e300)
SETTINGS = st.dictionaries(KEYS, st.booleans() | NUMBERS | TEXTS, max_size=4)
BUDGETS = st.builds(
    lambda amount, part, unit: Cutoff("budget", amount + part / 10**4, unit),
    st.integers(1, 10**9),
    st.sampled_from([0, 1, 2500, 5000]),
    st.sampled_from(["tokens", "characters", "seconds", "unit_2", "Wörter"]),
)
CUTOFFS = st.one_of(
    st.none(),
    st.integers(1, 10**9).map(lambda n: Cutoff("rank", n)),
    st.integers(1, 10**9).map(lambda r: Cutoff("recall", r)),
    st.floats(0, 1).map(lambda level: Cutoff("level", level)),
    BUDGETS,
)
MEASURE_NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9]{0,6}", fullmatch=True)
NAMES = st.builds(
    lambda measure, settings, cutoff: Name(measure, tuple(sorted(settings.items())), cutoff),
    MEASURE_NAMES,
    SETTINGS,
    CUTOFFS,
)


@given(NAMES)
def test_names_read_back(name: Name) -> None:
    again = name_of(str(name))
    assert again == name
    # 1, 1.0 and True are equal, and not the same.
    assert [type(value) for _, value in again.settings] == [type(x) for _, x in name.settings]


@st.composite
def known(draw: st.DrawFn) -> str:
    """Draw a measure of the catalogue with settings and a cut-off that it may have."""
    name = draw(st.sampled_from(sorted(MEASURES)))
    definition = MEASURES[name]

    def setting(option: Parameter) -> st.SearchStrategy[SettingValue]:
        if option.choices:
            return st.sampled_from(option.choices)
        if option.type is int:
            return st.integers(int(option.least), int(min(option.most, 10**18 - 1)))
        if option.type is float:
            return st.floats(
                max(option.least, option.above),
                min(option.most, option.below, 1e300),
                exclude_min=option.above > option.least,
                exclude_max=option.below < option.most,
            )
        texts = st.sampled_from(["walk", "independent", "no-revisit"])
        return st.booleans() if option.type is bool else texts

    drawn = {
        key: draw(setting(option))
        for key, option in definition.options.items()
        if draw(st.booleans()) or (option.default is None and not option.is_optional)
    }
    kinds = {
        "rank": st.integers(1, 1000).map(lambda n: Cutoff("rank", n)),
        "recall": st.integers(1, 1000).map(lambda r: Cutoff("recall", r)),
        "level": st.floats(0, 1).map(lambda level: Cutoff("level", level)),
        "budget": BUDGETS,
    }
    cut = st.one_of([kinds[kind] for kind in definition.cutoffs] or [st.none()])
    cutoff = draw(cut if definition.needs_cutoff else st.none() | cut)
    written = Name(name, tuple(sorted(drawn.items())), cutoff)
    try:
        definition.check(written)
    except InputError:  # settings that do not go together
        assume(False)
    return str(written)


@given(known())
def test_measures_read_back(written: str) -> None:
    measure = measure_of(written)
    assert measure_of(str(measure)) == measure
    assert str(measure) == str(measure_of(measure.name))
    assert measure.settings.keys() == measure.definition.options.keys()


def test_budgets_are_cut_offs_with_a_unit() -> None:
    for text in (
        "Coverage@500 tokens",
        "coverage @ 500  tokens",
        "Coverage@500tokens",
        "Coverage@500_tokens",
        "Coverage@500 token",
    ):
        measure = measure_of(text)
        assert measure.name == Name("Coverage", (), Cutoff("budget", 500.0, "tokens"))
        assert str(measure) == "Coverage@500 tokens"
    assert str(measure_of("IoU@2.5 chars")) == "IoU@2.5 characters"
    several = measures_of("Coverage@500 tokens, IoU@5,10, Coverage@.5 seconds")
    assert list(map(str, several)) == [
        "Coverage@500 tokens",
        "IoU@5",
        "IoU@10",
        "Coverage@0.5 seconds",
    ]
    assert measure_of("Coverage@500 tokens").uncut == measure_of("Coverage@10").uncut


def test_equal_measures_are_one() -> None:
    assert measure_of("xCG(alpha=1)@10") == measure_of("xCG(alpha=1.0) @10")
    assert measure_of("PRUM@1") == measure_of("PRUM@1.0")
    assert str(measure_of("PRUM@1")) == "PRUM@1.0"
    # AP has ranks too: @1 is the first of them, @1.0 full recall.
    assert measure_of("AP@1").name.cutoff == Cutoff("rank", 1)
    assert measure_of("AP@1.0").name.cutoff == Cutoff("level", 1.0)
    # At rank 1, and at full recall.
    assert str(measure_of("GR@1")) == "GR@1"
    assert measure_of("xCG@5").uncut == measure_of("xCG@9").uncut
    assert measure_of("xCG(alpha=.5)@5").uncut != measure_of("xCG@5").uncut
    assert measure_of("RP(tied=true)").takes == "ties"
    assert measure_of("RP").takes == "ranking"


MISTAKES = {
    "": ("measure is ''", "must be written like PRUM"),
    "PRUM)": ("'PRUM)'",),
    "PRUM(walk)": ("'PRUM(walk)'", "'walk' at character 6 is no name=value"),
    "PRUM@": ("be written like",),
    "5PRUM": ("measure is '5PRUM'", "did you mean 'PRUM'"),
    "xCG(alpha=.5,alpha=.5)@9": ("alpha of xCG", "be set once"),
    "PRUM@0": ("cut-off", "@10 for a rank"),
    "PRUM@r=0": ("cut-off", "@r=2"),
    "PRUM@x": ("cut-off", "correct what stands behind @"),
    "PRUM@5 tokens": ("cut-off of PRUM is '@5 tokens", "a recall level (@0.5) or a recall value"),
    "Coverage@0 tokens": ("cut-off", "@500 tokens for a budget"),
    "Coverage@0.5": ("cut-off of Coverage", "be a rank (@10) or a budget (@500 tokens)"),
    "T2I(words=1e999)": ("is inf", "be a number"),
    "A" * (LONGEST + 1): ("'AAAA", "100,001 characters, where 100,000 are the most"),
    "nDGC@10": ("measure is 'nDGC'", "did you mean 'nDCG'"),
    "ADM(baseline=0.5,deviation=true)": ("must be used without deviation",),
    "ADM(baseline=middle)": ("or one of random, best",),
    "map_cut_10@5": ("cut-off of map_cut_10", "be set once", "map_cut_10 is AP@10"),
    "rbp.80(p=.5)": ("p of rbp.80", "be set once"),
    "xCG(alhpa=1)@5": ("setting of xCG is 'alhpa'", "did you mean 'alpha'"),
    "RBP(p=1)": ("p of RBP(p=1) is 1.0", "more than 0, less than 1"),
    "RBP(p=.8,theta=.2)": ("theta of RBP is 0.2", "be used without p, which is 1 - theta"),
    "RBP(gain=linear,rel=2)": ("rel of RBP is 2", "be used with gain=binary"),
    "ERR(convention=chapelle,highest=4)": ("convention of ERR", "be used without highest"),
    "AP(gain=linear)@0.5": ("cut-off of AP with gain is '@0.5'", "be a rank (@10)"),
    "Rprec@5": ("cut-off of Rprec is '@5', must be left out", "write Rprec"),
    "xCG(alpha=2)@5": ("alpha of xCG(alpha=2)@5 is 2.0", "be a number, at least 0, at most 1"),
    "xCG(alpha=true)@5": ("is True", "be a number"),
    "RP(tied=1)": ("tied of RP(tied=1) is 1", "be true or false"),
    "EPRUM(users=0)": ("users of", "be a whole number, at least 1"),
    "T2I": ("words of T2I must be", "write T2I(words=...)"),
    "P": ("cut-off of P is 'P', must be given", "write P@10"),
}


@pytest.mark.parametrize("written", MISTAKES)
def test_mistakes_are_told(written: str) -> None:
    with pytest.raises(InputError) as caught:
        measure_of(written)
    for words in MISTAKES[written]:
        assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@given(st.text(max_size=30) | st.text("PRUM()@=.,r5\"'", max_size=20))
def test_garbage_is_a_name_or_a_mistake(text: str) -> None:
    try:
        names = names_of(text)
    except InputError:
        return
    assert names_of(",".join(map(str, names))) == names
