"""Compiled loop that swaps visits of tables, which keep their margins."""

from numba import njit


@njit(nogil=True, cache=True)
def swap(tables, rows, columns, picks):
    """Swap visits of each table in place: (a, y) and (b, z) become (a, z) and (b, y).

    Visit i of table k is (rows[k, i], columns[k, i]); picks[k] are pairs of visits, one after the
    other. They stay where (a, z) or (b, y) is taken. `columns` is changed, too.
    """
    for k in range(len(tables)):
        table, row, column = tables[k], rows[k], columns[k]
        for pick in range(picks.shape[1]):
            first, second = picks[k, pick, 0], picks[k, pick, 1]
            a, b, y, z = row[first], row[second], column[first], column[second]
            if not table[a, z] and not table[b, y]:
                table[a, y] = table[b, z] = False
                table[a, z] = table[b, y] = True
                column[first], column[second] = z, y
