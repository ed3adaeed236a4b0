"""Made structures: how many elements, what a block holds, and the laws of links and trees."""

import hashlib
import pickle

import numpy as np
import pytest
from scipy.stats import binomtest, chisquare, norm

from prum.simulator.generation import structures
from prum.simulator.generation.blocks import BLOCK, LONGEST
from prum.simulator.generation.dials import Dials
from prum.simulator.generation.draws import Draws
from prum.simulator.generation.kinds import Chunks, Flat, Video, Web, Xml
from prum.simulator.generation.structures import Structure, made_block, names
from prum.simulator.generation.web import Scattering, best_of, masses, ranks_at, shared_out
from prum.simulator.model import Elements, Independent, InputError, Links, Walk
from tests.tiers import slow, spread

KINDS = {"flat": Flat, "web": Web, "xml": Xml, "video": Video, "chunks": Chunks}
TREES = ["xml", "video", "chunks"]
# One family-wise level for the tests of laws below.
LEVEL = 0.01 / 29
# SHA-256 of the first block of 1000 elements.
GOLDEN = {
    "flat": "602cd45fb6e02bb0c185cb15c14f82e9297ad880a0c8aac98b7972d5dcc55104",
    "web": "f7bf16963cb745b9bd3282cb35944375b5eb0fe2e81864e36e8901a9e4048687",
    "xml": "062a155e06bca5af6f1014f278984f5d4131d5600f0b0f1cb525d4be3b05489f",
    "video": "cfdfa667ae1eb6eaf03759cf1a850bfad9b8559f47904141e0befce138eae960",
    "chunks": "635505ebad5aa7f69bb6fdceee327c8b629942ebef55e61c71592c4387f2a10b",
}


def made(kind, elements, seed=1, **dials):
    return Structure(KINDS[kind](kind=kind, elements=elements, **dials), seed)


def blocks(structure):
    return [structure.block(number) for number in range(structure.num_blocks)]


def columns(block):
    return (
        block.parents, block.starts, block.lengths, block.places,
        block.sources, block.targets, block.probabilities,
    )  # fmt: skip


def equal(one, other):
    return one.first == other.first and all(map(np.array_equal, columns(one), columns(other)))


def p_of(counts, probabilities):
    """Return the p-value of counts under a law."""
    expected = np.sum(counts) * np.asarray(probabilities) / np.sum(probabilities)
    return chisquare(counts, expected).pvalue


def num_children(block):
    """Return the number of children of each element of a block."""
    below = block.parents[block.parents >= 0] - block.first
    return np.bincount(below, minlength=len(block))


def depths(block):
    found = [0] * len(block)
    for number, parent in enumerate(block.parents.tolist()):
        found[number] = 0 if parent < 0 else found[parent - block.first] + 1
    return np.array(found)


# --- blocks -----------------------------------------------------------------------------------


@pytest.mark.parametrize("elements", [100, 101, 65_536, 65_537, 200_003])
@pytest.mark.parametrize("kind", KINDS)
def test_a_structure_has_exactly_its_elements(kind, elements):
    structure = made(kind, elements)
    assert structure.num_elements == elements
    after = 0
    for block in blocks(structure):
        assert block.first == after
        after += len(block)
        assert {len(column) for column in columns(block)[:4]} == {len(block)}
        assert (block.places >= block.first).all()  # nothing crosses blocks
        assert (np.diff(block.places) >= 0).all()
        assert (block.places[block.places - block.first] == block.places).all()
        if kind != "flat":
            documents = block.first + np.flatnonzero(block.parents < 0)
            assert kind == "web" or np.array_equal(np.unique(block.places), documents)
    assert after == elements


@pytest.mark.parametrize("kind", KINDS)
def test_blocks_do_not_hang_on_those_made_before(kind):
    ahead, back = made(kind, 200_003), made(kind, 200_003)
    backwards = [back.block(number) for number in (3, 0, 2, 1)]
    for number, block in zip((3, 0, 2, 1), backwards, strict=True):
        assert equal(ahead.block(number), block)
        assert equal(made_block(ahead.dials, 1, number), block)
    copy = pickle.loads(pickle.dumps(ahead))
    assert (copy.dials, copy.seed, copy._kept) == (ahead.dials, 1, {})
    if kind != "flat":
        assert not equal(made(kind, 200_003, seed=2).block(1), ahead.block(1))
        assert not np.array_equal(ahead.block(0).places, ahead.block(1).places - BLOCK)


def test_the_last_few_blocks_are_kept(monkeypatch):
    asked = []

    def noted(dials, seed, number):
        asked.append(number)
        return made_block(dials, seed, number)

    monkeypatch.setattr(structures, "made_block", noted)
    structure = made("flat", 1_000_000)
    for number in (0, 1, 2, 3, 0, 4, 0, 1, 0):
        structure.block(number)
    assert asked == [0, 1, 2, 3, 4, 1]
    assert len(structure._kept) == 4


@pytest.mark.parametrize("kind", KINDS)
def test_a_block_of_ten_million_is_made_by_itself(kind):
    structure = made(kind, 10_000_000)
    block = structure.block(77)
    assert (block.first, len(block)) == (77 * BLOCK, BLOCK)
    assert list(structure._kept) == [77]


@pytest.mark.parametrize("kind", KINDS)
def test_the_bytes_are_those_of_every_machine(kind):
    digest = hashlib.sha256()
    for column in columns(made(kind, 1000, seed=20_261).block(0)):
        digest.update(column.astype(column.dtype.newbyteorder("<")).tobytes())
    assert digest.hexdigest() == GOLDEN[kind]


def test_arrays_are_read_only():
    for column in columns(made("web", 100).block(0)):
        with pytest.raises(ValueError, match="read-only"):
            column[:1] = 0


@pytest.mark.parametrize("kind", KINDS)
def test_names_sort_as_numbers(kind):
    for elements in (100, 101, 10_000_000):
        structure = made(kind, elements)
        numbers = [0, 1, 9, 10, 99, elements - 1]
        ids = structure.names(numbers)
        assert ids == sorted(ids)
        assert len(set(map(len, ids))) == 1
        assert ids == names(structure.dials)(np.array(numbers))
        assert [int("".join(filter(str.isdigit, each))) for each in ids] == numbers


@pytest.mark.parametrize("kind", KINDS)
def test_places_are_ranges(kind):
    structure = made(kind, 65_636)
    for block in blocks(structure):
        for element in (0, 1, 57, len(block) - 1):
            first, after = structure.place(block.first + element)
            inside = block.first + np.flatnonzero(block.places == block.places[element])
            assert np.array_equal(inside, np.arange(first, after))


def test_asking_for_what_is_not_there():
    structure = made("xml", 1000)
    for number in (-1, 1):
        with pytest.raises(InputError, match="number of a block"):
            structure.block(number)
    for element in (-1, 1000):
        with pytest.raises(InputError, match="number of an element"):
            structure.place(element)
    with pytest.raises(InputError, match=r"number of a document is 1, must be that of .*, 0"):
        structure.elements([1])
    with pytest.raises(InputError, match="must be of trees"):
        made("web", 100).elements([0])


# --- the web ----------------------------------------------------------------------------------


@pytest.mark.parametrize("following", [0.85, 1.0, 0.001, 0.5000004])
def test_probabilities_are_millionths_that_sum_to_following(following):
    block = made("web", 70_000, following=following).block(0)
    millionths = np.rint(block.probabilities * 1e6)
    distinct, place = np.unique(block.probabilities, return_index=True)
    assert distinct.tolist() == [float(f"{m / 1e6:.6f}") for m in millionths[place]]
    assert (block.probabilities > 0).all()
    sums = np.bincount(block.sources, weights=millionths, minlength=BLOCK)
    assert set(sums[sums > 0]) == {round(following * 1e6)}  # exactly, so never above 1
    assert (sums > 0).mean() > 0.99


@pytest.mark.parametrize("following", [0.0, 1e-7, 3e-6])
def test_links_without_a_millionth_are_left_out(following):
    block = made("web", 1000, following=following).block(0)
    assert (block.probabilities > 0).all()
    assert bool(len(block.sources)) == (following > 1e-6)


def test_shares_are_those_of_squares_of_exponential_numbers():
    units = Draws(1, "shares").units(1000)
    squares = np.log(units) ** 2
    shares = shared_out(np.repeat([3, 9], 500), 0.85, units)
    for half in (slice(0, 500), slice(500, 1000)):
        expected = 850_000 * squares[half] / squares[half].sum()
        assert np.abs(shares[half] - expected).max() < 1 + 500 * expected.max() / 850_000 + 1
    assert shared_out(np.empty(0, dtype=np.int64), 0.85, np.empty(0)).shape == (0,)


def test_links_are_sorted_and_no_page_links_to_itself_or_twice():
    structure = made("web", 70_000, community=4)
    for block in blocks(structure):
        pairs = block.sources * structure.num_elements + block.targets
        assert (np.diff(pairs) > 0).all()
        assert (block.sources != block.targets).all()
        assert ((block.sources >= block.first) & (block.sources < block.first + len(block))).all()
        assert ((block.targets >= 0) & (block.targets < structure.num_elements)).all()


def test_degrees_follow_the_power_law():
    # Of so many pages a page hits the same one twice hardly ever.
    block = made("web", 10_000_000, most_degree=20, inside=0.0, popularity=0.0).block(3)
    counts = np.bincount(np.bincount(block.sources - block.first, minlength=BLOCK), minlength=21)
    degrees = np.arange(1.0, 21)
    assert counts[0] == 0
    assert p_of(counts[1:], degrees**-1.5) > LEVEL
    assert p_of(counts[1:], degrees**-1.55) < LEVEL  # negative control


def test_pages_may_have_no_links():
    block = made(
        "web", 10_000_000, least_degree=0, most_degree=2, inside=0.0, popularity=0.0
    ).block(0)
    counts = np.bincount(np.bincount(block.sources, minlength=BLOCK), minlength=3)
    assert p_of(counts, [1, 1, 2**-1.5]) > LEVEL


def test_links_stay_in_the_community():
    dials = {"most_degree": 1, "community": 10_000, "popularity": 0.0}
    block = made("web", 10_000_000, **dials).block(0)
    near = block.targets < BLOCK
    stays = np.zeros(len(near), dtype=np.bool_)
    stays[near] = block.places[block.sources[near]] == block.places[block.targets[near]]
    # Of the links inside one in a community's size was to the page itself, and is gone.
    assert binomtest(int(stays.sum()), len(stays), 0.8).pvalue > LEVEL
    assert binomtest(int(stays.sum()), len(stays), 0.82).pvalue < LEVEL  # negative control


@pytest.mark.parametrize("popularity", [0.0, 0.5, 0.6])
def test_popular_pages_are_linked_to(popularity):
    n = BLOCK
    structure = made("web", n, most_degree=1, inside=0.0, popularity=popularity)
    by_page = np.bincount(structure.block(0).targets, minlength=n)
    by_rank = by_page[Scattering(n, Draws(1, "web", "popularity"))(np.arange(n))]
    edges = np.array([0, 1, 2, 8, 64, 512, 4096, 16_384, 40_000])
    counts = np.add.reduceat(by_rank, edges)
    for exponent, near in ((popularity, True), (popularity + 0.03, False)):  # negative control
        weights = np.add.reduceat(np.arange(1.0, n + 1) ** -exponent, edges)
        assert (p_of(counts, weights) > LEVEL) == near


def test_some_pages_of_a_community_are_popular():
    block = made("web", 70_000, inside=1.0, community=100, most_degree=5).block(0)
    degrees = np.bincount(block.targets, minlength=BLOCK)
    firsts, sizes = np.unique(block.places, return_counts=True)
    first, size = int(firsts[3]), int(sizes[3])
    assert set(block.places[block.targets] - block.places[block.sources]) == {0}
    most = np.maximum.reduceat(degrees, firsts)
    # Rank 1 is chosen with 1 / 18, where the mean page is with 1 / 100.
    assert most[sizes > 50].mean() > 4 * degrees.mean()
    assert degrees[first : first + size].argmax() != degrees[firsts[4] :][:size].argmax()


@pytest.mark.parametrize(
    "popularity", [0.0, 0.3, 0.5, 0.9, 0.999, 1 - 2.0**-53, 1.001, 1.5, 2.0, 3.0]
)
def test_ranks_are_those_of_pages(popularity):
    among = np.array([1, 2, 50, 10_000_000])
    for unit, expected in ((2.0**-53, 0 * among), (1 - 2.0**-53, among - 1)):
        ranks = ranks_at(unit * masses(among, popularity), among, popularity)
        assert ((ranks >= 0) & (ranks < among)).all()
        assert popularity > 0.9 or np.array_equal(ranks, expected)


@pytest.mark.parametrize("popularity", [0.0, 0.3, 0.5, 0.9, 0.999, 1.001, 1.5, 2.0, 3.0])
def test_ranks_have_nearly_their_power_law(popularity):
    ranks = np.arange(1.0, 1001)
    law = np.diff(masses(np.arange(0, 1001), popularity)) / (1 - popularity) * ranks**popularity
    assert (law > 1 - 1e-9).all()
    assert law[0] < {1.5: 1.2, 2.0: 1.34, 3.0: 1.78}.get(popularity, 1.1)
    assert (law[1:] - 1 < (law[0] - 1) / 4 + 1e-9).all()
    # The rank where the middle of its mass comes is itself.
    middles = (masses(ranks - 1, popularity) + masses(ranks, popularity)) / 2
    assert np.array_equal(ranks_at(middles, 1000, popularity), ranks - 1)


@pytest.mark.parametrize("n", [50, 10_000, pytest.param(10_000_000, marks=slow)])
def test_rank_1_is_too_likely_as_the_dials_say(n):
    told = {0.5: 1.035, 0.9: 1.08, 1.5: 1.105, 2.0: 1.1, 3.0: 1.07}
    for popularity, most in told.items():
        made_law = masses(1, popularity) / masses(n, popularity)
        true_law = 1 / (np.arange(1.0, n + 1) ** -popularity).sum()
        assert 1 < made_law / true_law < most + 0.005
        if n == 10_000:
            assert made_law / true_law > most - 0.01


@pytest.mark.parametrize(
    ("popularity", "choice"), [(0.5, 1.0), (1.5, 1.0), (3.0, 1.0), (0.5, 2.5), (1.5, 1.5)]
)
def test_targets_have_the_law_of_the_dials(popularity, choice):
    n = BLOCK
    dials = {"most_degree": 1, "inside": 0.0, "popularity": popularity, "choice": choice}
    by_page = np.bincount(made("web", n, **dials).block(0).targets, minlength=n)
    by_rank = by_page[Scattering(n, Draws(1, "web", "popularity"))(np.arange(n))]
    edges = np.array([0, 1, 2, 4, 8, 32] + ([1000, 20_000, 50_000] if popularity < 1 else []))
    counts = np.add.reduceat(by_rank, edges)

    def law(exponent, several):
        ends = np.append(edges, n) + 0.5
        share = (ends ** (1 - exponent) - 0.5 ** (1 - exponent)) / (
            (n + 0.5) ** (1 - exponent) - 0.5 ** (1 - exponent)
        )
        return np.diff(1 - (1 - share) ** several)

    assert p_of(counts, law(popularity, choice)) > LEVEL
    # Negative controls.
    assert p_of(counts, law(popularity + 0.1, choice)) < LEVEL
    assert p_of(counts, law(popularity, choice * 1.1)) < LEVEL


def test_popularity_inside_is_that_of_the_community():
    dials = {"most_degree": 1, "community": 10_000, "popularity": 0.5}
    inside = made("web", BLOCK, inside=1.0, popularity_inside=2.0, **dials).block(0)
    other = {**dials, "popularity": 1.7}
    assert equal(inside, made("web", BLOCK, inside=1.0, popularity_inside=2.0, **other).block(0))
    outside = made("web", BLOCK, inside=0.0, **dials).block(0)
    assert equal(outside, made("web", BLOCK, inside=0.0, popularity_inside=2.0, **dials).block(0))
    same = made("web", BLOCK, popularity_inside=0.5, **dials).block(0)
    assert equal(same, made("web", BLOCK, **dials).block(0))
    degrees = np.bincount(inside.targets, minlength=BLOCK)
    firsts = np.unique(inside.places)
    # All pages but itself link to the first rank with two thirds, as the integral has it.
    hits, pages = int(np.maximum.reduceat(degrees, firsts).sum()), BLOCK - len(firsts)
    assert binomtest(hits, pages, 2 / 3).pvalue > LEVEL
    assert binomtest(hits, pages, 0.65).pvalue < LEVEL  # negative control


def test_pages_of_the_last_ranks_get_no_links():
    dials = {"least_degree": 5, "most_degree": 40, "degree_exponent": 1.0}

    def lonely(**more):
        block = made("web", 5000, **dials, **more).block(0)
        return float((np.bincount(block.targets, minlength=5000) == 0).mean())

    assert lonely() < 0.005
    assert lonely(choice=2.5) > 0.02
    assert lonely(choice=2.5, popularity=1.2, popularity_inside=1.5) > 0.1


@pytest.mark.parametrize("units", [2.0**-53, 0.5, 1 - 2.0**-53])
def test_the_best_of_several_is_a_unit(units):
    for choice in (1.0, 1.5, 8.0):
        best = best_of(np.array([units]), choice)
        assert 0 < best[0] < 1
        assert best[0] == pytest.approx(1 - (1 - units) ** (1 / choice), abs=1e-15)


@pytest.mark.parametrize("n", [1, 2, 3, 100, 1024, 1025, 200_003])
def test_scattering_is_a_bijection(n):
    pages = Scattering(n, Draws(1, "scattering"))(np.arange(n))
    assert np.array_equal(np.sort(pages), np.arange(n))
    if n >= 100:
        assert np.abs(np.corrcoef(np.arange(n), pages)[0, 1]) < 5 / np.sqrt(n)
        assert (pages != Scattering(n, Draws(2, "scattering"))(np.arange(n))).any()


@pytest.mark.parametrize("community", [2, 3, 50, 10_000])
def test_communities_have_half_to_three_halves_of_their_mean(community):
    block = made("web", 70_000, community=community, most_degree=1).block(0)
    sizes = np.unique(block.places, return_counts=True)[1]
    assert sizes.sum() == BLOCK
    assert ((sizes[:-1] >= community / 2) & (sizes[:-1] <= community * 1.5)).all()
    assert sizes[-1] <= community * 1.5
    if community == 50:
        assert p_of(np.bincount(sizes[:1200])[25:], np.ones(51)) > LEVEL


def test_links_into_some_pages():
    structure = made("web", 140_000)
    targets = np.array([0, 7, 65_536, 100_000, 139_999])
    sources, ends, probabilities = structure.links_to(targets)
    expected = {
        (source, target): probability
        for block in blocks(structure)
        for source, target, probability in zip(
            block.sources.tolist(),
            block.targets.tolist(),
            block.probabilities.tolist(),
            strict=True,
        )
        if target in {0, 7, 65_536, 100_000, 139_999}
    }
    found = dict(zip(zip(sources.tolist(), ends.tolist(), strict=True), probabilities, strict=True))
    assert found == expected
    assert len(found) > 10
    parts = [structure.links_to(targets, [number]) for number in range(3)]
    for whole, *pieces in zip((sources, ends, probabilities), *parts, strict=True):
        assert np.array_equal(whole, np.concatenate(pieces))
    assert structure.links_to(np.empty(0, dtype=np.int64))[0].size == 0
    for kind in ("flat", "xml"):
        assert [len(column) for column in made(kind, 100).links_to(np.array([3]))] == [0, 0, 0]


def test_the_model_takes_the_links():
    structure = made("web", 1000)
    block = structure.block(0)
    links = Links.from_columns(
        structure.names(block.sources), structure.names(block.targets), block.probabilities
    )
    assert len(links) == len(block.sources)
    assert np.array_equal(links.probabilities, block.probabilities)
    Independent(links)
    Walk(links)


# --- trees ------------------------------------------------------------------------------------

# Ways to set dials that make documents of all kinds and sizes.
ODD = [
    ("xml", {}),
    ("xml", {"depth": 1}),
    ("xml", {"fan_out": (1, 1), "depth": 20, "nesting": 1.0}),
    ("xml", {"fan_out": (4, 9), "depth": 20, "nesting": 0.9, "words_spread": 5.0}),
    ("video", {}),
    ("video", {"scenes": (1, 1), "seconds": 0.001}),
    ("video", {"scenes": (70_000, 70_000), "seconds": 1e9, "seconds_spread": 5.0}),
    ("chunks", {}),
    ("chunks", {"words": 1, "stride": 1, "page_words": 1.0}),
    ("chunks", {"words": 500, "stride": 1, "page_words_spread": 3.0}),
    ("chunks", {"words": 1, "stride": 1, "page_words": 1e9, "page_words_spread": 5.0}),
]


@pytest.mark.parametrize("elements", spread(3, [100, 65_537, 66_000]))
@pytest.mark.parametrize(("kind", "dials"), ODD)
def test_the_model_takes_every_document(kind, dials, elements):
    structure = made(kind, elements, **dials)
    whole = blocks(structure)
    parents, starts, lengths, places = (
        np.concatenate([columns(block)[column] for block in whole]) for column in range(4)
    )
    if elements > BLOCK:  # the last documents of the first block, and all others
        begin = int(places[BLOCK - 1 - min(300, BLOCK - int(places[BLOCK - 1]))])
    else:
        begin = 0
    table = structure.elements(np.unique(places[begin:]))
    assert table.ids == tuple(structure.names(range(begin, elements)))
    assert np.array_equal(table.parents, np.where(parents < 0, -1, parents - begin)[begin:])
    assert np.array_equal(table.starts, starts[begin:])
    assert np.array_equal(table.lengths, lengths[begin:])
    assert np.array_equal(table.documents, places[begin:] - begin)
    assert lengths.min() >= 1
    assert (starts + lengths).max() < 2**53
    assert set(starts[parents < 0]) == {0}


def test_documents_may_be_asked_for_in_any_order():
    structure = made("xml", 70_000)
    documents = np.unique(structure.block(0).places)[:5]
    assert structure.elements(documents[::-1]) == structure.elements(documents)
    assert structure.elements([]) == Elements({})


@pytest.mark.parametrize(("kind", "dials"), [row for row in ODD if row[0] != "chunks"])
def test_leaves_lie_one_after_the_other(kind, dials):
    block = made(kind, 70_000, **dials).block(0)
    leaf = num_children(block) == 0
    lengths = np.where(leaf, block.lengths, 0)
    ends = np.cumsum(lengths)
    begins = ends - lengths
    assert np.array_equal(block.starts, begins - begins[block.places])
    total = np.zeros(BLOCK, dtype=np.int64)
    below = block.parents >= 0
    np.add.at(total, block.parents[below], block.lengths[below])
    assert np.array_equal(block.lengths[~leaf], total[~leaf])


@pytest.mark.parametrize(("kind", "dials"), [row for row in ODD if row[0] != "chunks"])
def test_depth_and_fan_out_have_bounds(kind, dials):
    structure = made(kind, 140_000, **dials)
    least, most = structure.dials.fan_out if kind == "xml" else structure.dials.scenes
    greatest = structure.dials.depth if kind == "xml" else 1
    for block in blocks(structure):
        depth, children = depths(block), num_children(block)
        assert depth.max() <= greatest
        assert children.max() <= most
        # What contains the last element of a block, or is it, is cut off there.
        cut, number = {len(block) - 1}, int(block.parents[-1])
        while number >= 0:
            cut.add(number - block.first)
            number = int(block.parents[number - block.first])
        whole = np.setdiff1d(np.arange(len(block)), list(cut))
        documents = whole[depth[whole] == 0]
        assert (children[documents] >= least).all()
        inner = whole[children[whole] > 0]
        assert (children[inner] >= least).all()
        assert (depth[inner] < greatest).all()


def test_without_depth_there_are_no_sections():
    block = made("xml", 70_000, depth=1, nesting=1.0).block(0)
    assert depths(block).max() == 1
    assert set(block.parents[block.parents >= 0]) <= set(np.flatnonzero(block.parents < 0))


def test_children_and_sections_follow_their_laws():
    block = made("xml", 70_000).block(0)
    depth, children = depths(block), num_children(block)
    documents = np.flatnonzero(depth == 0)[:500]  # whole ones, a number fixed beforehand
    assert p_of(np.bincount(children[documents])[2:], np.ones(5)) > LEVEL
    until = documents[-1]
    upper = np.flatnonzero((depth[:until] > 0) & (depth[:until] < 4))
    sections = int((children[upper] > 0).sum())
    assert binomtest(sections, len(upper), 0.5).pvalue > LEVEL
    assert binomtest(sections, len(upper), 0.53).pvalue < LEVEL  # negative control


def test_levels_may_differ():
    ranges, shares = ((5, 5), (2, 7), (10, 60), (2, 8)), (1.0, 0.5, 0.8)
    block = made("xml", 70_000, fan_out=ranges, nesting=shares).block(0)
    depth, children = depths(block), num_children(block)
    until = np.flatnonzero(depth == 0)[-1]  # whole documents
    depth, children = depth[:until], children[:until]
    assert set(children[depth == 0]) == {5}
    assert (children[depth == 1] > 0).all()
    for level, (least, most) in enumerate(ranges):
        counts = children[(depth == level) & (children > 0)]
        assert (counts.min(), counts.max()) == (least, most)
        if level == 3:  # there are thousands of them
            spread = np.bincount(counts)[least:]
            assert p_of(spread, np.ones(most - least + 1)) > LEVEL
            lower = np.linspace(1.3, 0.7, most - least + 1)
            assert p_of(spread, lower) < LEVEL  # negative control
    for level, share, other in ((2, 0.5, 0.8), (3, 0.8, 0.5)):
        sections = children[depth == level] > 0
        assert binomtest(int(sections.sum()), len(sections), share).pvalue > LEVEL
        assert binomtest(int(sections.sum()), len(sections), other).pvalue < LEVEL


def test_one_level_stands_for_all_and_the_last_for_deeper_ones():
    block = made("xml", 2000, depth=6).block(0)
    for fan_out in (((2, 6),), ((2, 6), (2, 6)), ((2, 6),) * 20):
        for nesting in ((0.5,), (0.5, 0.5, 0.5)):
            again = made("xml", 2000, depth=6, fan_out=fan_out, nesting=nesting)
            assert equal(again.block(0), block)
    other = made("xml", 2000, depth=6, fan_out=((2, 6), (2, 7)))
    assert not equal(other.block(0), block)


@pytest.mark.parametrize(
    ("fan_out", "nesting"),
    [((2, 6), 0.5), (((5, 5),), (1.0,)), (((5, 5), (2, 7), (10, 60)), (1.0, 0.5))],
)
def test_dials_by_level_are_read_back(fan_out, nesting):
    dials = Xml(kind="xml", elements=100, fan_out=fan_out, nesting=nesting)
    assert Xml.model_validate(dials.model_dump()) == dials
    assert Xml.model_validate_json(dials.model_dump_json()) == dials
    assert (dials.fan_out, dials.nesting) == (fan_out, nesting)


@pytest.mark.parametrize(
    ("collection", "told"),
    [
        ({"fan_out": [[5, 5], [7, 2]]}, "collection.fan_out[1] is [7, 2], must give the least"),
        ({"fan_out": [[5, 5], 3]}, "collection.fan_out[1] is 3, must be"),
        ({"fan_out": [[5, 2.5]]}, "collection.fan_out[0][1] is 2.5, must be a valid integer"),
        ({"fan_out": []}, "collection.fan_out is [], must hold something"),
        ({"fan_out": [[1, 2]] * 21}, "must hold at most 20 levels"),
        ({"nesting": [0.5, 2]}, "collection.nesting[1] is 2, must be less than or equal to 1"),
        ({"nesting": []}, "collection.nesting is [], must hold something"),
        ({"nesting": True}, "collection.nesting is True, must be a valid number"),
        ({"kind": "web", "popularity": 1.0009}, "collection.popularity is 1.0009, must be 0.999"),
        ({"kind": "web", "popularity_inside": 1}, "collection.popularity_inside is 1, must be"),
        ({"kind": "web", "choice": 0.5}, "collection.choice is 0.5, must be greater than"),
    ],
)
def test_mistakes_in_dials(collection, told):
    with pytest.raises(InputError) as caught:
        Dials.read({"collection": {"kind": "xml", "elements": 100, **collection}})
    (line,) = str(caught.value).split("\n")
    assert told in line


def test_videos_have_as_many_scenes():
    block = made("video", 70_000).block(0)
    scenes = num_children(block)[block.parents < 0][:2000]
    assert p_of(np.bincount(scenes)[5:], np.ones(36)) > LEVEL
    assert p_of(np.bincount(scenes)[5:], np.arange(100, 136)) < LEVEL  # negative control


@pytest.mark.parametrize(("kind", "median"), [("xml", 40.0), ("video", 30.0), ("chunks", 1200.0)])
def test_lengths_have_their_median_and_spread(kind, median):
    block = made(kind, 70_000).block(0)
    roots = block.parents < 0
    lengths = block.lengths[roots if kind == "chunks" else num_children(block) == 0][:5000]
    for quantile in (0.2, 0.5, 0.9):
        most = int(median * np.exp(0.8 * norm.ppf(quantile)))
        below = int((lengths <= most).sum())
        share = norm.cdf(np.log((most + 0.5) / median) / 0.8)
        assert binomtest(below, len(lengths), share).pvalue > LEVEL
        control = norm.cdf(np.log((most + 0.5) / (1.1 * median)) / 0.8)
        assert binomtest(below, len(lengths), control).pvalue < LEVEL


def test_lengths_are_not_endless():
    block = made("video", 100_000, seconds=1e9, seconds_spread=5.0).block(0)
    scenes = block.lengths[block.parents >= 0]
    assert scenes.max() == LONGEST
    assert scenes.min() >= 1


# --- chunks -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dials", [row[1] for row in ODD if row[0] == "chunks"])
def test_chunks_cover_their_page_and_no_more(dials):
    structure = made("chunks", 70_000, **dials)
    words, stride = structure.dials.words, structure.dials.stride
    for block in blocks(structure):
        firsts = np.unique(block.places)
        for first in firsts[[*range(min(200, len(firsts))), -1]].tolist():
            span = slice(*(edge - block.first for edge in structure.place(first)))
            page, *chunks = zip(
                block.starts[span].tolist(), block.lengths[span].tolist(), strict=True
            )
            length = page[1]
            assert page[0] == 0
            expected = []
            while not expected or sum(expected[-1]) < length:
                start = len(expected) * stride
                expected.append((start, min(words, length - start)))
            last = first - block.first == len(block) - 1
            assert chunks == ([] if last else expected)
            assert set(block.parents[span].tolist()) == {-1} | ({first} if chunks else set())


def test_a_page_is_cut_where_the_block_ends():
    # Pages of 3 chunks: 4 elements each, so that 100, 101, 102, 103 leave room for 0, 1, 2, 3.
    dials = {"words": 10, "stride": 10, "page_words": 30.0, "page_words_spread": 0.0}
    for room, left in ((0, [30]), (1, [30]), (2, [10, 10]), (3, [20, 10, 10])):
        block = made("chunks", 100 + room, **dials).block(0)
        if room:
            assert block.lengths[100:].tolist() == left
        assert set(block.lengths[:100][block.parents[:100] < 0]) == {30}
        assert block.parents[100:].tolist() == [-1, 100, 100][:room]
