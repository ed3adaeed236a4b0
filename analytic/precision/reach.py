"""Reach: the probabilities P(l_i -> x) from list elements to ideals, sparse and checked."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import real_array, whole_number

if TYPE_CHECKING:
    from scipy import sparse

# Numbers in one array that a closed form makes, and bytes of what it is asked to make.
MOST_NUMBERS = 100_000_000
_LARGEST = 2**32

MatrixLike: TypeAlias = "ArrayLike | sparse.sparray | sparse.spmatrix"


@dataclass(frozen=True, slots=True)
class Reach:
    """The positive entries of an o x t reach matrix, by rank, then ideal; indices from 0."""

    num_ranked: int
    num_ideals: int
    ranks: Ints
    ideals: Ints
    probabilities: Floats

    def sparse(self, values: Floats) -> "sparse.csr_array":
        """Return the matrix with other values in the place of the probabilities."""
        from scipy import sparse

        shape = (self.num_ranked, self.num_ideals)
        matrix: sparse.csr_array = sparse.csr_array((values, (self.ranks, self.ideals)), shape)
        return matrix

    def dense(self) -> Floats:
        """Return the whole matrix.

        Raises InputError if it is too large; see `check_size`.
        """
        check_size("o t, the entries of a dense reach", self.num_ranked * self.num_ideals)
        matrix = np.zeros((self.num_ranked, self.num_ideals))
        matrix[self.ranks, self.ideals] = self.probabilities
        return matrix


def unseen_after(dense: Floats) -> Floats:
    """Return P(x not in S_i) for i = 0 .. o, shape (o + 1, t), from a reach, shape (o, t).

    >>> unseen_after(np.array([[0.5, 0.0], [0.5, 1.0]])).tolist()
    [[1.0, 1.0], [0.5, 1.0], [0.25, 0.0]]
    """
    unseen: Floats = np.cumprod(
        np.vstack([np.ones(dense.shape[1]), 1 - dense]), axis=0, dtype=float
    )
    return unseen


def check_size(thing: str, size: int) -> None:
    """Raise if an array has too many numbers to be made in passing.

    Raises InputError for more than 100,000,000 numbers (0.75 GiB; what is computed of them takes
    several such).
    """
    if size > MOST_NUMBERS:
        rule = f"be at most {MOST_NUMBERS} ({size / 2**27:,.1f} GiB are too many)"
        remedy = "take a shorter list, fewer ideals or a smaller collection, or simulate"
        raise InputError(thing, size, rule, remedy=remedy)


def check_memory(function: str, needed: int, formula: str, *, remedy: str) -> None:
    """Raise if a function would need more than 4 GiB.

    Raises InputError for more bytes; `formula` says where they come from.
    """
    if needed > _LARGEST:
        rule = f"be at most {_LARGEST} bytes ({formula})"
        raise InputError(f"memory of {function}", needed, rule, remedy=remedy)


def checked_reach(reach: MatrixLike) -> Reach:
    """Return the entries of `reach`, of shape (o, t), dense or any scipy.sparse format.

    Raises InputError if it is not a matrix, has no column, or holds a value outside [0, 1].

    >>> checked_reach([[0.4, 0.0], [0.0, 1.0]]).probabilities.tolist()
    [0.4, 1.0]
    """
    remedy = "give o rows of t probabilities"
    if hasattr(reach, "nnz"):  # sparse, of whatever format
        from scipy import sparse

        matrix: Any = sparse.coo_array(cast("Any", reach))
        matrix.sum_duplicates()
        shape = matrix.shape
        rows, columns = matrix.coords[0], matrix.coords[1]
        values = real_array("reach", matrix.data, remedy=remedy)
        if len(shape) != 2:
            raise InputError("reach", shape, "have shape (o, t)", remedy=remedy)
    else:
        dense = real_array("reach", reach, remedy=remedy, shape=("o", "t"))
        shape = dense.shape
        rows, columns = np.nonzero(dense)
        values = dense[rows, columns]
    if shape[1] < 1:
        remedy = "leave out topics without ideals"
        raise InputError("number of ideals", 0, "be at least 1", remedy=remedy)
    bad = np.flatnonzero(~((values >= 0) & (values <= 1)))
    if bad.size:
        thing = f"reach[{rows[bad[0]]}, {columns[bad[0]]}]"
        raise InputError(thing, float(values[bad[0]]), "lie in [0, 1]", remedy="give probabilities")
    order = np.lexsort((columns, rows))
    order = order[values[order] > 0]
    return Reach(
        int(shape[0]),
        int(shape[1]),
        np.asarray(rows, dtype=np.int64)[order],
        np.asarray(columns, dtype=np.int64)[order],
        values[order],
    )


def checked_unranked(unranked: int, possibly_unseen: int) -> int:
    """Return u, the number of unranked elements, if the ideals that may be unseen fit in it.

    Raises InputError if it is not a whole number or smaller than `possibly_unseen`.
    """
    u = whole_number("unranked", unranked, least=0, remedy="give the number of unranked elements")
    if u < possibly_unseen:
        rule = f"be at least {possibly_unseen}, the ideals that may be unseen after the list"
        remedy = "count the collection's elements outside the list"
        raise InputError("unranked", u, rule, remedy=remedy)
    return u


def checked_recall(r: int, num_ideals: int) -> int:
    """Return the recall value r if it lies in 1 .. t."""
    remedy = "give a number of ideals between 1 and t"
    return whole_number("r", r, least=1, most=num_ideals, remedy=remedy)
