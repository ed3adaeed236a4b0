"""Tables that are held in Python: data frames of any library, records with names."""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from prum.simulator.model.errors import InputError


def is_table(data: object) -> bool:
    """Return whether this is a data frame, or an iterable of records with names.

    >>> is_table([{"qid": "q"}]), is_table({"q": ["a"]}), is_table(["a"])
    (True, False, False)
    """
    if _is_frame(data):
        return True
    if isinstance(data, list | tuple):
        return not data or isinstance(data[0], Mapping) or hasattr(data[0], "_fields")
    return isinstance(data, Iterator)


def columns_of(data: Any, what: str) -> dict[str, list[Any]]:
    """Return the columns of a table by name, of a mapping from names to columns, too.

    What a record lacks is None.

    Data frames are those of pandas, and of any library that shares them by Arrow's interface or by
    `__dataframe__`. Records are mappings, or have the same attributes each.

    Raise InputError for two columns of one name; `what` says whose they are.

    >>> columns_of([{"qid": "q", "score": 1}, {"qid": "r"}], "the run")
    {'qid': ['q', 'r'], 'score': [1, None]}
    """
    if isinstance(data, Mapping):
        return _of_mapping(data, what)
    if not _is_frame(data):
        return _of_records(list(data))
    frame = data if hasattr(data, "itertuples") else _as_pandas(data)
    names = list(map(str, frame.columns))
    if len(set(names)) < len(names):
        raise InputError(f"columns of {what}", names, "be different", remedy="rename them")
    return {name: frame.iloc[:, at].tolist() for at, name in enumerate(names)}


def _of_mapping(data: Mapping[Any, Any], what: str) -> dict[str, list[Any]]:
    columns = {str(name): list(column) for name, column in data.items()}
    sizes = [len(column) for column in columns.values()]
    if len(set(sizes)) > 1:
        rule, remedy = "be the same in all columns", "give as many of each"
        raise InputError("number of rows", sizes, rule, remedy=remedy, place=what)
    return columns


def _is_frame(data: object) -> bool:
    return any(
        hasattr(data, name) for name in ("itertuples", "__dataframe__", "__arrow_c_stream__")
    )


def _as_pandas(data: Any) -> Any:
    if hasattr(data, "__arrow_c_stream__"):
        try:
            import pyarrow as pa
        except ImportError:
            pass
        else:
            return pa.table(data).to_pandas(integer_object_nulls=True)
    import pandas as pd

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer pandas would have Arrow's interface
        return pd.api.interchange.from_dataframe(data)


def _of_records(records: Sequence[Any]) -> dict[str, list[Any]]:
    if records and not isinstance(records[0], Mapping):
        names = list(_names_of(records[0]))
        return {name: [getattr(row, name) for row in records] for name in names}
    # Some records may lack what others have.
    keys = dict.fromkeys(key for row in records for key in row)
    return {str(key): [row.get(key) for row in records] for key in keys}


def _names_of(record: Any) -> Iterable[str]:
    fields: Iterable[str] = getattr(record, "_fields", ())
    return fields or getattr(record, "__dict__", ())
