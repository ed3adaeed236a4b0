"""JSON files that are read whole, packed or not."""

import os
from json import JSONDecodeError
from typing import Any

from prum.simulator.model.errors import InputError
from prum.simulator.model.json_text import json_value
from prum.simulator.tables.files import FilePath, damaged, opened, place
from prum.simulator.tables.unpacked import DamageError

# A few bytes may unpack to any number. So many are read of any file, and more only if the file
# itself is large; each may take 30 in memory.
_MOST_BYTES, _MOST_OF_A_BYTE = 1 << 26, 4
_PIECE = 1 << 20


def read_json(
    path: FilePath, *, thing: str = "content", remedy: str = "check what wrote it"
) -> Any:
    """Return what a JSON file holds, as plain data; `thing` serves messages.

    Raises
    ------
    InputError
        for what is no JSON in UTF-8, or has a key twice in one object; for a file that is packed
        badly, or unpacks to far more bytes than it has.
    OSError
        if the file cannot be read.
    """
    where = place(path)
    try:
        return json_value(_read(path, where).decode("utf-8-sig"))
    except UnicodeDecodeError:
        thing, fault, rule = "text", "in another encoding", "be UTF-8"
        remedy = "save the file as UTF-8"
    except RecursionError:
        fault, rule = "nested too deep", "be JSON"
    except JSONDecodeError as error:
        fault, rule, where = error.msg, "be JSON", place(path, error.lineno)
    except InputError:
        raise
    except ValueError as error:
        fault, rule = str(error), "be JSON"
    raise InputError(thing, fault, rule, remedy=remedy, place=where)


def _read(path: FilePath, where: str) -> bytes:
    """Return the bytes of a file, unpacked."""
    size = os.path.getsize(path) if os.path.isfile(path) else 0
    most = max(_MOST_BYTES, _MOST_OF_A_BYTE * size)
    pieces, num_bytes = list[bytes](), 0
    with opened(path) as stream:
        try:
            while piece := stream.read(_PIECE):
                pieces.append(piece)
                num_bytes += len(piece)
                if num_bytes > most:
                    raise InputError(
                        "bytes of JSON that is compressed or comes through a pipe",
                        f"more than {most}", f"be at most {most}",
                        remedy="give the unpacked file itself", place=where,
                    )  # fmt: skip
        except DamageError as error:
            raise damaged(error, place=where) from None
    return b"".join(pieces)
