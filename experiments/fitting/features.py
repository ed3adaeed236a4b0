"""Features of links: what can be known before anybody has moved along one, in files or computed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from prum.experiments.logs.counts import StepCounts
from prum.experiments.logs.sessions import codes_of, rows_of
from prum.simulator.model import Elements, InputError, Links
from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.model.errors import check_id
from prum.simulator.model.tables import places
from prum.simulator.tables.files import FilePath
from prum.simulator.tables.layout import FileColumn, Layout, number_of
from prum.simulator.tables.read import read

ELEMENT, SOURCE, TARGET = "element", "source", "target"
LAYOUT = Layout(
    what="file of features",
    columns=tuple(
        FileColumn(name=name, nullable=True, optional=True) for name in (ELEMENT, SOURCE, TARGET)
    ),
    rest=FileColumn(name="", either=True, nullable=True),
    rule="be a number or text",
    remedy="write it like 12.5, or leave it empty",
    bounds_in_csv=False,
)


@dataclass(frozen=True, slots=True, eq=False)
class FeatureTable:
    """What is known of elements, or of links, in rows.

    Parameters
    ----------
    keys
        Whose each row is: an element, or a source and a target. An element may have several rows,
        as of several categories.
    numbers
        By column, a number for each row, NaN where it is not known.
    texts
        By column, a text for each row, None where it is not known.

    >>> table = FeatureTable.of(["a", "b"], {"age": [3, None], "kind": ["old", "new"]})
    >>> table.numbers["age"].tolist(), table.texts["kind"]
    ([3.0, nan], ('old', 'new'))
    """

    keys: tuple[tuple[str, ...], ...]
    numbers: Mapping[str, Floats]
    texts: Mapping[str, tuple[str | None, ...]]

    @classmethod
    def of(
        cls,
        keys: Iterable[str | tuple[str, str]],
        columns: Mapping[str, Sequence[float | str | None]],
        *,
        origin: str = "",
        lines: Sequence[int] | None = None,
    ) -> "FeatureTable":
        """Return the table of columns, each of texts or of numbers, which may be written as texts.

        `origin` (a file's name) and `lines` (the line of each row) only serve messages.
        """
        rows = tuple(key if isinstance(key, tuple) else (key,) for key in keys)
        where = places("features", origin, lines)
        for number, row in enumerate(rows):
            if len(row) != len(rows[0]) or len(row) > 2:
                rule, remedy = "be all elements or all links", "give them a table each"
                raise InputError("ids of features", row, rule, remedy=remedy, place=where(number))
            for name, value in zip(
                (ELEMENT,) if len(row) == 1 else (SOURCE, TARGET), row, strict=True
            ):
                check_id(name, value, place=where(number))
        if not rows or not columns:
            rule, remedy = "have rows, and a column beside ids", "add what is known of them"
            raise InputError("features", "empty", rule, remedy=remedy, place=origin)
        numbers, texts = dict[str, Floats](), dict[str, tuple[str | None, ...]]()
        for name, values in columns.items():
            if len(values) != len(rows):
                thing, rule = f"length of column {name!r}", f"be {len(rows)}, as of ids"
                raise InputError(thing, len(values), rule, remedy="give one value a row")
            # NaN is what pandas has for a missing value; it alone differs from itself.
            each = [None if value == "" or value != value else value for value in values]
            if all(value is None for value in each):
                rule, remedy = "hold a value", "leave the column out"
                raise InputError(f"column {name!r}", "empty", rule, remedy=remedy, place=origin)
            column = np.array([np.nan if x is None else number_of(str(x)) for x in each])
            if np.isinf(column).any():
                number = int(np.flatnonzero(np.isinf(column))[0])
                rule, remedy = "be finite", "give a smaller number"
                raise InputError(name, each[number], rule, remedy=remedy, place=where(number))
            if np.isnan(column).sum() == each.count(None):
                numbers[name] = column
            else:
                texts[name] = tuple(None if value is None else str(value) for value in each)
        first = dict[tuple[str, ...], int]()
        for number, row in enumerate(rows):
            other = first.setdefault(row, number)
            if other != number and len(row) == 2:
                remedy = f"keep it or the one in {where(other)}"
                raise InputError("link", row, "be given once", remedy=remedy, place=where(number))
            for name, column in numbers.items():
                two = column[[other, number]]
                if two[0] != two[1] and not np.isnan(two).all():
                    thing, rule = f"{name} of {row[0]!r}", f"be as in {where(other)}"
                    remedy = "give an element one number"
                    raise InputError(thing, float(two[1]), rule, remedy=remedy, place=where(number))
        return cls(rows, numbers, texts)


def read_features(path: FilePath) -> FeatureTable:
    """Return the features of a file: columns element, or source and target, and any others.

    A column all of whose values are numbers is one of numbers, any other one of texts, which say
    to what category something belongs. Values may be missing: empty, null. The formats are those
    of `read_links`.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "kinds.csv"
    >>> _ = path.write_text("element,kind,age\\na,old,3\\nb,new,\\n")
    >>> table = read_features(path)
    >>> table.keys, table.texts["kind"], table.numbers["age"].tolist()
    ((('a',), ('b',)), ('old', 'new'), [3.0, nan])
    """
    table = read(path, LAYOUT)
    names, values = table.names, table.columns
    given = [any(value not in (None, "") for value in column) for column in values[:3]]
    if given not in ([True, False, False], [False, True, True]):
        rule = "name either elements or both ends of links"
        remedy = "have the columns element, or source and target"
        shown = ", ".join(name for name, holds in zip(names[:3], given, strict=True) if holds)
        raise InputError(
            "ids of features", shown, rule, remedy=remedy, place=table.origin or table.what
        )
    keys = values[0] if given[0] else zip(values[1], values[2], strict=True)
    columns = dict(zip(names[3:], values[3:], strict=True))
    return FeatureTable.of(keys, columns, origin=table.origin, lines=table.lines)


CLICK_RATE = "click rate"
# Beside its size, a deviation that rounding leaves of none.
_NONE = 1e-9
# A text column of links has a feature for each of its texts.
_MOST_TEXTS = 50

FeatureColumn = Callable[[], ArrayLike]


@dataclass(frozen=True, slots=True, eq=False)
class LinkFeatures:
    """Features of each row of a table of links, on one scale: mean 0 and standard deviation 1.

    Parameters
    ----------
    names
        Of features; shape (d,).
    values
        Of each row of the links; shape (m, d).
    means, deviations
        Of features before; shape (d,).
    constant
        Names of features that were left out, since they are the same for all links.
    """

    names: tuple[str, ...]
    values: Floats
    means: Floats
    deviations: Floats
    constant: tuple[str, ...]

    def choosing(self, links: Links) -> "LinkFeatures":
        """Return those features that differ among the links of some source.

        The others say nothing of which link is taken.
        """
        sizes = np.maximum(np.diff(links.starts), 1)[:, None]
        sums = np.zeros((len(links.elements), len(self.names)))
        np.add.at(sums, links.sources, self.values)
        apart = np.abs(self.values - (sums / sizes)[links.sources]).max(axis=0, initial=0.0)
        kept = apart > _NONE
        out = tuple(name for name, stays in zip(self.names, kept, strict=True) if not stays)
        return LinkFeatures(
            tuple(name for name in self.names if name not in out),
            self.values[:, kept],
            self.means[kept],
            self.deviations[kept],
            (*self.constant, *out),
        )


def link_features(
    links: Links,
    elements: Elements | None = None,
    table: FeatureTable | None = None,
    names: Iterable[str] | None = None,
    counts: StepCounts | None = None,
) -> LinkFeatures:
    """Return features of each row of links, of x -> y.

    Always: the logarithms of 1 + in-degree and out-degree of y and of out-degree of x, whether y
    links back, and of 1 + the numbers of shared targets (elements to which both link), shared
    sources (which link to both) and two-step ways (x -> z -> y). Logarithms likewise below.

    With elements: tree distance (steps between x and y by parents and children, documents being
    siblings), same document, distance (between starts, logarithm, 0 between documents), after
    (whether y begins after x in its document), size of y and of x (logarithms of lengths), place
    of y among siblings (logarithm), start of y (as a share of its document), depth of y and of x.

    With a table of elements, for each column: its number of y and the difference from x (without
    sign), or whether x and y share one of its texts. Where a number is not known it stands at the
    mean, and a feature says so. With a table of links: its numbers, and for each text whether it is
    that.

    With counts: the click rate of y, the logarithm of how often it was chosen of how often it was
    among the links of an element that people moved on from, drawn towards the mean by one choice.

    Parameters
    ----------
    names
        Which features; all but the click rate by default.

    >>> links = Links({("a", "b"): 1, ("a", "c"): 1, ("b", "a"): 1})
    >>> features = link_features(links, names=["links back", "in-degree"])
    >>> features.names, features.constant, features.values.round(2).ravel().tolist()
    (('links back',), ('in-degree',), [0.71, -1.41, 0.71])
    """
    known = dict[str, FeatureColumn](_of_graph(links))
    if elements is not None:
        known |= _of_elements(links, elements)
    if table is not None:
        known |= _of_table(links, table)
    chosen = list(known) if names is None else list(dict.fromkeys(names))
    if counts is not None:
        known[CLICK_RATE] = lambda: _click_rate(links, counts)
    for name in chosen:
        if name not in known:
            remedy = "give counts" if name == CLICK_RATE else "check the name, or give its table"
            raise InputError("feature", name, f"be one of {', '.join(known)}", remedy=remedy)
    raw = np.empty((len(links), len(chosen)))
    for column, name in enumerate(chosen):
        raw[:, column] = known[name]()
    means = raw.mean(axis=0) if len(raw) else np.zeros(len(chosen))
    values = raw - means
    deviations = np.sqrt((values**2).mean(axis=0)) if len(raw) else np.zeros(len(chosen))
    varies = deviations > _NONE * np.abs(raw).max(axis=0, initial=0.0)
    values = values[:, varies] / deviations[varies]
    parts = {
        flag: tuple(x for x, v in zip(chosen, varies, strict=True) if v == flag)
        for flag in (True, False)
    }
    return LinkFeatures(parts[True], values, means[varies], deviations[varies], parts[False])


def features_of(
    links: Links, elements: Elements | None, given: LinkFeatures | None
) -> LinkFeatures:
    """Return features of links that are given, those of `link_features` by default.

    Raise InputError for features of other links, and as `link_features`.
    """
    features = link_features(links, elements) if given is None else given
    if len(features.values) != len(links):
        thing, rule = "number of rows of features", f"be that of links, {len(links)}"
        remedy = "give features of these links"
        raise InputError(thing, len(features.values), rule, remedy=remedy)
    return features


def _of_graph(links: Links) -> Mapping[str, FeatureColumn]:
    """Return the features that links themselves have."""
    size = len(links.elements)
    x, y = links.sources.astype(np.int64), links.targets.astype(np.int64)
    out = np.diff(links.starts)
    into = np.bincount(y, minlength=size)
    # By target, in the order of sources: the links turned round.
    turned = np.append(0, np.cumsum(into)), x[np.argsort(y, kind="stable")]
    straight = np.append(0, np.cumsum(out)), y

    def shared(of_x: tuple[Ints, Ints], of_y: tuple[Ints, Ints]) -> FeatureColumn:
        def column() -> Floats:
            from prum.simulator.sampling.kernels import num_shared

            number = np.zeros(len(x), dtype=np.int64)
            num_shared(x, *of_x, y, *of_y, number)
            logarithm: Floats = np.log1p(number)
            return logarithm

        return column

    return {
        "in-degree": lambda: np.log1p(into)[y],
        "out-degree": lambda: np.log1p(out)[y],
        "out-degree of source": lambda: np.log1p(out)[x],
        "links back": lambda: np.isin(y * size + x, x * size + y),
        "shared targets": shared(straight, straight),
        "shared sources": shared(turned, turned),
        "two-step ways": shared(straight, turned),
    }


def _of_elements(links: Links, elements: Elements) -> Mapping[str, FeatureColumn]:
    """Return the features that places and lengths of elements give."""
    number = np.array([elements.number(name) for name in links.elements], dtype=np.int64)
    x, y = number[links.sources], number[links.targets]
    document, start = elements.documents, elements.starts
    together = document[x] == document[y]
    size, depth = np.log1p(elements.lengths), elements.depths.astype(np.float64)
    whole = elements.lengths[document]
    share = np.divide(start - start[document], whole, out=np.zeros(len(start)), where=whole > 0)
    return {
        "tree distance": lambda: _tree_distance(elements, x, y),
        "same document": lambda: together,
        "distance": lambda: np.where(together, np.log1p(np.abs(start[y] - start[x])), 0.0),
        "after": lambda: together & (start[y] > start[x]),
        "size": lambda: size[y],
        "size of source": lambda: size[x],
        "place among siblings": lambda: np.log1p(_place(elements.parents))[y],
        "start": lambda: share[y],
        "depth": lambda: depth[y],
        "depth of source": lambda: depth[x],
    }


def _tree_distance(elements: Elements, x: Ints, y: Ints) -> Ints:
    """Return how many steps to parents and children part two elements; documents are siblings."""
    depth, parents = elements.depths, elements.parents
    x, y, steps = x.copy(), y.copy(), np.zeros(len(x), dtype=np.int64)
    while len(apart := np.flatnonzero(x != y)):
        # The deeper one climbs, both where they are as deep; -1 is the parent of all documents.
        one, two = (np.where(side[apart] < 0, -1, depth[side[apart]]) for side in (x, y))
        for side, climbs in ((x, one >= two), (y, two >= one)):
            rows = apart[climbs]
            side[rows] = parents[side[rows]]
            steps[rows] += 1
    return steps


def _place(parents: Ints) -> Ints:
    """Return the number of siblings before each element, in document order."""
    order = np.argsort(parents, kind="stable")
    own = parents[order]
    first = np.searchsorted(own, own)
    place = np.empty(len(parents), dtype=np.int64)
    place[order] = np.arange(len(parents)) - first
    return place


def _of_table(links: Links, table: FeatureTable) -> Mapping[str, FeatureColumn]:
    """Return the features that the columns of a table give."""
    if len(table.keys[0]) == 2:
        return _of_link_table(links, table)
    size = len(links.elements)
    at = codes_of((key[0] for key in table.keys), links.code)
    _check_meets(at, "elements")
    x, y = links.sources.astype(np.int64), links.targets.astype(np.int64)
    features = dict[str, FeatureColumn]()
    for name, values in table.numbers.items():
        each = np.full(size, np.nan)
        each[at[at >= 0]] = values[at >= 0]
        features |= _numbers(name, each[y])
        features |= _numbers(f"{name} difference", np.abs(each[y] - each[x]))
    for name, texts in table.texts.items():
        features[f"same {name}"] = partial(_share, at, texts, x, y, size)
    return features


def _of_link_table(links: Links, table: FeatureTable) -> Mapping[str, FeatureColumn]:
    at = rows_of(links, *(codes_of(ends, links.code) for ends in zip(*table.keys, strict=True)))
    _check_meets(at, "links")
    features = dict[str, FeatureColumn]()
    for name, values in table.numbers.items():
        each = np.full(len(links), np.nan)
        each[at[at >= 0]] = values[at >= 0]
        features |= _numbers(name, each)
    for name, texts in table.texts.items():
        kinds = sorted({text for text in texts if text is not None})
        if len(kinds) > _MOST_TEXTS:
            thing, rule = f"number of texts in column {name!r}", f"be at most {_MOST_TEXTS}"
            raise InputError(thing, len(kinds), rule, remedy="put rare ones together")
        for kind in kinds:
            is_kind = np.zeros(len(links))
            is_kind[at[np.array([text == kind for text in texts]) & (at >= 0)]] = 1.0
            features[f"{name}: {kind}"] = partial(np.array, is_kind)
    return features


def _check_meets(at: Ints, what: str) -> None:
    if (at < 0).all():
        rule, remedy = f"name {what} of the links", "check its ids"
        raise InputError("table of features", f"none of {len(at)} rows", rule, remedy=remedy)


def _numbers(name: str, values: Floats) -> Mapping[str, FeatureColumn]:
    """Return a feature of numbers, and one of where they are not known if there are such."""
    unknown = np.isnan(values)
    if not unknown.any():
        return {name: lambda: values}
    mean = float(values[~unknown].mean()) if not unknown.all() else 0.0
    return {
        name: lambda: np.where(unknown, mean, values),
        f"{name} unknown": lambda: unknown,
    }


def _share(at: Ints, texts: tuple[str | None, ...], x: Ints, y: Ints, size: int) -> Flags:
    """Return whether two elements share a text."""
    from scipy.sparse import csr_array

    kinds = {text: place for place, text in enumerate(dict.fromkeys(filter(None, texts)))}
    kind = codes_of(texts, kinds)
    used = (at >= 0) & (kind >= 0)
    ones = np.ones(int(used.sum()))
    has = csr_array((ones, (at[used], kind[used])), shape=(size, max(len(kinds), 1)))
    share: Flags = np.asarray(has[x].multiply(has[y]).sum(axis=1)).ravel() > 0
    return share


def _click_rate(links: Links, counts: StepCounts) -> Floats:
    """Return the logarithm of how often targets were chosen of how often they were shown."""
    size = len(links.elements)
    shown = np.bincount(links.targets, counts.moved[links.sources], size)
    chosen = np.bincount(links.targets, counts.moves, size)
    mean = max(chosen.sum(), 1) / max(shown.sum(), 1)
    rates: Floats = np.log((chosen + 1) / (shown + 1 / mean))[links.targets]
    return rates
